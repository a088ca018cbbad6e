"""What stands in for the web in the examples: a few news sites in four languages, and a shop with a search form."""

from __future__ import annotations

import html
import importlib.util
import sys
import zlib
from typing import Any
from urllib.parse import parse_qs, urlsplit

from doc_blocks import ROOT


def _local_web() -> Any:
    spec = importlib.util.spec_from_file_location("doc_local_web", ROOT / "benchmarks" / "local_web.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


_WEB = _local_web()
TEXTS: dict[str, str] = _WEB.TEXTS
_NOUNS = "lamp chair table shelf sofa bed cushion blanket vase mirror clock carpet stool bench candle frame".split()
_COLOURS = "red blue green yellow black white brown grey pink orange".split()
_PRODUCTS = [f"{colour} {noun}" for noun in _NOUNS for colour in _COLOURS]
_HELP = ("shipping", "returns", "payment", "contact")


class ExampleWeb(_WEB.LocalWeb):  # type: ignore[misc]
    """Twelve news sites and, as the last host, the shop."""

    def __init__(self) -> None:
        super().__init__(hosts=13, pages=6, links=8)

    @property
    def shop(self) -> str:
        """The origin of the shop."""
        return str(self.origin(self.hosts - 1))

    def answer(self, local: str, path: str) -> tuple[int, dict[str, str], bytes]:
        if local != self.address(self.hosts - 1):
            return super().answer(local, path)  # type: ignore[no-any-return]
        return 200, {"Content-Type": "text/html; charset=utf-8"}, shop_page(path).encode()


def shop_page(path: str) -> str:
    """A page of the shop: its menu, and either what a search found or a few words."""
    parts = urlsplit(path)
    found = _found(parse_qs(parts.query).get("q", [""])[0]) if parts.path == "/search" else ""
    menu = "".join(f'<a href="/help/{name}">{name}</a> ' for name in _HELP)
    return (
        f'<!DOCTYPE html><html lang="en"><title>Shop</title><body>{menu}<a href="/login">Log in</a>'
        f'<form action="/search"><input type="search" name="q"><button>Search</button></form>'
        f"<p>{html.escape(parts.path)}: {', '.join(_NOUNS)}, {', '.join(_COLOURS)}</p>{found}</body></html>"
    )


def _found(word: str) -> str:
    """Products with the word in their names, who writes about them, and what was asked and said."""
    numbers = [n for n, name in enumerate(_PRODUCTS) if word in name][:16]
    products = "".join(
        f'<li><a class="title" href="/product/{n}">{_PRODUCTS[n]}</a> <a href="/brand/{_hash(n) % 40}/{n}">brand</a> '
        f'<a href="/ticket/{n}">question</a> <a href="/blog/2024/{n}">story</a> <a href="/tag/{_hash(n + 1) % 90}">tag</a>'
        for n in numbers
    )
    authors = "".join(f'<a href="/author/{n}/{_hash(n) % 9999}">writer {n}</a> ' for n in numbers)
    return f'<ul class="results">{products}</ul><div class="authors">{authors}</div>'


def _hash(number: int) -> int:
    return zlib.crc32(str(number).encode())
