"""Languages, scripts, countries and top-level domains.

registry             codes and names of languages
scripts, countries   names of scripts (ISO 15924) and countries; languages of countries
tlds                 languages of top-level domains, and the tables of the papers
tables               the bundled JSON tables
"""
