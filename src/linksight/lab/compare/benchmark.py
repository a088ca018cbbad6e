"""Quality and speed beside every peer that is installed, on the same URLs and pages in one run.

Each system is loaded, warmed up on other input, then runs once over all rows. Times are processor times, so that
other work on the machine counts less. The rules are in ``comparison_rules``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from linksight.errors import BadData
from linksight.lab.compare.accuracy_intervals import five, macro_five, right, shares
from linksight.lab.compare.memory_usage import N_BULK_ROWS, N_ROWS, peak_memory
from linksight.lab.compare.peers import (
    ON_WORDS,
    Ask,
    Peer,
    code_of,
    courlan,
    extracted,
    on_bytes,
    on_pages,
    on_texts,
    on_urls,
    url_words,
)
from linksight.lab.compare.systems import ours_on_bytes, ours_on_pages, ours_on_urls
from linksight.lab.compare.trained_baselines import baselines
from linksight.lab.evaluation.labelled_urls import PAPER_LANGUAGES, LabelledUrls
from linksight.urls.parser import site_of

_TITLES = {
    "urls": "Language from the URL",
    "page-urls": "Language from the URL of real pages",
    "pages": "Language from the page",
    "encodings": "Encoding of the page",
}


@dataclass(frozen=True)
class Score:
    """How one system did; measures that do not apply are missing."""

    name: str
    version: str
    rule: str
    measures: dict[str, Any]

    @property
    def is_ours(self) -> bool:
        """Whether it is a variant of linksight."""
        return self.name.startswith("linksight")


@dataclass(frozen=True)
class Contest:
    """One table: systems on the same rows, and the missing systems with the reason."""

    task: str
    rows: int
    scores: list[Score] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)  #: name of a peer -> reason for its absence

    @property
    def title(self) -> str:
        """The title of the comparison."""
        return _TITLES[self.task]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Page:
    """A labelled page."""

    body: bytes
    language: str
    encoding: str  #: empty if no label is reliable


Report = Callable[[str], None]


def bench_urls(
    rows: LabelledUrls, train: LabelledUrls, say: Report = lambda _: None, memory: bool = False, *,
    task: str = "urls", trained: Sequence[Peer] | None = None,
) -> Contest:  # fmt: skip
    """Languages of pages from their URLs; ``trained`` are the baselines, if they exist already."""
    if not len(rows):
        raise BadData("no labelled URLs to compare on")
    contest = Contest(task, len(rows))
    truth = [code_of(language) for language in rows.languages]
    domains = [site_of(url) for url in rows.urls]
    warm = list(train.urls[:300]) or list(rows.urls[:50])
    bulk = list(train.urls[300:]) or list(rows.urls)
    words, warm_words = [url_words(url) for url in rows.urls], [url_words(url) for url in warm]
    for peer in (*ours_on_urls(), *(baselines(train) if trained is None else trained), *on_urls()):
        as_text = peer.rule == ON_WORDS
        inputs, first = (words, warm_words) if as_text else (list(rows.urls), warm)
        if (
            found := _run_peer(
                contest, peer, inputs, first, say, bulk if peer.bulk and task == "urls" else None
            )
        ) is not None:
            answers, rate = found
            measures = {**right(answers, truth, domains), **five(answers, truth)} | (
                {"per_second": rate} if task == "urls" else {}
            )
            _add_score(contest, peer, measures, "urls" if memory else "", inputs)
    _courlan(contest, rows.urls, truth, say, memory)
    return contest


def bench_pages(pages: Sequence[Page], say: Report = lambda _: None, memory: bool = False) -> Contest:
    """Languages of pages from their bytes."""
    if not pages:
        raise BadData("no labelled pages to compare on")
    contest = Contest("pages", len(pages))
    bodies, truth = [page.body for page in pages], [code_of(page.language) for page in pages]
    for peer in (*ours_on_pages(), *on_pages()):
        if (found := _run_peer(contest, peer, bodies, bodies[:10], say)) is not None:
            measures = {**right(found[0], truth), "per_second": found[1], "from_bytes": found[1]}
            _add_score(contest, peer, measures, "pages" if memory else "", bodies)
    extraction = Peer(
        "text extraction", "resiliparse", lambda: lambda items: [extracted(item) for item in items], ""
    )
    found = _run_peer(contest, extraction, bodies, bodies[:10], say)
    if found is None:
        contest.missing.update((peer.name, "needs resiliparse to extract text") for peer in on_texts())
        return contest
    texts, extraction_rate = found
    for peer in on_texts():
        if (found := _run_peer(contest, peer, texts, texts[:10], say)) is not None:
            measures = {**right(found[0], truth), "per_second": found[1]}
            measures["from_bytes"] = 1 / (1 / found[1] + 1 / extraction_rate)
            _add_score(contest, peer, measures, "texts" if memory else "", texts)
    return contest


def bench_encodings(pages: Sequence[Page], say: Report = lambda _: None, memory: bool = False) -> Contest:
    """Encodings of pages from their bytes."""
    labelled = [page for page in pages if page.encoding]
    if not labelled:
        raise BadData("no page with an encoding that can be trusted")
    contest = Contest("encodings", len(labelled))
    bodies = [page.body for page in labelled]
    for peer in (ours_on_bytes(), *on_bytes()):
        if (found := _run_peer(contest, peer, bodies, bodies[:10], say)) is not None:
            hits = [
                alike(page.body, page.encoding, answer)
                for page, answer in zip(labelled, found[0], strict=True)
            ]
            measures = {**shares(hits, [page.encoding for page in labelled]), "per_second": found[1]}
            _add_score(contest, peer, measures, "encodings" if memory else "", bodies)
    return contest


def alike(body: bytes, one: str, other: str) -> bool:
    """Whether two encodings are the same, or decode this page alike.

    >>> alike("grün".encode("latin-1"), "iso-8859-1", "windows-1252"), alike(b"a", "utf-8", "none such")
    (True, False)
    """
    from linksight.pages.charset import labels

    if one == other:
        return True
    try:
        texts = [labels.decode(body, labels.find(name) or name).lstrip("\ufeff") for name in (one, other)]
    except (LookupError, UnicodeError, ValueError):
        return False
    return texts[0] == texts[1]


def _run_peer(
    contest: Contest, peer: Peer, rows: Sequence[Any], warm: Sequence[Any], say: Report,
    bulk: Sequence[Any] | None = None,
) -> tuple[list[str], float] | None:  # fmt: skip
    """Answers and rows a second (of ``bulk`` if given), or None if the peer cannot run."""
    say(f"{contest.task}: {peer.name}")
    ask, reason = peer.ready()
    if ask is None:
        contest.missing[peer.name] = reason
        return None
    try:
        ask(warm)
        answers, rate = _timed(ask, rows)
        if bulk is not None:
            rate = _timed(ask, bulk)[1]
        return answers, rate
    except Exception as error:  # a peer that fails on real input is reported, and the others go on
        if peer.package == "linksight":
            raise
        contest.missing[peer.name] = f"failed on these rows: {type(error).__name__}: {str(error)[:160]}"
        return None


def _timed(ask: Ask, rows: Sequence[Any]) -> tuple[list[str], float]:
    """Answers, and rows a second of the second half: the first may compile or load, and no row is processed twice."""
    half = len(rows) // 2
    first = ask(rows[:half]) if half else []
    began = time.process_time()
    second = ask(rows[half:])
    return first + second, (len(rows) - half) / max(time.process_time() - began, 1e-6)


def _add_score(
    contest: Contest, peer: Peer, measures: dict[str, Any], memory_task: str, rows: Sequence[Any]
) -> None:
    """Add a system to the table, with its peak memory if ``memory_task`` is set."""
    if (
        memory_task
        and (n_bytes := peak_memory(memory_task, peer.name, rows, N_BULK_ROWS if peer.bulk else N_ROWS))
        is not None
    ):
        measures["memory"] = n_bytes
    contest.scores.append(Score(peer.name, peer.version, peer.rule, measures))


def _courlan(contest: Contest, urls: Sequence[str], truth: Sequence[str], say: Report, memory: bool) -> None:
    peer = courlan()
    pairs = [f"{language} {url}" for url in urls for language in PAPER_LANGUAGES]
    if (found := _run_peer(contest, peer, pairs, pairs[:20], say)) is None:
        return
    yes = np.array([answer == "True" for answer in found[0]]).reshape(len(urls), len(PAPER_LANGUAGES)).T
    measures: dict[str, Any] = macro_five(dict(zip(PAPER_LANGUAGES, yes, strict=True)), truth)
    measures["per_second"] = found[1]
    _add_score(contest, peer, measures, "urls" if memory else "", pairs)
