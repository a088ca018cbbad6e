"""Linksight in a Scrapy project: links in a wanted language come first, items get the language of their page.

In ``settings.py``::

    SPIDER_MIDDLEWARES = {"linksight.scrapy.LinkPriorityMiddleware": 700}
    ITEM_PIPELINES = {"linksight.scrapy.PageLanguagePipeline": 300}
    LINKSIGHT_LANGUAGES = ["nl", "fy"]

=================================  =========================================================  ==================
setting                            meaning                                                    default
=================================  =========================================================  ==================
``LINKSIGHT_LANGUAGES``            the wanted languages                                       (required)
``LINKSIGHT_MODEL``                a model file                                               the bundled model
``LINKSIGHT_PRIORS``               base rates, such as ``{"nl": 0.1}``                        those of the model
``LINKSIGHT_PRIORITY_RANGE``       added to the priority of a link at probability 1           100
``LINKSIGHT_MIN_PROBABILITY``      links below it are dropped                                 0 (none)
``LINKSIGHT_BODY_FIELD``           the field of an item with the page: bytes or text          ``body``
``LINKSIGHT_URL_FIELD``            the field with its URL                                     ``url``
``LINKSIGHT_CONTENT_TYPE_FIELD``   the field with its Content-Type                            ``content_type``
``LINKSIGHT_DROP_OTHERS``          drop items in other languages                              ``False``
=================================  =========================================================  ==================
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Self

from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.exceptions import DropItem, NotConfigured

import linksight
from linksight.errors import BadUrl
from linksight.languages.registry import find

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from linksight.url_model.model import UrlLanguageModel

#: What the pipeline adds to an item.
LABELS = ("language", "script", "encoding", "confidence")


def _read_languages(crawler: Crawler) -> tuple[str, ...]:
    """The wanted languages as codes."""
    languages = crawler.settings.getlist("LINKSIGHT_LANGUAGES")
    return tuple(dict.fromkeys(find(language.strip()) for language in languages if language.strip()))


class LinkPriorityMiddleware:
    """Spider middleware: adds to the priority of a request what its URL reveals about the language.

    The probability is written to ``request.meta["linksight_probability"]``. Dropped links are counted as
    ``linksight/links_dropped``.
    """

    def __init__(
        self, model: UrlLanguageModel, languages: tuple[str, ...], *, priority_range: int = 100, min_probability: float = 0.0,
        crawler: Crawler | None = None,
    ) -> None:  # fmt: skip
        self.model = model
        self.columns = model.class_indices(languages) or []
        self.priority_range = priority_range
        self.min_probability = min_probability
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the settings."""
        settings = crawler.settings
        languages = _read_languages(crawler)
        if not languages:
            raise NotConfigured("LINKSIGHT_LANGUAGES: give the wanted languages, such as ['nl']")
        model = linksight.load(settings.get("LINKSIGHT_MODEL"))
        if priors := settings.getdict("LINKSIGHT_PRIORS"):
            model = model.with_priors(priors)
        return cls(
            model, languages, priority_range=settings.getint("LINKSIGHT_PRIORITY_RANGE", 100),
            min_probability=settings.getfloat("LINKSIGHT_MIN_PROBABILITY", 0.0), crawler=crawler,
        )  # fmt: skip

    def process_spider_output(self, response: Response, result: Iterable[Any]) -> Iterator[Any]:
        """Set the priority of each request; items pass through."""
        for each in result:
            if not isinstance(each, Request):
                yield each
            elif (request := self.set_priority(each)) is not None:
                yield request

    async def process_spider_output_async(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """The same for asynchronous callbacks."""
        async for each in result:
            if not isinstance(each, Request):
                yield each
            elif (request := self.set_priority(each)) is not None:
                yield request

    def set_priority(self, request: Request) -> Request | None:
        """The request with its new priority; None if its probability is below the minimum."""
        try:
            probabilities = self.model.predict_proba([request.url])[0]
        except BadUrl:
            return request
        probability = float(probabilities[self.columns].sum())
        if probability < self.min_probability:
            if self.crawler is not None and self.crawler.stats is not None:
                self.crawler.stats.inc_value("linksight/links_dropped")
            return None
        request.meta["linksight_probability"] = probability
        return request.replace(priority=request.priority + round(self.priority_range * probability))


class PageLanguagePipeline:
    """Item pipeline: adds ``language``, ``script``, ``encoding`` and ``confidence`` of the page in an item.

    An item without the page's field passes unchanged.
    """

    def __init__(
        self, *, body_field: str = "body", url_field: str = "url", content_type_field: str = "content_type",
        only: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        self.body_field = body_field
        self.url_field = url_field
        self.content_type_field = content_type_field
        self.only = only

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the settings."""
        settings = crawler.settings
        return cls(
            body_field=settings.get("LINKSIGHT_BODY_FIELD", "body"), url_field=settings.get("LINKSIGHT_URL_FIELD", "url"),
            content_type_field=settings.get("LINKSIGHT_CONTENT_TYPE_FIELD", "content_type"),
            only=_read_languages(crawler) if settings.getbool("LINKSIGHT_DROP_OTHERS") else (),
        )  # fmt: skip

    def process_item(self, item: Any) -> Any:
        """The item with the labels of its page."""
        fields = ItemAdapter(item)
        body = fields.get(self.body_field)
        if not body:
            return item
        content_type = fields.get(self.content_type_field)
        if isinstance(body, str):
            body, content_type = body.encode("utf-8", "replace"), "text/html; charset=utf-8"
        page = linksight.identify(body, content_type, fields.get(self.url_field))
        if self.only and page.language not in self.only:
            raise DropItem(f"the page is in {page.language}")
        for label in LABELS:
            fields[label] = getattr(page, label)
        return item
