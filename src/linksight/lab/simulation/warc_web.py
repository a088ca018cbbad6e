"""Stored web for replay, loaded from WARC files; ``synthetic_web.py`` builds the other kind."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from linksight.crawl.extract.links import Outlink, outlinks
from linksight.crawl.scoring.model_protocols import PageReader
from linksight.crawl.urls.url_normalize import canonical
from linksight.errors import BadData
from linksight.pages.input.content_decoding import body_of
from linksight.results import PageLabel

MAX_PAGE_BYTES = 1 << 26  #: of a page that are read
MAX_HOPS = 10  #: redirects in a row that are followed, as in a crawl


@dataclass
class StoredWeb:
    """Pages with their languages and links; a page is a number."""

    urls: list[str]
    languages: list[str]  #: true languages, if known
    labels: list[PageLabel]  #: labels by the page classifier
    links: list[Sequence[int]]
    sizes: list[int]
    #: links with a text or a declared language, by page and target
    anchors: dict[tuple[int, int], Outlink] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.urls)

    def share(self, language: str) -> float:
        """The share of a language among all pages."""
        return self.languages.count(language) / len(self) if self.urls else 0.0

    def of(self, language: str) -> list[int]:
        """All pages of a language."""
        return [page for page, code in enumerate(self.languages) if code == language]


def web_from_warcs(
    paths: Iterable[Path], reader: PageReader, on_page: Callable[[], None] | None = None
) -> StoredWeb:
    """Load a web from WARC files: a page for each response, with its links to other pages in the files.

    Links to a redirecting URL lead to its target, as in a crawl.
    """
    urls: list[str] = []
    labels: list[PageLabel] = []
    sizes: list[int] = []
    found: list[list[Outlink]] = []
    number: dict[str, int] = {}
    redirects: dict[str, str] = {}
    for url, content_type, body in _responses(paths, redirects):
        address = canonical(url)
        if address is None or address in number:
            continue
        number[address] = len(urls)
        label = reader(body, content_type, address)
        urls.append(address)
        labels.append(label)
        sizes.append(len(body))
        found.append(outlinks(body, address, label.encoding or "utf-8"))
        if on_page is not None:
            on_page()
    if not urls:
        raise BadData("the WARC files hold no page")
    anchors: dict[tuple[int, int], Outlink] = {}
    links: list[Sequence[int]] = []
    for page, outgoing in enumerate(found):
        targets = ((_redirect_target(link.url, redirects, number), link) for link in outgoing)
        inside = {number[url]: link for url, link in targets if number.get(url, page) != page}
        anchors |= {(page, target): link for target, link in inside.items()}
        links.append(sorted(inside))
    return StoredWeb(urls, [label.language for label in labels], labels, links, sizes, anchors)


def _redirect_target(url: str, redirects: Mapping[str, str], stored: Container[str]) -> str:
    """Follow redirects until a URL is stored or does not redirect.

    >>> _redirect_target("http://a.nl/", {"http://a.nl/": "https://a.nl/"}, {"https://a.nl/"})
    'https://a.nl/'
    """
    for _ in range(MAX_HOPS):
        if url in stored or url not in redirects:
            break
        url = redirects[url]
    return url


def _responses(paths: Iterable[Path], redirects: dict[str, str]) -> Iterator[tuple[str, str | None, bytes]]:
    """URL, content type and body of each page, with revisits resolved; adds redirects to ``redirects``."""
    from warcio.archiveiterator import ArchiveIterator
    from warcio.exceptions import ArchiveLoadFailed

    places: dict[str, tuple[Path, int]] = {}  # file and offset by payload digest
    for path in paths:
        try:
            with path.open("rb") as file:
                entries = ArchiveIterator(file)
                for entry in entries:
                    if entry.rec_type not in ("response", "revisit"):
                        continue
                    redirects.update(_redirect(entry))
                    if not _is_page(entry):
                        continue
                    kind: Any = entry.http_headers.get_header("Content-Type")
                    url = entry.rec_headers.get_header("WARC-Target-URI")
                    payload = entry.rec_headers.get_header("WARC-Payload-Digest") or ""
                    if entry.rec_type == "response":
                        # before get_record_offset(), which skips the rest of the record
                        body = body_of(entry, MAX_PAGE_BYTES)
                        places.setdefault(payload, (path, entries.get_record_offset()))
                        yield url, kind, body
                    elif payload in places:
                        yield url, kind, _body_at(*places[payload])
        except (OSError, ArchiveLoadFailed) as error:
            raise BadData(f"{path}: not a WARC file that can be read ({error})") from None


def _body_at(path: Path, offset: int) -> bytes:
    from warcio.archiveiterator import ArchiveIterator

    with path.open("rb") as file:
        file.seek(offset)
        return body_of(next(iter(ArchiveIterator(file))), MAX_PAGE_BYTES)


def _redirect(entry: Any) -> dict[str, str]:
    """The redirect of a response, as a dictionary of at most one entry."""
    headers, url = entry.http_headers, canonical(entry.rec_headers.get_header("WARC-Target-URI") or "")
    if not headers or not url or not (headers.get_statuscode() or "").startswith("3"):
        return {}
    target = canonical(headers.get_header("Location") or "", url)
    return {url: target} if target else {}


def _is_page(entry: Any) -> bool:
    headers = entry.http_headers
    return (
        bool(headers)
        and headers.get_statuscode() == "200"
        and "html" in (headers.get_header("Content-Type") or "html")
        and not entry.rec_headers.get_header("WARC-Target-URI").endswith("/robots.txt")
    )
