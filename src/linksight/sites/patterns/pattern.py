"""Pattern and PatternSet, the results of learning: rename, merge, save, match.

A pattern is one kind of page of a site. It has one or more *forms*, each a wildcarded URL such as
``http://site/author/*/*``; more than one after a merge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_plus

from linksight.errors import BadData
from linksight.sites.learning.tokens import MAX_RUN_CHARS, SEPARATORS, split_url
from linksight.sites.patterns.wildcards import (
    ANY,
    SEGMENT,
    WILDCARD,
    Path,
    Token,
    infer_type,
    precedence,
    read_host,
    read_token,
    specificity,
    token_regex,
)
from linksight.system.plural import counted

if TYPE_CHECKING:
    import os

    import numpy as np
    from numpy.typing import NDArray

    from linksight.sites.matching.automaton import Automaton
    from linksight.sites.patterns.drift import DriftWatch


@dataclass(frozen=True, slots=True)
class Form:
    r"""A wildcarded URL: tokens, ``None`` where any may occur, and the separators.

    A segment of the path and the value of a parameter are one token to ``*``, whatever separators they hold. The
    parameters may come in any order and among others. A form of the paper's learner is ``exact``: there a token
    ends at each of the separators, and parameters have their order.

    >>> form = Form.parse("http://msas.org/Author/*/*")
    >>> form.regex
    '^https?://msas\\.org(?::(?:80|443)?)?/Author/[^/?#]+/[^/?#]+/*(?:\\?[^#]*)?(?:#.*)?$'
    >>> str(form), form.n_literals
    ('http://msas.org/Author/*/*', 2)
    """

    tokens: tuple[Token, ...]  #: the host first; the scheme is not one of them
    runs: tuple[str, ...]  #: separators before each token, the host's own empty
    tail: str = ""  #: separators after the last token
    scheme: str = "http"  #: for showing; both schemes match
    slash: bool = False  #: for showing: most URLs ended with a slash
    exact: bool = False  #: tokens and parameters as the paper reads them

    @classmethod
    def parse(cls, text: str) -> Form:
        """Parse a wildcarded URL; see :mod:`linksight.sites.patterns.wildcards` for the syntax."""
        # A host that is a wildcard has no dot: the scheme makes it a host.
        parts = split_url(text if "//" in text[:8] else f"http://{text}")
        tokens = (read_host(parts.tokens[0]), *map(read_token, parts.tokens[1:]))
        return cls(tokens, parts.runs, parts.tail, parts.scheme, text.rstrip().endswith("/"))

    @property
    def n_literals(self) -> int:
        """The number of literal tokens."""
        return sum(isinstance(token, str) for token in self.tokens)

    @property
    def has_fragment(self) -> bool:
        """Whether it has a fragment."""
        return any("#" in run for run in self.runs) or "#" in self.tail

    @property
    def in_order(self) -> bool:
        """Whether a URL must have exactly these tokens in this order."""
        return self.exact or self.has_fragment or (bool(self.tail) and self.query_start == len(self.tokens))

    @property
    def query_start(self) -> int:
        """The index of the first token of the query; without a query, the number of tokens."""
        return next((i for i, run in enumerate(self.runs) if "?" in run), len(self.tokens))

    @property
    def needs(self) -> tuple[tuple[str, str | None], ...]:
        """The parameters that a URL must have, decoded: name and value, None for any value.

        >>> Form.parse("http://a.org/x?do=edit%20me&id=*&q=").needs
        (('do', 'edit me'), ('id', None), ('q', ''))
        """
        parts: list[list[tuple[str, Token]]] = []
        for run, token in list(zip(self.runs, self.tokens, strict=True))[self.query_start :]:
            if run[-1:] in ("?", "&") or not parts:
                parts.append([])
            parts[-1].append((run, token))
        needs = []
        for index, part in enumerate(parts):
            last = index == len(parts) - 1
            text = "".join((run if i else "") + str(token) for i, (run, token) in enumerate(part))
            name, sign, value = (text + (self.tail if last else "")).partition("=")
            is_open = any(not isinstance(token, str) for _, token in part)
            if WILDCARD not in name:
                needs.append((unquote_plus(name), unquote_plus(value) if sign and not is_open else None))
        return tuple(needs)

    @property
    def rank(self) -> tuple[bool, int, tuple[float, ...]]:
        """Sort key: the form with the largest rank among those that match a URL is the best match.

        A form with a fragment ranks highest, then the one with most literal tokens (placeholders count half),
        leftmost first.
        """
        return self.has_fragment, sum(map(specificity, self.tokens)), tuple(map(precedence, self.tokens))

    @property
    def regex(self) -> str:
        """The equivalent regular expression.

        It expects a URL as browsers write it: scheme and host in lower case, no user, no blanks around it.
        """
        in_order, last = self.in_order, self._host_end
        end = len(self.tokens) if in_order else self.query_start
        parts = ["^https?://"]
        for index, (run, token) in enumerate(zip(self.runs[:end], self.tokens[:end], strict=True)):
            any_token = (
                ANY
                if self.exact or index <= last or run == ":" or "?" in "".join(self.runs[: index + 1])
                else SEGMENT
            )
            parts += [_run_regex(run), token_regex(token, host=index <= last, any_token=any_token)]
            if index == last and self.runs[last + 1 : last + 2] != (":",):
                parts.append("(?::(?:80|443)?)?")
        if in_order:
            # Any other fragment is a place on the page.
            parts += [re.escape(self.tail), "[/?#&]*$" if self.has_fragment else "[/?&]*(?:#.*)?$"]
        else:
            parts += [*map(_need_regex, *zip(*self.needs, strict=True))] if self.needs else []
            parts.append(r"/*(?:\?[^#]*)?(?:#.*)?$")
        return "".join(parts)

    @property
    def _host_end(self) -> int:
        """The last token of the host, after which a port may follow: that of the bracket for IPv6."""
        if not str(self.tokens[0]).startswith("["):
            return 0
        return next((i for i, token in enumerate(self.tokens) if str(token).endswith("]")), 0)

    def __str__(self) -> str:
        middle = "".join(
            run + (WILDCARD if token is None else str(token))
            for run, token in zip(self.runs, self.tokens, strict=True)
        )
        end = "/" if len(self.tokens) == 1 or self.slash else ""
        return f"{self.scheme}://{middle}{self.tail or end}"


def _run_regex(run: str) -> str:
    more = f"[{SEPARATORS}]*" if len(run) == MAX_RUN_CHARS else ""  # longer ones are not compared further
    return ("/*" if run[:1] in ("?", "#") else "") + re.escape(run) + more


def _need_regex(name: str, value: str | None) -> str:
    """A lookahead for a parameter of the query, in any spelling."""
    wanted = r"(?:=[^#&;]*)?" if value is None else f"={_coded_regex(value)}" if value else "=?"
    return rf"(?=/*\?(?:[^#]*[&;])?{_coded_regex(name)}{wanted}(?:[&;#]|$))"


def _coded_regex(text: str) -> str:
    """A regular expression for a text, decoded or percent-encoded."""
    return "".join(
        r"(?:\+|%20)" if letter == " " else re.escape(letter) if letter.isalnum() and letter.isascii()
        else f"(?:{re.escape(letter)}|{_codes_regex(letter)})"
        for letter in text
    )  # fmt: skip


def _codes_regex(letter: str) -> str:
    codes = "".join(f"%{byte:02X}" for byte in letter.encode("utf-8", "replace"))
    return re.sub("[A-F]", lambda digit: f"[{digit[0]}{digit[0].lower()}]", codes)


@dataclass(frozen=True, slots=True, repr=False)
class Pattern:
    """One kind of page: its wildcarded URLs, and its counts and examples from learning.

    >>> pattern = Pattern(0, (Form.parse("http://msas.org/Author/*/*"),), name="author")
    >>> pattern.text, pattern.matches("https://msas.org/Author/5201962/carlos-r-rivero")
    ('http://msas.org/Author/*/*', True)
    """

    id: int  #: its number in the set
    forms: tuple[Form, ...]  #: its wildcarded URLs; several after a merge
    name: str = ""  #: set by the user or proposed
    colour: str = ""  #: ``#rrggbb``
    n_urls: int = 0  #: distinct URLs that it matched while learning
    n_hubs: int = 0  #: hubs with at least one of them
    share: float = 0.0  #: of all distinct URLs
    examples: tuple[str, ...] = ()  #: a few of its URLs

    @property
    def text(self) -> str:
        """The wildcarded URL; merged patterns have several, joined by a bar."""
        return " | ".join(map(str, self.forms))

    @property
    def regex(self) -> str:
        """One regular expression for all forms."""
        return "|".join(form.regex for form in self.forms)

    @property
    def is_catch_all(self) -> bool:
        """Whether only the host is literal, so that unknown kinds of pages match, too."""
        first = self.forms[0]
        return len(first.tokens) > 1 and not any(isinstance(token, str) for token in first.tokens[1:])

    @property
    def value_types(self) -> tuple[str, ...]:
        """The type of each wildcard of the path, inferred from the examples: ``number``, ``date``, ``slug``, ``path`` …

        >>> Pattern(0, (Form.parse("http://a.org/*/*"),), examples=("http://a.org/7/x-y", "http://a.org/8/z")).value_types
        ('number', 'slug')
        """
        form = self.forms[0]
        found: list[str] = []
        for index, token in enumerate(form.tokens[: form.query_start]):
            if token is Path.ANY:
                found.append("path")
            elif token is None:
                values = [
                    parts[index] for url in self.examples if len(parts := split_url(url).tokens) > index
                ]
                found.append(infer_type(values))
        return tuple(found)

    def matches(self, url: str) -> bool:
        """Whether this pattern matches a URL, regardless of other patterns."""
        return PatternSet((self,)).match(url) is not None

    def __str__(self) -> str:
        return f"{self.name}: {self.text}" if self.name else self.text

    def __repr__(self) -> str:
        seen = f" ({counted(self.n_urls, 'URL')})" if self.n_urls else ""
        return f"<Pattern {self.id}: {self}{seen}>"


@dataclass(frozen=True, repr=False)
class PatternSet:
    """The patterns of one site or of many, and the automaton that matches them.

    >>> patterns = PatternSet.from_texts(["http://a.org/p/*", "http://a.org/p/new"])
    >>> str(patterns.match("https://a.org/p/17"))
    'http://a.org/p/*'
    >>> patterns
    <PatternSet of 2 patterns: http://a.org/p/*, http://a.org/p/new>
    >>> patterns.match("https://a.org/p/new").id, patterns.match("https://a.org/q")
    (1, None)
    """

    patterns: tuple[Pattern, ...]  #: in the order of their numbers
    site: str = ""  #: the site that they were learnt from
    learnt: Mapping[str, Any] = field(default_factory=dict)  #: options and counts of the learning

    @classmethod
    def from_texts(cls, texts: Iterable[str], site: str = "") -> PatternSet:
        """Patterns from wildcarded URLs; the forms of one pattern are joined by a bar."""
        forms = [tuple(map(Form.parse, text.split(" | "))) for text in texts]
        return cls(tuple(Pattern(i, several) for i, several in enumerate(forms)), site)

    def __len__(self) -> int:
        return len(self.patterns)

    def __repr__(self) -> str:
        """The number of patterns and the first three."""
        first = ", ".join(map(str, self.patterns[:3]))
        more = ", …" if len(self) > 3 else ""
        return (
            f"<PatternSet of {counted(len(self), 'pattern')}: {first}{more}>"
            if first
            else "<PatternSet, empty>"
        )

    def __iter__(self) -> Iterator[Pattern]:
        return iter(self.patterns)

    def __getitem__(self, id_or_name: int | str) -> Pattern:
        """A pattern by its id or by its name."""
        for pattern in self.patterns:
            if id_or_name in (pattern.id, pattern.name) and id_or_name != "":
                return pattern
        raise BadData(f"no pattern {id_or_name!r}; the site has {len(self)}")

    @cached_property
    def automaton(self) -> Automaton:
        """All forms of all patterns as one automaton, built at first use."""
        from linksight.sites.matching.automaton import Automaton

        return Automaton(self.patterns)

    def match(self, url: str) -> Pattern | None:
        """The most specific pattern that matches a URL; raises :class:`BadUrl` for an invalid URL."""
        index = self.automaton.find(url)
        return self.patterns[index] if index >= 0 else None

    def match_all(self, urls: Any) -> list[Pattern | None]:
        """The pattern of each URL of a list, NumPy, pandas, Polars or Arrow column.

        An invalid URL gives None, too; :meth:`match_indices` distinguishes them.
        """
        table: list[Pattern | None] = [*self.patterns, None, None]
        return [table[index] for index in self.match_indices(urls).tolist()]

    def match_indices(self, urls: Any) -> NDArray[np.int32]:
        """Positions in ``patterns``; -1 if no pattern matches, -2 for an invalid URL."""
        from linksight.sites.matching.columns import match_column

        return match_column(self.automaton, urls)

    def watch(self) -> DriftWatch:
        """A drift watch, with the usual share of unmatched URLs from learning."""
        from linksight.sites.patterns.drift import DriftWatch

        shares = (self.learnt.get(name) for name in ("unmatched", "unmatched_held_out"))
        return DriftWatch(max((s for s in shares if isinstance(s, float) and 0 <= s <= 1), default=0.0))

    def __add__(self, other: PatternSet) -> PatternSet:
        """The patterns of both, renumbered: many sites, one automaton."""
        both = (*self.patterns, *other.patterns)
        site = self.site if self.site == other.site else ""
        return PatternSet(tuple(replace(p, id=i) for i, p in enumerate(both)), site)

    def rename(self, id_or_name: int | str, name: str) -> PatternSet:
        """A copy with one pattern renamed."""
        chosen = self[id_or_name]
        if any(p.name == name for p in self.patterns if p is not chosen):
            raise BadData(f"another pattern is named {name!r}: merge them instead")
        return self._with(replace(p, name=name) if p is chosen else p for p in self.patterns)

    def discard(self, *ids: int | str) -> PatternSet:
        """A copy without some patterns; their URLs match nothing in the copy."""
        gone = {self[id_or_name].id for id_or_name in ids}
        return self._with(p for p in self.patterns if p.id not in gone)

    def merge(self, *ids: int | str, name: str | None = None) -> PatternSet:
        """A copy with several patterns merged into the first, which gets the forms of all."""
        chosen = sorted({self[id_or_name].id: self[id_or_name] for id_or_name in ids}.items())
        if len(chosen) < 2:
            raise BadData("merging takes two patterns or more")
        parts = [pattern for _, pattern in chosen]
        merged = replace(
            parts[0],
            name=name or next((p.name for p in parts if p.name), ""),
            forms=tuple(dict.fromkeys(form for p in parts for form in p.forms)),
            n_urls=sum(p.n_urls for p in parts),
            n_hubs=max(p.n_hubs for p in parts),
            share=sum(p.share for p in parts),
            examples=tuple(example for p in parts for example in p.examples)[:5],
        )
        gone = {p.id for p in parts[1:]}
        return self._with(merged if p is parts[0] else p for p in self.patterns if p.id not in gone)

    def _with(self, patterns: Iterable[Pattern]) -> PatternSet:
        return PatternSet(tuple(patterns), self.site, self.learnt)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a JSON file with a digest; :func:`linksight.load_patterns` reads it."""
        from linksight.sites.patterns.pattern_files import save_patterns

        save_patterns(self, path)
