"""Reports of the lab, and the model card."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse, Response

from linksight.studio.security import FOREIGN_POLICY
from linksight.studio.services import language_service
from linksight.studio.templating import shown

router = APIRouter()
SHOWN = (".html", ".md", ".json", ".txt", ".csv", ".svg", ".png")
MAX_SHOWN_CHARACTERS = 2 << 20
#: The model card: in a checkout the one of the documents, which has pictures; else that of the package.
_PACKAGE = Path(__file__).parents[3]
CARDS = (_PACKAGE.parents[1] / "docs" / "model-card.md", _PACKAGE / "data" / "model-card.md")

#: Keys of a model's figures in words.
MODEL_WORDS = {
    "trained_on": "trained on",
    "train_sha256": "digest of the training table (SHA-256)",
    "rows": "labelled addresses it was trained on, by language",
    "dev": "measured on web sites that it was not trained on",
    "accuracy": "right answers, languages with 1,000 training addresses or more",
    "generic": "right answers under generic domains such as .com",
    "pages": "right answers for addresses of pages",
    "hosts": "right answers for addresses of a host alone",
    "macro_f1": "macro-F1 of languages with 20 test addresses or more",
    "five": "F1 of English, German, French, Spanish and Italian, one against the rest",
    "all_rows": "right answers over all addresses, those with doubtful labels too",
    "calibration_error": "how far its probabilities are off, on average",
    "calibration_error_all": "the same over all addresses",
    "below_0.25": "answers with a probability below 25 %",
    "right_below_0.25": "right answers among these",
}


@router.get("/reports")
def all_reports(request: Request) -> Response:
    """All reports in the folder of reports."""
    folder = request.app.state.settings.reports_dir
    found = [
        {"name": name, "size": path.stat().st_size, "at": path.stat().st_mtime}
        for name, path in _files(folder).items()
    ]
    return shown(request, "reports.html", {"reports": found, "folder": folder})


@router.get("/reports/show/{name:path}")
def one_report(request: Request, name: str) -> Response:
    """A report: text is made a page, HTML is shown in a sandbox."""
    path = _found(request, name)
    values: dict[str, Any] = {"title": name, "back": "/reports", "source": f"/reports/raw/{quote(name)}"}
    if path.suffix in (".html", ".svg", ".png"):
        return shown(request, "frame.html", values)
    full = path.read_text("utf-8", "replace")
    text = full[:MAX_SHOWN_CHARACTERS]
    if path.suffix == ".json":
        text = _pretty(text)
    body = markdown(text) if path.suffix == ".md" else Markup("<pre>{}</pre>").format(text)
    return shown(request, "text.html", values | {"body": body, "is_cut": len(full) > MAX_SHOWN_CHARACTERS})


@router.get("/reports/raw/{name:path}")
def raw(request: Request, name: str) -> Response:
    """The file itself, under the policy for foreign pages."""
    path = _found(request, name)
    headers = {"content-security-policy": FOREIGN_POLICY}
    if path.suffix == ".html":
        return HTMLResponse(path.read_bytes(), headers=headers)
    return FileResponse(path, headers=headers)


@router.get("/model")
def model(request: Request) -> Response:
    """The model card, and the figures of the bundled model."""
    scorer = language_service.model()
    card = next((path for path in CARDS if path.is_file()), None)
    body = markdown(card.read_text(encoding="utf-8"), card.parent / "pictures") if card else None
    about = {name: value for name, value in scorer.about.items() if not isinstance(value, (dict, list))}
    tables = {name: value for name, value in scorer.about.items() if isinstance(value, dict)}
    values = {"card": body, "about": about, "tables": tables, "words": MODEL_WORDS, "languages": scorer.languages,
              "doubt": scorer.calibration.reject_threshold}  # fmt: skip
    return shown(request, "model.html", values)


def markdown(text: str, pictures: Path | None = None) -> Markup:
    """Markdown as HTML; HTML in it is shown as text, and pictures only from a known folder.

    >>> markdown("*a* <b>")
    Markup('<p><em>a</em> &lt;b&gt;</p>\\n')
    """
    from markdown_it import MarkdownIt

    # Other pictures would be loaded from foreign addresses.
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("image", _drawn)
    html = parser.render(text, {"pictures": _drawings(pictures) if pictures else {}})
    html = re.sub(
        r'<(t[hd]) style="text-align:right">', r'<\1 class="n">', html
    )  # the policy blocks inline styles
    html = re.sub(r' style="text-align:\w+"', "", html)
    return Markup(re.sub(r"<th[^>]*></th>", "<td></td>", html))  # a corner of a table is not a heading


def _drawn(self: Any, tokens: Any, index: int, options: Any, env: Any) -> str:
    """A known picture, or its description."""
    caption = tokens[index].content
    path = env["pictures"].get(tokens[index].attrs["src"])
    if path is None:
        return str(Markup("<em>[{}]</em>").format(caption))
    data = b64encode(path.read_bytes()).decode()
    return str(
        Markup('<img class="drawn" alt="{}" src="data:image/svg+xml;base64,{}">').format(caption, data)
    )


def _drawings(folder: Path) -> dict[str, Path]:
    """The drawings of a folder by the names that a text uses: no path is made from the text."""
    return {f"{folder.name}/{path.name}": path for path in folder.glob("*.svg")}


def _files(folder: Path) -> dict[str, Path]:
    """Every report by its name: the path within the folder."""
    if not folder.is_dir():
        return {}
    paths = (path for path in sorted(folder.rglob("*"))[:2_000] if path.suffix in SHOWN and path.is_file())
    return {path.relative_to(folder).as_posix(): path for path in paths}


def _found(request: Request, name: str) -> Path:
    """A report by its name among the listed files; no path is made from a visitor's text."""
    folder = request.app.state.settings.reports_dir
    path = _files(folder).get(name)
    if path is None or not path.resolve().is_relative_to(folder.resolve()):
        raise HTTPException(404, f"no report {name[:100]!r}")
    return path


def _pretty(text: str) -> str:
    try:
        return json.dumps(json.loads(text), indent=1, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text
