"""Languages, scripts, countries and top-level domains.

registry   codes and names of languages: find, name, autonym, iso3, scripts
scripts    names of scripts (ISO 15924)
countries  names of countries and their languages
tlds       languages of top-level domains, and the tables of the papers
tables     the bundled JSON tables
"""
