"""The decision tree that a person can read: Figure 2 of 2013."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from linksight.lab.evaluation.cross_validation import count_accepted
from linksight.lab.evaluation.significance_tests import measures_of
from linksight.lab.papers.report import svg_plots
from linksight.lab.papers.report.results import Section
from linksight.lab.papers.runner import Trials
from linksight.languages.registry import name as name_of
from linksight.models.algorithms.decision_tree import DecisionTree
from linksight.models.algorithms.tree_arrays import TreeArrays
from linksight.models.algorithms.tree_plot import draw_tree

PAPER = "Baykan, Henzinger, Weber 2013"
_MAX_LEAVES = 7  # as in the paper's figure
_MAX_DEPTH = 12


def figure_2(trials: Trials) -> Section:
    """The top of the English tree."""
    language = trials.languages[0]
    found = trials.cached("figure-2", lambda: _pruned(trials, language))
    tree = TreeArrays(**{name: np.array(values) for name, values in found["tree"].items()})
    names = (f"not {name_of(language)}", name_of(language))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tree.svg"
        draw_tree(tree, found["columns"], names, path, depth=_MAX_DEPTH)
        picture = svg_plots.plain_svg(path.read_text(encoding="utf-8"))
    text = [
        f"Pruned until {_MAX_LEAVES} leaves or fewer were left of {found['leaves']:,}. f(+) and f(−) are the shares of the "
        f"positive and negative test URLs that end at a leaf. F1 of the full tree {found['f1'][0]:.1f}, of this one {found['f1'][1]:.1f}."
    ]
    if trials.corpus.hosting is None:
        text.append("The paper's root is the country of the server, which is not known here.")
    return Section(
        "figure-2", f"The pruned tree for {name_of(language)}", PAPER, text, (),
        [("Figure 2: the tree on custom features, pruned", picture)],
        statistics={} if trials.corpus.hosting is None else {"tree-root": {"random": float("hosted-en" in {found["columns"][feature] for feature, left in zip(found["tree"]["feature"], found["tree"]["left"], strict=True) if left >= 0})}},
    )  # fmt: skip


def _pruned(trials: Trials, language: str) -> dict[str, Any]:
    """The tree of the first fold, pruned until a person can read it, and how test URLs fall through it."""
    corpus = trials.corpus
    train, test = corpus.split(language, "random", trials.scale.n_folds, 0)
    matrix = corpus.customs.matrix(train, corpus.labels[train], np.concatenate([train, test]))
    targets, truth = ((corpus.labels[rows] == language).astype(np.int64) for rows in (train, test))
    grown = DecisionTree("custom", language=language).grow(matrix[: len(train)], targets, 2)
    pruning, tree = 1e-4, grown
    while (tree.left < 0).sum() > _MAX_LEAVES:
        tree = DecisionTree("custom", language=language, pruning=pruning).grow(
            matrix[: len(train)], targets, 2
        )
        pruning *= 1.5
    tested = matrix[len(train) :]
    f1 = []
    for one in (grown, tree):
        shares = one.shares(tested)
        measures = measures_of(language, count_accepted(corpus.labels[test], shares[:, 1] > shares[:, 0]))
        f1.append(100 * measures.f1 if measures else 0.0)
    shown = replace(tree, counts=tree.passed(tested, truth, 2))
    return {
        "columns": list(corpus.customs.columns), "tree": {name: values.tolist() for name, values in shown.as_dict().items()},
        "leaves": int((grown.left < 0).sum()), "f1": f1,
    }  # fmt: skip
