"""A small labelled set of URLs, made up for the tests."""

import pytest

WORDS = {
    "de": "nachrichten wirtschaft gesundheit zeitung schule wetter versicherung kirche verein handwerk".split(),
    "en": "news business health newspaper school weather insurance church society workshop".split(),
    "es": "noticias economia salud periodico escuela tiempo seguros iglesia asociacion taller".split(),
    "fr": "nouvelles economie sante journal ecole meteo assurances eglise association atelier".split(),
    "it": "notizie economia salute giornale scuola meteo assicurazioni chiesa associazione officina".split(),
}
TLDS = {"de": ("de", "at", "com"), "en": ("co.uk", "us", "com"), "es": ("es", "mx", "com"),
        "fr": ("fr", "tn", "com"), "it": ("it", "it", "com")}  # fmt: skip


@pytest.fixture(scope="session")
def corpus():
    """(urls, languages): 5 languages, 60 URLs each, in mixed order."""
    rows = []
    for i in range(60):
        for language, words in WORDS.items():
            first, second = words[i % 10], words[(i * 7 + i // 10 + 3) % 10]
            rows.append(
                (
                    f"http://www.{first}{i % 3}.{TLDS[language][i % 3]}/{second}/{first}-{second}.html",
                    language,
                )
            )
    return [url for url, _ in rows], [language for _, language in rows]
