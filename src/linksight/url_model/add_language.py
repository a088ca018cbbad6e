"""Bring your own language: a bundled model that learns one more, or knows one better.

The model's table stays as it is, and so do the scores of all other languages. What is learnt is one
column of the output: how the short vector of a URL speaks for the language. Fifty addresses, a
word list, or both are enough. The rest of the web is stood for by the model's background: a few
thousand vectors of its own training, without a URL among them.

A new language is fitted against the labels of the background. A known one is nudged: of the
background the column has to say what it says now, so that only what is given can move it, and
nothing given means no change.

The code and the names of a new language get rows in the table, so that ``/gos/`` and ``?lang=gos`` count at once.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadConfig, BadData, BadLanguage, BadUrl
from linksight.features.feature_hash import bucket, fingerprint, fnv1a
from linksight.features.url_buffer import as_list
from linksight.languages.registry import find, name
from linksight.results import UND, ZXX
from linksight.system.plural import counted
from linksight.url_model.calibration import is_page, log_sum_exp
from linksight.url_model.embeddings import Codes, EvidenceTable, pack
from linksight.urls.parser import Url, site_of, words_of

if TYPE_CHECKING:
    from linksight.url_model.model import Scorer

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
FEWEST_URLS = 10  #: where no words are given
MADE_UP = 1_500  #: addresses made up from a word list
_ENDINGS = ("com", "com", "org", "net", "info")
_RIDGE_NEW, _RIDGE_KNOWN = 1e-4, 3e-3  # a row; a known language is only nudged
_STEPS = 100  # Newton's method takes ten to twenty
_NAMED = 9.0  # what a code or name of a new language adds to its score
_HELD_OUT = 5  # every fifth domain is held out to measure
WIDEST = 3.3  #: largest scale of a row


def extend(
    scorer: Scorer,
    language: str,
    urls: Iterable[str] = (),
    words: Iterable[str] = (),
    *,
    rate: float = 0.01,
    seed: int = 0,
) -> Scorer:
    """A model that knows ``language`` (better) from addresses of its pages and words of it.

    ``rate`` is the share of the web that a new language is expected to have. Of a known one it says
    how much the addresses and words weigh against the web that it must not spoil.
    """
    table, background = scorer.table, scorer.background
    if not isinstance(table, EvidenceTable) or background is None:
        raise BadConfig("only the bundled model, and models made from it, can be extended")
    if not isinstance(rate, int | float) or not 0 < rate < 1:
        raise BadConfig(f"the rate of a language must lie between 0 and 1, not {rate!r}")
    code = find(language)
    if code in (UND, ZXX):
        raise BadLanguage(language, "not a language that can be learnt")
    seeds, pages = _seed_vectors(table, code, as_list(urls))
    made_up = _word_vectors(table, _words(code, words), seed)
    _check_enough(code, len(seeds), len(made_up))
    vectors = np.concatenate([seeds, made_up, background.vectors.astype(np.float32)])
    kinds = np.concatenate([pages, np.arange(len(made_up)) % 2, background.pages]).astype(np.int64)
    lesson = _lesson(scorer, code, vectors, kinds, (len(seeds), len(made_up)), rate)
    solution = _minimum(lesson)
    extended = _with_column(scorer, code, solution[:-1].astype(np.float32), float(solution[-1]), rate)
    if code not in scorer.languages:
        extended = _with_names(extended, code)
    return replace(extended, curves=_moved_curves(scorer, extended))


class HeldOut(NamedTuple):
    """What a language was found by that its model had not seen."""

    n_found: int  #: held-out addresses that are called the language
    n_urls: int
    n_false: int  #: background rows of other languages that are
    n_others: int


def measure_held_out(
    scorer: Scorer, language: str, urls: Iterable[str], words: Iterable[str] = (), *, rate: float = 0.01
) -> HeldOut | None:
    """Extend without every fifth domain and count hits on those, and false hits on the background; None: too few."""
    urls, code = as_list(urls), find(language)
    held = [zlib.crc32(site_of(url).encode()) % _HELD_OUT == 0 for url in urls]
    rest = [url for url, out in zip(urls, held, strict=True) if not out]
    asked = [url for url, out in zip(urls, held, strict=True) if out]
    if not asked or len(rest) < FEWEST_URLS:
        return None
    learnt = extend(scorer, code, rest, words, rate=rate)
    assert learnt.background is not None
    k = learnt.languages.index(code)
    others = learnt.background.languages != k
    called = _background_chances(learnt).argmax(axis=1) == k
    return HeldOut(
        learnt.predict(asked).count(code), len(asked), int((called & others).sum()), int(others.sum())
    )


def _seed_vectors(table: EvidenceTable, code: str, urls: Sequence[str]) -> tuple[Floats, NDArray[np.int64]]:
    texts = []
    for url in urls:
        try:
            texts.append(Url.parse(url).text)
        except BadUrl as error:
            raise BadData(f"seed of {code!r}: {error}") from None
    pages = [int(is_page(text)) for text in texts]
    return table.vectors_of(texts), np.array(pages, np.int64)


def _words(code: str, given: Iterable[str]) -> list[str]:
    """The words of a list, each once."""
    words = set()
    for word in as_list(given):
        if not isinstance(word, str):
            raise BadData(f"a word of {code!r} is text, not {word!r}")
        words.add(word.lower())
    return sorted(word for word in words if word.strip())


def _word_vectors(table: EvidenceTable, words: list[str], seed: int) -> Floats:
    """Host names and slugs made up from the words, under domains that speak for no language."""
    usable = [word for word in words if words_of(word) == [word]]
    if not usable:
        return np.zeros((0, table.dim), np.float32)
    rng = np.random.default_rng(seed)
    texts = []
    for i in range(MADE_UP):
        host = "".join(rng.choice(usable, rng.integers(1, 3)))
        slug = "-".join(rng.choice(usable, rng.integers(1, 6))) if i % 2 else ""
        texts.append(f"{host if i % 4 else 'example'}.{rng.choice(_ENDINGS)}/{slug}")
    return table.vectors_of(texts)


def _check_enough(code: str, n_seeds: int, n_made_up: int) -> None:
    if n_seeds < FEWEST_URLS and not n_made_up:
        raise BadData(
            f"{code!r}: {counted(n_seeds, 'address', 'addresses')} and no word list; give at least {FEWEST_URLS} addresses (50 are better)"
            " or a list of words"
        )


@dataclass(frozen=True)
class _Lesson:
    """A weighted logistic regression with a ridge: what the language's score has to become."""

    inputs: Doubles  #: (rows, dim + 1), the last for the bias
    targets: Doubles  #: the chance of the language that each row should have
    offsets: Doubles  #: its log-odds before the column is added
    weights: Doubles
    ridge: float

    def loss(self, solution: Doubles) -> float:
        odds = self.inputs @ solution + self.offsets
        return float(
            self.weights @ (np.logaddexp(0, odds) - self.targets * odds)
            + self.ridge * solution @ solution / 2
        )

    def step(self, solution: Doubles) -> tuple[Doubles, float]:
        """Newton's step, and what it would gain (twice) were the loss a parabola."""
        chances = _chance(self.inputs @ solution + self.offsets)
        gradient = self.inputs.T @ (self.weights * (chances - self.targets)) + self.ridge * solution
        curvature = (self.inputs * (self.weights * chances * (1 - chances))[:, None]).T @ self.inputs
        step = np.asarray(
            np.linalg.solve(curvature + self.ridge * np.eye(len(solution)), gradient), np.float64
        )
        return step, float(gradient @ step)


def _lesson(
    scorer: Scorer,
    code: str,
    vectors: Floats,
    kinds: NDArray[np.int64],
    given: tuple[int, int],
    rate: float,
) -> _Lesson:
    """Own rows (addresses first, then made-up ones) against the background, all other scores held."""
    calibration, table = scorer.calibration, scorer.table
    assert isinstance(table, EvidenceTable)
    logits = calibration.logits(vectors @ table.output + table.bias, kinds == 1).astype(float)
    inputs = np.ones((len(vectors), table.dim + 1))
    inputs[:, :-1] = vectors
    inputs *= calibration.slopes[kinds][:, None]
    own = np.arange(len(vectors)) < sum(given)
    # Real addresses and made-up ones count alike, however many there are of each.
    share = np.repeat([1 / max(n, 1) for n in given] + [0.0], [*given, len(vectors) - sum(given)])
    targets = own.astype(np.float64)
    n_background = len(vectors) - sum(given)
    if code in scorer.languages:
        k = scorer.languages.index(code)
        offsets = logits[:, k] - log_sum_exp(np.delete(logits, k, axis=1))[:, 0]
        # No bias of its own, so that its share of the web stays what it was, and no address that
        # counts for more than a row of the web.
        inputs[:, -1] = 0
        targets[~own] = _chance(offsets[~own])
        weights = np.where(own, np.minimum(share * rate / 2 * n_background, 1), 1.0)
        return _Lesson(inputs, targets, offsets, weights, _RIDGE_KNOWN * weights.sum())
    # A rare language's own rows would weigh little; what is given them here the offset takes back.
    lift = max(1.0, 0.2 / rate)
    weights = (rate * lift * share / share.sum() + (1 - rate) * ~own / n_background) * len(vectors)
    offsets = np.log(lift) - log_sum_exp(logits)[:, 0]
    return _Lesson(inputs, targets, offsets, weights, _RIDGE_NEW * weights.sum())


def _minimum(lesson: _Lesson) -> Doubles:
    """Newton's method, each step cut until the loss falls; the loss is convex, so there is one minimum."""
    solution = np.zeros(lesson.inputs.shape[1])
    loss, enough = lesson.loss(solution), 1e-9 * float(lesson.weights.sum())
    for _ in range(_STEPS):
        step, gain = lesson.step(solution)
        if gain < enough:
            return solution
        size = 1.0
        while not (new := lesson.loss(solution - size * step)) <= loss - 1e-4 * size * gain and size > 1e-9:
            size /= 2
        solution, loss = solution - size * step, new
    raise BadData(
        f"the addresses and words could not be learnt: no best fit within {_STEPS} steps; give others, or more"
    )


def _chance(odds: Doubles) -> Doubles:
    """Probability of log-odds, however large.

    >>> _chance(np.array([-1e4, 0.0, 1e4])).tolist()
    [0.0, 0.5, 1.0]
    """
    chance: Doubles = np.exp(-np.logaddexp(0, -odds))
    return chance


def _with_column(scorer: Scorer, code: str, column: Floats, bias: float, rate: float) -> Scorer:
    """The scorer with what was learnt: added to the language's column, or as a column of its own in the order of codes."""
    table, calibration = scorer.table, scorer.calibration
    assert isinstance(table, EvidenceTable)
    if code in scorer.languages:
        k = scorer.languages.index(code)
        output, biases = table.output.copy(), table.bias.copy()
        output[:, k] += column
        biases[k] += bias
        return replace(scorer, table=replace(table, output=output, bias=biases))
    names = sorted((*scorer.languages, code))
    k = names.index(code)
    at = [scorer.languages.index(name) for name in names if name != code]
    rates = np.insert(calibration.rates * (1 - rate), k, rate).astype(np.float32)
    shift = None if calibration.shift is None else np.insert(calibration.shift[at], k, np.float32(0))
    assert scorer.background is not None
    moved = np.array([names.index(name) for name in scorer.languages], np.int16)
    return replace(
        scorer,
        table=replace(table, output=np.insert(table.output[:, at], k, column, axis=1), bias=np.insert(table.bias[at], k, np.float32(bias))),
        languages=tuple(names),
        calibration=replace(calibration, offsets=np.insert(calibration.offsets[:, at], k, 0, axis=1), rates=rates, shift=shift),
        background=replace(scorer.background, languages=moved[scorer.background.languages]),
    )  # fmt: skip


def expressed(wanted: Doubles, output: Floats, weights: Doubles, ridge: float = 0.05) -> Doubles:
    """Vectors whose products with ``output`` are as near as can be to what is wanted, up to a constant."""
    center = output - (output * weights).sum(1, keepdims=True) / weights.sum()
    wanted = wanted - (wanted * weights).sum(1, keepdims=True) / weights.sum()
    gram = (center * weights) @ center.T
    found: Doubles = np.linalg.solve(
        gram + ridge * np.trace(gram) / len(gram) * np.eye(len(gram)), (center * weights) @ wanted.T
    ).T
    return found


def coded(rows: Doubles, levels: Floats) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
    """Vectors as positions in ``levels`` and a scale each, by least squares."""
    best = np.full(len(rows), np.inf)
    codes, scales = np.zeros(rows.shape, np.uint8), np.zeros(len(rows), np.float16)
    cuts = (levels[1:] + levels[:-1]) / 2
    size = np.abs(rows).max(1) / np.abs(levels).max()
    for factor in np.linspace(0.5, 1.3, 33):
        scale = np.clip(size * factor, 1e-4, WIDEST).astype(np.float16)
        nearest = np.searchsorted(cuts, rows / scale.astype(np.float32)[:, None])
        error = ((levels[nearest] * scale.astype(np.float32)[:, None] - rows) ** 2).sum(1)
        better = error < best
        best[better], codes[better], scales[better] = error[better], nearest[better], scale[better]
    return codes, scales


def _with_names(scorer: Scorer, code: str) -> Scorer:
    """The scorer with rows for the code and names of a new language, where sites write them."""
    table = scorer.table
    assert isinstance(table, EvidenceTable)
    words = {code, *(part for part in words_of(name(code).lower()) if len(part) > 3)}
    features = [f"{mark}:{word}" for word in sorted(words) for mark in "bc"]
    features.append(f"l:{code}")
    k = scorer.languages.index(code)
    wanted = np.zeros((1, len(scorer.languages)))
    wanted[0, k] = 1
    vector = expressed(wanted, table.output, np.ones(len(scorer.languages)), 1e-3)
    # As long as it takes to leave all other languages behind.
    gains = (vector @ table.output)[0] * table.hint_scale * float(scorer.calibration.slopes.mean())
    lead = max(gains[k] - np.delete(gains, k).max(), 0.1 * gains[k])
    codes, scales = coded(np.repeat(vector * _NAMED / lead, len(features), axis=0), table.levels)
    settings = replace(
        table.settings, language_names={**table.settings.language_names, **dict.fromkeys(words, code)}
    )
    return replace(scorer, table=replace(_with_rows(table, features, pack(codes), scales), settings=settings))


def _with_rows(
    table: EvidenceTable, features: list[str], codes: Codes, scales: NDArray[np.float16]
) -> EvidenceTable:
    """The table with rows of some features, replaced or added."""
    places = np.array([table.row(feature) for feature in features])
    states = [fnv1a(feature) for feature in features]
    old, new = places >= 0, np.flatnonzero(places < 0)
    all_codes, all_scales = table.codes.copy(), table.scales.copy()
    all_codes[places[old]], all_scales[places[old]] = codes[old], scales[old]
    buckets = np.array([bucket(states[k], table.bits) for k in new], np.int64)
    order = new[np.argsort(buckets, kind="stable")]
    buckets = np.sort(buckets)
    at = table.starts[buckets + 1].astype(np.int64)
    prints = np.array([fingerprint(states[k]) for k in order], np.uint16)
    sizes = np.bincount(buckets + 1, minlength=len(table.starts))
    return replace(
        table, starts=(table.starts + np.cumsum(sizes)).astype(np.uint32), prints=np.insert(table.prints, at, prints),
        codes=np.insert(all_codes, at, codes[order], axis=0), scales=np.insert(all_scales, at, scales[order]),
    )  # fmt: skip


def _moved_curves(before: Scorer, after: Scorer) -> dict[str, Floats]:
    """What thresholds are chosen from, each line where as many background rows of its language are above it as were.

    A new language takes a little of every probability. There are no rows to measure on anew, and the highest
    lines are so near the top that without this nothing would reach them.
    """
    assert before.background is not None
    old, new = _background_chances(before), _background_chances(after)
    curves = {}
    for code, curve in before.curves.items():
        k = before.languages.index(code)
        own = before.background.languages == k
        was, became = np.sort(old[own, k]), np.sort(new[own, after.languages.index(code)])
        curves[code] = curve.copy()
        if len(was):  # between two rows, and beyond the first and the last, in proportion
            ends = [0.0, *was, 1.0], [0.0, *became, min(became[-1] / was[-1], 1.0)]
            curves[code][:, 0] = np.interp(curve[:, 0], *ends)
    return curves


def _background_chances(scorer: Scorer) -> Floats:
    table, rows = scorer.table, scorer.background
    assert isinstance(table, EvidenceTable)
    assert rows is not None
    scores = rows.vectors.astype(np.float32) @ table.output + table.bias
    return scorer.calibration.probabilities(scorer.calibrated(scores, rows.pages == 1))
