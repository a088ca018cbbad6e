"""A URL as CALA reads it: tokens between the separators ``/ ? # & = :``.

The separators are put aside, run by run, so that a pattern can be turned back into a URL (the
map *m* of the paper's Figure 11). A few differences that servers ignore are ignored here too, once
for the learner, the matcher and the compiled kernel: the scheme (http and https are one), the case
of scheme and host, the default ports, user names, and a slash at the end of the path.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from linksight.errors import BadUrl
from linksight.urls.parser import MAX_LENGTH

SEPARATORS = "/?#&=:"
MAX_TOKENS = 64  #: a longer URL is a trap, not a page
MAX_RUN_CHARS = 8  #: separators in a row that are compared; as many as fit into one machine word
STRIPPED_CHARS = "".join(map(chr, range(0x21)))  #: what is stripped from both ends

_SPLIT = re.compile(r"([/?#&=:]+)")
_AUTHORITY_END = re.compile(r"[/?#]")
_DEFAULT_PORT = re.compile(r":(?:80|443)?\Z")


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens after the scheme, the host first, and the separators before and after them.

    ``runs[i]`` precedes ``tokens[i]``; that of the host is empty. ``tail`` follows the last token.
    """

    tokens: tuple[str, ...]
    runs: tuple[str, ...]
    tail: str
    scheme: str

    @property
    def before_fragment(self) -> int:
        """The number of tokens before the ``#``."""
        return next((i for i, run in enumerate(self.runs) if "#" in run), len(self.tokens))


_DIGITS = re.compile(r"[0-9]+")


def stem_of(token: str) -> str:
    """A token with each number in it replaced by 0.

    >>> stem_of("issue17"), stem_of("product-204.html")
    ('issue0', 'product-0.html')
    """
    return _DIGITS.sub("0", token)


def split_url(url: str) -> Tokens:
    """Cut a URL into tokens, or raise :class:`BadUrl`.

    >>> split_url("HTTP://MSAS.org:80/Detail/?entityType=1&id=17#top").tokens
    ('msas.org', 'Detail', 'entityType', '1', 'id', '17', 'top')
    >>> split_url("https://a.org/x/").tail, split_url("https://a.org/x?q=").tail
    ('', '=')
    """
    scheme, text = after_scheme(url)
    found = _AUTHORITY_END.search(text)
    end = found.start() if found else len(text)
    parts = _SPLIT.split(host_of(text[:end]) + text[end:])
    tokens, runs = parts[0::2], parts[1::2]
    if not tokens[0]:
        raise BadUrl(url, "no host")
    tail = ""
    if not tokens[-1]:
        tokens.pop()
        tail = canonical_tail(runs.pop())
    if len(tokens) > MAX_TOKENS:
        raise BadUrl(url, f"more than {MAX_TOKENS} tokens")
    return Tokens(tuple(tokens), ("", *map(canonical_run, runs)), tail, scheme)


@lru_cache(maxsize=4096)
def canonical_run(run: str) -> str:
    """A run of separators with the slashes before ``?`` or ``#`` left out.

    >>> canonical_run("/?"), canonical_run("="), canonical_run("//")
    ('?', '=', '//')
    """
    cut = min((i for i in map(run.find, "?#") if i >= 0), default=0)
    return (run[:cut].rstrip("/") + run[cut:])[:MAX_RUN_CHARS]


@lru_cache(maxsize=4096)
def canonical_tail(run: str) -> str:
    """The significant separators at the end: an empty value counts, a last slash does not."""
    return run.rstrip("/?#&")[:MAX_RUN_CHARS]


def before_hash(run: str) -> str:
    """The significant separators before a fragment.

    >>> before_hash("/#"), before_hash("=#=")
    ('', '=')
    """
    return run.partition("#")[0].rstrip("/?&")


def as_unicode(text: str) -> str:
    """A text without lone surrogates, which files and columns reject.

    >>> as_unicode("http://a.org/\\ud800x")
    'http://a.org/?x'
    """
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


@lru_cache(maxsize=4096)  # the hosts of a list are few
def host_of(authority: str) -> str:
    """The host in small letters, with its port unless that is the default.

    >>> host_of("me@A.org:80"), host_of("a.org:8080")
    ('a.org', 'a.org:8080')
    """
    return _DEFAULT_PORT.sub("", _ascii_lower(authority.rpartition("@")[2]))


def after_scheme(url: str) -> tuple[str, str]:
    """The scheme and what follows it, or :class:`BadUrl`."""
    if not isinstance(url, str):
        raise BadUrl(url, "not text")
    text = as_unicode(url).strip(STRIPPED_CHARS)
    if len(text) > MAX_LENGTH:
        raise BadUrl(url, f"longer than {MAX_LENGTH:,} characters")
    head = text[:8].lower()
    if head.startswith("https://"):
        return "https", text[8:]
    if head.startswith("http://"):
        return "http", text[7:]
    if text.startswith("//"):
        return "http", text[2:]
    if not _looks_like_host(_AUTHORITY_END.split(text, maxsplit=1)[0]):
        raise BadUrl(url, "not a web address" if text else "empty")
    return "http", text


def _looks_like_host(authority: str) -> bool:
    """Whether a text without a scheme begins with a host: a dot, no user, at most a port."""
    host, _, port = authority.partition(":")
    return "." in host and "@" not in authority and all(char in "0123456789" for char in port)


_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def _ascii_lower(text: str) -> str:
    return text.lower() if text.isascii() else text.translate(_LOWER)
