"""Names for patterns, proposed from their words, the anchor texts and the titles of their pages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain, count

from linksight.errors import BadData
from linksight.sites.gathering.search_words import words_of
from linksight.sites.patterns.palette import palette
from linksight.sites.patterns.pattern import Pattern, PatternSet
from linksight.sites.patterns.wildcards import WILDCARD
from linksight.urls.parser import site_of
from linksight.urls.percent_decoding import decode_percent

_STOP_WORDS = frozenset(
    "www http https html htm php asp aspx jsp do cgi index default page pages id com org net view show item "
    "the and for with from more read see all".split()
)
MAX_NAME_CHARS = 60


def annotate(patterns: PatternSet, anchors: Iterable[tuple[str, str]] = ()) -> PatternSet:
    """The patterns with a name and a colour each; ``anchors`` are (URL, anchor text or title) pairs.

    Names that the user gave are kept, and so are colours.

    >>> named = annotate(PatternSet.from_texts(["http://a.org/author/*", "http://a.org/"]))
    >>> [pattern.name for pattern in named]
    ['author', 'home']
    """
    words = _anchor_words(patterns, anchors)
    owners = {pattern.name: pattern for pattern in patterns if pattern.name}
    names = {index: pattern.name for index, pattern in enumerate(patterns) if pattern.name}
    # The larger of two patterns gets the short name.
    for index, pattern in sorted(enumerate(patterns), key=lambda pair: -pair[1].n_urls):
        if index not in names:
            names[index] = _unique(propose_name(pattern, words[index]), pattern, owners)
            owners[names[index]] = pattern
    colours = palette(len(patterns))
    renamed = (
        replace(pattern, name=names[index], colour=pattern.colour or colours[index])
        for index, pattern in enumerate(patterns)
    )
    return replace(patterns, patterns=tuple(renamed))


def propose_name(pattern: Pattern, anchor_words: Counter[str]) -> str:
    """The literal words of the pattern; without any, the common words of its anchors and titles.

    ``anchor_words[""]`` is how many links there were: a word counts if half of them have it.
    """
    form = pattern.forms[0]
    if len(form.tokens) == 1 or (len(form.tokens) == 2 and form.runs[1] == ":"):
        return "home"
    words = _literal_words(pattern, in_query=False) or _literal_words(pattern, in_query=True)
    if not words:
        half = max(2, anchor_words[""] / 2)
        ranked = sorted(anchor_words.items(), key=lambda pair: (-pair[1], pair[0]))
        common = [word for word, n in ranked if word and n >= half]
        tokens = (decode_percent(str(token)) for token in form.tokens[1:] if token)
        words = common[:2] or [token for token in tokens if any(map(str.isalpha, token))][:1] or ["page"]
    return _as_name(dict.fromkeys(words))


def _as_name(words: Iterable[str]) -> str:
    """The words, shortened to the maximum length of a name.

    >>> _as_name(["documents"] * 7), len(_as_name(["x" * 99]))
    ('documents documents documents documents documents documents', 60)
    """
    text = " ".join(words)
    shortened = text[: MAX_NAME_CHARS + 1].rpartition(" ")[0] if len(text) > MAX_NAME_CHARS else text
    return shortened.strip() or text[:MAX_NAME_CHARS].strip()


def _literal_words(pattern: Pattern, *, in_query: bool) -> list[str]:
    """The words of the literal tokens, of the path or of the query."""
    form, words, query = pattern.forms[0], [], False
    for run, token in zip(form.runs[1:], form.tokens[1:], strict=True):
        query = query or "?" in run
        if token is not None and run != ":" and query == in_query:
            words += [word.lower() for word in words_of(decode_percent(str(token)))]
    return [word for word in words if word not in _STOP_WORDS]


def set_colour(patterns: PatternSet, id_or_name: int | str, colour: str) -> PatternSet:
    """A copy with another colour for one pattern."""
    if not re.fullmatch(r"#[0-9a-fA-F]{6}", colour):
        raise BadData(f"a colour is written #rrggbb, not {colour!r}")
    chosen = patterns[id_or_name]
    return replace(
        patterns, patterns=tuple(replace(p, colour=colour.lower()) if p is chosen else p for p in patterns)
    )


def _anchor_words(patterns: PatternSet, anchors: Iterable[tuple[str, str]]) -> defaultdict[int, Counter[str]]:
    found: defaultdict[int, Counter[str]] = defaultdict(Counter)
    pairs = list(dict.fromkeys(anchors))
    for index, (_, text) in zip(
        patterns.match_indices([url for url, _ in pairs]).tolist(), pairs, strict=True
    ):
        if index >= 0:
            words = {w for w in words_of(text.lower()) if w not in _STOP_WORDS and len(w) > 2}
            found[index].update(words | {""})
    return found


def _unique(name: str, pattern: Pattern, owners: Mapping[str, Pattern]) -> str:
    """A unique name: with the parameters, with the host if that differs, or with a number."""
    if name not in owners:
        return name
    parameters = [word for word in _literal_words(pattern, in_query=True) if word not in name.split()]
    elsewhere = pattern.forms[0].tokens[0] != owners[name].forms[0].tokens[0]
    where = _labels(pattern) if elsewhere else []
    longer = (_as_name([name, *more]) for more in (parameters, where, [*parameters, *where]))
    numbered = (f"{name} {number}" for number in count(2))
    return next(proposed for proposed in chain(longer, numbered) if proposed not in owners)


def _labels(pattern: Pattern) -> list[str]:
    """The labels before the site in the host.

    >>> _labels(PatternSet.from_texts(["http://www.shop.a.co.uk/x"])[0])
    ['shop']
    """
    host = str(pattern.forms[0].tokens[0])
    labels = host.removesuffix(site_of(f"http://{host}/")).split(".")
    return [label for label in labels if label not in ("", "www", WILDCARD)]
