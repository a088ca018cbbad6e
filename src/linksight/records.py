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

    url: str
    language: str
    probability: float
    candidates: tuple[tuple[str, float], ...] = ()
    reasons: tuple[tuple[str, str, float], ...] = ()  #: (feature, language, weight)
    problem: str | None = None  #: why the URL could not be used, in a batch

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a page in one language: characters ``start`` to ``end`` of its text."""

    start: int
    end: int
    language: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Declaration:
    """One thing that a page says of itself, and whether the bytes bear it out."""

    source: str  #: ``http``, ``bom``, ``xml``, ``meta``, ``lang``, ``hreflang``
    kind: str  #: ``language`` or ``encoding``
    value: str
    agrees: bool | None = None


@dataclass(frozen=True, slots=True)
class PageLabel:
    """Language, script and encoding of a page, from its bytes."""

    language: str
    script: str
    encoding: str
    confidence: float
    candidates: tuple[tuple[str, float], ...] = ()
    spans: tuple[Span, ...] = ()
    declared: tuple[Declaration, ...] = ()
    reason: str | None = None  #: why the language is ``und`` or ``zxx``

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether to fetch a URL, how eagerly, and why (a slug that is counted)."""

    fetch: bool
    priority: float
    reason: str
    evidence: dict[str, float] = field(default_factory=dict)
