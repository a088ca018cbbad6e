"""A second look at pages that say little, or little that makes sense: where else, and how else, may it be written?"""

from __future__ import annotations

from typing import Any

from linksight.pages.charset import mojibake
from linksight.pages.html import fallback_text, unescape
from linksight.pages.langid import classifier, segmentation
from linksight.pages.langid.model import PageModel
from linksight.pages.langid.rejection import LEAST_LETTERS, doubt, fit

#: Text with fewer letters than ``PLAIN`` of its characters, or that fits its language worse than ``POOR``, may be misread.
PLAIN, POOR = 0.75, -1.5
LEAST_IN_CORNERS = 80  #: letters of buttons and the like that say something for sure, beside a title
HEAD = 1 << 16  #: bytes of a page that are looked at again
#: Characters for one number of a letter; where there are fewer, hardly anything else stands there.
MOSTLY = 12

Look = tuple[classifier.Reading, bytes]  #: what was read, and the text


def look(reading: classifier.Reading, text: bytes, model: PageModel, favour: Any) -> Look:
    """A better reading than the first one, with the text that it is of; or the first one, which nearly always is the best."""
    if sum(reading.letters.values()) < LEAST_LETTERS:
        reading, text = _wider(reading, text, model, favour)
    return _retold(reading, text, model) if _is_odd(reading, model) else (reading, text)


def _wider(reading: classifier.Reading, text: bytes, model: PageModel, favour: Any) -> Look:
    """What a page says in its corners, or in entities that were escaped, where that is more."""
    opened = fallback_text.opened(unescape.escaped_once(text))
    if opened == text:
        return reading, text
    again = classifier.read(opened, model, favour)
    # Labels are names as often as words.
    least = LEAST_IN_CORNERS if reading.letters else 1
    return (again, opened) if sum(again.letters.values()) >= least else (reading, text)


def has_signs(reading: classifier.Reading) -> bool:
    """Whether a text has more signs than prose has."""
    return sum(reading.letters.values()) < PLAIN * reading.characters


def _is_odd(reading: classifier.Reading, model: PageModel) -> bool:
    """Whether a text has more signs than prose has, or its words fit no language well: it may have been misread before."""
    letters = sum(reading.letters.values())
    misread = reading.letters.get("Latn", 0) + reading.letters.get("Cyrl", 0)  # as misread letters are
    if not reading.features or not letters or 2 * misread < letters:
        return False
    return has_signs(reading) or fit(reading, model) < POOR


def _retold(reading: classifier.Reading, text: bytes, model: PageModel) -> Look:
    """What the letters were before somebody misread or escaped them, if they were."""
    seen = segmentation.text_of(text[:HEAD])
    others = [mojibake.undone(seen, name) for name in (mojibake.WESTERN, mojibake.CYRILLIC)]
    if seen.count("&#") * MOSTLY > len(seen):
        others.append(segmentation.text_of(unescape.escaped_once(text[:HEAD])))
    if doubt(reading, model):
        others += mojibake.decoded_anew(seen)
    for page in (other.encode("utf-8", "replace") for other in others if other != seen):
        again = classifier.read(page, model)
        if again.letters and again.features and not doubt(again, model):
            return again, page
    return reading, text
