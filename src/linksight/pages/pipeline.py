"""The default method: from the bytes of a page to its label, in six steps.

=========  ==================================  ==========================
unwrap     ``input.unwrap``                    bytes -> Unwrapped
decode     ``charset.decoding``                bytes -> Decoded
scan       ``native.pages.html_scanner``       UTF-8 -> blocks of text
select     ``native.pages.text_selection``     blocks -> characters
score      ``langid.classifier``               characters -> Reading
decide     ``langid.decision``                 Reading -> PageLabel
=========  ==================================  ==========================

``classifier.read`` runs scan, select and score. ``fallback_readings`` repeats them on other texts of a page if the first
reading is short or poor.

>>> identify("<p>Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti.".encode("cp1252")).language
'it'
"""

from __future__ import annotations

from linksight.pages.charset import codepage_refinement, detector, labels
from linksight.pages.charset.decoding import Encodings, decode
from linksight.pages.html import declarations, fallback_readings, scanner
from linksight.pages.html.declarations import RawDeclaration
from linksight.pages.input.unwrap import BINARY, unwrap
from linksight.pages.langid import priors, scripts
from linksight.pages.langid.decision import WIDE, decide, reject_page
from linksight.pages.langid.model import PageModel, load
from linksight.results import ZXX, PageLabel


def identify(
    body: bytes,
    content_type: str | None = None,
    url: str | None = None,
    *,
    model: PageModel | None = None,
    languages: frozenset[str] = frozenset(),
    content_language: str | None = None,
    min_letters: int = 0,
) -> PageLabel:
    """The label of a page; every input has one, if only ``und`` with a reason.

    ``languages`` restricts the answer; ``nb`` and ``nn`` in it separate the two forms of Norwegian. A text with
    fewer than ``min_letters`` letters is ``und``.
    """
    page = unwrap(body, content_type)
    if page.label:
        return page.label
    model = model or load()
    declared = declarations.scan(page.body, page.content_type, content_language)
    encodings, text = decode(page.body, declarations.encodings_of(declared))
    if not encodings:
        return reject_page(ZXX, scripts.COMMON, ((BINARY, 0.0),), declared, "binary: control characters")
    if encodings[0][0].startswith(WIDE):  # the NUL bytes hid the tags
        declared = declarations.scan(text, page.content_type, content_language)
    prior = priors.class_log_prior(declared, url, model)
    if languages:
        prior = priors.restricted(prior, languages, model)
    reading, text, is_code = fallback_readings.read(text, model, prior)
    if is_code:
        script = scripts.name_of_counts(reading.letters)
        return reject_page(ZXX, script, encodings, declared, "no language: code or data")
    closer = _closer_encodings(page.body, encodings, model.codes[reading.best[0][0]], declared, model)
    if closer != encodings:
        encodings = closer
        decoded = labels.decode(page.body, encodings[0][0]).encode("utf-8", "replace")
        reading, text, _ = fallback_readings.read(decoded, model, prior)
    return decide(reading, encodings, declared, model, text, languages, min_letters)


def _closer_encodings(
    body: bytes, encodings: Encodings, code: str, declared: list[RawDeclaration], model: PageModel
) -> Encodings:
    """The encodings with a sibling code page first if its letters make better words of the language."""
    encoding, probability = encodings[0]
    if not codepage_refinement.has_siblings(encoding, code):
        return encodings
    data = scanner.run(body)[0]
    if detector.has_signs_alone(data):
        return encodings
    declared_names = declarations.encodings_of(declared)
    closer = codepage_refinement.likeliest(data, encoding, code, declared_names, model)
    if closer == encoding:
        return encodings
    return ((closer, probability), *(pair for pair in encodings if pair[0] != closer))
