"""The application: settings in, an ASGI application out."""

from __future__ import annotations

import errno
import threading
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from linksight import __version__
from linksight.errors import LinksightError, MissingExtra

try:
    from fastapi import FastAPI
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Match
    from starlette.staticfiles import StaticFiles
except ImportError:
    raise MissingExtra("fastapi", "studio", "the studio") from None

from linksight.studio.config import Settings
from linksight.studio.head_middleware import Heads
from linksight.studio.jobs import Jobs
from linksight.studio.rendering.page_cache import Previews
from linksight.studio.request_metrics import Metrics
from linksight.studio.responses import Json, code_of, is_for_programs, problem, status_of
from linksight.studio.routes import api_v1, web
from linksight.studio.security import HEADERS, Guard
from linksight.studio.services import language_service
from linksight.studio.services.crawl_processes import Crawls
from linksight.studio.services.inspector_runs import Runs
from linksight.studio.services.open_workbench import SharedWorkbench
from linksight.studio.services.pattern_languages import LanguageMixes
from linksight.studio.templating import Templates

# FastAPI hides this warning of pydantic's, but by a filter that other threads can take away with theirs.
warnings.filterwarnings("ignore", "The 'alias' attribute with value", UserWarning)

HERE = Path(__file__).parent
WARM_UP_AFTER_S = 0.5  #: the first page comes before the models


def create_app(settings: Settings | None = None, *, warm: bool = False) -> FastAPI:
    """The studio as an ASGI application; ``warm`` loads the models in the background."""
    chosen = settings or Settings()
    app = FastAPI(
        title="linksight",
        version=__version__,
        summary="See what is behind a link before you fetch it.",
        docs_url=None,  # the usual pages load scripts from elsewhere; ours is at /api
        redoc_url=None,
        lifespan=_lifespan,
        default_response_class=Json,
    )
    app.state.settings, app.state.metrics, app.state.warm = chosen, Metrics(), warm
    app.state.templates = Templates(HERE / "templates", chosen)
    app.state.jobs, app.state.runs = Jobs(), Runs(chosen.data_dir / "runs")
    app.state.previews = Previews()
    app.state.workbench, app.state.crawls = SharedWorkbench(chosen), Crawls(chosen)
    app.state.mixes = LanguageMixes()
    app.include_router(api_v1.router())
    app.include_router(web.router(), include_in_schema=False)
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    app.add_middleware(Guard, settings=chosen, metrics=app.state.metrics)
    app.add_middleware(Heads)
    app.add_exception_handler(LinksightError, _library_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _wrong_input)
    app.add_exception_handler(OSError, _no_room)
    app.add_exception_handler(Exception, _unforeseen)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    if app.state.warm:
        later = threading.Timer(WARM_UP_AFTER_S, language_service.warm_up)
        later.daemon = True
        later.start()
    yield
    app.state.jobs.close()
    app.state.workbench.close()


async def _library_error(request: Request, error: Any) -> Response:
    return problem(request.scope, status_of(error), code_of(error), str(error))


_CODES = {400: "bad-request", 403: "forbidden", 404: "not-found", 405: "wrong-method", 409: "conflict",
          413: "too-large", 415: "wrong-type"}  # fmt: skip


async def _http_error(request: Request, error: Any) -> Response:
    code, headers = _CODES.get(error.status_code, "error"), dict(error.headers or {})
    detail = str(error.detail)
    if error.status_code == 405:
        headers = {"allow": _methods(request)}
        detail = f"not by {request.method[:20]}; by {headers['allow']}"
        if request.method in ("GET", "HEAD") and not is_for_programs(request.url.path):
            detail = "this address takes what a form sends; its page is where the form is"
    return problem(request.scope, error.status_code, code, detail, headers)


def _methods(request: Request) -> str:
    """How a path can be asked: a route knows its own method only, and a path may have several."""
    routes = request.app.routes
    found = [
        method
        for method in ("GET", "POST")
        if any(route.matches({**request.scope, "method": method})[0] is Match.FULL for route in routes)
    ]
    return ", ".join([*found, "HEAD"] if "GET" in found else found)


#: What is wrong with a disk or a folder, and not with us.
_NO_ROOM = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.ENOTDIR)


async def _no_room(request: Request, error: Any) -> Response:
    """Nothing can be kept: the folder of the studio cannot be made or written, or a disk is full."""
    folder = request.app.state.settings.data_dir
    is_ours = error.filename is not None and Path(error.filename).absolute() in (
        folder.absolute(),
        *folder.absolute().parents,
    )
    if error.errno not in _NO_ROOM and not is_ours:
        raise error
    told = f"{error.filename or folder} cannot be used (see --data-dir): {error.strerror}"
    return problem(request.scope, 503, "store", told)


async def _unforeseen(request: Request, error: Any) -> Response:
    """A bug of ours: told in the usual shape; the server writes the rest into its log."""
    # Starlette answers this one outside of all layers, also outside of the one that adds the headers; the server
    # ends the connection behind it.
    headers = HEADERS | {"connection": "close"}
    return problem(request.scope, 500, "unexpected", "a bug of linksight; its log says more", headers)


async def _wrong_input(request: Request, error: Any) -> Response:
    first = error.errors()[0]
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if first["loc"] == ("body",) and first["type"] != "missing" and not kind.endswith("json"):
        told = f"JSON is needed, sent as Content-Type: application/json, not as {kind[:80]!r}"
        return problem(request.scope, 415, "wrong-type", told)
    if first["loc"][:1] == ("path",):  # no number where one stands in the address of a page
        return problem(request.scope, 404, "not-found", "Not Found")
    status = 400 if first["type"] == "json_invalid" else 422
    return problem(request.scope, status, "bad-request", _in_words(first))


def _in_words(wrong: Any) -> str:
    """What is wrong with the input, for people who do not know how it is checked."""
    where = ".".join(str(part) for part in wrong["loc"] if part != "body") or "body"
    if wrong["type"] == "json_invalid":
        return f"the body is no JSON: {wrong.get('ctx', {}).get('error', 'unreadable')}, at character {where}"
    if wrong["type"] == "model_attributes_type":
        return 'the body is no JSON object, such as {"url": "https://www.example.org/"}'
    if wrong["type"] == "extra_forbidden":
        return f"unknown field {where!r}; the known ones are in /openapi.json"
    return f"{where}: {wrong['msg']}"
