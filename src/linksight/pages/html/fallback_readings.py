"""The best reading of a page: pages with little text, or text that fits no language, are read in other ways too."""

from __future__ import annotations

import unicodedata
from typing import Any

from linksight.pages.charset import mojibake
from linksight.pages.html import code_detection, fallback_text, unescape
from linksight.pages.langid import classifier, segmentation
from linksight.pages.langid.model import PageModel
from linksight.pages.langid.rejection import MIN_LETTERS, fit, reject

#: Text with fewer letters than ``MIN_LETTER_SHARE`` of its characters, or that fits its language worse than ``MIN_LOG_LIKELIHOOD``, may be misread.
MIN_LETTER_SHARE, MIN_LOG_LIKELIHOOD = 0.75, -1.5
MIN_FALLBACK_LETTERS = 80  #: letters of fallback text that are reliable beside a title
HEAD_BYTES = 1 << 16  #: bytes of a page that are read again
#: Characters per numeric character reference; with fewer, the text is mostly references.
MAX_CHARACTERS_PER_ENTITY = 12

Text = tuple[classifier.Reading, bytes]  #: a reading, and the page that it is of


def read(page: bytes, model: PageModel, log_prior: Any) -> tuple[classifier.Reading, bytes, bool]:
    """The best reading of a page in UTF-8, the text that it is of, and whether the page is code or data."""
    page = code_detection.without_mark(unescape.unescape_text(page))
    seen = code_detection.prose_of(page) or page
    reading = classifier.read(seen, model, log_prior)
    if _has_signs(reading) and (plain := code_detection.without_programs(seen)) is not seen:
        seen = plain
        reading = classifier.read(seen, model, log_prior)
        if sum(reading.letters.values()) < MIN_LETTERS:
            return reading, page, True
    if reading.escaped > 2:
        # A feed: its descriptions are pages with escaped tags.
        reading = classifier.read(reading.text, model, log_prior)
    if reading.loose:
        reading = classifier.read(_composed(seen), model, log_prior)
        page = _composed(page)
    if sum(reading.letters.values()) < MIN_LETTERS:
        reading, page = _with_fallback_text(reading, page, model, log_prior)
    return (*_repaired(reading, page, model), False) if _is_odd(reading, model) else (reading, page, False)


def _composed(text: bytes) -> bytes:
    """A text in UTF-8 with its letters in the composed forms that most texts have."""
    return unicodedata.normalize("NFKC", text.decode("utf-8", "replace")).encode("utf-8", "replace")


def _with_fallback_text(reading: classifier.Reading, text: bytes, model: PageModel, log_prior: Any) -> Text:
    """A reading of the fallback text, or of doubly escaped entities, if that has more letters."""
    opened = fallback_text.with_fallback_text(unescape.unescape_once(text))
    if opened == text:
        return reading, text
    again = classifier.read(opened, model, log_prior)
    # Labels are names as often as words.
    least = MIN_FALLBACK_LETTERS if reading.letters else 1
    return (again, opened) if sum(again.letters.values()) >= least else (reading, text)


def _has_signs(reading: classifier.Reading) -> bool:
    """Whether a text has more signs than prose has."""
    return sum(reading.letters.values()) < MIN_LETTER_SHARE * reading.characters


def _is_odd(reading: classifier.Reading, model: PageModel) -> bool:
    """Whether a text has more signs than prose has, or its words fit no language well: it may have been misread before."""
    letters = sum(reading.letters.values())
    misread = reading.letters.get("Latn", 0) + reading.letters.get("Cyrl", 0)  # as misread letters are
    if not reading.features or not letters or 2 * misread < letters:
        return False
    return _has_signs(reading) or fit(reading, model) < MIN_LOG_LIKELIHOOD


def _repaired(reading: classifier.Reading, text: bytes, model: PageModel) -> Text:
    """A reading after mojibake or double escapes are undone, if it fits a language."""
    seen = segmentation.text_of(text[:HEAD_BYTES])
    others = [mojibake.undo(seen, name) for name in (mojibake.WESTERN, mojibake.CYRILLIC)]
    if seen.count("&#") * MAX_CHARACTERS_PER_ENTITY > len(seen):
        others.append(segmentation.text_of(unescape.unescape_once(text[:HEAD_BYTES])))
    if reject(reading, model):
        others += mojibake.decode_again(seen)
    for page in (other.encode("utf-8", "replace") for other in others if other != seen):
        again = classifier.read(page, model)
        if again.letters and again.features and not reject(again, model):
            return again, page
    return reading, text
