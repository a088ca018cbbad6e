"""A label whose spans are found when they are first asked for: most users never do, and it takes a while."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linksight.results import PageLabel, Span


class MixedLabel(PageLabel):
    """The label of a page in several languages."""

    __slots__ = ("_find", "_found")

    _find: Callable[[], tuple[Span, ...]] | None
    _found: tuple[Span, ...]

    @property
    def spans(self) -> tuple[Span, ...]:
        """The stretches of the page's text and their languages."""
        if self._find is not None:
            object.__setattr__(self, "spans", self._find())
        return self._found

    @spans.setter
    def spans(self, found: tuple[Span, ...]) -> None:
        object.__setattr__(self, "_found", found)
        object.__setattr__(self, "_find", None)


def later(find: Callable[[], tuple[Span, ...]], *fields: Any) -> PageLabel:
    """A label of ``fields`` (as of a PageLabel) with spans that ``find`` will give.

    >>> found = later(lambda: (Span(0, 4, "nl", 1.0),), "nl", "Latn", "utf-8", 1.0)
    >>> found.language, found.spans
    ('nl', (Span(start=0, end=4, language='nl', confidence=1.0),))
    >>> found.as_dict()["spans"][0]["language"]
    'nl'
    """
    made = MixedLabel(*fields)
    object.__setattr__(made, "_find", find)
    return made
