"""Lets a language that is named outright outweigh the words and the host around it.

    python recipes/url_model/codes.py WORK [--out FOLDER] [--only urdu,igbo]

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

from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
from lessons import DATA, Corpus, Lesson
from package import LIST_WEIGHT, calibrate, find_or_keep
from scipy.optimize import minimize
from scipy.sparse import vstack
from weights import WIDEST, Weights, folders_and_words

from linksight.url_model.calibration import Calibration, softmax
from linksight.url_model.embeddings import EvidenceTable
from linksight.url_model.model import Scorer

LOUD = 6.0  # how much more a made-up URL weighs that is taken for something else altogether
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


def main() -> None:
    work, out, only = folders_and_words(__doc__)
    weights, corpus = Weights.read(work), Corpus(work, only)
    table = weights.table
    calibration, plain = on_dev(table, corpus.known)
    rows = weights.rows(corpus.features)
    made_up = louder(corpus.made_up(rare=False), calibration, plain)
    lessons = [corpus.real(), made_up, corpus.made_up(rare=True), corpus.numbers(calibration.rates)]
    weights.replace(rows, fitted(table, calibration, plain, lessons, rows.values))
    weights.write(out)


if __name__ == "__main__":
    main()
