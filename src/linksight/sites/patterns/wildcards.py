"""What may stand in a pattern besides a token that is given: any token, any number, any host of a site."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote

from linksight.errors import BadUrl
from linksight.sites.learning.tokens import stem_of
from linksight.urls.idna import wire_host

WILDCARD = "*"
_CODES = re.compile(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")  # of letters beyond ASCII
_HOST = re.compile(r"(?:[^/?#]*//)?[^/?#]*")
_LABEL = re.compile("xn--[a-z0-9-]+", re.IGNORECASE)
ANY = "[^/?#&=:]+"


@dataclass(frozen=True, slots=True)
class Stem:
    """A token with numbers in it, whatever they are: ``issue*`` stands for ``issue17``."""

    text: str  #: as :func:`~linksight.sites.learning.tokens.stem_of` writes it: ``issue0``

    def __str__(self) -> str:
        return self.text.replace("0", WILDCARD)

    @property
    def regex(self) -> str:
        """What matches the tokens that it stands for."""
        return "[0-9]+".join(map(in_both_spellings, self.text.split("0")))


@dataclass(frozen=True, slots=True)
class Under:
    """Any host of a site: ``*.a.org`` stands for ``a.org``, ``www.a.org`` and all others."""

    text: str  #: the site: ``a.org``

    def __str__(self) -> str:
        return f"{WILDCARD}.{self.text}"

    @property
    def regex(self) -> str:
        """What matches the hosts that it stands for."""
        return rf"(?:{ANY}\.)?{in_both_spellings(self.text, host=True)}"


Token = str | Stem | Under | None  #: None is any token


def read_token(token: str) -> Token:
    """A token as it is written: ``*`` is any, a ``*`` inside it a number."""
    if token == WILDCARD:
        return None
    # The digits of codes are none of a number.
    return Stem(stem_of(in_letters(token).replace(WILDCARD, "0"))) if WILDCARD in token else token


def read_host(token: str) -> Token:
    """The first token of a pattern, where ``*.a.org`` is any host of a site."""
    site = token.removeprefix(f"{WILDCARD}.")
    return Under(site) if site and site != token and WILDCARD not in site else read_token(token)


def token_regex(token: Token, *, host: bool = False) -> str:
    """What matches the tokens that it stands for."""
    if isinstance(token, str):
        return in_both_spellings(token, host=host)
    return ANY if token is None else token.regex


def in_both_spellings(text: str, *, host: bool = False) -> str:
    """What matches a text as people write it, as it goes over the wire, where crawlers see it, and half of each.

    >>> in_both_spellings("news"), in_both_spellings("caf%c3%a9") == "caf(?:\u00e9|%[Cc]3%[Aa]9)"
    ('news', True)
    >>> in_both_spellings("m\u00fcnchen.de", host=True).isascii(), in_both_spellings("a.org", host=True)
    (False, 'a\\\\.org')
    """
    text = in_letters(host_in_letters(text) if host else text)
    if text.isascii():
        return re.escape(text)
    if not host:
        return "".join(map(_either, text))
    return r"\.".join(map(_either_label, text.split(".")))


def _either(letter: str) -> str:
    """The codes of a letter may come in capitals, as browsers write them, or small, as WordPress does."""
    if letter.isascii():
        return re.escape(letter)
    codes = re.sub("[A-F]", lambda digit: f"[{digit[0]}{digit[0].lower()}]", quote(letter, errors="replace"))
    return f"(?:{re.escape(letter)}|{codes})"


def _either_label(label: str) -> str:
    if label.isascii():
        return re.escape(label)
    try:
        return f"(?:{re.escape(label)}|{re.escape(wire_host(label))})"
    except BadUrl:  # no name that could be looked up
        return re.escape(label)


def as_people_write(url: str) -> str:
    """A URL with letters where the wire has codes for them; a name or a code that says nothing stays as it is.

    >>> as_people_write("https://xn--mnchen-3ya.de/caf%C3%A9/a%20b%FF") == "https://m\u00fcnchen.de/caf\u00e9/a%20b%FF"
    True
    """
    found = _HOST.match(url)
    end = found.end() if found else 0
    return in_letters(host_in_letters(url[:end]) + url[end:])


def is_coded(text: str) -> bool:
    """Whether a text may have letters that are written in codes."""
    return "%" in text or "xn--" in text.lower()


def in_letters(text: str) -> str:
    """The codes of letters beyond ASCII as these letters, where they are valid and can be seen.

    >>> in_letters("a%20b%FF-%c3%a9-%E2%80%A8") == "a%20b%FF-\u00e9-%E2%80%A8"
    True
    """
    return _CODES.sub(lambda codes: _letters(codes[0]), text) if "%" in text else text


def host_in_letters(host: str) -> str:
    """A host with letters in its labels that are coded for the name servers."""
    return _LABEL.sub(lambda label: _label(label[0]), host) if "xn--" in host.lower() else host


@lru_cache(maxsize=4096)  # the hosts of a list are few
def _label(coded: str) -> str:
    try:
        name = coded[4:].lower().encode("ascii").decode("punycode")
        return name if wire_host(name) == coded.lower() else coded
    except (UnicodeError, OverflowError, BadUrl):
        return coded


@lru_cache(maxsize=4096)  # the words of a pattern come back in every URL
def _letters(codes: str) -> str:
    try:
        letters = bytes.fromhex(codes.replace("%", "")).decode("utf-8")
    except UnicodeError:
        return codes
    # What cannot be seen, such as the end of a line, stays a code; but words of Persian have joiners.
    return letters if all(char.isprintable() or char in "\u200c\u200d" for char in letters) else codes


def worth(token: Token) -> int:
    """How specific it is: a token that is given counts twice what a stem does; a site is as good as any host."""
    return 2 if isinstance(token, str) else 1 if isinstance(token, Stem) else 0


def precedence(token: Token) -> float:
    """Which of several goes before the others at one place: the token, its stem, the narrowest site, any."""
    return 0.5 + len(token.text) / 1_000_000 if isinstance(token, Under) else worth(token)


def sites_above(host: str) -> Iterator[str]:
    """The host itself and what follows each of its dots, the longest first.

    >>> list(sites_above("www.a.org")), list(sites_above(".org"))
    (['www.a.org', 'a.org', 'org'], ['.org'])
    """
    yield host
    yield from (host[i + 1 :] for i, char in enumerate(host) if char == "." and i)
