"""Lets a language that is named outright outweigh the words and the host around it.

    python recipes/url_model/codes.py WORK [--out FOLDER]

``/fi/products/`` is Finnish, whatever ``products`` is, and ``www.u-tokyo.ac.jp/en/`` English; but few labelled
URLs hold a code beside words or a host of another language, so the trained table lets those win. Here all
rows of the table stay as they are but those of codes and names of languages, as part of the path (``c:fi``), as
subdomain (``b:fi``), in the query (``l:fi``), at the end of a file name (``f:fi``), and of endings that few domains
have (``t:gal``). They are fitted again on (``lessons.py``)

real       labelled URLs with such a part, but for those whose label is not the page's: that of the page that links
           to it, of the words of the link ("Deutsch" on an English page is English or German by chance: they agree
           with the code in 55 and 63 % of the cases, people's labels in 95 %), of the site or of a country;
made up    labelled hosts of all languages with a code and a plain path (``/fi/products/``). Its word is taken as
           often as it is kept among real ones: ``/nl/`` is nearly always Dutch, ``/cs/`` is not. Hosts that drown it
           weigh more. Codes of countries are fitted to the languages of their sections, also where they are those of
           another language elsewhere (``/br/``).

A host in numbers (``192.168.1.1``) names nothing: its ending, which is empty, gets a row that leaves doubt.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from lessons import DATA, Corpus, Lesson
from package import LIST_WEIGHT, calibrate, find_or_keep, table_in
from scipy.optimize import minimize
from scipy.sparse import vstack

from linksight.calibration import Calibration, softmax
from linksight.features.hashing import bucket, fingerprint, fnv1a
from linksight.scorer import Scorer
from linksight.tables import EvidenceTable

WIDEST = 3.3  # scale of a row, twice what training leaves: a code has to outweigh all that a host says
LOUD = 6.0  # how much more a made-up URL weighs that is taken for something else altogether
BITS = 19  # of a bucket, as in ``EvidenceTable.build``
HOLD = 0.02  # how tightly rows are held to where training left them


def on_dev(table: EvidenceTable, known: list[str]) -> tuple[Calibration, Scorer]:
    """The calibration that the table would ship with: what a code has to outweigh is what users would see."""
    dev = pq.read_table(DATA / "urls/dev.parquet").to_pandas()
    plain = Scorer(table, tuple(known), Calibration.plain(len(known)))
    found = dev.language.astype(str).map(find_or_keep)
    y = np.array([known.index(code) if code in known else -1 for code in found])
    weights = np.where(dev.trust == 1, 1.0, LIST_WEIGHT)
    page = (dev.kind == "page").to_numpy()
    scores = plain.score(dev.url.tolist()).astype(float)
    everyone = np.ones(len(dev), bool)
    return calibrate(scores, y, page, weights, everyone, everyone), plain


def fitted(
    table: EvidenceTable, calibration: Calibration, plain: Scorer, lessons: list[Lesson], rows: np.ndarray
) -> np.ndarray:
    """The rows of the parts, moved so that the lessons are likeliest; none beyond ``WIDEST``."""
    most = WIDEST * float(np.abs(table.levels).max())
    texts = [text for lesson in lessons for text in lesson.texts]
    page = np.array(["/" in text for text in texts], int)
    slopes = calibration.slopes[page][:, None]
    scores = (plain.score([f"http://{text}" for text in texts]) * slopes + calibration.offsets[page]).astype(
        "f4"
    )
    targets = np.concatenate([lesson.targets for lesson in lessons])
    weights = np.concatenate([lesson.weights for lesson in lessons])[:, None].astype(np.float32)
    held = (
        vstack([lesson.held for lesson in lessons]).multiply(slopes * table.hint_scale).tocsr().astype("f4")
    )
    shape = (held.shape[1], table.dim)

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        moves = (values.reshape(shape) - rows).astype("f4")
        chances = softmax(scores + held @ (moves @ table.output))
        value = -(weights * targets * np.log(chances + 1e-9)).sum()
        gradient = (held.T @ (weights * (chances - targets))) @ table.output.T
        value += HOLD * (moves**2).sum()
        return float(value), (gradient + 2 * HOLD * moves).ravel().astype(float)

    found = minimize(
        loss,
        rows.ravel(),
        jac=True,
        method="L-BFGS-B",
        bounds=[(-most, most)] * rows.size,
        options={"maxiter": 200},
    )
    print(f"{len(scores):,} URLs: loss {loss(rows.ravel())[0]:,.0f} -> {found.fun:,.0f}, {found.nit} steps")
    moved: np.ndarray = found.x.reshape(shape)
    return moved


def louder(lesson: Lesson, calibration: Calibration, plain: Scorer) -> Lesson:
    """The same, in which those weigh more that are far from what they should be: hosts that drown a code."""
    page = np.array(["/" in text for text in lesson.texts], int)
    scores = plain.score([f"http://{text}" for text in lesson.texts])
    chances = calibration.probabilities(calibration.logits(scores, page))
    agreed = np.minimum(chances, lesson.targets).sum(1)
    return replace(lesson, weights=lesson.weights * (1 + LOUD * (1 - agreed)))


def coded(rows: np.ndarray, levels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows as positions in ``levels`` and a scale each."""
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
    print(f"coding loses {best.sum() / (rows**2).sum():.2%} of the rows' squares")
    return codes, scales


def rows_of(model, packed, features: Iterable[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of some features the hashes, where they stand in the table (or -1), and their rows (or nothing)."""
    hashes = np.array([fnv1a(feature) for feature in features], np.uint64)
    where = {place(state): i for i, state in enumerate(model["hashes"])}
    at = np.array([where.get(place(state), -1) for state in hashes])
    old = model["levels"][packed["codes"][at]] * packed["scales"][at].astype(np.float32)[:, None]
    return hashes, at, np.where((at >= 0)[:, None], old, 0)


def place(state: int) -> tuple[int, int]:
    """What the table keeps of a hash: models that were unpacked (``unpack.py``) have no more of it."""
    return bucket(int(state), BITS), fingerprint(int(state))


def replaced(model, packed, hashes, at, codes, scales, out: Path) -> None:
    """Writes the model with these rows as they are now, and those that it did not have."""
    there, new = at >= 0, at < 0
    packed["codes"][at[there]], packed["scales"][at[there]] = codes[there], scales[there]
    model["hashes"] = np.r_[model["hashes"], hashes[new]]
    packed = {"codes": np.r_[packed["codes"], codes[new]], "scales": np.r_[packed["scales"], scales[new]]}
    out.mkdir(parents=True, exist_ok=True)
    np.savez(out / "model.npz", **model)
    np.savez_compressed(out / "table.npz", **packed)
    print(f"{there.sum()} rows fitted again, {new.sum()} added")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path)
    parser.add_argument("--out", type=Path, help="where model.npz and table.npz are written (WORK)")
    asked = parser.parse_args()
    model, packed = dict(np.load(asked.work / "model.npz")), dict(np.load(asked.work / "table.npz"))
    table = table_in(asked.work)
    corpus = Corpus(asked.work)
    calibration, plain = on_dev(table, corpus.known)
    hashes, at, rows = rows_of(model, packed, corpus.features)
    made_up = louder(corpus.made_up(rare=False), calibration, plain)
    lessons = [corpus.real(), made_up, corpus.made_up(rare=True), corpus.numbers(calibration.rates)]
    rows = fitted(table, calibration, plain, lessons, rows)
    codes, scales = coded(rows, model["levels"])
    replaced(model, packed, hashes, at, codes, scales, asked.out or asked.work)


if __name__ == "__main__":
    main()
