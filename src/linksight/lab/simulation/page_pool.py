"""Bodies: the real pages that stand behind the URLs of a built web.

A built web has the addresses of one collection and the pages of another; what a page brings along is
how a reader labels it, how large it is, how many links it has to its own site and to others, and the
texts of the latter.
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
    """What a built web needs to know of a real page."""

    label: PageLabel
    size: int
    own: int  #: links to its own site
    across: int  #: links to other sites
    texts: tuple[str, ...] = ()  #: what those say, in the page's language or in none


class Bodies:
    """Real pages by language, drawn from by lot."""

    def __init__(self, by_language: dict[str, list[Body]]) -> None:
        self._by_language = by_language
        self._all = [body for code in sorted(by_language) for body in by_language[code]]

    @classmethod
    def read(cls, path: Path, reader: PageReader | None) -> Bodies:
        """The pages of ``pages/dev.parquet``; without a reader each is labelled with the truth."""
        found: defaultdict[str, list[Body]] = defaultdict(list)
        for page in web_pages(path) if path.is_file() else ():
            code, body = page["language"], page["body"]
            label = reader(body, None, None) if reader else surely(code)
            links = links_of(page)
            own = own_site([site_of(link.url) for link in links])
            texts = tuple(link.anchor for link in links if site_of(link.url) not in own)
            found[code].append(Body(label, len(body), len(links) - len(texts), len(texts), texts))
        return cls(dict(found))

    def draw(self, code: str, chance: random.Random) -> Body:
        """A page in a language; where there is none, another one's size and number of links."""
        if known := self._by_language.get(code):
            return chance.choice(known)
        other = chance.choice(self._all) if self._all else Body(surely(code), 20_000, 15, 4)
        return replace(other, label=surely(code), texts=())

    def text(self, code: str, chance: random.Random) -> str:
        """What a link to another site says on a page in a language; often nothing, or a name."""
        texts = chance.choice(self._by_language[code]).texts if code in self._by_language else ()
        return chance.choice(texts) if texts else ""


def surely(code: str) -> PageLabel:
    """The label of a page that was read rightly.

    >>> surely("nl").language
    'nl'
    """
    return PageLabel(code, "", "utf-8", 0.97)
