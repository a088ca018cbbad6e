"""What travels between the parts: small frozen values."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

UND = "und"  #: undetermined: there is language, but no one language is sure enough
ZXX = "zxx"  #: no linguistic content: numbers, code, lists of names


@dataclass(frozen=True, slots=True)
class Detection:
    """What a URL says about the language of the page behind it.

    >>> Detection("https://a.nl/", "nl", 0.97, (("nl", 0.97), ("en", 0.02))).language
    'nl'
    """

    url: str  #: the address as it was given
    language: str  #: shortest BCP 47 code, or ``und``
    probability: float  #: calibrated, of the best language, also where it is not sure enough to be named
    candidates: tuple[tuple[str, float], ...] = ()  #: (language, probability), best first
    reasons: tuple[tuple[str, str, float], ...] = ()  #: (feature, language, weight)
    problem: str | None = None  #: why the URL could not be used, in a batch

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a page in one language: characters ``start`` to ``end`` of its text."""

    start: int  #: first character of the page's text
    end: int  #: the character behind the last
    language: str  #: its language
    confidence: float  #: from 0 to 1


@dataclass(frozen=True, slots=True)
class Declaration:
    """One thing that a page says of itself, and whether the bytes bear it out."""

    source: str  #: ``http``, ``bom``, ``xml``, ``meta``, ``lang``, ``hreflang``
    kind: str  #: ``language`` or ``encoding``
    value: str  #: what it says, as it stands there
    agrees: bool | None = None  #: whether the bytes bear it out; nothing where that cannot be told


@dataclass(frozen=True, slots=True)
class PageLabel:
    """Language, script and encoding of a page, from its bytes."""

    language: str  #: shortest BCP 47 code, ``und`` or ``zxx``
    script: str  #: ISO 15924, such as ``Latn``
    encoding: str  #: such as ``utf-8``, ``ascii`` or ``windows-1251``
    confidence: float  #: from 0 to 1
    candidates: tuple[tuple[str, float], ...] = ()  #: (language, probability), best first
    spans: tuple[Span, ...] = ()  #: stretches of a page in several languages
    declared: tuple[Declaration, ...] = ()  #: what the page and its header say of themselves
    reason: str | None = None  #: why the language is ``und`` or ``zxx``

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether to fetch a URL, how eagerly, and why (a slug that is counted)."""

    fetch: bool  #: whether it is fetched at all
    priority: float  #: the higher, the sooner
    reason: str  #: a slug that is counted, see the reasons
    evidence: dict[str, float] = field(default_factory=dict)  #: who spoke for it, in log-odds
