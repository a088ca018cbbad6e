"""How often addresses have percent codes other than UTF-8, and how often they are read right.

    LINKSIGHT_DATA=... python benchmarks/url_percents.py [--half 0|1]

Three tables. How many addresses of train and dev are coded twice or in an older encoding, in which, and how
many of them get the right language when only UTF-8 is read, and now. Then the rule on codes whose encoding is
known: paths and queries of train with letters beyond ASCII, written in each encoding of their language
(the rule was chosen on half 0 of the domains; half 1 is shown). Last the same codes behind a host that says
nothing, www.example.com: the share of right languages when the codes stay, and when they are read.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pyarrow.parquet as pq

import linksight
from linksight.errors import BadUrl
from linksight.urls.parser import Url, texts_of
from linksight.urls.percent_decoding import decode_percent, decode_utf8

DATA = Path(os.environ.get("LINKSIGHT_DATA", "../shared/data"))
ENCODINGS = {
    **dict.fromkeys(("ru", "bg", "uk"), ("cp1251", "koi8-r")),
    **dict.fromkeys(("de", "es", "fr", "it", "no", "pt", "fi", "da", "sv", "nl"), ("cp1252",)),
    **dict.fromkeys(("pl", "cs", "hu"), ("cp1250", "iso8859-2")),
    "tr": ("cp1254",), "el": ("cp1253",), "he": ("cp1255",), "ar": ("cp1256",), "fa": ("cp1256",), "th": ("cp874",),
    "zh": ("gbk", "big5"), "ja": ("euc_jp", "shift_jis"), "ko": ("euc_kr",),
}  # fmt: skip


def rows(name: str) -> Iterator[tuple[str, str, str]]:
    """URL, language and domain."""
    table = pq.read_table(DATA / f"urls/{name}.parquet", columns=["url", "language", "domain"])
    yield from zip(*(table[column].cast("string").to_pylist() for column in table.column_names), strict=True)


def answer(url: str) -> str:
    """The likeliest language, however doubtful, by the plain specification."""
    return linksight.load().detect(url).candidates[0][0]


def texts_before(urls: list[str]) -> list[str]:
    """Their texts with nothing but UTF-8 read."""
    with mock.patch("linksight.urls.parser.decode_percent", decode_utf8):
        return [text or "" for text, _ in texts_of(urls)]


def show_real(name: str) -> None:
    """Addresses that are read otherwise now, or are no UTF-8 and stay as they are."""
    listed = [row for row in rows(name) if "%" in row[0]]
    urls = [url for url, _, _ in listed]
    before, after = texts_before(urls), [text or "" for text, _ in texts_of(urls)]
    stays = sum(
        old == new and bool(re.search("%[89a-f][0-9a-f]", new))
        for old, new in zip(before, after, strict=True)
    )
    changed = [i for i in range(len(urls)) if before[i] != after[i]]
    right: Counter[str] = Counter()
    with mock.patch("linksight.urls.parser.decode_percent", decode_utf8):
        old = [answer(urls[i]) for i in changed]
    for i, said in zip(changed, old, strict=True):
        kind = "twice" if re.search("%25[89A-Fa-f]", urls[i]) else "older"
        right[kind, "rows"] += 1
        right[kind, "before"] += said == listed[i][1]
        right[kind, "now"] += answer(urls[i]) == listed[i][1]
    print(f"{name}: {len(urls)} with codes, {stays} with codes that stay; read otherwise now:")
    for kind in ("twice", "older"):
        print(f"  {kind}: {right[kind, 'rows']} rows, right {right[kind, 'before']} -> {right[kind, 'now']}")


def coded(part: str, encoding: str) -> str:
    """A path or query as a browser of old would have sent it."""
    return "".join(
        char.replace(" ", "+") if char.isascii()
        else "".join(chr(b) if chr(b).isalnum() and b < 128 else f"%{b:02X}" for b in char.encode(encoding))
        for char in part
    )  # fmt: skip


def parts(half: int) -> Iterator[tuple[str, str]]:
    """Paths and queries with letters beyond ASCII, and their language."""
    for raw, language, domain in rows("train"):
        if ("%" not in raw and raw.isascii()) or int(
            hashlib.md5(domain.encode()).hexdigest(), 16
        ) % 2 != half:
            continue
        try:
            url = Url.parse(raw)
        except BadUrl:
            continue
        for mark, part in (("", url.path), ("/?", url.query)):
            if "%" not in part and any(char.isalpha() and char > "\x7f" for char in part):
                yield mark + part, language


def show_rule(half: int) -> None:
    """How often codes of a known encoding are read right, left alone, or read wrong."""
    found: dict[tuple[str, str], list[tuple[str, str, str]]] = defaultdict(list)
    for part, language in parts(half):
        for encoding in ENCODINGS.get(language, ()):
            try:
                sent = coded(part, encoding)
            except UnicodeEncodeError:
                continue
            mark, rest = ("/?", sent[2:]) if sent.startswith("/?") else ("", sent)
            read, wanted = decode_percent(rest), part[len(mark) :].replace(" ", "+")
            verdict = "right" if read == wanted else "left" if read == decode_utf8(rest) else "wrong"
            found[encoding, language].append((verdict, sent, mark + read))
    print("encoding language rows right left wrong | right language with codes, read (those right or wrong)")
    for (encoding, language), items in sorted(found.items()):
        share = Counter(verdict for verdict, _, _ in items)
        touched = [item for item in items if item[0] != "left"]
        figures = "-"
        if touched:
            addresses = [f"http://www.example.com{sent}" for _, sent, _ in touched]
            with mock.patch("linksight.urls.parser.decode_percent", decode_utf8):
                before = sum(answer(url) == language for url in addresses)
            now = sum(answer(url) == language for url in addresses)
            figures = f"{before} -> {now} of {len(touched)}"
        counts = " ".join(f"{share[verdict] / len(items):.3f}" for verdict in ("right", "left", "wrong"))
        print(f"{encoding:10} {language} {len(items):5} {counts} | {figures}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--half", type=int, default=1, help="which half of the domains")
    asked = parser.parse_args()
    for name in ("train", "dev"):
        show_real(name)
    show_rule(asked.half)


if __name__ == "__main__":
    main()
