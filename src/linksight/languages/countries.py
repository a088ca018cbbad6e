"""Countries: English names, and the languages of each country's web."""

from __future__ import annotations

from linksight.languages.tables import read_table


def country_names() -> dict[str, str]:
    """ISO 3166 codes in lower case and English names."""
    return {code: row[0] for code, row in read_table("countries").items()}


def languages_of_country(country: str) -> tuple[str, ...]:
    """Return the languages of a country (ISO 3166 code), most frequent on the web first.

    >>> languages_of_country("be")[:2]
    ('nl', 'fr')
    """
    row = read_table("countries").get(country.lower())
    return tuple(row[1]) if row else ()
