"""Wildcards of patterns: any token, a path, placeholders for numbers and the like, any host of a site.

=============  ==================================================================================
``*``          any segment of a path, or any value of a parameter
``**``         a path: one or more segments
``issue*``     inside a token a ``*`` matches a number, as ``{number}`` does
``{number}``   also ``{word} {hash} {uuid} {date} {language}``, and ``{text}`` for any text; alone or inside a token
``*.a.org``    as a host: ``a.org`` and every host below it
=============  ==================================================================================
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from urllib.parse import quote

from linksight.errors import BadUrl
from linksight.urls.idna import wire_host

WILDCARD = "*"
_CODES = re.compile(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")  # of letters beyond ASCII
_HOST = re.compile(r"(?:[^/?#]*//)?[^/?#]*")
_LABEL = re.compile("xn--[a-z0-9-]+", re.IGNORECASE)
ANY = "[^/?#&=:]+"
SEGMENT = "[^/?#]+"

#: What each placeholder matches. The order is that of the codes in ``native.sites.pattern_automaton``.
PLACEHOLDERS = {
    "text": ANY,
    "number": "[0-9]+",
    "word": "(?:[A-Za-z\u0080-\U0010ffff]|%[89A-Fa-f][0-9A-Fa-f])+",
    "hash": "[0-9A-Fa-f]{7,}",
    "uuid": "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}",
    "date": "(?:[0-9]{8}|[0-9]{4}-[0-9]{2}(?:-[0-9]{2})?)",
    "language": "[A-Za-z]{2}(?:[-_][A-Za-z]{2,4})?",
}
_PLACEHOLDER = re.compile("[{](" + "|".join(PLACEHOLDERS) + ")[}]")


class Path(Enum):
    """One or more segments of a path, whatever they are."""

    ANY = f"{WILDCARD}{WILDCARD}"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Template:
    """A token with placeholders in it: ``issue*`` matches ``issue17``, ``{text}-p-*.html`` matches ``blue-hat-p-9.html``."""

    text: str  #: with each placeholder by its name: ``issue{number}``

    def __str__(self) -> str:
        return self.text.replace("{number}", WILDCARD) if self.n_letters else self.text

    @property
    def pieces(self) -> list[str]:
        """Literal texts and, at the odd positions, names of placeholders."""
        return _PLACEHOLDER.split(self.text)

    @property
    def n_letters(self) -> int:
        """The number of literal letters."""
        return sum(map(len, self.pieces[0::2]))

    @property
    def regex(self) -> str:
        """The regular expression that matches the same tokens."""
        pieces = self.pieces
        return "".join(PLACEHOLDERS[p] if i % 2 else spelling_regex(p) for i, p in enumerate(pieces))


@dataclass(frozen=True, slots=True)
class AnySubdomain:
    """Any host of a site: ``*.a.org`` matches ``a.org``, ``www.a.org`` and all others."""

    text: str  #: the site: ``a.org``

    def __str__(self) -> str:
        return f"{WILDCARD}.{self.text}"

    @property
    def regex(self) -> str:
        """The regular expression that matches the same hosts."""
        return rf"(?:{ANY}\.)?{spelling_regex(self.text, host=True)}"


Token = str | Template | AnySubdomain | Path | None  #: None is any token


def read_token(token: str) -> Token:
    """Parse a token of a wildcarded URL.

    >>> read_token("*"), read_token("**") is Path.ANY, read_token("t*-{text}.html")
    (None, True, Template(text='t{number}-{text}.html'))
    """
    if token == WILDCARD:
        return None
    if token == Path.ANY.value:
        return Path.ANY
    if WILDCARD in token or _PLACEHOLDER.search(token):
        return Template(decode_letters(token).replace(WILDCARD, "{number}"))
    return token


def read_host(token: str) -> Token:
    """Parse the first token of a pattern, where ``*.a.org`` is any host of a site."""
    site = token.removeprefix(f"{WILDCARD}.")
    return AnySubdomain(site) if site and site != token and WILDCARD not in site else read_token(token)


def token_regex(token: Token, *, host: bool = False, any_token: str = ANY) -> str:
    """The regular expression that matches the same tokens."""
    if isinstance(token, str):
        return spelling_regex(token, host=host)
    if token is Path.ANY:
        return "[^?#]+"
    return any_token if token is None else token.regex


def infer_type(values: Iterable[str]) -> str:
    """Infer the narrowest type of all values; ``slug`` for names, ``text`` for anything else.

    >>> infer_type(["7", "8"]), infer_type(["2024-05-01"]), infer_type(["a-b", "c7"]), infer_type(["a+b"]), infer_type([])
    ('number', 'date', 'slug', 'text', 'text')
    """
    texts = list(values)
    for name in ("date", "number", "uuid", "hash", "language", "word"):
        if texts and all(re.fullmatch(PLACEHOLDERS[name], value) for value in texts):
            return name
    return "slug" if texts and all(re.fullmatch(r"[\w.~%-]+", value) for value in texts) else "text"


def spelling_regex(text: str, *, host: bool = False) -> str:
    """A regular expression for a text, decoded, encoded, or partly encoded.

    >>> spelling_regex("news"), spelling_regex("caf%c3%a9") == "caf(?:\u00e9|%[Cc]3%[Aa]9)"
    ('news', True)
    >>> spelling_regex("m\u00fcnchen.de", host=True).isascii(), spelling_regex("a.org", host=True)
    (False, 'a\\\\.org')
    """
    text = decode_letters(decode_host(text) if host else text)
    if text.isascii():
        return re.escape(text)
    if not host:
        return "".join(map(_letter_regex, text))
    return r"\.".join(map(_label_regex, text.split(".")))


def _letter_regex(letter: str) -> str:
    """A letter or its percent-encoding in upper case (browsers) or lower case (WordPress)."""
    if letter.isascii():
        return re.escape(letter)
    codes = re.sub("[A-F]", lambda digit: f"[{digit[0]}{digit[0].lower()}]", quote(letter, errors="replace"))
    return f"(?:{re.escape(letter)}|{codes})"


def _label_regex(label: str) -> str:
    if label.isascii():
        return re.escape(label)
    try:
        return f"(?:{re.escape(label)}|{re.escape(wire_host(label))})"
    except BadUrl:  # not a valid host name
        return re.escape(label)


def decode_url(url: str) -> str:
    """A URL with IDNA and percent-encoded letters decoded; invalid codes stay.

    >>> decode_url("https://xn--mnchen-3ya.de/caf%C3%A9/a%20b%FF") == "https://m\u00fcnchen.de/caf\u00e9/a%20b%FF"
    True
    """
    found = _HOST.match(url)
    end = found.end() if found else 0
    return decode_letters(decode_host(url[:end]) + url[end:])


def may_be_encoded(text: str) -> bool:
    """Whether a text may contain percent-encoding or IDNA."""
    return "%" in text or "xn--" in text.lower()


def decode_letters(text: str) -> str:
    """Decode percent-encoded letters beyond ASCII if they are valid and printable.

    >>> decode_letters("a%20b%FF-%c3%a9-%E2%80%A8") == "a%20b%FF-\u00e9-%E2%80%A8"
    True
    """
    return _CODES.sub(lambda codes: _decode_codes(codes[0]), text) if "%" in text else text


def decode_host(host: str) -> str:
    """Decode the IDNA labels of a host."""
    return _LABEL.sub(lambda label: _decode_label(label[0]), host) if "xn--" in host.lower() else host


@lru_cache(maxsize=4096)  # the hosts of a list are few
def _decode_label(coded: str) -> str:
    try:
        name = coded[4:].lower().encode("ascii").decode("punycode")
        return name if wire_host(name) == coded.lower() else coded
    except (UnicodeError, OverflowError, BadUrl):
        return coded


@lru_cache(maxsize=4096)  # the words of a pattern recur in every URL
def _decode_codes(codes: str) -> str:
    try:
        letters = bytes.fromhex(codes.replace("%", "")).decode("utf-8")
    except UnicodeError:
        return codes
    # Invisible characters, such as line ends, stay encoded, except joiners, which Persian words contain.
    return letters if all(char.isprintable() or char in "\u200c\u200d" for char in letters) else codes


def specificity(token: Token) -> int:
    """The specificity of a token: 2 for a literal, 1 for placeholders, 0 for any token or host."""
    return 2 if isinstance(token, str) else 1 if isinstance(token, Template) else 0


def precedence(token: Token) -> float:
    """The match order of tokens at one position: literal, most literal letters, narrowest site, any, path."""
    if isinstance(token, AnySubdomain):
        return 0.5 + len(token.text) / 1_000_000
    if isinstance(token, Template):
        return 1 + token.n_letters / 1_000_000
    return -1 if token is Path.ANY else specificity(token)


def sites_above(host: str) -> Iterator[str]:
    """The host and its parent domains, the longest first.

    >>> list(sites_above("www.a.org")), list(sites_above(".org"))
    (['www.a.org', 'a.org', 'org'], ['.org'])
    """
    yield host
    yield from (host[i + 1 :] for i, char in enumerate(host) if char == "." and i)
