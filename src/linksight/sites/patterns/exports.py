"""Patterns for other tools: regular expressions, Scrapy, Heritrix, Browsertrix, CSV."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from xml.sax.saxutils import escape

from linksight.errors import BadConfig
from linksight.sites.patterns.pattern import Form, Pattern, PatternSet
from linksight.sites.patterns.pattern_files import to_document


def export(patterns: PatternSet, format: str, links: Iterable[tuple[str, str]] = ()) -> str:
    """The patterns as text; ``links`` are (URL, anchor) pairs, for ``csv``.

    >>> export(PatternSet.from_texts(["http://a.org/p/*"]), "regex")
    'http://a.org/p/*\\t^https?://a\\\\.org(?::(?:80|443)?)?/p/[^/?#]+/*(?:\\\\?[^#]*)?(?:#.*)?$\\n'
    """
    if format not in FORMATS:
        raise BadConfig(f"unknown format {format!r}; known: {', '.join(FORMATS)}")
    if format == "csv":
        return to_csv(patterns, links)
    return FORMATS[format](patterns)


def to_json(patterns: PatternSet) -> str:
    """The file that ``load_patterns`` reads."""
    return json.dumps(to_document(patterns), ensure_ascii=False, indent=1) + "\n"


def to_regex(patterns: PatternSet) -> str:
    """A line for each form: pattern name, tab, regular expression; the first match is the best match."""
    return "".join(
        f"{_name(pattern, pattern.text)}\t{form.regex}\n" for pattern, form in _best_first(patterns)
    )


def to_scrapy(patterns: PatternSet) -> str:
    """A Python module with Scrapy rules, a callback for each pattern.

    Scrapy uses the first rule that matches, so the most specific come first.
    """
    lines = [
        '"""Rules for a Scrapy CrawlSpider, by linksight: one callback for each kind of page."""',
        "",
        "from scrapy.linkextractors import LinkExtractor",
        "from scrapy.spiders import Rule",
        "",
        "RULES = (",
    ]
    callbacks = dict(zip((pattern.id for pattern in patterns), _identifiers(patterns), strict=True))
    for pattern, form in _best_first(patterns):
        allowed, callback = json.dumps(form.regex, ensure_ascii=True), callbacks[pattern.id]
        lines.append(f'    Rule(LinkExtractor(allow=[{allowed}]), callback="parse_{callback}", follow=True),')
    return "\n".join([*lines, ")", ""])


def to_heritrix(patterns: PatternSet) -> str:
    """A decide rule for the scope of a Heritrix 3 job (crawler-beans.cxml)."""
    values = "".join(f"      <value>{escape(form.regex)}</value>\n" for p in patterns for form in p.forms)
    return (
        "<!-- inside the list of rules of the scope, by linksight -->\n"
        '<bean class="org.archive.modules.deciderules.MatchesListRegexDecideRule">\n'
        '  <property name="decision" value="ACCEPT"/>\n'
        '  <property name="listLogicalOr" value="true"/>\n'
        '  <property name="regexList">\n    <list>\n'
        f"{values}    </list>\n  </property>\n</bean>\n"
    )


def to_browsertrix(patterns: PatternSet) -> str:
    """The scope of a Browsertrix crawl configuration (YAML)."""
    # JSON strings are YAML strings too, and need no rules about quoting.
    includes = "".join(f"      - {json.dumps(form.regex)}\n" for p in patterns for form in p.forms)
    return f"seeds:\n  - url: {json.dumps(_home(patterns))}\n    scopeType: custom\n    include:\n{includes}"


def _home(patterns: PatternSet) -> str:
    """The start URL for a crawl: the scheme, host and port of most of its URLs.

    >>> _home(PatternSet.from_texts(["http://a.org:8080/p/*", "http://*/x"], site="a.org"))
    'http://a.org:8080/'
    """
    counts: Counter[str] = Counter()
    for pattern in patterns:
        for form in pattern.forms:
            scheme, _, rest = str(form).partition("://")
            host = rest.replace("?", "/").replace("#", "/").partition("/")[0]
            if host and "*" not in host:
                counts[f"{scheme}://{host}/"] += max(pattern.n_urls, 1)
    usual = f"https://{patterns.site}/" if patterns.site else "https://example.org/"
    return counts.most_common(1)[0][0] if counts else usual


def to_csv(patterns: PatternSet, links: Iterable[tuple[str, str]] = ()) -> str:
    """Links with their patterns; without links, the examples of each pattern."""
    pairs = list(dict.fromkeys(links)) or [(url, "") for p in patterns for url in p.examples]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["url", "anchor", "pattern", "name"])
    for (url, anchor), found in zip(pairs, patterns.match_all([url for url, _ in pairs]), strict=True):
        row = [url, anchor, found.text if found else "", found.name if found else ""]
        writer.writerow([_harmless(cell) for cell in row])
    return out.getvalue()


FORMATS = {
    "json": to_json,  # for linksight
    "regex": to_regex,  # for anything
    "scrapy": to_scrapy,  # rules for a CrawlSpider
    "heritrix": to_heritrix,  # a decide rule
    "browsertrix": to_browsertrix,  # include rules
    "csv": to_csv,  # classified links
}


def _harmless(cell: str) -> str:
    """Quote a cell that spreadsheets would run as a formula."""
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell


def _best_first(patterns: PatternSet) -> list[tuple[Pattern, Form]]:
    """All forms with their patterns, sorted so that the first match of a URL is the best match."""
    forms = [(pattern, form) for pattern in patterns for form in pattern.forms]
    return sorted(forms, key=lambda pair: pair[1].rank, reverse=True)


def _name(pattern: Pattern, unnamed: str = "page") -> str:
    return re.sub(r"\s+", " ", pattern.name).strip() or unnamed


def _identifiers(patterns: PatternSet) -> list[str]:
    """A unique suffix of a method name for each pattern."""
    names: dict[str, None] = {}
    for pattern in patterns:
        # Python identifiers may contain the vowel signs of Hindi, which regular expressions do not count as letters.
        text = unicodedata.normalize("NFKC", _name(pattern).lower())
        parts = "".join(char if f"a{char}".isidentifier() else " " for char in text).split()
        base = "_".join(parts).strip("_") or "page"
        name, number = base, 2
        while name in names:
            name, number = f"{base}_{number}", number + 1
        names[name] = None
    return list(names)
