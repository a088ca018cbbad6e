"""Bring your own language: a bundled model that learns one more, or knows one better.

The model's table stays as it is, and so do the scores of all other languages. What is learnt is one
column of the output: how the short vector of a URL speaks for the language. Fifty addresses, a
word list, or both are enough. The rest of the web is stood for by the model's background: a few
thousand vectors of its own training, without a URL among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from linksight.calibration import is_page
from linksight.errors import BadConfig, BadData, BadUrl
from linksight.languages import find
from linksight.tables import EvidenceTable
from linksight.urls import Url, words_of

if TYPE_CHECKING:
    from linksight.scorer import Scorer

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
FEWEST_URLS = 10  #: where no words are given
MADE_UP = 1_500  #: addresses made up from a word list
_ENDINGS = ("com", "com", "org", "net", "info")
_RIDGE_NEW, _RIDGE_KNOWN = 0.002, 1.0  # a known language is only nudged


@dataclass(frozen=True)
class Background:
    """Vectors of the training rows that stand for all other languages, with their labels."""

    vectors: NDArray[np.float16]  #: (rows, dim)
    languages: NDArray[np.int16]  #: positions in the model's languages
    pages: NDArray[np.int8]


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

    ``rate`` is the share of the web that a new language is expected to have.
    """
    table = scorer.table
    if not isinstance(table, EvidenceTable) or scorer.background is None:
        raise BadConfig("only the bundled model, and models made from it, can be extended")
    code = find(language)
    seeds, pages = _seed_vectors(table, code, list(urls))
    made_up = _word_vectors(table, sorted({word.lower() for word in words if word.strip()}), seed)
    _check_enough(code, len(seeds), len(made_up))
    known = code in scorer.languages
    vectors = np.concatenate([seeds, made_up, scorer.background.vectors.astype(np.float32)])
    kinds = np.concatenate([pages, np.arange(len(made_up)) % 2, scorer.background.pages]).astype(np.int64)
    n_own = len(seeds) + len(made_up)
    # Real addresses and made-up ones count alike, however many there are of each.
    own = np.zeros(len(vectors))
    own[: len(seeds)] = 1 / max(len(seeds), 1)
    own[len(seeds) : n_own] = 1 / max(len(made_up), 1)
    if known:  # the language's own rows in the background are not against it
        keep = np.concatenate([own[:n_own] > 0, scorer.background.languages != scorer.languages.index(code)])
        vectors, kinds, own = vectors[keep], kinds[keep], own[keep]
    column, bias = _fit(scorer, vectors, kinds, own, scorer.languages.index(code) if known else None, rate)
    return _with_column(scorer, code, column, bias, rate)


def _seed_vectors(table: EvidenceTable, code: str, urls: Sequence[str]) -> tuple[Floats, NDArray[np.int64]]:
    texts = []
    for url in urls:
        try:
            texts.append(Url.parse(url).text)
        except BadUrl as error:
            raise BadData(f"seed of {code!r}: {error}") from None
    vectors = [table.vector_of(text) for text in texts]
    pages = [int(is_page(text)) for text in texts]
    return np.array(vectors, np.float32).reshape(len(texts), table.dim), np.array(pages, np.int64)


def _word_vectors(table: EvidenceTable, words: list[str], seed: int) -> Floats:
    """Host names and slugs made up from the words, under domains that speak for no language."""
    usable = [word for word in words if words_of(word) == [word]]
    if not usable:
        return np.zeros((0, table.dim), np.float32)
    rng = np.random.default_rng(seed)
    vectors = []
    for i in range(MADE_UP):
        host = "".join(rng.choice(usable, rng.integers(1, 3)))
        slug = "-".join(rng.choice(usable, rng.integers(1, 6))) if i % 2 else ""
        vectors.append(table.vector_of(f"{host if i % 4 else 'example'}.{rng.choice(_ENDINGS)}/{slug}"))
    return np.array(vectors, np.float32)


def _check_enough(code: str, n_seeds: int, n_made_up: int) -> None:
    if n_seeds < FEWEST_URLS and not n_made_up:
        raise BadData(
            f"{code!r}: {n_seeds} addresses and no word list; give at least {FEWEST_URLS} addresses (50 are better)"
            " or a list of words"
        )


def _fit(
    scorer: Scorer,
    vectors: Floats,
    kinds: NDArray[np.int64],
    own: Doubles,
    known: int | None,
    rate: float,
) -> tuple[Floats, float]:
    """Column and bias by Newton's method: own rows against the rest, all other scores held."""
    calibration, table = scorer.calibration, scorer.table
    logits = calibration.logits(vectors @ table.output + table.bias, kinds == 1).astype(float)  # type: ignore[union-attr]
    if known is None:
        offset = -_log_sum_exp(logits)
    else:
        offset = logits[:, known] - _log_sum_exp(np.delete(logits, known, axis=1))
    inputs = np.ones((len(vectors), table.dim + 1))  # type: ignore[union-attr]
    inputs[:, :-1] = vectors
    inputs *= calibration.slopes[kinds][:, None]
    if known is None:
        # A rare language's own rows would weigh little; what is given them here the offset takes back.
        lift = max(1.0, 0.2 / rate)
        rest = own == 0
        weights = (rate * lift * own / own.sum() + (1 - rate) * rest / rest.sum()) * len(own)
        offset = offset + np.log(lift)
    else:
        # Nudged, not moved: no bias of its own, so that its share of the web stays what it was.
        inputs[:, -1] = 0
        weights = np.ones(len(own))
    solution = _newton(
        inputs, (own > 0).astype(float), offset, weights, _RIDGE_NEW if known is None else _RIDGE_KNOWN
    )
    return solution[:-1].astype(np.float32), float(solution[-1])


def _newton(inputs: Doubles, target: Doubles, offset: Doubles, weights: Doubles, ridge: float) -> Doubles:
    solution = np.zeros(inputs.shape[1])
    penalty = ridge * weights.sum() / 1000
    for _ in range(30):
        chance = 1 / (1 + np.exp(-np.clip(inputs @ solution + offset, -30, 30)))
        gradient = inputs.T @ (weights * (chance - target)) + penalty * solution
        curvature = (inputs * (weights * chance * (1 - chance) + 1e-9)[:, None]).T @ inputs
        step = np.linalg.solve(curvature + penalty * np.eye(len(solution)), gradient)
        solution -= step * min(1.0, 5 / (np.abs(step).max() + 1e-12))
        if np.abs(step).max() < 1e-6:
            break
    return solution


def _log_sum_exp(logits: Doubles) -> Doubles:
    top = logits.max(axis=1)
    result: Doubles = top + np.log(np.exp(logits - top[:, None]).sum(axis=1))
    return result


def _with_column(scorer: Scorer, code: str, column: Floats, bias: float, rate: float) -> Scorer:
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
    assert scorer.background is not None
    moved = np.array([names.index(name) for name in scorer.languages], np.int16)
    return replace(
        scorer,
        table=replace(table, output=np.insert(table.output[:, at], k, column, axis=1), bias=np.insert(table.bias[at], k, np.float32(bias))),
        languages=tuple(names),
        calibration=replace(calibration, offsets=np.insert(calibration.offsets[:, at], k, 0, axis=1), rates=rates),
        background=replace(scorer.background, languages=moved[scorer.background.languages]),
    )  # fmt: skip
