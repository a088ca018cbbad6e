"""Page pool: real page bodies for the URLs of a synthetic web.

A synthetic web has the URLs of one collection and the pages of another. A page contributes its label, its
size, its number of links to its own site and to others, and the texts of the latter.
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

from linksight.crawl.scoring.model_protocols import PageReader
from linksight.lab.simulation.language_locality import links_of, own_site, web_pages
from linksight.results import PageLabel
from linksight.urls.parser import site_of


@dataclass(frozen=True, slots=True)
class Body:
    """The properties of a real page that a synthetic web uses."""

    label: PageLabel
    size: int
    own: int  #: links to its own site
    across: int  #: links to other sites
    texts: tuple[str, ...] = ()  #: of the links to other sites


class Bodies:
    """Real pages by language, for random draws."""

    def __init__(self, by_language: dict[str, list[Body]]) -> None:
        self._by_language = by_language
        self._all = [body for code in sorted(by_language) for body in by_language[code]]

    @classmethod
    def read(cls, path: Path, reader: PageReader | None) -> Bodies:
        """Read ``pages/dev.parquet``; without a reader each page gets its true label."""
        found: defaultdict[str, list[Body]] = defaultdict(list)
        for page in web_pages(path) if path.is_file() else ():
            code, body = page["language"], page["body"]
            label = reader(body, None, None) if reader else true_label(code)
            links = links_of(page)
            own = own_site([site_of(link.url) for link in links])
            texts = tuple(link.anchor for link in links if site_of(link.url) not in own)
            found[code].append(Body(label, len(body), len(links) - len(texts), len(texts), texts))
        return cls(dict(found))

    def draw(self, code: str, chance: random.Random) -> Body:
        """Draw a page in a language; if there is none, another page with its label replaced."""
        if known := self._by_language.get(code):
            return chance.choice(known)
        other = chance.choice(self._all) if self._all else Body(true_label(code), 20_000, 15, 4)
        return replace(other, label=true_label(code), texts=())

    def text(self, code: str, chance: random.Random) -> str:
        """Draw the text of a link to another site, from a page in a language; often empty or a name."""
        texts = chance.choice(self._by_language[code]).texts if code in self._by_language else ()
        return chance.choice(texts) if texts else ""


def true_label(code: str) -> PageLabel:
    """The label of a correctly identified page.

    >>> true_label("nl").language
    'nl'
    """
    return PageLabel(code, "", "utf-8", 0.97)
