"""The true classes of links, to evaluate by: XPath, CSS or regular expressions, or a labelled table.

A file of rules is TOML or JSON::

    [classes]
    ticket = { regex = "/ticket/[0-9]+" }
    person = { xpath = "//div[@class='authors']/a" }
    product = { css = "ul.results a.title" }

    [patterns]                       # the class of a pattern, where the majority must not decide
    "https://shop.example/product/*" = "product"

A table is CSV, TSV, JSON lines or Parquet with the columns ``url`` and ``class``.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from linksight.errors import BadConfig, BadData, MissingExtra
from linksight.sites.gathering.fetcher import Page
from linksight.sites.gathering.links import base_of, join, parse_html
from linksight.sites.gathering.url_files import table_of
from linksight.sites.workbench.hub_repository import Hub

KINDS = ("regex", "xpath", "css")
TABLES = (".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".parquet", ".pq")  #: file extensions of tables
#: Limits of a file of rules, in characters. Parsing a TOML key takes time quadratic in its parts, and a key is at most a line.
MAX_RULES_CHARS, MAX_LINE_CHARS = 256 << 10, 4000


@dataclass(frozen=True)
class ClassRule:
    """Links that an expression selects belong to a class; the first rule that fits counts.

    >>> label_links([Hub("http://a.org/", [])], [ClassRule("ticket", "regex", "/ticket/")])
    {}
    """

    name: str
    kind: str  #: ``regex`` on the URL, or ``xpath`` or ``css`` on the page
    expression: str

    def selector(self) -> Callable[[Any], list[Any]]:
        """Compile the rule to a function from a tree to the selected elements."""
        try:
            from lxml import etree
            from lxml.cssselect import CSSSelector
        except ImportError:
            raise MissingExtra("lxml and cssselect", "crawl", "labelling links") from None
        try:
            select: Callable[[Any], list[Any]] = (
                etree.XPath(self.expression) if self.kind == "xpath" else CSSSelector(self.expression)
            )
            return select
        except Exception as error:  # lxml and cssselect have a dozen kinds of syntax errors
            raise self.error(error) from None

    def matching(self, urls: Sequence[str], *, linear: bool = False) -> list[str]:
        """The URLs that the regular expression matches; ``linear`` for untrusted expressions.

        Python's ``re`` backtracks, can take exponential time, and holds the interpreter lock. RE2, which Arrow
        includes, takes linear time and has no lookaround.
        """
        try:
            if not linear:
                pattern = re.compile(self.expression)
                return [url for url in urls if pattern.search(url)]
            import pyarrow as pa
            import pyarrow.compute as pc

            found = pc.match_substring_regex(pa.array(urls, pa.large_string()), self.expression)
            return [url for url, fits in zip(urls, found.to_pylist(), strict=True) if fits]
        except (re.error, ValueError, OverflowError) as error:  # Arrow's errors are ValueErrors
            raise self.error(error) from None

    def error(self, reason: object) -> BadConfig:
        """The error for an invalid rule."""
        if str(reason) == "unknown error":  # the message of libxml2 when memory runs out
            reason = "it cannot be tried, or not in the memory that there is for it"
        return BadConfig(
            f"class {self.name!r}: bad {self.kind} {self.expression[:200]!r}: {str(reason)[:200]}"
        )


def read_rules(path: str | Path) -> list[ClassRule]:
    """The rules of a TOML or JSON file."""
    data = _read(path)
    known = isinstance(data, dict) and "classes" in data
    return parse_rules(data["classes"] if known else data, str(path))


def read_mapping(path: str | Path) -> dict[int | str, str]:
    """The class of each pattern that a file of rules names in its table ``patterns``."""
    if is_table(path):
        return {}
    data = _read(path)
    mapping = data.get("patterns", {}) if isinstance(data, dict) and "classes" in data else {}
    if not isinstance(mapping, dict) or not all(isinstance(name, str) for name in mapping.values()):
        raise BadData(f'{path}: patterns are written as "http://a.org/p/*" = "class"')
    return {str(pattern): name for pattern, name in mapping.items()}


def check_length(text: str, where: str) -> str:
    """The text, if it is within the limits; :class:`BadData` otherwise."""
    if len(text) > MAX_RULES_CHARS:
        raise BadData(f"{where}: longer than the {MAX_RULES_CHARS:,} characters that rules may have")
    if any(len(line) > MAX_LINE_CHARS for line in text.splitlines()):
        raise BadData(f"{where}: a line is longer than {MAX_LINE_CHARS:,} characters")
    return text


def _read(path: str | Path) -> Any:
    try:
        with Path(path).open(encoding="utf-8") as file:
            text = check_length(file.read(MAX_RULES_CHARS + 1), str(path))
        return json.loads(text) if str(path).lower().endswith(".json") else tomllib.loads(text)
    except BadData:
        raise
    except OSError as error:
        raise BadData(f"{path}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise BadData(f"{path}: {error}") from None


def parse_rules(classes: Any, where: str = "classes") -> list[ClassRule]:
    """Rules from plain values: a name, then a regular expression or ``{kind: expression}``."""
    if not isinstance(classes, dict) or not classes:
        raise BadData(f"{where}: no classes")
    if classes.get("format") == "linksight-patterns":
        raise BadData(f"{where}: these are patterns; what they are held against is a file of classes")
    rules = []
    for name, value in classes.items():
        pairs = {"regex": value} if isinstance(value, str) else value
        if not isinstance(pairs, dict) or not pairs or not pairs.keys() <= set(KINDS):
            raise BadData(f"{where}: class {name!r} needs one of {', '.join(KINDS)}")
        for kind, expressions in pairs.items():
            texts = expressions if isinstance(expressions, list) else [expressions]
            if not all(isinstance(expression, str) for expression in texts):
                raise BadData(f"{where}: class {name!r}: a {kind} is a text, or a list of texts")
            rules += [ClassRule(str(name), kind, expression) for expression in texts]
    return rules


def label_links(
    hubs: Iterable[Hub],
    rules: Iterable[ClassRule],
    *,
    linear: bool = False,
    before: Callable[[ClassRule], None] = lambda rule: None,
) -> dict[str, str]:
    """The class of each link of the hubs that a rule selects; ``linear`` for untrusted rules.

    ``before`` is called with each rule before it is applied. Untrusted rules may never end: apply those with
    :func:`linksight.sites.evaluation.sandbox.label_apart`.
    """
    numbered = list(enumerate(rules))
    patterns = [(number, rule) for number, rule in numbered if rule.kind == "regex"]
    for _, rule in patterns:
        rule.matching([], linear=linear)  # an invalid expression is an error even without links
    selectors = [(number, rule, rule.selector()) for number, rule in numbered if rule.kind != "regex"]
    first: dict[str, int] = {}  # URL -> number of the first rule that fits
    for hub in hubs:
        found = _matching(hub, patterns, linear, before)
        if selectors and hub.body:
            found = chain(found, _selected(hub, selectors, before))
        for url, number in found:
            first[url] = min(first.get(url, number), number)
    return {url: numbered[number][1].name for url, number in first.items()}


def is_table(path: str | Path) -> bool:
    """Whether a file of classes is a table, by its name.

    >>> is_table("classes.CSV"), is_table("classes.tsv.gz"), is_table("classes.json")
    (True, True, False)
    """
    return any(suffix.lower() in TABLES for suffix in Path(path).suffixes[-2:])


def read_table(path: str | Path) -> dict[str, str]:
    """URLs and classes of a table with the columns ``url`` and ``class``, read as ``linksight detect`` reads tables."""
    from linksight.bulk.readers import Reader

    source = table_of(path)
    if source is None:
        raise BadData(f"{path}: not a table")
    found: dict[str, str] = {}
    for block in Reader([source], has_header=None).blocks():
        rows = list(block.records())
        names = {name.strip().casefold(): name for name in chain.from_iterable(rows)}
        if rows and not {"url", "class"} <= names.keys():
            raise BadData(f"{path}: needs the columns url and class; there are: {', '.join(names.values())}")
        for row in rows:
            url, kind = (_cell(row.get(names[name])) for name in ("url", "class"))
            if url and kind:
                found[url] = kind
    if not found:
        raise BadData(f"{path}: no row with a URL and a class")
    return found


def _cell(value: object) -> str:
    return "" if value is None else str(value).strip()


def _matching(
    hub: Hub, patterns: list[tuple[int, ClassRule]], linear: bool, before: Callable[[ClassRule], None]
) -> Iterator[tuple[str, int]]:
    for number, rule in patterns:
        before(rule)
        yield from ((url, number) for url in rule.matching(hub.urls, linear=linear))


def _selected(
    hub: Hub, selectors: list[tuple[int, ClassRule, Any]], before: Callable[[ClassRule], None]
) -> Iterator[tuple[str, int]]:
    from lxml.etree import LxmlError

    tree = parse_html(Page(hub.url, 200, hub.content_type, hub.body or b""))
    base = base_of(tree, hub.url)
    for number, rule, select in selectors:
        before(rule)
        try:
            found = select(tree)
        except LxmlError as error:  # an unknown function or prefix
            raise rule.error(error) from None
        if not isinstance(found, list):
            raise rule.error("it selects no elements")
        for item in found:
            for href in _hrefs(item):
                if url := join(base, href):
                    yield url, number


def _hrefs(item: Any) -> list[str]:
    """The links of a selected item: an attribute, a link, or all links inside an element."""
    if isinstance(item, str):
        return [str(item)]
    if not hasattr(item, "xpath"):  # a namespace
        return []
    href = item.get("href")
    return [href] if href else [str(value) for value in item.xpath(".//a/@href")]
