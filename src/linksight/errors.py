"""All exceptions of linksight.

LinksightError
├── BadUrl            (also ValueError)      invalid URL
├── BadLanguage       (also LookupError)     unknown language, or not in the model
├── BadData           (also ValueError)      unusable table, column or file
├── BadConfig         (also ValueError)      unknown setting or invalid value
├── NotFitted         (also ValueError)      predict before fit
├── ModelFormatError  (also ValueError)      model file damaged, foreign or too new
├── MissingExtra      (also ImportError)     an optional package is missing
├── StoreError        (also RuntimeError)    database cannot be opened or used
└── CrawlError        (also RuntimeError)    crawl cannot start or continue

Every error names its object and the reason. A function that takes one item raises; a function that takes many
marks the row and counts the reason.
"""

from __future__ import annotations


class LinksightError(Exception):
    """Base class; the command line prints it as one line."""


class BadUrl(LinksightError, ValueError):
    """The URL cannot be classified or fetched.

    >>> raise BadUrl("mailto:a@b", "not a web address")
    Traceback (most recent call last):
    linksight.errors.BadUrl: not a web address: 'mailto:a@b'
    """

    def __init__(self, raw: object, reason: str) -> None:
        super().__init__(f"{reason}: {_shown(raw)}")
        self.raw = raw
        self.reason = reason


class BadLanguage(LinksightError, LookupError):
    """Unknown language name or code, or a language the model does not know."""

    def __init__(self, name: object, reason: str = "unknown language") -> None:
        super().__init__(f"{reason}: {_shown(name)}")
        self.name = name
        self.reason = reason


class BadData(LinksightError, ValueError):
    """A file, table, column or set of rows cannot be used; nothing was written."""


class BadConfig(LinksightError, ValueError):
    """Unknown setting, or a value that is not allowed."""


class NotFitted(LinksightError, ValueError):
    """``predict`` was called before ``fit``."""


class ModelFormatError(LinksightError, ValueError):
    """A model or pattern file is damaged, truncated, foreign or from a later version."""

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
    """The database cannot be opened, has another schema version, or rejected a statement."""


class CrawlError(LinksightError, RuntimeError):
    """A crawl cannot start or continue; gathered pages are kept."""


def _shown(value: object, max_length: int = 120) -> str:
    """Return ``repr(value)``, truncated."""
    text = repr(value)
    return text if len(text) <= max_length else f"{text[: max_length - 1]}… ({len(text):,} characters)"
