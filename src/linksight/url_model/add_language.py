"""Add a language to a bundled model, or improve one, from a few URLs and words.

The embeddings and the scores of all other languages do not change. Training fits one column of the output matrix by
weighted logistic regression. Fifty URLs, a word list, or both are enough. The replay sample, a few thousand training
vectors without their URLs, represents the rest of the web.

A new language is fitted against the labels of the replay sample. For a known language, the targets of the replay
sample are the model's current predictions, so only the new examples change the column, and no examples change nothing.

The code and the names of a new language get embeddings, so that ``/gos/`` and ``?lang=gos`` count at once.
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
from linksight.url_model.embeddings import Codes, QuantizedEmbeddings, pack
from linksight.urls.parser import Url, site_of, words_of

if TYPE_CHECKING:
    from linksight.url_model.model import UrlLanguageModel

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
MIN_URLS = 10  #: without a word list
N_SYNTHETIC_URLS = 1_500  #: generated from a word list
_GENERIC_TLDS = ("com", "com", "org", "net", "info")
_RIDGE_NEW, _RIDGE_KNOWN = 1e-4, 3e-3  # per row; stronger for a known language
_MAX_STEPS = 100  # Newton's method takes ten to twenty
_NAME_LOGIT = 9.0  # logit of the code or name of a new language over all other languages
_HELD_OUT_FOLDS = 5  # every fifth domain is held out for evaluation
MAX_SCALE = 3.3  #: largest scale of a row


def add_language(
    model: UrlLanguageModel,
    language: str,
    urls: Iterable[str] = (),
    words: Iterable[str] = (),
    *,
    rate: float = 0.01,
    seed: int = 0,
) -> UrlLanguageModel:
    """Add ``language`` to a model, or improve it, with URLs of its pages and words of it; returns a new model.

    ``rate`` is the expected share of a new language on the web. For a known language it is the weight of the URLs and
    words against the replay sample.
    """
    table, replay_sample = model.table, model.replay_sample
    if not isinstance(table, QuantizedEmbeddings) or replay_sample is None:
        raise BadConfig("only the bundled model, and models made from it, can be extended")
    if not isinstance(rate, int | float) or not 0 < rate < 1:
        raise BadConfig(f"the rate of a language must lie between 0 and 1, not {rate!r}")
    code = find(language)
    if code in (UND, ZXX):
        raise BadLanguage(language, "not a language that can be learnt")
    seeds, pages = _seed_vectors(table, code, as_list(urls))
    synthetic = _synthetic_vectors(table, _unique_words(code, words), seed)
    _check_enough(code, len(seeds), len(synthetic))
    vectors = np.concatenate([seeds, synthetic, replay_sample.vectors.astype(np.float32)])
    kinds = np.concatenate([pages, np.arange(len(synthetic)) % 2, replay_sample.pages]).astype(np.int64)
    objective = _objective(model, code, vectors, kinds, (len(seeds), len(synthetic)), rate)
    solution = _minimise(objective)
    extended = _with_column(model, code, solution[:-1].astype(np.float32), float(solution[-1]), rate)
    if code not in model.languages:
        extended = _with_name_rows(extended, code)
    return replace(extended, curves=_transferred_curves(model, extended))


class HeldOut(NamedTuple):
    """Evaluation of a language on held-out domains and on the replay sample."""

    n_found: int  #: held-out URLs that are predicted as the language
    n_urls: int
    n_false: int  #: replay rows of other languages that are predicted as the language
    n_others: int


def measure_held_out(
    model: UrlLanguageModel,
    language: str,
    urls: Iterable[str],
    words: Iterable[str] = (),
    *,
    rate: float = 0.01,
) -> HeldOut | None:
    """Extend without every fifth domain, and count hits there and false positives in the replay sample.

    None if there are too few URLs.
    """
    urls, code = as_list(urls), find(language)
    is_held_out = [zlib.crc32(site_of(url).encode()) % _HELD_OUT_FOLDS == 0 for url in urls]
    training = [url for url, held_out in zip(urls, is_held_out, strict=True) if not held_out]
    test = [url for url, held_out in zip(urls, is_held_out, strict=True) if held_out]
    if not test or len(training) < MIN_URLS:
        return None
    extended = add_language(model, code, training, words, rate=rate)
    assert extended.replay_sample is not None
    k = extended.languages.index(code)
    is_other = extended.replay_sample.languages != k
    is_predicted = _replay_probabilities(extended).argmax(axis=1) == k
    return HeldOut(
        n_found=extended.predict(test).count(code),
        n_urls=len(test),
        n_false=int((is_predicted & is_other).sum()),
        n_others=int(is_other.sum()),
    )


def _seed_vectors(
    table: QuantizedEmbeddings, code: str, urls: Sequence[str]
) -> tuple[Floats, NDArray[np.int64]]:
    texts = []
    for url in urls:
        try:
            texts.append(Url.parse(url).text)
        except BadUrl as error:
            raise BadData(f"seed of {code!r}: {error}") from None
    pages = [int(is_page(text)) for text in texts]
    return table.vectors_of(texts), np.array(pages, np.int64)


def _unique_words(code: str, words: Iterable[str]) -> list[str]:
    """The words in lower case, sorted, without duplicates."""
    unique = set()
    for word in as_list(words):
        if not isinstance(word, str):
            raise BadData(f"a word of {code!r} is text, not {word!r}")
        unique.add(word.lower())
    return sorted(word for word in unique if word.strip())


def _synthetic_vectors(table: QuantizedEmbeddings, words: list[str], seed: int) -> Floats:
    """Embeddings of synthetic URLs: hosts and slugs of random words under generic top-level domains."""
    usable = [word for word in words if words_of(word) == [word]]
    if not usable:
        return np.zeros((0, table.dim), np.float32)
    rng = np.random.default_rng(seed)
    texts = []
    for i in range(N_SYNTHETIC_URLS):
        host = "".join(rng.choice(usable, rng.integers(1, 3)))
        slug = "-".join(rng.choice(usable, rng.integers(1, 6))) if i % 2 else ""
        texts.append(f"{host if i % 4 else 'example'}.{rng.choice(_GENERIC_TLDS)}/{slug}")
    return table.vectors_of(texts)


def _check_enough(code: str, n_seeds: int, n_synthetic: int) -> None:
    if n_seeds < MIN_URLS and not n_synthetic:
        raise BadData(
            f"{code!r}: {counted(n_seeds, 'address', 'addresses')} and no word list; give at least {MIN_URLS} addresses (50 are better)"
            " or a list of words"
        )


@dataclass(frozen=True)
class _Objective:
    """The loss of a weighted logistic regression with an L2 penalty."""

    inputs: Doubles  #: (rows, dim + 1), the last column for the bias
    targets: Doubles  #: (rows,) probability of the language
    offsets: Doubles  #: (rows,) log-odds before the column is added
    weights: Doubles
    ridge: float

    def loss(self, solution: Doubles) -> float:
        log_odds = self.inputs @ solution + self.offsets
        return float(
            self.weights @ (np.logaddexp(0, log_odds) - self.targets * log_odds)
            + self.ridge * solution @ solution / 2
        )

    def step(self, solution: Doubles) -> tuple[Doubles, float]:
        """The Newton step, and twice the decrease of the loss that its quadratic approximation predicts."""
        probabilities = _sigmoid(self.inputs @ solution + self.offsets)
        gradient = self.inputs.T @ (self.weights * (probabilities - self.targets)) + self.ridge * solution
        variances = self.weights * probabilities * (1 - probabilities)
        hessian = (self.inputs * variances[:, None]).T @ self.inputs
        step = np.asarray(np.linalg.solve(hessian + self.ridge * np.eye(len(solution)), gradient), np.float64)
        return step, float(gradient @ step)


def _objective(
    model: UrlLanguageModel,
    code: str,
    vectors: Floats,
    kinds: NDArray[np.int64],
    n_examples: tuple[int, int],
    rate: float,
) -> _Objective:
    """Rows of the language (real URLs, then synthetic ones) against the replay sample; other scores are fixed."""
    calibration, table = model.calibration, model.table
    assert isinstance(table, QuantizedEmbeddings)
    logits = calibration.logits(vectors @ table.output + table.bias, kinds == 1).astype(float)
    inputs = np.ones((len(vectors), table.dim + 1))
    inputs[:, :-1] = vectors
    inputs *= calibration.slopes[kinds][:, None]
    is_positive = np.arange(len(vectors)) < sum(n_examples)
    n_replay = len(vectors) - sum(n_examples)
    # Real and synthetic URLs have the same total weight.
    share = np.repeat([1 / max(n, 1) for n in n_examples] + [0.0], [*n_examples, n_replay])
    targets = is_positive.astype(np.float64)
    if code in model.languages:
        k = model.languages.index(code)
        offsets = logits[:, k] - log_sum_exp(np.delete(logits, k, axis=1))[:, 0]
        # No bias, so that the language's share of the web is unchanged, and no URL that weighs more than a
        # replay row.
        inputs[:, -1] = 0
        targets[~is_positive] = _sigmoid(offsets[~is_positive])
        weights = np.where(is_positive, np.minimum(share * rate / 2 * n_replay, 1), 1.0)
        return _Objective(inputs, targets, offsets, weights, _RIDGE_KNOWN * weights.sum())
    # Rows of a rare language would have little weight; they are oversampled, and the offset corrects for that.
    lift = max(1.0, 0.2 / rate)
    weights = (rate * lift * share / share.sum() + (1 - rate) * ~is_positive / n_replay) * len(vectors)
    offsets = np.log(lift) - log_sum_exp(logits)[:, 0]
    return _Objective(inputs, targets, offsets, weights, _RIDGE_NEW * weights.sum())


def _minimise(objective: _Objective) -> Doubles:
    """Newton's method with backtracking line search; the loss is convex."""
    solution = np.zeros(objective.inputs.shape[1])
    loss, tolerance = objective.loss(solution), 1e-9 * float(objective.weights.sum())
    for _ in range(_MAX_STEPS):
        step, decrease = objective.step(solution)
        if decrease < tolerance:
            return solution
        size = 1.0
        while (
            not (new := objective.loss(solution - size * step)) <= loss - 1e-4 * size * decrease
            and size > 1e-9
        ):
            size /= 2
        solution, loss = solution - size * step, new
    raise BadData(
        f"the addresses and words could not be learnt: no best fit within {_MAX_STEPS} steps; give others, or more"
    )


def _sigmoid(log_odds: Doubles) -> Doubles:
    """The probability of log-odds, without overflow.

    >>> _sigmoid(np.array([-1e4, 0.0, 1e4])).tolist()
    [0.0, 0.5, 1.0]
    """
    probabilities: Doubles = np.exp(-np.logaddexp(0, -log_odds))
    return probabilities


def _with_column(
    model: UrlLanguageModel, code: str, column: Floats, bias: float, rate: float
) -> UrlLanguageModel:
    """The model with the solution added to the language's column, or as a new column in the order of codes."""
    table, calibration = model.table, model.calibration
    assert isinstance(table, QuantizedEmbeddings)
    if code in model.languages:
        k = model.languages.index(code)
        output, biases = table.output.copy(), table.bias.copy()
        output[:, k] += column
        biases[k] += bias
        return replace(model, table=replace(table, output=output, bias=biases))
    languages = sorted((*model.languages, code))
    k = languages.index(code)
    old_columns = [model.languages.index(language) for language in languages if language != code]
    class_priors = np.insert(calibration.class_priors * (1 - rate), k, rate).astype(np.float32)
    shift = None if calibration.shift is None else np.insert(calibration.shift[old_columns], k, np.float32(0))
    assert model.replay_sample is not None
    new_column = np.array([languages.index(language) for language in model.languages], np.int16)
    return replace(
        model,
        table=replace(
            table,
            output=np.insert(table.output[:, old_columns], k, column, axis=1),
            bias=np.insert(table.bias[old_columns], k, np.float32(bias)),
        ),
        languages=tuple(languages),
        calibration=replace(
            calibration,
            offsets=np.insert(calibration.offsets[:, old_columns], k, 0, axis=1),
            class_priors=class_priors,
            shift=shift,
        ),
        replay_sample=replace(model.replay_sample, languages=new_column[model.replay_sample.languages]),
    )


def project_scores(scores: Doubles, output: Floats, weights: Doubles, ridge: float = 0.05) -> Doubles:
    """Vectors whose products with ``output`` approximate ``scores`` up to a constant per row (weighted ridge)."""
    center = output - (output * weights).sum(1, keepdims=True) / weights.sum()
    scores = scores - (scores * weights).sum(1, keepdims=True) / weights.sum()
    gram = (center * weights) @ center.T
    vectors: Doubles = np.linalg.solve(
        gram + ridge * np.trace(gram) / len(gram) * np.eye(len(gram)), (center * weights) @ scores.T
    ).T
    return vectors


def quantize(vectors: Doubles, levels: Floats) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
    """Quantise vectors to positions in ``levels`` and one scale each, by least squares."""
    best_error = np.full(len(vectors), np.inf)
    codes, scales = np.zeros(vectors.shape, np.uint8), np.zeros(len(vectors), np.float16)
    boundaries = (levels[1:] + levels[:-1]) / 2
    size = np.abs(vectors).max(1) / np.abs(levels).max()
    for factor in np.linspace(0.5, 1.3, 33):
        scale = np.clip(size * factor, 1e-4, MAX_SCALE).astype(np.float16)
        nearest = np.searchsorted(boundaries, vectors / scale.astype(np.float32)[:, None])
        error = ((levels[nearest] * scale.astype(np.float32)[:, None] - vectors) ** 2).sum(1)
        is_better = error < best_error
        best_error[is_better], codes[is_better] = error[is_better], nearest[is_better]
        scales[is_better] = scale[is_better]
    return codes, scales


def _with_name_rows(model: UrlLanguageModel, code: str) -> UrlLanguageModel:
    """The model with embeddings of the code and names of a new language, in subdomain, path and query."""
    table = model.table
    assert isinstance(table, QuantizedEmbeddings)
    words = {code, *(part for part in words_of(name(code).lower()) if len(part) > 3)}
    features = [f"{mark}:{word}" for word in sorted(words) for mark in "bc"]
    features.append(f"l:{code}")
    k = model.languages.index(code)
    one_hot = np.zeros((1, len(model.languages)))
    one_hot[0, k] = 1
    vector = project_scores(one_hot, table.output, np.ones(len(model.languages)), 1e-3)
    # Long enough to exceed all other languages by _NAME_LOGIT.
    gains = (vector @ table.output)[0] * table.hint_scale * float(model.calibration.slopes.mean())
    lead = max(gains[k] - np.delete(gains, k).max(), 0.1 * gains[k])
    codes, scales = quantize(np.repeat(vector * _NAME_LOGIT / lead, len(features), axis=0), table.levels)
    settings = replace(
        table.settings, language_names={**table.settings.language_names, **dict.fromkeys(words, code)}
    )
    return replace(model, table=replace(_with_rows(table, features, pack(codes), scales), settings=settings))


def _with_rows(
    table: QuantizedEmbeddings, features: list[str], codes: Codes, scales: NDArray[np.float16]
) -> QuantizedEmbeddings:
    """The table with the rows of some features replaced or added."""
    rows = np.array([table.row(feature) for feature in features])
    states = [fnv1a(feature) for feature in features]
    is_known, new = rows >= 0, np.flatnonzero(rows < 0)
    all_codes, all_scales = table.codes.copy(), table.scales.copy()
    all_codes[rows[is_known]], all_scales[rows[is_known]] = codes[is_known], scales[is_known]
    buckets = np.array([bucket(states[k], table.bits) for k in new], np.int64)
    order = new[np.argsort(buckets, kind="stable")]
    buckets = np.sort(buckets)
    insert_at = table.bucket_offsets[buckets + 1].astype(np.int64)
    fingerprints = np.array([fingerprint(states[k]) for k in order], np.uint16)
    added_before = np.cumsum(np.bincount(buckets + 1, minlength=len(table.bucket_offsets)))
    return replace(
        table,
        bucket_offsets=(table.bucket_offsets + added_before).astype(np.uint32),
        fingerprints=np.insert(table.fingerprints, insert_at, fingerprints),
        codes=np.insert(all_codes, insert_at, codes[order], axis=0),
        scales=np.insert(all_scales, insert_at, scales[order]),
    )


def _transferred_curves(before: UrlLanguageModel, after: UrlLanguageModel) -> dict[str, Floats]:
    """The threshold curves for the new model, mapped by quantiles of the replay sample.

    A new language takes a little of every probability, and the highest thresholds are so near 1 that nothing would
    reach them. There are no labelled rows for new curves, so each threshold moves to where the same number of replay
    rows of its language is above it.
    """
    assert before.replay_sample is not None
    old, new = _replay_probabilities(before), _replay_probabilities(after)
    curves = {}
    for code, curve in before.curves.items():
        k = before.languages.index(code)
        is_own = before.replay_sample.languages == k
        old_quantiles = np.sort(old[is_own, k])
        new_quantiles = np.sort(new[is_own, after.languages.index(code)])
        curves[code] = curve.copy()
        if len(old_quantiles):  # linear between two rows, and beyond the first and the last
            last = min(new_quantiles[-1] / old_quantiles[-1], 1.0)
            curves[code][:, 0] = np.interp(
                curve[:, 0], [0.0, *old_quantiles, 1.0], [0.0, *new_quantiles, last]
            )
    return curves


def _replay_probabilities(model: UrlLanguageModel) -> Floats:
    """Probabilities of the rows of the replay sample."""
    table, sample = model.table, model.replay_sample
    assert isinstance(table, QuantizedEmbeddings)
    assert sample is not None
    scores = sample.vectors.astype(np.float32) @ table.output + table.bias
    return model.calibration.probabilities(model.calibrated(scores, sample.pages == 1))
