"""The experiments of the slides of 2008: selection, combinations, content, memorised domains, people."""

from __future__ import annotations

import itertools
import unicodedata
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.features import parse_features
from linksight.features.counts import Counts
from linksight.features.custom import CustomFeatures
from linksight.lab import plots, published
from linksight.lab.experiments import SHIPPED
from linksight.lab.findings import Cell, Section, Table
from linksight.lab.layouts import BUNDLED
from linksight.lab.protocols import SPLITS, Run, Way, answers_of, count_taken
from linksight.lab.statistics import macro_of, measures_of
from linksight.lab.trials import Trials
from linksight.languages import iso3 as _iso
from linksight.languages import name as name_of
from linksight.models import make_classifier
from linksight.models.base import HashedClassifier
from linksight.models.selection import select_forward
from linksight.models.tree import DecisionTree
from linksight.urls import words_of

PAPER = "Baykan, Henzinger, Weber 2008"
DOMAINS = {
    "NB words": Way("nb", "words"),
    "ME words": Way("me", "words"),
    "RE 3-grams": Way("re", "3-grams-from-word"),
    "DT custom": Way("dt", "custom"),
}
_CHUNK = 40  # words of content that make one row, about as many as pages have in a heading or two


def selection(trials: Trials) -> Section:
    """Forward selection: 74 features down to 15."""
    found = trials.kept("2008-selection", lambda: _select(trials))
    series = {
        name_of(language): [(i + 1.0, value, 0.0) for i, value in enumerate(one["curve"])]
        for language, one in found.items()
    }
    everything = {
        name_of(language): [(1.0, one["all"], 0.0), (float(len(one["curve"])), one["all"], 0.0)]
        for language, one in found.items()
    }
    rows: list[list[str | Cell]] = [
        [
            name_of(language),
            ", ".join(one["columns"]),
            Cell(one["curve"][-1]),
            Cell(one["all"]),
            Cell(one["all"] - one["curve"][-1], None, 3.0),
        ]
        for language, one in found.items()
    ]
    columns = ["language", "chosen, best first", "F1 of these", "F1 of all 74", "loss"]
    small = all(one["all"] - one["curve"][-1] <= 3 for one in found.values())
    return Section(
        "2008-selection", "Forward selection of custom features", PAPER,
        ["Trees and trained dictionaries learn from half of up to 8,000 rows, a quarter chooses the features, F1 is that of the last quarter. The paper lost .03 of F with 15 features."],
        [Table("Custom features of 2008 chosen greedily", columns, rows)],
        [("F1 of the first, the first two, … features chosen; dashed: all 74", plots.lines(series, "features", "F1", dashed=everything))],
        agreements=[(f"{trials.scale.n_wanted} features lose at most 3 points", small)],
    )  # fmt: skip


def _select(trials: Trials) -> dict[str, Any]:
    return {
        language: _select_for(trials, language) for language in trials.languages[: trials.scale.n_selection]
    }


def _select_for(trials: Trials, language: str) -> dict[str, Any]:
    """Chosen on rows that no tree has seen, measured on rows that chose nothing."""
    corpus = trials.corpus
    train, _ = corpus.split(language, "random", trials.scale.n_folds, 0)
    rows = np.random.default_rng(corpus.seed).permutation(train)[:8_000]
    learn, choose, judge = np.split(rows, [len(rows) // 2, 3 * len(rows) // 4])
    features = CustomFeatures(year=2008).learnt(
        [corpus.urls[i] for i in learn], corpus.labels[learn].tolist(), (language,)
    )
    matrix = {
        name: features.matrix([corpus.urls[i] for i in part])
        for name, part in (("learn", learn), ("choose", choose), ("judge", judge))
    }
    tree = make_classifier("dt", "custom-2008", language)
    assert isinstance(tree, DecisionTree)
    targets = (corpus.labels[learn] == language).astype(np.int64)

    def f1(columns: list[int], name: str, part: NDArray[np.int64]) -> float:
        grown = tree.grow(matrix["learn"][:, columns], targets, 2)
        shares = grown.shares(matrix[name][:, columns])
        measures = measures_of(language, count_taken(corpus.labels[part], shares[:, 1] > shares[:, 0]))
        return 100 * measures.f1 if measures else 0.0

    n_columns = len(features.columns)
    found = select_forward(n_columns, trials.scale.n_wanted, lambda columns: f1(columns, "choose", choose))
    curve = [f1(list(found.columns[: i + 1]), "judge", judge) for i in range(len(found.columns))]
    everything = f1(list(range(n_columns)), "judge", judge)
    return {"columns": [features.columns[i] for i in found.columns], "curve": curve, "all": everything}


def combinations(trials: Trials) -> Section:
    """The best pair of classifiers for each language."""
    found = trials.kept("2008-combinations", lambda: {split: _combine(trials, split) for split in SPLITS})
    rows: list[list[str | Cell]] = []
    for language in trials.languages:
        told = published.COMBINATIONS_2008.get(language)
        for split in SPLITS:
            one = found[split][language]
            rows.append([
                name_of(language), split, one["single"], Cell(one["single_f1"]), one["pair"],
                Cell(one["pair_f1"], None, 100 * told[3] if told and split == "random" else None),
            ])  # fmt: skip
    columns = ["language", "split", "best single", "F1", "best combination", "F1"]
    better = sum(one["pair_f1"] >= one["single_f1"] for one in found["random"].values())
    return Section(
        "2008-combinations", "The best combination for each language (Table 9)", PAPER,
        ["Two classifiers joined by “both” or “either”. Chosen on one fold, measured on another; published: mean of three test sets."],
        [Table("Best single classifier and best combination", columns, rows)],
        agreements=[("a combination is at least as good as the best single classifier for most languages", better * 2 > len(found["random"]))],
    )  # fmt: skip


def _combine(trials: Trials, split: str) -> dict[str, Any]:
    found = {}
    ways = {**DOMAINS, "ccTLD": Way("cctld")}
    for language in trials.languages:
        train, test = trials.corpus.split(language, split, trials.scale.n_folds, 0)
        _, choose = trials.corpus.split(language, split, trials.scale.n_folds, 1)
        train = np.setdiff1d(train, choose)
        asked = np.concatenate([choose, test])
        yes = {label: answers_of(trials.corpus, way, train, asked, language) for label, way in ways.items()}
        joined = dict(yes)
        for one, other in itertools.combinations(ways, 2):
            joined[f"{one} and {other}"] = yes[one] & yes[other]
            joined[f"{one} or {other}"] = yes[one] | yes[other]
        labels = trials.corpus.labels[asked]

        def f1(
            answers: NDArray[np.bool_],
            rows: slice,
            labels: NDArray[np.str_] = labels,
            language: str = language,
        ) -> float:
            measures = measures_of(language, count_taken(labels[rows], answers[rows]))
            return 100 * measures.f1 if measures else 0.0

        first, second = slice(0, len(choose)), slice(len(choose), None)
        single = max(yes, key=lambda label: f1(yes[label], first))
        pair = max(joined, key=lambda label: f1(joined[label], first))
        found[language] = {
            "single": single, "single_f1": f1(yes[single], second), "pair": pair, "pair_f1": f1(joined[pair], second),
        }  # fmt: skip
    return found


def memorised(trials: Trials) -> Section:
    """Domains learnt by heart."""
    rows: list[list[str | Cell]] = []
    losses = {}
    for label, way in {**DOMAINS, **SHIPPED}.items():
        folds = trials.folds(Run(way))
        by_domain = macro_of(trials.folds(Run(way, "site")))
        overall = macro_of(folds)
        rows.append([
            label, Cell.of(overall), Cell.of(macro_of(folds, "f1", "seen")), Cell.of(macro_of(folds, "f1", "unseen")), Cell.of(by_domain),
        ])  # fmt: skip
        if overall and by_domain and label != BUNDLED:
            losses[label] = overall.mean - by_domain.mean
    columns = ["classifier", "all", "domain seen", "domain unseen", "split by domain"]
    return Section(
        "2008-domains", "Memorised domains", PAPER, ["† trained on the file that these URLs come from."],
        [Table("Macro F1 by whether the domain was in training", columns, rows)],
        agreements=[("words lose more than 3-grams when no domain is shared", losses["NB words"] > losses["RE 3-grams"])],
    )  # fmt: skip


def content(trials: Trials) -> Section:
    """Training on the text of pages instead of URLs."""
    title = "Training on content (Table 10)"
    if trials.folder is None or not (trials.folder / "texts").is_dir():
        return Section("2008-content", title, PAPER, missing="Needs the texts and pages of LINKSIGHT_DATA.")
    found = trials.kept("2008-content", lambda: _content(trials))
    rows: list[list[str | Cell]] = []
    for algorithm, languages in found.items():
        for language, (urls, text) in languages.items():
            told = published.CONTENT_2008[algorithm].get(language)
            rows.append(
                [
                    algorithm.upper(),
                    name_of(language),
                    Cell(urls, None, 100 * told[0] if told else None),
                    Cell(text, None, 100 * told[1] if told else None),
                ]
            )
    always = all(urls > text for languages in found.values() for urls, text in languages.values())
    return Section(
        "2008-content", title, PAPER,
        ["Words. Content is the Declaration of Human Rights, Genesis and the dev pages of each language, 40 words a row, accents taken off; the paper had the pages behind its URLs."],
        [Table("F1 on the same test URLs (first fold, at random)", ["algorithm", "language", "trained on URLs", "trained on content"], rows)],
        agreements=[("URLs train better than content, for every language", always)],
    )  # fmt: skip


def _content(trials: Trials) -> dict[str, dict[str, list[float]]]:
    features = parse_features("words")
    assert trials.folder is not None
    texts = {language: content_rows(trials.folder, language) for language in trials.languages}
    rows = [row for lines in texts.values() for row in lines]
    labels = np.array([language for language, lines in texts.items() for _ in lines])
    counts = Counts.of(rows, features, trials.corpus.bits)
    found: dict[str, dict[str, list[float]]] = {}
    for algorithm in ("nb", "me"):
        for language in trials.languages:
            train, test = trials.corpus.split(language, "random", trials.scale.n_folds, 0)
            yes = answers_of(trials.corpus, Way(algorithm, "words"), train, test, language)
            classifier = make_classifier(algorithm, "words", language, bits=trials.corpus.bits)
            assert isinstance(classifier, HashedClassifier)
            own = np.flatnonzero(labels == language)
            others = np.random.default_rng(0).permutation(np.flatnonzero(labels != language))[: len(own)]
            chosen = np.concatenate([own, others])
            classifier.fit_counts(counts.take(chosen), labels[chosen] == language)
            by_text = classifier.takes_counts(trials.corpus.words.take(test))
            pair = [
                measures_of(language, count_taken(trials.corpus.labels[test], answer))
                for answer in (yes, by_text)
            ]
            found.setdefault(algorithm, {})[language] = [100 * one.f1 if one else 0.0 for one in pair]
    return found


def content_rows(folder: Path, language: str) -> list[str]:
    """Text of a language as addresses of nothing but words, so that it counts like a URL."""
    words: list[str] = []
    for text in _texts(folder, language):
        plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
        words += words_of(plain)
    return ["http://1.1/" + "-".join(words[i : i + _CHUNK]) for i in range(0, len(words), _CHUNK)]


def _texts(folder: Path, language: str) -> list[str]:
    import pyarrow.parquet

    from linksight.pages import chew2011

    texts = []
    with zipfile.ZipFile(folder / "texts" / "udhr2.zip") as archive:
        name = f"udhr2/{_iso(language)}.txt"
        if name in archive.namelist():
            texts.append(archive.read(name).decode("utf-8", "ignore"))
    with zipfile.ZipFile(folder / "texts" / "genesis.zip") as archive:
        english = {"en": "english-web", "de": "german", "fr": "french"}.get(language, "-")
        texts += [
            archive.read(one).decode("utf-8", "ignore")
            for one in archive.namelist()
            if one.endswith(f"/{english}.txt")
        ]
    pages = pyarrow.parquet.read_table(
        folder / "pages" / "dev.parquet",
        columns=["language", "encoding", "body"],
        filters=[("language", "=", language)],
    )
    for page in pages.to_pylist()[:60]:
        text = chew2011.bytes_text(page["body"])
        try:
            texts.append(text.decode(page["encoding"], "ignore"))
        except LookupError:
            texts.append(text.decode("utf-8", "ignore"))
    return texts


def humans(trials: Trials) -> Section:
    """What people make of URLs: published alone."""
    rows: list[list[str | Cell]] = [
        [name_of(language), *(f"{100 * value:.0f}" for value in figures)]
        for language, figures in published.HUMANS.items()
    ]
    means = [
        f"{100 * float(np.mean([figures[i] for figures in published.HUMANS.values()])):.0f}" for i in range(4)
    ]
    return Section(
        "2008-humans", "The human baseline, as published", PAPER,
        ["Two people judged 1,260 URLs of a web crawl; those URLs were not published, so nothing of ours stands beside."],
        [Table("Two raters on the web crawl", ["language", "P", "R", "p(−|−)", "F"], [*rows, ["macro average", *means]])],
    )  # fmt: skip
