"""Makes pages of the texts of ``holdout_texts``: four lengths, an English frame, legacy encodings, true and false declarations."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import repeat

import encoding_model
from holdout_texts import Text

from linksight.pages.charset import labels

LENGTHS = (50, 200, 1000, 5000)  # letters; a Chinese, Japanese or Korean character counts as three
MOST = 12  # pages of a class in a section
LEGACY_MOST = 2  # texts of a class that are written in each of its encodings
DECLARED, MISDECLARED = 0.2, 0.1  # share of the pages with a true, and with a false ``lang``
PAGE = "<!DOCTYPE html>\n<html{lang}><head>{meta}<title>{title}</title></head>\n<body>{before}{body}{after}</body></html>\n"
BEFORE = (
    '<ul class="menu"><li><a href="/">Home</a><li><a href="/about">About us</a><li><a href="/news">News and events</a>'
    '<li><a href="/contact">Contact us</a><li><a href="/login">Sign in or register</a></ul>'
    '<form action="/search"><label>Search this site <input name="q"></label><button>Search</button></form>'
)
AFTER = (
    "<p>Share this page on Facebook. Subscribe to our newsletter. You are here: Home. Last updated on Monday.</p>"
    "<p>All rights reserved. Except where otherwise noted, content on this site is licensed under a Creative Commons "
    "Attribution license. Terms of use, privacy policy, cookie settings. Powered by WordPress.</p>"
)
PLAIN = str.maketrans({"‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "–": "-", "—": "-", "…": ".", "\u00a0": " ", "\u200b": "", "\u2011": "-"})  # fmt: skip
FALSE = ("iso-8859-1", "utf-8", "windows-1251", "shift_jis")
# Beside the encodings that the model was trained in, those that their bytes alone give away.
MORE = {
    "utf-16le": "de ru ja ar hi", "utf-16be": "fr el zh-Hans", "utf-32le": "es uk ko", "utf-32be": "it th", "hz": "zh-Hans", "iso-2022-jp": "ja",
    "iso-2022-kr": "ko", "utf-7": "ru ja pl el",
}  # fmt: skip


@dataclass(frozen=True)
class Page:
    """A page with what is true of it."""

    half: str
    package: str
    section: str
    kind: str
    encoding: str
    body: bytes


def weight(text: str) -> int:
    return len(text) + 2 * sum("\u2e80" < c < "\ufb00" for c in text)


def cut(text: str, length: int) -> str:
    """The text to a length, not within a word where there are spaces."""
    size = 0
    for place, character in enumerate(text):
        size += 3 if "\u2e80" < character < "\ufb00" else 1
        if size >= length:
            rest = re.match(r"\S{0,20}(?=\s|$)", text[place:])
            return text[: place + len(rest[0])] if rest else text[: place + 1]
    return text


def stretches(lines: Iterable[str], length: int) -> Iterator[list[str]]:
    """Lines that together have a length."""
    own: list[str] = []
    for line in lines:
        own.append(line)
        if sum(map(weight, own)) >= length:
            own[-1] = cut(own[-1], length - sum(map(weight, own[:-1])))
            yield own
            own = []


def made(paragraphs: list[str], lang: str = "", meta: str = "", frame: bool = False) -> str:
    body = "".join(f"<p>{line.replace('&', '&amp;').replace('<', '&lt;')}</p>\n" for line in paragraphs)
    return PAGE.format(
        lang=f' lang="{lang}"' if lang else "", meta=meta, title="Page" if frame else "", body=body,
        before=BEFORE if frame else "", after=AFTER if frame else "",
    )  # fmt: skip


def pages(texts: list[Text], half: str, most: int = MOST) -> list[Page]:
    """The pages of a half, section by section, each class drawn evenly from its packages."""
    rng = random.Random(half)
    texts = [text for text in texts if text.half == half]
    tags = sorted({text.kind for text in texts})
    found = [*real(texts, most, rng)]
    for length in LENGTHS:
        for text, part in drawn(texts, length, most, rng):
            chance = rng.random()
            lang = (
                text.kind
                if chance < DECLARED
                else rng.choice(tags)
                if chance < DECLARED + MISDECLARED
                else ""
            )
            found.append(
                Page(half, text.package, f"{length} letters", text.kind, "utf-8", made(part, lang).encode())
            )
    for text, part in drawn(texts, 1000, most // 2, rng):
        body = made(part, frame=True).encode()
        found.append(Page(half, text.package, "1000 in an English frame", text.kind, "utf-8", body))
    return [*found, *legacy(texts, half, rng)]


def drawn(texts: list[Text], length: int, most: int, rng: random.Random) -> Iterator[tuple[Text, list[str]]]:
    """Of every class up to ``most`` stretches of a length, in turn from its packages."""
    by_kind: dict[str, list[Iterator[tuple[Text, list[str]]]]] = defaultdict(list)
    for text in texts:
        lines = list(text.lines)
        rng.shuffle(lines)
        by_kind[text.kind].append(zip(repeat(text), stretches(lines, length), strict=False))
    for sources in by_kind.values():
        rng.shuffle(sources)
        left = most
        while sources and left:
            source = sources.pop(0)
            pair = next(source, None)
            if pair:
                yield pair
                left -= 1
                sources.append(source)


def real(texts: list[Text], most: int, rng: random.Random) -> Iterator[Page]:
    """Pages as they came."""
    by_kind: dict[str, list[Page]] = defaultdict(list)
    for text in texts:
        for body in text.pages:
            by_kind[text.kind].append(Page(text.half, text.package, "as they are", text.kind, "utf-8", body))
    for own in by_kind.values():
        rng.shuffle(own)
        yield from own[:most]


def legacy(texts: list[Text], half: str, rng: random.Random) -> Iterator[Page]:
    """The same text in every encoding that fits its language, three times: undeclared, declared, misdeclared."""
    by_kind: dict[str, list[str]] = defaultdict(list)
    for name, kinds in (*encoding_model.FITS.items(), *MORE.items()):
        for kind in kinds.split():
            by_kind[kind].append(name)
    for text, part in drawn([t for t in texts if t.kind in by_kind], 1000, LEGACY_MOST, rng):
        plain = [line.translate(PLAIN) for line in part]
        for name in by_kind[text.kind]:
            for section, said in (
                ("undeclared", ""), ("declared", name), ("misdeclared", rng.choice([f for f in FALSE if f != name])),
            ):  # fmt: skip
                meta = f'<meta http-equiv="Content-Type" content="text/html; charset={said}">' if said else ""
                body = written(made(plain, meta=meta), name)
                if body:
                    yield Page(half, text.package, section, text.kind, name, body)


def written(text: str, name: str) -> bytes | None:
    """The text in an encoding, or nothing if that cannot express it or is no different from ASCII."""
    if name in ("windows-1250", "iso-8859-2", "ibm852"):
        text = text.translate(str.maketrans("șțȘȚ", "şţŞŢ"))
    try:
        if name in labels.DECODERS or labels.chart(name) or name == "windows-1258":
            body = encoding_model.written(text, name)
            if labels.decode(body, name) != text and name != "windows-1258":
                return None
        else:
            body = text.encode(labels.codec(name))
    except (UnicodeError, LookupError):
        return None
    return body if not body.isascii() or name in MORE else None
