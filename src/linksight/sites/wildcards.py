"""What may stand in a pattern besides a token that is given: any token, any number, any host of a site."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from linksight.sites.tokens import stem_of

WILDCARD = "*"
ANY = "[^/?#&=:]+"


@dataclass(frozen=True, slots=True)
class Stem:
    """A token with numbers in it, whatever they are: ``issue*`` stands for ``issue17``."""

    text: str  #: as :func:`~linksight.sites.tokens.stem_of` writes it: ``issue0``

    def __str__(self) -> str:
        return self.text.replace("0", WILDCARD)

    @property
    def regex(self) -> str:
        """What matches the tokens that it stands for."""
        return "[0-9]+".join(map(re.escape, self.text.split("0")))


@dataclass(frozen=True, slots=True)
class Under:
    """Any host of a site: ``*.a.org`` stands for ``a.org``, ``www.a.org`` and all others."""

    text: str  #: the site: ``a.org``

    def __str__(self) -> str:
        return f"{WILDCARD}.{self.text}"

    @property
    def regex(self) -> str:
        """What matches the hosts that it stands for."""
        return rf"(?:{ANY}\.)?{re.escape(self.text)}"


Token = str | Stem | Under | None  #: None is any token


def read_token(token: str) -> Token:
    """A token as it is written: ``*`` is any, a ``*`` inside it a number."""
    if token == WILDCARD:
        return None
    return Stem(stem_of(token.replace(WILDCARD, "0"))) if WILDCARD in token else token


def read_host(token: str) -> Token:
    """The first token of a pattern, where ``*.a.org`` is any host of a site."""
    site = token.removeprefix(f"{WILDCARD}.")
    return Under(site) if site and site != token and WILDCARD not in site else read_token(token)


def token_regex(token: Token) -> str:
    """What matches the tokens that it stands for."""
    return ANY if token is None else re.escape(token) if isinstance(token, str) else token.regex


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
