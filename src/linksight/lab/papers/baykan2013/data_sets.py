"""The data of 2013 beside ours: country codes, dictionaries, query words and multimedia URLs (Tables I to IV and XV)."""

from __future__ import annotations

import numpy as np

from linksight.lab.evaluation.labelled_urls import PAPER_LANGUAGES
from linksight.lab.papers import published
from linksight.lab.papers.report.results import Cell, Section, Table
from linksight.lab.papers.runner import Trials
from linksight.languages.registry import name as name_of
from linksight.models import make_classifier
from linksight.urls.parser import words_of

PAPER = "Baykan, Henzinger, Weber 2013"
_QUERY_TLDS = {"en": "uk", "de": "de", "fr": "fr", "es": "es", "it": "it"}
_SAMPLE_URLS = 5_000  # URLs of each language and kind of source


def data_sets(trials: Trials) -> Section:
    """Tables I to IV and XV."""
    lists: list[list[str | Cell]] = [[name_of(one), text] for one, text in published.TABLE_III.items()]
    return Section(
        "data-sets", "The data (Tables I to IV and XV)", PAPER,
        ["Query words: “editors” are rows that people curated, “lists” are the others."],
        [
            _country_codes(), _dictionaries(trials), Table("Table III: stop words that queried the search engine", ["language", "words"], lists),
            _query_words(trials), _media(trials),
        ],
    )  # fmt: skip


def _country_codes() -> Table:
    """The published country codes, and those that the ccTLD classifier maps to another language."""
    rows: list[list[str | Cell]] = []
    for language, text in published.TABLE_I.items():
        tlds = text.split()
        answers = make_classifier("cctld", language=language).predict(
            [f"http://www.example.{tld}/" for tld in tlds]
        )
        other = [tld for tld, answer in zip(tlds, answers, strict=True) if answer != language]
        rows.append([name_of(language), text, ", ".join(other) or "–"])
    return Table("Table I: country codes of each language", ["language", "published", "not so here"], rows)


def _dictionaries(trials: Trials) -> Table:
    customs = trials.corpus.customs
    rows: list[list[str | Cell]] = []
    for language in trials.languages:
        train, _ = trials.corpus.split(language, "random", trials.scale.n_folds, 0)
        own, others = customs.dictionaries(train, trials.corpus.labels[train], language)
        lexicon = customs.features.lexicon
        assert lexicon is not None
        sizes = (
            len(lexicon.words[language]),
            len(lexicon.cities[language]),
            int((own > 0).sum() + (others > 0).sum()),
        )
        printed = published.TABLE_II.get(language) or (None,) * 3
        rows.append(
            [
                name_of(language),
                *(Cell(n, None, one, digits=0) for n, one in zip(sizes, printed, strict=True)),
            ]
        )
    return Table("Table II: words in the dictionaries", ["language", "spelling", "cities", "trained"], rows)


def _query_words(trials: Trials) -> Table:
    """The share of URLs with a query word or the queried country code, from editors and from lists."""
    import pyarrow.compute as pc
    import pyarrow.parquet

    rows: list[list[str | Cell]] = []
    rng = np.random.default_rng(trials.corpus.seed)
    assert trials.folder is not None
    filters = [("language", "in", PAPER_LANGUAGES)]
    found = pyarrow.parquet.read_table(
        trials.folder / "urls" / "train.parquet", columns=["url", "language", "strength"], filters=filters
    )
    is_human = pc.equal(found["strength"].cast("string"), "human").to_numpy(zero_copy_only=False)
    for language in PAPER_LANGUAGES:
        query_words = {*published.TABLE_III[language].split(), _QUERY_TLDS[language]}
        cells: list[str | Cell] = []
        is_own = pc.equal(found["language"].cast("string"), language).to_numpy(zero_copy_only=False)
        for human, printed in zip((True, False), published.TABLE_IV[language], strict=True):
            which = rng.permutation(np.flatnonzero(is_own & (is_human == human)))[:_SAMPLE_URLS]
            hits = [not query_words.isdisjoint(words_of(url)) for url in found["url"].take(which).to_pylist()]
            share = 100 * float(np.mean(hits)) if hits else None
            cells.append(Cell(share, None, printed))
        rows.append([name_of(language), *cells])
    caption = "Table IV: URLs with a query word or the queried country code, %"
    return Table(caption, ["language", "editors", "lists"], rows)


def _media(trials: Trials) -> Table:
    rows = trials.corpus.extras.get("media", np.zeros(0, dtype=np.int64))
    labels = trials.corpus.labels[rows]
    sizes: list[list[str | Cell]] = [
        [name_of(one), Cell(int((labels == one).sum()), None, published.TABLE_XV.get(one), digits=0)]
        for one in trials.languages
    ]
    return Table("Table XV: multimedia URLs, only tested on", ["language", "URLs"], sizes)
