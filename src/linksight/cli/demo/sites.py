"""Synthetic web of the demo: three sites in each of three languages, with links between their pages."""

from __future__ import annotations

import html
import json
import random
from collections.abc import Callable
from typing import Any

from linksight.system.resources import bytes_of

ARTICLES = 12  #: articles of a site, in addition to the front page
SITES_PER_LANGUAGE = 3
SAME_LANGUAGE_SHARE = 0.7  #: share of links between sites of one language
#: language -> section, slugs and sentences of its pages
VOCABULARIES: dict[str, dict[str, Any]] = json.loads(bytes_of("demo_sites.json"))
#: The language of each site, by the number of the site.
LANGUAGES = tuple(language for _ in range(SITES_PER_LANGUAGE) for language in VOCABULARIES)


def paths(site: int) -> list[str]:
    """Return the paths of the pages of a site; the first is the front page."""
    words = VOCABULARIES[LANGUAGES[site]]
    return ["/", *(f"/{words['section']}/{slug}.html" for slug in words["slugs"][:ARTICLES])]


def page(site: int, path: str, origin: Callable[[int], str]) -> bytes | None:
    """Return the HTML of a page, or None if the site has no such page; ``origin`` returns the URL of a site."""
    if path not in paths(site):
        return None
    language = LANGUAGES[site]
    draw = random.Random(f"{site} {path}")
    title = path.rpartition("/")[2].removesuffix(".html").replace("-", " ").capitalize() or f"Site {site + 1}"
    body = "".join(
        f"<p>{' '.join(map(html.escape, draw.sample(VOCABULARIES[language]['sentences'], 5)))}</p>"
        for _ in range(4)
    )
    links = "".join(f'<li><a href="{url}">{url}</a></li>' for url in _links(site, path, draw, origin))
    return (
        f"<!DOCTYPE html><html><head><meta charset='utf-8'><title>{title}</title></head>"
        f"<body><h1>{title}</h1>{body}<ul>{links}</ul></body></html>"
    ).encode()


def _links(site: int, path: str, draw: random.Random, origin: Callable[[int], str]) -> list[str]:
    """Return links to pages of the same site, and two to pages of other sites."""
    own = paths(site)
    near = own[1:] if path == "/" else [own[0], *draw.sample(own[1:], 3)]
    links = [f"{origin(site)}{one}" for one in near]
    others = [other for other in range(len(LANGUAGES)) if other != site]
    for _ in range(2):
        same = draw.random() < SAME_LANGUAGE_SHARE
        there = draw.choice([one for one in others if (LANGUAGES[one] == LANGUAGES[site]) == same])
        links.append(f"{origin(there)}{draw.choice(paths(there))}")
    return links
