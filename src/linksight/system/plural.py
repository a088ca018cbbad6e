"""Format a count with its noun."""

from __future__ import annotations


def counted(n: int, one: str, many: str = "") -> str:
    """Format a count with the singular or plural of its noun.

    >>> counted(1, "row"), counted(12_345, "row"), counted(0, "host")
    ('1 row', '12,345 rows', '0 hosts')
    >>> counted(1, "page is", "pages are")
    '1 page is'
    """
    return f"{n:,} {one if n == 1 else many or f'{one}s'}"
