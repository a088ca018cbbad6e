"""Builds the ASGI application from settings."""

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
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Match
    from starlette.staticfiles import StaticFiles
except ImportError:
    raise MissingExtra("fastapi", "studio", "the studio") from None

from linksight.studio import openapi, tasks
from linksight.studio.config import Settings
from linksight.studio.jobs import Jobs
from linksight.studio.middleware.compression import Compression
from linksight.studio.middleware.guard import Guard
from linksight.studio.middleware.head import Heads
from linksight.studio.middleware.metrics import Metrics
from linksight.studio.middleware.proxy import ForwardedHeaders
from linksight.studio.rendering.page_cache import Previews
from linksight.studio.responses import Json, errors_of, is_for_programs, problem, status_and_code
from linksight.studio.routes import api_v1, web
from linksight.studio.routes.api_v1.direct_detect import DirectDetect
from linksight.studio.security import HEADERS
from linksight.studio.services import language_service
from linksight.studio.services.crawl_processes import Crawls
from linksight.studio.services.inspector_runs import Runs
from linksight.studio.services.workbench.pattern_languages import LanguageMixes
from linksight.studio.services.workbench.shared_workbench import SharedWorkbench
from linksight.studio.templating import Templates

# FastAPI hides this warning of pydantic's, but by a filter that other threads can take away with theirs.
warnings.filterwarnings("ignore", "The 'alias' attribute with value", UserWarning)

HERE = Path(__file__).parent
WARM_UP_DELAY_SECONDS = 0.5  #: the first page comes before the models


class StudioApp(FastAPI):
    """FastAPI without the telemetry around every request, which takes as long as a prediction."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await Starlette.__call__(self, scope, receive, send)


def create_app(settings: Settings | None = None, *, warm: bool = False) -> FastAPI:
    """The studio as an ASGI application; ``warm`` loads the models in the background."""
    chosen = settings or Settings()
    app = StudioApp(
        title="linksight",
        version=__version__,
        docs_url=None,  # FastAPI's pages load scripts from a CDN; the studio's is at /api
        redoc_url=None,
        lifespan=_lifespan,
        default_response_class=Json,
    )
    app.state.settings, app.state.metrics, app.state.warm = chosen, Metrics(), warm
    app.state.templates = Templates(HERE / "templates", chosen)
    app.state.runs = Runs(chosen.data_dir / "runs", chosen.max_runs_bytes)
    app.state.previews = Previews()
    app.state.workbench, app.state.crawls = SharedWorkbench(chosen), Crawls(chosen)
    app.state.mixes = LanguageMixes()
    app.state.jobs = Jobs(chosen.data_dir / "jobs", tasks.handlers(app.state))
    app.include_router(api_v1.router())
    app.include_router(web.router(), include_in_schema=False)
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    app.openapi = lambda: openapi.describe(app, chosen)  # type: ignore[method-assign]
    app.add_middleware(Compression)
    app.add_middleware(DirectDetect, metrics=app.state.metrics)
    app.add_middleware(Guard, settings=chosen, metrics=app.state.metrics)
    app.add_middleware(Heads)
    if chosen.behind_proxy:
        app.add_middleware(ForwardedHeaders)
    app.add_exception_handler(LinksightError, _library_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _wrong_input)
    app.add_exception_handler(OSError, _no_room)
    app.add_exception_handler(Exception, _unforeseen)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    app.state.jobs.restore()
    if app.state.warm:
        later = threading.Timer(WARM_UP_DELAY_SECONDS, language_service.warm_up)
        later.daemon = True
        later.start()
    yield
    app.state.jobs.close()
    app.state.workbench.close()


async def _library_error(request: Request, error: Any) -> Response:
    status, code = status_and_code(error)
    headers = {"retry-after": "10"} if status in (429, 503) else None
    return problem(request.scope, status, code, str(error), headers, errors_of(request, code, str(error)))


_CODES = {400: "bad-request", 403: "forbidden", 404: "not-found", 405: "wrong-method", 408: "timeout", 409: "conflict",
          413: "too-large", 415: "wrong-type", 422: "invalid-input", 429: "busy"}  # fmt: skip


async def _http_error(request: Request, error: Any) -> Response:
    code, headers = _CODES.get(error.status_code, "error"), dict(error.headers or {})
    detail = str(error.detail)
    if error.status_code == 405:
        headers = {"allow": _methods(request)}
        detail = f"{request.method[:20]} is not supported here; use {headers['allow']}"
        if request.method in ("GET", "HEAD") and not is_for_programs(request.url.path):
            detail = "this address only receives a form; open the page with the form"
    return problem(request.scope, error.status_code, code, detail, headers)


def _methods(request: Request) -> str:
    """The methods of a path, over all of its routes."""
    routes = request.app.routes
    found = [
        method
        for method in ("GET", "POST", "DELETE")
        if any(route.matches({**request.scope, "method": method})[0] is Match.FULL for route in routes)
    ]
    return ", ".join([*found, "HEAD"] if "GET" in found else found)


#: Errors of a disk or folder, not of the program.
_NO_ROOM = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.ENOTDIR)


async def _no_room(request: Request, error: Any) -> Response:
    """The data folder cannot be created or written, or the disk is full."""
    folder = request.app.state.settings.data_dir
    is_ours = error.filename is not None and Path(error.filename).absolute() in (
        folder.absolute(),
        *folder.absolute().parents,
    )
    if error.errno not in _NO_ROOM and not is_ours:
        raise error
    text = f"{error.filename or folder} cannot be used (see --data-dir): {error.strerror}"
    return problem(request.scope, 503, "store", text)


async def _unforeseen(request: Request, error: Any) -> Response:
    """An unexpected error; the server logs the traceback."""
    # Starlette sends this answer outside of the layer that adds the headers, then closes the connection.
    headers = HEADERS | {"connection": "close", "x-request-id": request.scope.get("request_id", "")}
    return problem(request.scope, 500, "unexpected", "a bug of linksight; its log has the details", headers)


async def _wrong_input(request: Request, error: Any) -> Response:
    first = error.errors()[0]
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if first["loc"] == ("body",) and first["type"] != "missing" and not kind.endswith("json"):
        text = f"JSON is needed, sent as Content-Type: application/json, not as {kind[:80]!r}"
        return problem(request.scope, 415, "wrong-type", text)
    if first["loc"][:1] == ("path",):  # not a number where the address of a page has one
        return problem(request.scope, 404, "not-found", "this address does not exist")
    if first["type"] == "json_invalid":
        return problem(request.scope, 400, "bad-request", _in_words(first))
    wrong = [{**_place(one["loc"]), "detail": _in_words(one)} for one in error.errors()[:20]]
    return problem(request.scope, 422, "invalid-input", _in_words(first), errors=wrong)


def _place(loc: tuple[Any, ...]) -> dict[str, str]:
    """A field as a query parameter, or as a JSON pointer into the body.

    >>> _place(("query", "url")), _place(("body", "urls", 3))
    ({'parameter': 'url'}, {'pointer': '/urls/3'})
    """
    if loc[:1] == ("query",):
        return {"parameter": str(loc[-1])}
    parts = (str(part).replace("~", "~0").replace("/", "~1") for part in loc[1:])
    return {"pointer": "".join(f"/{part}" for part in parts)}


def _in_words(wrong: Any) -> str:
    """An error of the input in plain words."""
    where = ".".join(str(part) for part in wrong["loc"] if part != "body") or "body"
    if wrong["type"] == "json_invalid":
        return (
            f"the body is not JSON: {wrong.get('ctx', {}).get('error', 'unreadable')}, at character {where}"
        )
    if wrong["type"] == "model_attributes_type":
        return 'the body is not a JSON object, such as {"url": "https://www.example.org/"}'
    if wrong["type"] == "extra_forbidden":
        return f"unknown field {where!r}; the known ones are in /openapi.json"
    return f"{where.removeprefix('query.')}: {wrong['msg']}"
