"""The experiments of the other papers: Dutch URLs, pages by their bytes, patterns of sites, replayed crawls."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from linksight.errors import BadLanguage
from linksight.lab import local_sites, plots, published
from linksight.lab.corpus import Corpus
from linksight.lab.data import dutch_sample
from linksight.lab.findings import Cell, Section, Table
from linksight.lab.protocols import SPLITS, Run, Way
from linksight.lab.statistics import Spread, spread_of, winner
from linksight.lab.trials import Trials
from linksight.languages import find
from linksight.languages import name as name_of

DUTCH = {
    "ccTLD": Way("cctld"),
    "NB words + 3-grams, .nl first": Way("nb+cctld", "words+3-grams-from-word"),
    "NB words + 3-grams": Way("nb", "words+3-grams-from-word"),
    "SVM all-grams": Way("svm", "allgrams-from-word"),
    "bundled model†": Way("bundled"),
}
EXPERIMENTS_2011: dict[str, dict[str, Any]] = {
    "one": {"corpora": "A", "parser": "characters", "converter": False},
    "two": {"corpora": "AB", "parser": "characters", "converter": False},
    "three": {"corpora": "AB", "parser": "bytes", "converter": False},
    "four": {"corpora": "AB", "parser": "bytes", "converter": True},
}
SYSTEMS = {
    "Latn": "Latin alphabet", "Cyrl": "other alphabet", "Grek": "other alphabet", "Armn": "other alphabet",
    "Geor": "other alphabet", "Hang": "other alphabet", "Kore": "other alphabet", "Arab": "abjad", "Hebr": "abjad",
    "Hans": "Chinese", "Hant": "Chinese", "Hani": "Chinese", "Jpan": "Japanese",
}  # fmt: skip


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


def pages(trials: Trials) -> Section:
    """Language from the bytes of pages: the four experiments of Chew et al."""
    title, paper = "Language of pages from their bytes", "Chew, Mikami, Nagano 2011"
    if trials.folder is None or not (trials.folder / "pages" / "dev.parquet").exists():
        return Section("pages", title, paper, missing="Needs pages/dev.parquet of LINKSIGHT_DATA.")
    found = _identify_pages(trials)  # ours is never kept, as the bundled model may change
    right, systems = {**found["right"], "bundled": found["bundled"]}, found["systems"]
    rows: list[list[str | Cell]] = [
        [name, settings, Cell(100 * float(np.mean(right[name])), None, published.PAGES_2011.get(name), digits=2)]
        for name, settings in {
            "one": "Declaration, character parser", "two": "and the Bible", "three": "and byte parser",
            "four": "and entities", "bundled": "linksight.identify",
        }.items()
    ]  # fmt: skip
    lost = sum(one and not two for one, two in zip(right["one"], right["two"], strict=True))
    won = sum(two and not one for one, two in zip(right["one"], right["two"], strict=True))
    by_system: list[list[str | Cell]] = []
    for system, n in Counter(systems).most_common():
        mine = [i for i, one in enumerate(systems) if one == system]
        told = published.SCRIPTS_2011.get(system)
        cells = [100 * float(np.mean([right[name][i] for i in mine])) for name in ("four", "bundled")]
        by_system.append([system, f"{n:,}", Cell(cells[0], None, told[1] if told else None), Cell(cells[1])])
    means = [float(np.mean(right[name])) for name in ("one", "two", "three", "four")]
    return Section(
        "pages", title, paper, [f"{len(systems):,} pages of pages/dev.parquet; the paper's 1,660 were not published."],
        [
            Table("Table 8: pages whose language is right, %", ["experiment", "what", "accuracy"], rows),
            Table("Table 9: what a larger training set changes", ["", "pages"], [["right in one, wrong in two", Cell(lost, None, published.OVERTRAINED_2011, digits=0)], ["wrong in one, right in two", Cell(won, digits=0)]]),
            Table("Table 10: by writing system, %", ["system", "pages", "experiment four", "bundled model"], by_system),
        ],
        agreements=[
            ("the Bible adds to the Declaration", means[1] > means[0]), ("the byte parser does not lose", means[2] >= means[1]),
            ("converting entities does not lose", means[3] >= means[2]),
        ],
    )  # fmt: skip


def _identify_pages(trials: Trials) -> dict[str, Any]:
    """Page by page whether each experiment of the paper was right, and linksight; the writing systems."""
    import linksight
    from linksight.pages import chew2011

    rows = _web_pages(trials)
    right: dict[str, list[bool]] = {name: [] for name in EXPERIMENTS_2011}
    for name, settings in EXPERIMENTS_2011.items():
        right[name] = trials.kept(
            f"pages_{name}",
            lambda settings=settings: [  # type: ignore[misc]
                chew2011.identify(row["body"], **settings).language == _code(row["language"]) for row in rows
            ],
        )
    labels = [linksight.identify(row["body"]) for row in rows]
    ours = [label.language == _code(row["language"]) for label, row in zip(labels, rows, strict=True)]
    systems = [SYSTEMS.get(label.script, "abugida") for label in labels]
    return {"right": right, "bundled": ours, "systems": systems}


def _web_pages(trials: Trials) -> list[dict[str, Any]]:
    import pyarrow.parquet

    assert trials.folder is not None
    rows = pyarrow.parquet.read_table(trials.folder / "pages" / "dev.parquet").to_pylist()
    rows = [row for row in rows if row["section"] == "web" and row["language_basis"] != "source-mixed"]
    order = np.random.default_rng(trials.corpus.seed).permutation(len(rows))[: trials.scale.n_pages]
    return [rows[i] for i in order.tolist()]


def sites(trials: Trials) -> Section:
    """Patterns of sites: Table 3 of the CALA paper."""
    published_rows: list[list[str | Cell]] = [
        [site, f"{int(v[0]):,}", *(f"{one:.2f}" for one in v[1:5])]
        for site, v in published.SITES_2016.items()
    ]
    columns = ["site", "URLs", "tokens a URL", "P", "R", "F1"]
    as_published = Table("Table 3 as published: sites of 2016", columns, published_rows)
    rows: list[list[str | Cell]] = []
    lacking = local_sites.lacking()
    for name in local_sites.CLASSES:
        if name in lacking:
            continue
        for one in trials.kept(f"sites_{name}", lambda name=name: local_sites.measure(name)):  # type: ignore[misc]
            rows.append([
                name, one["learner"], f"{one['n_urls']:,}", f"{one['tokens_per_url']:.1f}",
                *(Cell(one[mode][i], digits=2) for mode in ("supervised", "unsupervised") for i in range(3)),
                f"{one['learning_s']:.2f}", f"{one['download_s']:.1f}",
            ])  # fmt: skip
    ours = [
        "site", "learner", "URLs", "tokens a URL", "P", "R", "F1", "P unsupervised", "R unsupervised", "F1 unsupervised",
        "s to learn", "s to download",
    ]  # fmt: skip
    tables = [Table("Table 3: sites run on this machine", ours, rows)] if rows else []
    refined = [row[6].value or 0 for row in rows if row[1] == "refined" and isinstance(row[6], Cell)]
    mean = float(np.mean([v[4] for v in published.SITES_2016.values()]))
    return Section(
        "sites", "URL patterns of sites (Table 3)", "Hernández et al. 2016",
        [
            "Hubs are gathered through the search form of each site with the paper's constants; patterns are learnt from half of them and "
            f"tested on the links of the other half. The paper's sites need a network; their mean F1 is {mean:.2f}. Ours are a real Trac, a real Wagtail and a shop with "
            "words in its addresses. “paper” is the paper's algorithm alone, “refined” is what linksight does by default."
        ],
        [*tables, as_published],
        missing="Not run here: " + "; ".join(lacking.values()) + "." if lacking else "",
        agreements=[("F1 is .9 or better on every site", min(refined) >= 0.9)] if refined else (),
    )  # fmt: skip


def crawl(trials: Trials) -> Section:
    """Crawls replayed on a stored web: Tables XVII to XIX and Figure 7."""
    title, paper = "Language-focused crawls, replayed", "Baykan, Henzinger, Weber 2013"
    if trials.folder is None:
        return Section("table-xvii", title, paper, missing="Needs LINKSIGHT_DATA to build a web from.")
    found = {}
    for language in ("de",) if trials.scale.name == "quick" else ("en", "de", "fr", "es", "it"):
        found[language] = trials.kept(f"crawl_{language}", lambda language=language: _crawl(trials, language))  # type: ignore[misc]
    rows: list[list[str | Cell]] = []
    places = {"random": 0, "cctld": 1, "classifier": 2}
    for language, strategies in found.items():
        for name, one in strategies.items():
            at = places.get(name)
            told = [
                table[language][at] if at is not None else None
                for table in (published.TABLE_XVII, published.TABLE_XVIII, published.TABLE_XIX)
            ]
            rows.append([
                name_of(language), name, f"{one['downloads']:,}", Cell(one["hosts"], None, told[0], digits=0),
                Cell(one["unlabelled"], None, told[1]), Cell(one["precision"], None, told[2]),
            ])  # fmt: skip
    figures = [
        (f"Figure 7: {name_of(language)}, share in the language of each stretch of downloads", plots.lines(
            {name: [(x, y, 0.0) for x, y in one["curve"]] for name, one in strategies.items()}, "downloads", "% in the language"))
        for language, strategies in found.items()
    ]  # fmt: skip
    ordered = all(
        one["classifier"]["precision"] > one["random"]["precision"]
        and one["cctld"]["precision"] > one["random"]["precision"]
        for one in found.values()
    )
    return Section(
        "table-xvii", title, paper,
        [f"A web of {trials.scale.web:,} labelled URLs, 20 % of them in the language, linked as links between languages were measured; seeds in and outside the language, at most ten pages a host. The paper crawled the live web of 2010 from one news site each. The classifier is maximum entropy on all-grams trained on other sites."],
        [Table("Tables XVII to XIX: hosts visited, % without a label, % in the language", ["language", "strategy", "pages", "hosts", "% unlabelled", "precision"], rows)],
        figures, agreements=[("random crawls are the least precise, the country code and the classifier far above", ordered)],
    )  # fmt: skip


def _crawl(trials: Trials, language: str) -> dict[str, Any]:
    from linksight.crawl.comparison import compare

    result = compare(
        language=language, strategies="random,cctld,classifier,adaptive", data=trials.folder, pages=trials.scale.web,
        share=0.2, budget=trials.scale.crawl, seed=1 + trials.corpus.seed, max_pages_per_host=10,
    )  # fmt: skip
    found = {}
    stretch = max(1, trials.scale.crawl // 5)
    for name, runs in result.runs.items():
        run = runs[0]
        pieces = range(0, len(run.hits), stretch)
        found[name] = {
            "downloads": len(run.order), "hosts": run.hosts, "precision": 100 * run.precision,
            "unlabelled": 100 * run.unlabelled / max(1, len(run.order)),
            "curve": [(min(i + stretch, len(run.hits)), 100 * float(np.mean(run.hits[i : i + stretch]))) for i in pieces],
        }  # fmt: skip
    return found


def _code(tag: str) -> str:
    try:
        return find(tag)
    except BadLanguage:
        return tag
