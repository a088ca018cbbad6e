"""Training on the text of pages instead of URLs: Table 10 of 2008."""

from __future__ import annotations

import itertools
import unicodedata
import zipfile
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from linksight.features import parse_features
from linksight.features.hashed_counts import Counts
from linksight.lab.evaluation.cross_validation import Way, answers_of, count_accepted
from linksight.lab.evaluation.significance_tests import Spread, measures_of, winner
from linksight.lab.papers import published
from linksight.lab.papers.report.results import Cell, Section, Table
from linksight.lab.papers.runner import Trials
from linksight.languages.registry import iso3
from linksight.languages.registry import name as name_of
from linksight.models import make_classifier
from linksight.models.additive import HashedClassifier
from linksight.urls.parser import words_of

PAPER = "Baykan, Henzinger, Weber 2008"
_CONTENT = ("nb", "me")  # the algorithms of Table 10
_CHUNK_WORDS = 40  # words of content that make one row, about as many as pages have in a heading or two


def content(trials: Trials) -> Section:
    """Training on the text of pages instead of URLs."""
    title = "Training on content (Table 10)"
    if trials.folder is None or not (trials.folder / "texts").is_dir():
        return Section("2008-content", title, PAPER, missing="Needs the texts and pages of LINKSIGHT_DATA.")
    folds = [
        trials.cached(f"2008-content_{fold}", partial(_content, trials, fold))
        for fold in range(trials.scale.n_folds)
    ]
    rows: list[list[str | Cell]] = []
    gains = []
    for algorithm in _CONTENT:
        for language in trials.languages:
            printed = published.CONTENT_2008[algorithm].get(language)
            urls, text = (Spread(tuple(fold[algorithm][language][i] for fold in folds)) for i in range(2))
            best = winner({"urls": urls, "text": text})
            gains.append(urls.mean - text.mean)
            rows.append([
                algorithm.upper(), name_of(language), Cell.of(urls, 100 * printed[0] if printed else None, best == "urls"),
                Cell.of(text, 100 * printed[1] if printed else None, best == "text"),
            ])  # fmt: skip
    return Section(
        "2008-content", title, PAPER,
        ["Words. Content is the Declaration of Human Rights, Genesis and the dev pages of each language, 40 words a row, accents taken off; the paper had the pages behind its URLs."],
        [Table("F1 on the same test URLs (at random)", ["algorithm", "language", "trained on URLs", "trained on content"], rows)],
        statistics={"content": {"random": sum(gain > 0 for gain in gains)}},
    )  # fmt: skip


def _content(trials: Trials, fold: int) -> dict[str, dict[str, list[float]]]:
    """F1 of words learnt from URLs and from content, by algorithm and language."""
    corpus = trials.corpus
    assert trials.folder is not None
    texts = {language: content_rows(trials.folder, language) for language in trials.languages}
    rows = [row for lines in texts.values() for row in lines]
    labels = np.array([language for language, lines in texts.items() for _ in lines])
    counts = Counts.of(rows, parse_features("words"), corpus.bits)
    found: dict[str, dict[str, list[float]]] = {}
    for algorithm, language in itertools.product(_CONTENT, trials.languages):
        train, test = corpus.split(language, "random", trials.scale.n_folds, fold)
        yes = answers_of(corpus, Way(algorithm, "words"), train, test, language)
        classifier = make_classifier(algorithm, "words", language, bits=corpus.bits)
        assert isinstance(classifier, HashedClassifier)
        own = np.flatnonzero(labels == language)
        others = np.random.default_rng(fold).permutation(np.flatnonzero(labels != language))[: len(own)]
        chosen = np.concatenate([own, others])
        classifier.fit_counts(counts.take(chosen), labels[chosen] == language)
        by_text = classifier.takes_counts(corpus.words.take(test))
        pair = [
            measures_of(language, count_accepted(corpus.labels[test], answer)) for answer in (yes, by_text)
        ]
        found.setdefault(algorithm, {})[language] = [100 * one.f1 if one else 0.0 for one in pair]
    return found


@lru_cache(maxsize=8)
def content_rows(folder: Path, language: str) -> list[str]:
    """Text of a language as addresses of nothing but words, so that it counts like a URL."""
    words: list[str] = []
    for text in _texts(folder, language):
        plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
        words += words_of(plain)
    return ["http://1.1/" + "-".join(words[i : i + _CHUNK_WORDS]) for i in range(0, len(words), _CHUNK_WORDS)]


def _texts(folder: Path, language: str) -> list[str]:
    import pyarrow.parquet

    from linksight.pages import chew2011

    texts = []
    with zipfile.ZipFile(folder / "texts" / "udhr2.zip") as archive:
        name = f"udhr2/{iso3(language)}.txt"
        if name in archive.namelist():
            texts.append(archive.read(name).decode("utf-8", "ignore"))
    with zipfile.ZipFile(folder / "texts" / "genesis.zip") as archive:
        book = {"en": "english-web", "de": "german", "fr": "french"}.get(language, "-")
        texts += [
            archive.read(one).decode("utf-8", "ignore")
            for one in archive.namelist()
            if one.endswith(f"/{book}.txt")
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
