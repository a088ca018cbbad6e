"""Names for patterns, proposed from their words, the anchor texts and the titles of their pages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace

from linksight.errors import BadData
from linksight.percents import decode_percent
from linksight.sites.colours import palette
from linksight.sites.patterns import Pattern, PatternSet
from linksight.sites.wildcards import WILDCARD
from linksight.urls import site_of

_WORD = re.compile(r"[^\W\d_]{2,}")
_SAYS_NOTHING = frozenset(
    "www http https html htm php asp aspx jsp do cgi index default page pages id com org net view show item "
    "the and for with from more read see all".split()
)
MAX_NAME = 60


def annotate(patterns: PatternSet, anchors: Iterable[tuple[str, str]] = ()) -> PatternSet:
    """The patterns with a name and a colour each; ``anchors`` are (URL, anchor text or title) pairs.

    Names that the user gave are kept, and so are colours.

    >>> named = annotate(PatternSet.from_texts(["http://a.org/author/*", "http://a.org/"]))
    >>> [pattern.name for pattern in named]
    ['author', 'home']
    """
    words = _anchor_words(patterns, anchors)
    names = {index: p.name for index, p in enumerate(patterns) if p.name}
    # Of two that would be called alike the larger is what people mean.
    for index, pattern in sorted(enumerate(patterns), key=lambda pair: -pair[1].n_urls):
        if index not in names:
            name = propose_name(pattern, words[index])
            names[index] = _unique(_fuller(name, pattern), set(names.values()))
    colours = palette(len(patterns))
    renamed = (
        replace(pattern, name=names[index], colour=pattern.colour or colours[index])
        for index, pattern in enumerate(patterns)
    )
    return replace(patterns, patterns=tuple(renamed))


def propose_name(pattern: Pattern, anchor_words: Counter[str]) -> str:
    """The literal words of the pattern; where it has none, what the links to it and its titles say.

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
    return " ".join(dict.fromkeys(words))[:MAX_NAME].strip()


def _literal_words(pattern: Pattern, *, in_query: bool) -> list[str]:
    """The words of the literal tokens, of the path or of the query."""
    form, words, query = pattern.forms[0], [], False
    for run, token in zip(form.runs[1:], form.tokens[1:], strict=True):
        query = query or "?" in run
        if token is not None and run != ":" and query == in_query:
            words += [word.lower() for word in _WORD.findall(decode_percent(str(token)))]
    return [word for word in words if word not in _SAYS_NOTHING]


def set_colour(patterns: PatternSet, id_or_name: int | str, colour: str) -> PatternSet:
    """A copy in which one pattern has another colour."""
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
            words = {w for w in _WORD.findall(text.lower()) if w not in _SAYS_NOTHING and len(w) > 2}
            found[index].update(words | {""})
    return found


def _fuller(name: str, pattern: Pattern) -> list[str]:
    """A name and longer ones, for a pattern whose name another has: with its parameters, with its host.

    >>> _fuller("forum", PatternSet.from_texts(["http://m.a.org/forum/index.php?topic=*"])[0])
    ['forum', 'forum topic', 'forum m', 'forum topic m']
    """
    host = str(pattern.forms[0].tokens[0])
    labels = host.removesuffix(site_of(f"http://{host}/")).replace(WILDCARD, "").split(".")
    asked = [word for word in _literal_words(pattern, in_query=True) if word not in name.split()]
    where = [label for label in labels if label not in ("", "www")]
    longer = [" ".join([name, *more])[:MAX_NAME].strip() for more in (asked, where, [*asked, *where])]
    return list(dict.fromkeys([name, *longer]))


def _unique(names: list[str], taken: set[str]) -> str:
    if free := next((name for name in names if name not in taken), None):
        return free
    number = 2
    while f"{names[0]} {number}" in taken:
        number += 1
    return f"{names[0]} {number}"
