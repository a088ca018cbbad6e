"""Dutch or not: Hogewind et al. 2020."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from linksight.lab.evaluation.cross_validation import SPLITS, Run, Way
from linksight.lab.evaluation.labelled_urls import dutch_sample
from linksight.lab.evaluation.significance_tests import winner
from linksight.lab.papers import published
from linksight.lab.papers.experiment_corpus import Corpus
from linksight.lab.papers.report.report_tables import BUNDLED, measured
from linksight.lab.papers.report.results import Cell, Section, Table
from linksight.lab.papers.runner import Trials

PUBLISHED = "NB words + 3-grams, .nl first"  #: the paper's classifier
DUTCH = {
    "ccTLD": Way("cctld"),
    PUBLISHED: Way("nb+cctld", "words+3-grams-from-word"),
    "NB words + 3-grams": Way("nb", "words+3-grams-from-word"),
    "SVM all-grams": Way("svm", "allgrams-from-word"),
    BUNDLED: Way("bundled"),
}


def dutch(trials: Trials) -> Section:
    """Dutch or not: Hogewind et al."""
    title, paper = "Dutch or not", "Hogewind et al. 2020"
    if trials.folder is None or not (trials.folder / "urls" / "dutch.parquet").exists():
        return Section("dutch", title, paper, missing="Needs urls/dutch.parquet of LINKSIGHT_DATA.")
    own = dutch_trials(trials)
    f1 = {
        (label, split): measured(own, Run(way, split), "nl")
        for label, way in DUTCH.items()
        for split in SPLITS
    }
    fresh = {label: measured(own, Run(way, "site"), "nl", "f1", "fresh") for label, way in DUTCH.items()}
    best = {
        split: winner({label: spread for label in DUTCH if (spread := f1[label, split]) is not None})
        for split in SPLITS
    }
    rows: list[list[str | Cell]] = []
    for label, way in DUTCH.items():
        printed = published.DUTCH_F if label == PUBLISHED else None
        rest = [Cell.of(measured(own, Run(way), "nl", name)) for name in ("precision", "recall")]
        rows.append([
            label, *rest, Cell.of(f1[label, "random"], printed, best["random"] == label),
            Cell.of(f1[label, "site"], None, best["site"] == label), Cell.of(fresh[label]),
        ])  # fmt: skip
    n_fresh = int(own.corpus.masks["fresh"].sum())
    return Section(
        "dutch", title, paper,
        [
            f"{len(own.corpus.rows):,} Open Directory URLs. The paper split at random and warned that domains are on both sides; beside it is the split by domain. "
            f"† The bundled model is measured only on the {n_fresh:,} URLs of domains that its training did not hold; in the last column the others are, too, split by domain."
        ],
        [Table("Dutch against the rest", ["classifier", "P", "R", "F1", "F1 by domain", "F1 fresh domains"], rows)],
        statistics={"dutch-f": {split: ours.mean for split in SPLITS if (ours := f1[PUBLISHED, split])}},
    )  # fmt: skip


def dutch_trials(trials: Trials) -> Trials:
    """Trials on the Dutch URLs that keep their folds in the same ledger."""
    assert trials.folder is not None
    rows = dutch_sample(trials.folder)
    rows = rows.take(np.random.default_rng(trials.corpus.seed).permutation(len(rows))[: trials.scale.n_dutch])
    corpus = Corpus(rows, bits=trials.corpus.bits, seed=trials.corpus.seed, languages=("nl",))
    known = trained_domains(trials.folder)
    corpus.masks["fresh"] = np.array([site not in known for site in rows.sites or ()], dtype=bool)
    return Trials(
        trials.scale,
        corpus,
        trials.ledger,
        folder=trials.folder,
        prefix="dutch_",
        step=trials.step,
        so_far=trials.so_far,
    )


def trained_domains(folder: Path) -> frozenset[str]:
    """The registered domains that the bundled model was trained on."""
    import pyarrow.parquet

    path = folder / "urls" / "train.parquet"
    if not path.exists():
        return frozenset()
    domains = pyarrow.parquet.read_table(path, columns=["domain"])["domain"].unique()
    return frozenset(domains.to_pylist())
