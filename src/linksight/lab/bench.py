"""Quality and speed beside every peer that is installed, on the same URLs and pages in one run.

Each system is loaded, warmed up on other input, then asked once about all rows; the time is that of
the processor, so that other work on the machine counts less. The rules are in :data:`RULES`.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from linksight.errors import BadData, LinksightError
from linksight.lab.baselines import baselines
from linksight.lab.data import PAPER_LANGUAGES, LabelledUrls
from linksight.lab.metrics import measure
from linksight.lab.peers import (  # fmt: skip
    ON_WORDS,
    Ask,
    Peer,
    code_of,
    courlan_takes,
    extracted,
    on_bytes,
    on_pages,
    on_texts,
    on_urls,
    url_words,
)

RULES = """\
- Every system of a table gets the same rows, once each, in the same process, one after the other.
- The rows are by default the development set on which linksight's settings were chosen and on which its probabilities were calibrated, which favours linksight.
  `--url-data` takes rows of your own.
- linksight was trained on millions of URLs, the scikit-learn pipelines on a few thousand and (logistic) in four passes
  to keep the run short: they show what little work gives, not which algorithm is better.
- Loading, and in the URL table the training of the scikit-learn pipelines, is not in the speed; each system is
  warmed up first (URLs: on other URLs; pages: on ten of the pages). Speed is processor time of all threads together,
  so other work on the machine counts less; compare systems within a table, not with figures from elsewhere.
- Languages are compared as shortest codes: Norwegian is `no` whether Bokmål or Nynorsk, `zh-Hant` is `zh`.
  No answer, "unknown" and a language that a peer does not know are wrong answers. "Mean over languages" counts
  a language with few rows as much as one with many. Peers know between 55 and 200 languages; "big five" (English,
  German, French, Spanish, Italian, balanced F1 of each against all others) is a question that all of them know.
- URLs: linksight with many at a time is timed on half of the URLs that the baselines were trained on, which are
  more: a small batch would measure the start. Detectors of text were not made for URLs and get the words of the
  URL; they are there because people use them so. courlan keeps or drops for a language and names none, so it has
  only the big five, in its strict mode.
- Pages: detectors of text get text that resiliparse extracted, and "from bytes" adds what decoding and extraction
  cost; linksight and "CLD2 on HTML" read the page themselves. Pages whose label says `lid` were labelled by two
  detectors that agree, fastText among them, which favours them.
- Encodings: right is the labelled encoding or one that decodes the page to the same text; only labels that the
  source, the bytes or the declaration vouch for.
"""


@dataclass(frozen=True)
class Score:
    """How one system did; measures that do not apply are missing."""

    name: str
    version: str
    rule: str
    measures: dict[str, float]


@dataclass(frozen=True)
class Contest:
    """One table: systems side by side on the same rows, and those that could not take part."""

    task: str
    rows: int
    scores: list[Score] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)  #: name of a peer -> why it is not there

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Page:
    """A labelled page."""

    body: bytes
    language: str
    encoding: str  #: nothing where no label can be trusted


Report = Callable[[str], None]


def bench_urls(rows: LabelledUrls, train: LabelledUrls, say: Report = lambda _: None) -> Contest:
    """Languages of pages from their URLs."""
    if not len(rows):
        raise BadData("no labelled URLs to compare on")
    contest = Contest("urls", len(rows))
    truth = [code_of(language) for language in rows.languages]
    warm = list(train.urls[:300]) or list(rows.urls[:50])
    bulk = list(train.urls[300:]) or list(rows.urls)
    words, warm_words = [url_words(url) for url in rows.urls], [url_words(url) for url in warm]
    for peer in (*_ours_on_urls(), *baselines(train), *on_urls()):
        as_text = peer.rule == ON_WORDS
        given, first = (words, warm_words) if as_text else (list(rows.urls), warm)
        if (found := _asked(contest, peer, given, first, say, bulk if peer.bulk else None)) is not None:
            answers, rate = found
            measures = {**_right(answers, truth), **_five(answers, truth), "per_second": rate}
            contest.scores.append(Score(peer.name, peer.version, peer.rule, measures))
    _courlan(contest, rows.urls, truth, say)
    return contest


def bench_pages(pages: Sequence[Page], say: Report = lambda _: None) -> Contest:
    """Languages of pages from their bytes."""
    if not pages:
        raise BadData("no labelled pages to compare on")
    contest = Contest("pages", len(pages))
    bodies, truth = [page.body for page in pages], [code_of(page.language) for page in pages]
    for peer in (*_ours_on_pages(), *on_pages()):
        if (found := _asked(contest, peer, bodies, bodies[:10], say)) is not None:
            measures = {**_right(found[0], truth), "per_second": found[1], "from_bytes": found[1]}
            contest.scores.append(Score(peer.name, peer.version, peer.rule, measures))
    extraction = Peer(
        "text extraction", "resiliparse", lambda: lambda items: [extracted(item) for item in items], ""
    )
    found = _asked(contest, extraction, bodies, bodies[:10], say)
    if found is None:
        contest.missing.update((peer.name, "needs resiliparse to extract text") for peer in on_texts())
        return contest
    texts, extraction_rate = found
    for peer in on_texts():
        if (found := _asked(contest, peer, texts, texts[:10], say)) is not None:
            measures = {**_right(found[0], truth), "per_second": found[1]}
            measures["from_bytes"] = 1 / (1 / found[1] + 1 / extraction_rate)
            contest.scores.append(Score(peer.name, peer.version, peer.rule, measures))
    return contest


def bench_encodings(pages: Sequence[Page], say: Report = lambda _: None) -> Contest:
    """Encodings of pages from their bytes."""
    labelled = [page for page in pages if page.encoding]
    if not labelled:
        raise BadData("no page with an encoding that can be trusted")
    contest = Contest("encodings", len(labelled))
    bodies = [page.body for page in labelled]
    for peer in (_ours_on_bytes(), *on_bytes()):
        if (found := _asked(contest, peer, bodies, bodies[:10], say)) is not None:
            hits = [
                alike(page.body, page.encoding, answer)
                for page, answer in zip(labelled, found[0], strict=True)
            ]
            measures = {
                **_shares(hits, [page.encoding for page in labelled]),
                "per_second": found[1],
            }
            contest.scores.append(Score(peer.name, peer.version, peer.rule, measures))
    return contest


def alike(body: bytes, one: str, other: str) -> bool:
    """Whether two encodings are the same, or decode this page alike.

    >>> alike("grün".encode("latin-1"), "iso-8859-1", "windows-1252"), alike(b"a", "utf-8", "none such")
    (True, False)
    """
    from linksight.pages import encodings

    if one == other:
        return True
    try:
        texts = [
            encodings.decode(body, encodings.find(name) or name).lstrip("\ufeff") for name in (one, other)
        ]
    except (LookupError, UnicodeError, ValueError):
        return False
    return texts[0] == texts[1]


def _ours_on_urls() -> Iterator[Peer]:
    from linksight import load

    def single() -> Ask:
        model = load()

        def one(url: str) -> str:
            try:
                return model.detect(url).language
            except LinksightError:
                return "und"

        return lambda urls: [one(url) for url in urls]

    yield Peer(
        "linksight, many at a time", "linksight", lambda: _listed(load().predict), "the URL as it is", True
    )
    yield Peer("linksight, one at a time", "linksight", single, "the URL as it is; too doubtful is und")


def _listed(predict: Callable[[Sequence[Any]], Any]) -> Ask:
    return lambda items: [str(answer) for answer in predict(list(items))]


def _ours_on_pages() -> Iterator[Peer]:
    from linksight.pages import identify

    for name, method in (("linksight", "default"), ("linksight, method chew2011", "chew2011")):
        yield Peer(
            name,
            "linksight",
            lambda method=method: lambda bodies: [identify(body, method=method).language for body in bodies],  # type: ignore[misc]
            "the raw bytes of the page",
        )


def _ours_on_bytes() -> Peer:
    from linksight.pages import identify

    return Peer(
        "linksight",
        "linksight",
        lambda: lambda bodies: [identify(body).encoding for body in bodies],
        "the raw bytes of the page, its declaration included; the language comes with it",
    )


def _asked(
    contest: Contest, peer: Peer, rows: Sequence[Any], warm: Sequence[Any], say: Report,
    bulk: Sequence[Any] | None = None,
) -> tuple[list[str], float] | None:  # fmt: skip
    """Answers and rows a second (of ``bulk`` where given), or nothing where the peer cannot be asked."""
    say(f"{contest.task}: {peer.name}")
    ask, reason = peer.ready()
    if ask is None:
        contest.missing[peer.name] = reason
        return None
    try:
        ask(warm)
        answers, rate = _timed(ask, rows)
        if bulk is not None:
            ask(bulk[: len(bulk) // 2])  # so many that the kernel is compiled
            rate = _timed(ask, bulk[len(bulk) // 2 :])[1]
        return answers, rate
    except Exception as error:  # a peer that breaks on real input: told, and the others go on
        if peer.package == "linksight":
            raise
        contest.missing[peer.name] = f"failed on these rows: {type(error).__name__}: {str(error)[:160]}"
        return None


def _timed(ask: Ask, rows: Sequence[Any]) -> tuple[list[str], float]:
    began = time.process_time()
    answers = ask(rows)
    return answers, len(rows) / max(time.process_time() - began, 1e-6)


def _right(answers: Sequence[str], truth: Sequence[str]) -> dict[str, float]:
    return _shares([code_of(answer) == own for answer, own in zip(answers, truth, strict=True)], truth)


def _shares(hits: Sequence[bool], truth: Sequence[str]) -> dict[str, float]:
    """The share of hits, and its mean over what the rows are.

    >>> _shares([True, True, True, False], ["de", "de", "de", "nl"])
    {'accuracy': 0.75, 'mean': 0.5}
    """
    own: dict[str, list[bool]] = defaultdict(list)
    for hit, label in zip(hits, truth, strict=True):
        own[label].append(hit)
    means = [sum(group) / len(group) for group in own.values()]
    return {"accuracy": sum(hits) / len(hits), "mean": sum(means) / len(means)}


def _five(answers: Sequence[str], truth: Sequence[str]) -> dict[str, float]:
    given = np.array([code_of(answer) for answer in answers])
    return _macro_five({language: given == language for language in PAPER_LANGUAGES}, truth)


def _macro_five(taken: dict[str, Any], truth: Sequence[str]) -> dict[str, float]:
    present = [language for language in PAPER_LANGUAGES if language in set(truth)]
    if len(set(truth)) < 2 or not present:
        return {}
    return {"five": float(np.mean([measure(code, taken[code], truth).f1 for code in present]))}


def _courlan(contest: Contest, urls: Sequence[str], truth: Sequence[str], say: Report) -> None:
    rule = "the URL as it is, asked once for each of the five languages"
    peer = Peer(
        "courlan", "courlan", lambda: lambda pairs: [str(courlan_takes(*pair)) for pair in pairs], rule
    )
    pairs = [(url, language) for language in PAPER_LANGUAGES for url in urls]
    if (found := _asked(contest, peer, pairs, pairs[:20], say)) is None:
        return
    yes = np.array([answer == "True" for answer in found[0]]).reshape(len(PAPER_LANGUAGES), len(urls))
    measures = _macro_five(dict(zip(PAPER_LANGUAGES, yes, strict=True)), truth)
    measures["per_second"] = found[1]
    contest.scores.append(Score(peer.name, peer.version, peer.rule, measures))
