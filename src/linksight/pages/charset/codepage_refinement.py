"""Re-ranks sibling code pages by the language score of the text.

The detector has models of each code page in its main languages. For another language it may pick a sibling that decodes
most letters. Of the family, the code page with the best language score wins.

>>> body = "Bæjarstjórnin ákvað í gær að gamla bókasafnið við ána verði endurbyggt næsta vor.".encode("cp861")
>>> likeliest(body, "ibm852", "is")
'ibm861'
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from linksight.languages import registry
from linksight.pages.charset import detector, labels
from linksight.pages.langid import segment_scores
from linksight.pages.langid.model import PageModel, load

#: The code pages of Europe and of Vietnamese, which the detector confuses for rare languages.
LATIN = (
    "windows-1252", "windows-1250", "iso-8859-2", "windows-1254", "windows-1257", "iso-8859-15", "iso-8859-13", "iso-8859-4",
    "iso-8859-3", "iso-8859-10", "iso-8859-14", "iso-8859-16", "windows-1258", "viscii", "vps", "tcvn",
)  # fmt: skip
FAMILIES = (
    LATIN,
    ("ibm437", "ibm850", "ibm852", "ibm775", "ibm857", "ibm860", "ibm861", "ibm863", "ibm865"),
    ("macintosh", "mac-latin2", "mac-turkish", "mac-iceland", "mac-croatian"),
    ("ibm866", "cp1125"),
    ("windows-1251", "ptcp154", "kz1048"),
)
#: Main languages of an encoding, which has all of their letters.
MAIN_LANGUAGES = {"windows-1251": frozenset(("ru", "uk", "bg", "be", "sr", "mk"))}
MIN_LEAD = 5.0  #: natural logarithms by which another code page must beat the detected one
DECLARED_BONUS = 10.0  #: bonus of the declared code page, in natural logarithms
SIGN_COST = 2.0  #: cost of a byte beyond ASCII that is not a letter

_FAMILY = {name: family for family in FAMILIES for name in family}


def has_siblings(encoding: str, code: str) -> bool:
    """Whether the encoding of a page in a language has siblings to compare."""
    if encoding in LATIN:
        return (encoding, code) not in _trained_pairs()
    return encoding in _FAMILY and code not in MAIN_LANGUAGES.get(encoding, ())


@cache
def _trained_pairs() -> frozenset[tuple[str, str]]:
    """The pairs of encoding and language in the detector's model."""
    return frozenset((name, registry.find(kind.partition("-")[0])) for name, kind in detector.load().names)


def likeliest(
    data: bytes,
    encoding: str,
    code: str,
    declared: Sequence[str] = (),
    model: PageModel | None = None,
) -> str:
    """The sibling of an encoding in which ``data``, text without markup, scores best in a language."""
    model = model or load()
    words = detector.high_parts(data)
    texts = {name: labels.decode(words, name) for name in _FAMILY[encoding]}
    read = {text: _fit(text, code, model) for text in set(texts.values())}
    fits = {name: read[text] - SIGN_COST * _signs(words, name) for name, text in texts.items()}
    for name in declared[:1]:
        if name in fits:
            fits[name] += DECLARED_BONUS
    best = max(fits, key=fits.__getitem__)
    return best if fits[best] > fits[encoding] + MIN_LEAD else encoding


def _fit(text: str, code: str, model: PageModel) -> float:
    totals = segment_scores.read(text, model, most=1).lines[0]
    return float(totals[model.numbers[code]].max())


def _signs(words: bytes, name: str) -> int:
    """The number of bytes that are not letters."""
    return len(words) - len(words.translate(None, _no_letters(name)))


@cache
def _no_letters(name: str) -> bytes:
    """The bytes beyond ASCII that are not letters in a single-byte encoding."""
    high = [bytes([byte]) for byte in range(0x80, 0x100)]
    return b"".join(byte for byte in high if not labels.decode(byte, name).isalpha())
