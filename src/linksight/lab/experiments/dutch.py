"""Dutch or not: Hogewind et al. 2020."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from linksight.lab import published
from linksight.lab.corpus import Corpus
from linksight.lab.data import dutch_sample
from linksight.lab.findings import Cell, Section, Table
from linksight.lab.protocols import SPLITS, Run, Way
from linksight.lab.statistics import Spread, spread_of, winner
from linksight.lab.trials import Trials

DUTCH = {
    "ccTLD": Way("cctld"),
    "NB words + 3-grams, .nl first": Way("nb+cctld", "words+3-grams-from-word"),
    "NB words + 3-grams": Way("nb", "words+3-grams-from-word"),
    "SVM all-grams": Way("svm", "allgrams-from-word"),
    "bundled model†": Way("bundled"),
}


def dutch(trials: Trials) -> Section:
    """Dutch or not: Hogewind et al."""
    title, paper = "Dutch or not", "Hogewind et al. 2020"
    if trials.folder is None or not (trials.folder / "urls" / "dutch.parquet").exists():
        return Section("dutch", title, paper, missing="Needs urls/dutch.parquet of LINKSIGHT_DATA.")
    own = dutch_trials(trials)
    folds = {(label, split): own.folds(Run(way, split)) for label, way in DUTCH.items() for split in SPLITS}
    rows: list[list[str | Cell]] = []
    f1 = {key: spread_of(found, "nl") or Spread((0.0,)) for key, found in folds.items()}
    best = {split: winner({label: f1[label, split] for label in list(DUTCH)[:-1]}) for split in SPLITS}
    for label in DUTCH:
        told = published.DUTCH_F if label.endswith("first") else None
        rows.append([
            label, Cell.of(spread_of(folds[label, "random"], "nl", "precision")), Cell.of(spread_of(folds[label, "random"], "nl", "recall")),
            Cell.of(f1[label, "random"], told, best["random"] == label), Cell.of(f1[label, "site"], None, best["site"] == label),
        ])  # fmt: skip
    ours = f1["NB words + 3-grams, .nl first", "site"].mean
    return Section(
        "dutch", title, paper,
        [f"{len(own.corpus.rows):,} Open Directory URLs. The paper split at random and warned that domains are on both sides; beside it is the split by domain. † may have had some of these domains in training."],
        [Table("Dutch against the rest", ["classifier", "P", "R", "F1", "F1 by domain"], rows)],
        agreements=[("F is at least the published .918, even on unseen domains", ours >= published.DUTCH_F)],
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
        trials.scale, corpus, trials.ledger, folder=trials.folder, prefix="dutch_", step=trials.step
    )


def trained_domains(folder: Path) -> frozenset[str]:
    """The registered domains that the bundled model was trained on."""
    import pyarrow.parquet

    path = folder / "urls" / "train.parquet"
    if not path.exists():
        return frozenset()
    domains = pyarrow.parquet.read_table(path, columns=["domain"])["domain"].unique()
    return frozenset(domains.to_pylist())
