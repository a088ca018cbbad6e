"""The reference lists every setting, variable and reason, and what linksight answers is among them."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

import linksight
from linksight import reasons
from linksight.crawl.report.explain import REASONS as CRAWL
from linksight.crawl.run.config import CrawlConfig
from linksight.errors import BadUrl
from linksight.sites.gathering.fetch_errors import REASONS as SITES
from linksight.sites.learning.tokens import split_url
from linksight.studio.config import Settings
from linksight.system.environment import VARIABLES
from linksight.urls.parser import MAX_LENGTH, Url

REFERENCE = (Path(__file__).parents[2] / "docs" / "reference" / "settings.md").read_text()


@pytest.mark.parametrize(
    "declared", [VARIABLES, CRAWL, SITES, reasons.URLS, reasons.ROWS, reasons.PAGES, reasons.EVIDENCE]
)
def test_everything_that_is_declared_stands_in_the_reference(declared: dict[str, str]) -> None:
    assert not [name for name in declared if f"| `{name}` |" not in REFERENCE]


@pytest.mark.parametrize("kind", [CrawlConfig, Settings])
def test_every_setting_stands_in_the_reference(kind: type) -> None:
    names = {field.name for field in dataclasses.fields(kind)} - {"secret"}
    assert not [name for name in names if f"| `{name}` |" not in REFERENCE]


def _declared_form(reason: str) -> str:
    return re.sub(r"\([a-z]+:\)", "(SCHEME:)", re.sub(r"\b\d[\d,]*", "N", reason))


def test_the_reasons_of_urls_are_the_declared_ones() -> None:
    bad = [
        "",
        "hello",
        "mailto:me@example.nl",
        "me@example.nl",
        "http://",
        "http://a b.nl/",
        "http://a.nl:x/",
    ]
    bad += ["http://256.1.1.1/", "http://[::1/", "http://a.nl/" + "x" * MAX_LENGTH, None]
    given = set()
    for raw in bad:
        with pytest.raises(BadUrl) as caught:
            Url.parse(raw)
        given.add(caught.value.reason)
    with pytest.raises(BadUrl) as caught:
        split_url("http://a.nl" + "/x" * 5_000)
    given.add(caught.value.reason)
    assert {_declared_form(reason) for reason in given} == set(reasons.URLS)


def test_every_reason_of_a_row_is_declared_and_no_other() -> None:
    from linksight.bulk.formats.csv import WRONG_FIELDS
    from linksight.bulk.formats.jsonl import NOT_JSON as NO_OBJECT
    from linksight.bulk.stdin_stream import NO_URL, NOT_JSON
    from linksight.studio.routes.api_v1.streaming import TOO_LONG

    declared = {name.partition(" (")[0] for name in reasons.ROWS}
    assert declared == {
        WRONG_FIELDS,
        NO_URL,
        NOT_JSON,
        NO_OBJECT,
        reasons.UNCLOSED,
        reasons.BAD_ENCODING,
        re.sub(r"[\d,]+", "N", TOO_LONG),
    }


NO_PROSE = {
    "empty": b"",
    "digits": b"<p>1 2 3</p>",
    "signs": b"<p>!!! 12 --- a 44 ...",
    "short": b"<p>ok</p>",
    "picture": b"\x89PNG\r\n\x1a\n" + bytes(50),
    "control": b"\x01\x02\x03" * 50,
    "damaged": b"\x1f\x8b\x08" + b"x" * 50,
    "letters": b"<p>" + b"xkqj zzvw qpfd " * 30,
    "code": b"if (a == 0) { return b[i] + c; }\n" * 30,
}


@pytest.mark.parametrize("body", NO_PROSE.values(), ids=NO_PROSE)
@pytest.mark.parametrize("method", ["default", "chew2011"])
def test_the_reasons_of_pages_are_among_the_declared_ones(body: bytes, method: str) -> None:
    label = linksight.identify(body, method=method)
    reason = re.sub(r"^binary: (?!control).*", "binary: KIND", label.reason or "")
    assert not reason or reason in reasons.PAGES


def test_every_voice_of_the_default_strategy_is_declared() -> None:
    from linksight.crawl.scoring.strategies import Adaptive, Link

    link = Link(
        "http://a.nl/",
        model=1.0,
        anchor=1.0,
        memory=1.0,
        prefix=1.0,
        pattern=1.0,
        lesson=1.0,
        referrer=0.9,
        hreflang=True,
    )
    assert set(Adaptive("nl").evidence(link)) | {"hops", "repeats"} == set(reasons.EVIDENCE)
