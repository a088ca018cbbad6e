"""Top-level domains and the languages of the sites under them."""

from __future__ import annotations

from linksight.languages.countries import languages_of_country
from linksight.languages.tables import read_table

#: Table I of Baykan et al. 2013: top-level domains by language.
PAPER_TLDS: dict[str, tuple[str, ...]] = {
    "en": tuple("au ca cg edu gb gh gov ie ke mil mw ng nz sd tz ug uk um us za zm".split()),
    "de": tuple("at ch de li lu".split()),
    "fr": tuple("bf ci cm dz fr gf gn ht mg ml ne pf sn td tf tn".split()),
    "es": tuple("ar bo cl co cu ec es gt mx pe pr ve".split()),
    "it": tuple("it va".split()),
}
#: Hogewind et al. 2020 use .nl only.
PAPER_TLDS_DUTCH = ("nl",)


def languages_of_tld(tld: str) -> tuple[str, ...]:
    """Return the languages of a top-level domain, most frequent first; empty for ``com``.

    >>> languages_of_tld("be")
    ('nl', 'fr', 'de', 'en', 'vls', 'wa')
    """
    tld = tld.lower().lstrip(".")
    return tuple(read_table("tlds").get(tld, ())) or languages_of_country(tld)


def tlds_of_language(language: str, *, papers: bool = True) -> tuple[str, ...]:
    """Return the top-level domains of a language.

    With ``papers``, the tables of the papers come first; otherwise, all domains whose first language it is.

    >>> tlds_of_language("de"), tlds_of_language("nl"), tlds_of_language("cs")
    (('at', 'ch', 'de', 'li', 'lu'), ('nl',), ('cz',))
    """
    table = PAPER_TLDS | {"nl": PAPER_TLDS_DUTCH} if papers else {}
    return table.get(language) or tuple(tld for tld in all_tlds() if languages_of_tld(tld)[:1] == (language,))


def all_tlds() -> tuple[str, ...]:
    """Return every top-level domain that indicates a language, sorted."""
    return tuple(
        sorted(tld for tld in {*read_table("countries"), *read_table("tlds")} if languages_of_tld(tld))
    )
