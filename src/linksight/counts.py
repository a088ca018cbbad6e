"""Numbers with the noun that they count."""

from __future__ import annotations


def counted(n: int, one: str, many: str = "") -> str:
    """So many of something, as people say it.

    >>> counted(1, "row"), counted(12_345, "row"), counted(0, "host")
    ('1 row', '12,345 rows', '0 hosts')
    >>> counted(2, "word list of a hub", "word lists of a hub")
    '2 word lists of a hub'
    """
    return f"{n:,} {one if n == 1 else many or f'{one}s'}"
