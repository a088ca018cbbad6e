"""English names of writing systems (ISO 15924)."""

from __future__ import annotations

from linksight.languages.tables import read_table


def script_names() -> dict[str, str]:
    """Codes and English names of all scripts that pages and languages can have."""
    return read_table("scripts")


def script_name(code: str) -> str:
    """Return the English name of a script, or the code itself if it is unknown.

    >>> script_name("Latn"), script_name("Zyyy"), script_name("Zsym")
    ('Latin', 'no letters', 'Zsym')
    """
    return script_names().get(code, code)
