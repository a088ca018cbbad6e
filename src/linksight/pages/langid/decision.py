"""Step 6 of the pipeline: from the scores of a text to a label, or to a reason for ``und`` and ``zxx``."""

from __future__ import annotations

import math
from functools import lru_cache

from linksight.pages.charset import labels
from linksight.pages.charset.decoding import Encodings
from linksight.pages.html import code_detection
from linksight.pages.html.declarations import RawDeclaration
from linksight.pages.langid import classifier, priors, scripts, segmentation
from linksight.pages.langid.model import PageModel
from linksight.pages.langid.rejection import fit, reject
from linksight.results import UND, ZXX, Declaration, PageLabel

NORWEGIAN_FORMS = frozenset(("nb", "nn"))
#: Exponents of probabilities, for a text with so many features: TEMPER * (1 + features / TEMPER_FEATURES) ** TEMPER_POWER.
TEMPER, TEMPER_FEATURES, TEMPER_POWER = 0.5, 10.0, -0.6
MIN_PROBABILITY, MAX_CANDIDATES = 0.0005, 5
MAX_LEAD = 12.0  #: tempered natural logarithms: the best class is certain
HEAD_BYTES = 1 << 16  #: bytes of a page that show its script if the kernels count no letter
#: Each of these contains the ones before it.
CHINESE = frozenset(("gb2312", "gbk", "gb18030"))
WIDE = ("utf-16", "utf-32")


def decide(
    reading: classifier.Reading,
    encodings: Encodings,
    declared: list[RawDeclaration],
    model: PageModel,
    text: bytes,
    languages: frozenset[str] = frozenset(),
    min_letters: int = 0,
) -> PageLabel:
    """The label of the page that was read."""
    encoding, script = encodings[0][0], scripts.name_of_counts(reading.letters)
    if not reading.features or not reading.letters:  # combining marks can occur alone
        if script == scripts.COMMON:  # the kernels do not count letters beyond the basic plane
            script = scripts.script_of_text(segmentation.text_of(text[:HEAD_BYTES])[:5_000])
        is_known = script in (scripts.COMMON, "Latn")
        code, why = (ZXX, "no letters") if is_known else (UND, "no known language")
        return reject_page(code, script, encodings, declared, why)
    candidates = probabilities(reading, model, languages)
    code, probability = candidates[0]
    kind = model.classes[reading.best[0][0]]
    reason: str | None = None
    if sum(reading.letters.values()) < min_letters:
        code, reason = UND, "too little text"
    elif rejected := reject(reading, model):
        code, reason = rejected
    elif reason := code_detection.reason_of(text, fit(reading, model)):
        code = ZXX
    if kind in ("zh-Hans", "zh-Hant"):
        script = kind[3:]
    elif reason is None:
        script = model.scripts[reading.best[0][0]]  # on a page in two scripts it can have fewer letters
    if code in (UND, ZXX):
        probability = 0.0
    has_spans = reading.elsewhere > segmentation.MIN_SHARE * reading.features
    spans = segmentation.find(text, model) if has_spans else ()
    checked = check_declarations(declared, code, encoding)
    return PageLabel(code, script, encoding, probability, candidates, spans, checked, reason, encodings)


def reject_page(
    code: str, script: str, encodings: Encodings, declared: list[RawDeclaration], reason: str
) -> PageLabel:
    """The label of a page without a language."""
    encoding = encodings[0][0]
    checked = check_declarations(declared, code, encoding)
    return PageLabel(code, script, encoding, 0.0, (), (), checked, reason, encodings)


def probabilities(
    reading: classifier.Reading, model: PageModel, languages: frozenset[str] = frozenset()
) -> tuple[tuple[str, float], ...]:
    """Languages with probabilities: features of one text are far from independent, so scores are tempered.

    The constants are fitted on held-out words, sentences and pages (``benchmarks/judge_texts.py``).
    """
    temper = TEMPER * (1.0 + reading.features / TEMPER_FEATURES) ** TEMPER_POWER
    number, top = reading.best[0]
    if (top - reading.best[1][1]) * temper > MAX_LEAD:
        return ((_code(number, model, languages), 1.0),)
    powers: dict[str, float] = {}
    for number, score in reading.best:
        power = math.exp(max(-60.0, (score - top) * temper))
        if score < classifier.RULED_OUT <= top:
            continue
        code = _code(number, model, languages)
        powers[code] = max(power, powers.get(code, 0.0))
    total = sum(powers.values())
    pairs = [(code, round(power / total, 4)) for code, power in powers.items()]
    return tuple(pair for pair in pairs[:MAX_CANDIDATES] if pair[1] > MIN_PROBABILITY) or (pairs[0],)


def _code(number: int, model: PageModel, languages: frozenset[str]) -> str:
    """The language of a class; a form of Norwegian if ``languages`` has it."""
    name = model.classes[number]
    return name if name in NORWEGIAN_FORMS and name in languages else model.codes[number]


def check_declarations(declared: list[RawDeclaration], code: str, encoding: str) -> tuple[Declaration, ...]:
    """The declarations with whether language and encoding agree."""
    return tuple(
        [
            _twin(one) if one[0] == "hreflang" else Declaration(*one, _agrees(one, code, encoding))
            for one in declared
        ]
    )


@lru_cache(512)
def _twin(one: RawDeclaration) -> Declaration:
    """A declaration about another page; cached, as pages name the same few languages."""
    return Declaration(*one)


def _agrees(one: RawDeclaration, code: str, encoding: str) -> bool | None:
    _, kind, value = one
    if kind == "encoding":
        name = labels.find(value)
        if name is None:
            return None
        if encoding == "ascii":  # which all encodings of one byte a letter contain
            return not name.startswith(WIDE)
        if encoding in WIDE or name in WIDE:  # the mark shows the byte order
            return name[:6] == encoding[:6]
        return name in (encoding, labels.find(encoding)) or (name in CHINESE and encoding in CHINESE)
    if code in (UND, ZXX):
        return None
    return priors.code_of(value) == code
