"""Every error this library raises, on one page.

LinksightError
├── BadUrl            (also ValueError)      not a web address
├── BadLanguage       (also LookupError)     no such language, or the model does not know it
├── BadData           (also ValueError)      a table, column or file that cannot be used
├── BadConfig         (also ValueError)      a setting that does not exist or does not fit
├── NotFitted         (also ValueError)      predict before fit
├── ModelFormatError  (also ValueError)      a model file that is damaged, foreign or too new
├── MissingExtra      (also ImportError)     an optional package is needed; the message says which
├── StoreError        (also RuntimeError)    the database cannot be opened or used
└── CrawlError        (also RuntimeError)    a crawl or hub crawl that cannot go on

Every error names its object and the reason. Functions that take one thing raise; functions that
take many mark the row, count the reason and go on.
"""

from __future__ import annotations


class LinksightError(Exception):
    """Base of all errors raised on purpose; the command line shows it as one line."""


class BadUrl(LinksightError, ValueError):
    """The address cannot be classified or fetched.

    >>> raise BadUrl("mailto:a@b", "not a web address")
    Traceback (most recent call last):
    linksight.errors.BadUrl: not a web address: 'mailto:a@b'
    """

    def __init__(self, raw: object, reason: str) -> None:
        super().__init__(f"{reason}: {_shown(raw)}")
        self.raw = raw
        self.reason = reason


class BadLanguage(LinksightError, LookupError):
    """The word names no language, or none that is known here."""

    def __init__(self, name: object, reason: str = "unknown language") -> None:
        super().__init__(f"{reason}: {_shown(name)}")
        self.name = name
        self.reason = reason


class BadData(LinksightError, ValueError):
    """A file, table, column or set of rows that cannot be used; nothing was written."""


class BadConfig(LinksightError, ValueError):
    """A setting that does not exist or whose value does not fit."""


class NotFitted(LinksightError, ValueError):
    """A classifier was asked before it was trained."""


class ModelFormatError(LinksightError, ValueError):
    """A model or pattern file that is damaged, truncated, foreign or from a later version."""

    def __init__(self, path: object, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class MissingExtra(LinksightError, ImportError):
    """An optional package is missing.

    >>> raise MissingExtra("scrapy", "crawl", "crawling")
    Traceback (most recent call last):
    linksight.errors.MissingExtra: crawling needs scrapy: pip install "linksight[crawl]"
    """

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f'{purpose} needs {package}: pip install "linksight[{extra}]"')
        self.package = package
        self.extra = extra


class StoreError(LinksightError, RuntimeError):
    """The database cannot be opened, is of another version, or refused the work."""


class CrawlError(LinksightError, RuntimeError):
    """A crawl cannot start or go on; what was gathered is kept."""


def _shown(value: object, most: int = 120) -> str:
    """The value as Python writes it, cut so that a 100 kB URL does not fill the screen."""
    text = repr(value)
    return text if len(text) <= most else f"{text[: most - 1]}… ({len(text):,} characters)"
