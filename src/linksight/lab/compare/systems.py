"""The systems of a comparison: linksight in several ways, and the peers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from linksight.errors import LinksightError
from linksight.lab.compare.peers import Ask, Peer, courlan, on_bytes, on_pages, on_texts, on_urls


def systems(task: str) -> tuple[Peer, ...]:
    """All systems of a task: ``urls``, ``pages``, ``texts`` (extracted from pages) or ``encodings``."""
    menu: dict[str, Callable[[], tuple[Peer, ...]]] = {
        "urls": lambda: (*ours_on_urls(), *on_urls(), courlan()),
        "pages": lambda: (*ours_on_pages(), *on_pages()),
        "texts": on_texts,
        "encodings": lambda: (ours_on_bytes(), *on_bytes()),
    }
    return menu[task]()


def ours_on_urls() -> Iterator[Peer]:
    """linksight on URLs: many at a time, and one by one."""
    from linksight import load

    def many() -> Ask:
        return _listed(load().predict)

    def single() -> Ask:
        model = load()

        def one(url: str) -> str:
            try:
                return model.detect(url).language
            except LinksightError:
                return "und"

        return lambda urls: [one(url) for url in urls]

    yield Peer("linksight, many at a time", "linksight", many, "the URL as it is", True)
    yield Peer("linksight, one at a time", "linksight", single, "the URL as it is; too doubtful is und")


def _listed(predict: Callable[[Sequence[Any]], Any]) -> Ask:
    return lambda items: [str(answer) for answer in predict(list(items))]


def ours_on_pages() -> Iterator[Peer]:
    """linksight on pages, by its own method and by a paper's."""
    for name, method in (("linksight", "default"), ("linksight, method chew2011", "chew2011")):
        yield Peer(
            name,
            "linksight",
            partial(_reading, method),
            "the raw bytes of the page",
        )


def _reading(method: str) -> Ask:
    from linksight.pages import identify

    return lambda bodies: [identify(body, method=method).language for body in bodies]


def ours_on_bytes() -> Peer:
    """linksight on encodings."""
    from linksight.pages import identify

    return Peer(
        "linksight",
        "linksight",
        lambda: lambda bodies: [identify(body).encoding for body in bodies],
        "the raw bytes of the page, its declaration included; the language comes with it",
    )
