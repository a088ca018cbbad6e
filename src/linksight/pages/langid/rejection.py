"""Rejection: whether a text is in an unknown language or in no language."""

from __future__ import annotations

from linksight.pages.langid import classifier
from linksight.pages.langid.model import PageModel
from linksight.results import UND, ZXX

MIN_LOG_LIKELIHOOD = -1.88  #: natural logarithms a feature: a worse fit is an unknown language
#: The same for text with a smaller share of letters than ``MIN_LETTER_SHARE``, such as code.
MIN_CODE_LOG_LIKELIHOOD, MIN_LETTER_SHARE = -1.0, 0.62
MIN_NAME_SHARE = 0.85  #: share of words with a capital in a list of names
#: The same for text in capitals; menus are too, but fit their language better.
MIN_UPPERCASE_LOG_LIKELIHOOD, MIN_UPPERCASE_SHARE = -1.3, 0.95
_DENSE = frozenset(("Hani", "Hira", "Kana", "Hang", "Bopo"))  # a character of these is worth three letters
_WRITTEN_IN = {"Hira": "Jpan", "Kana": "Jpan", "Hang": "Kore"}  # the scripts that classes have for these
MIN_LETTERS = 40  #: shorter texts are not rejected; their confidence is low (Martins and Silva)


def fit(reading: classifier.Reading, model: PageModel) -> float:
    """The log-likelihood of a feature in the best class, without the prior."""
    number, total = reading.best[0]
    return (total - float(model.prior[number])) / reading.features


def reject(reading: classifier.Reading, model: PageModel) -> tuple[str, str] | None:
    """``und`` or ``zxx`` with the reason, if the best language is rejected."""
    letters = sum(reading.letters.values())
    script = max(reading.letters, key=reading.letters.__getitem__)
    if letters * 5 < reading.characters and letters < 400:
        return ZXX, "no language: numbers and signs"
    own = model.by_script.get(_WRITTEN_IN.get(script, script), ())
    if not len(own):
        return UND, "no known language"
    if letters + 2 * _dense(reading) < MIN_LETTERS:
        return None
    per_feature = fit(reading, model)
    if reading.features * 4 < reading.read and letters > 2 * MIN_LETTERS:
        return ZXX, "no language: code or addresses"
    if letters < MIN_LETTER_SHARE * reading.characters and per_feature < MIN_CODE_LOG_LIKELIHOOD:
        return ZXX, "no language: code or data"
    if per_feature < MIN_LOG_LIKELIHOOD:
        if reading.known < 0.45 * reading.features:
            return ZXX, "no language: letters that make no words"
        if reading.capitals > MIN_NAME_SHARE * reading.words:
            return ZXX, "no language: names"
        return UND, "no known language"
    if (
        per_feature < MIN_UPPERCASE_LOG_LIKELIHOOD
        and reading.capitals > MIN_UPPERCASE_SHARE * reading.words
        and not _is_english(reading, model)
    ):
        return ZXX, "no language: names"
    return None


def _is_english(reading: classifier.Reading, model: PageModel) -> bool:
    return reading.best[0][0] == model.english


def _dense(reading: classifier.Reading) -> int:
    return sum(count for name, count in reading.letters.items() if name in _DENSE)
