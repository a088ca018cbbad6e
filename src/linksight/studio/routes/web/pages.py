"""Pages: language, script and encoding of a page that is pasted, uploaded or fetched."""

from __future__ import annotations

from html import escape
from typing import Any

from fastapi import APIRouter, Request
from starlette.datastructures import FormData, UploadFile
from starlette.responses import Response

from linksight.errors import BadData
from linksight.pages.langid.segmentation import MIN_LETTERS
from linksight.results import PageLabel, Span
from linksight.studio.security import CheckedForm
from linksight.studio.services import language_service
from linksight.studio.services.submitted_page import page_of
from linksight.studio.templating import shown

router = APIRouter()
MAX_SHOWN_CHARACTERS = 30_000


@router.get("/pages")
def ask(request: Request) -> Response:
    """The form."""
    return shown(request, "page.html", {"label": None, "form": {}})


@router.post("/pages")
def tell(request: Request, form: CheckedForm) -> Response:
    """The label of a page."""
    from linksight import identify

    page = page_of(form, request.app.state.settings)
    if page is None:
        raise BadData("nothing to look at: paste a page, choose a file or give an address")
    pasted = "" if _is_sent(form) else str(form.get("html", ""))
    body = _paragraphs(pasted) if pasted and "<" not in pasted else page.body
    label = identify(body, page.content_type or None, page.url or None)
    # The browser encodes pasted text: its encoding is not a declaration of the page.
    declared = [one for one in label.declared if not (pasted.strip() and one.source == "http")]
    request.app.state.metrics.urls("pages", 1)
    values: dict[str, Any] = {"label": label, "page": page, "form": form,
                              "declared": declared, "least": MIN_LETTERS, **_spans(body, label)}  # fmt: skip
    return shown(request, "page.html", values)


def _is_sent(form: FormData) -> bool:
    file = form.get("file")
    return isinstance(file, UploadFile) and bool(file.filename)


def _paragraphs(text: str) -> bytes:
    """Plain text as a page whose lines are paragraphs; each may have another language."""
    return "".join(f"<p>{escape(line)}</p>\n" for line in text.splitlines()).encode("utf-8", "replace")


def _spans(body: bytes, label: PageLabel) -> dict[str, Any]:
    if label.encoding == "binary":
        return {"spans": [], "cut": False}
    text = language_service.page_text(body, label)
    spans = label.spans or (Span(0, len(text), label.language, label.confidence),)
    shown: list[tuple[str, Span | None]] = []
    at = 0
    for span in spans:
        if span.start > at:
            shown.append((text[at : span.start], None))
        shown.append((text[span.start : min(span.end, MAX_SHOWN_CHARACTERS)], span))
        at = span.end
        if at >= MAX_SHOWN_CHARACTERS:
            break
    if at < min(len(text), MAX_SHOWN_CHARACTERS):
        shown.append((text[at:MAX_SHOWN_CHARACTERS], None))
    return {"spans": [pair for pair in shown if pair[0]], "cut": len(text) > MAX_SHOWN_CHARACTERS}
