"""Trains the sets of byte trigrams of method ``chew2011`` from the Declaration (corpus A) and the Bible (corpus B).

    python recipes/trigram_sets.py [-o src/linksight/data/trigrams.model]

Corpus A is the Declaration as NLTK has it, in its legacy encodings as they are, and in Unicode. A legacy file
is named by language, not by code: the code is that of the Unicode text whose words it shares most.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
from linksight.errors import BadLanguage
from linksight.languages import registry
from linksight.pages.charset import labels
from linksight.pages.chew2011 import TrigramSets
from linksight.pages.langid.scripts import script_of_text

DATA = Path(os.environ.get("LINKSIGHT_DATA", "../shared/data"))
MOST = 55_059  # bytes: the longest training file of the paper
BIBLE = 18_959  # bytes: the mean of the paper's Biblical texts; a set grows with its text, and with it all R-values

# The part of a file's name behind the last hyphen -> encoding.
ENCODINGS = {
    "Latin1": "windows-1252", "Latin2": "iso-8859-2", "UTF8": "utf-8", "Cyrillic": "windows-1251", "Greek": "iso-8859-7",
    "Hebrew": "iso-8859-8", "Arabic": "windows-1256", "Turkish": "iso-8859-9", "Baltic": "windows-1257", "SJIS": "shift_jis",
    "EUC": "euc-jp", "JIS": "iso-2022-jp", "HZ": "hz", "GB2312": "gb2312", "TCVN": "tcvn", "T61": "t.61", "Unicode": "utf-16le",
    "VPS": "x-viet-vps", "VIQR": "viqr",
}  # fmt: skip
FONTS = {
    "Amharic": ("am", "Ethi"), "Armenian": ("hy", "Armn"), "Azeri_Azerbaijani_Cyrillic": ("az", "Cyrl"),
    "Azeri_Azerbaijani_Latin": ("az", "Latn"), "Bhojpuri": ("bho", "Deva"), "Magahi": ("mag", "Deva"),
    "Burmese_Myanmar": ("my", "Mymr"), "Tigrinya_Tigrigna": ("ti", "Ethi"), "Navaho_Dine-Navajo": ("nv", "Latn"),
    "Abkhaz": ("ab", "Cyrl"),
}  # fmt: skip
# What goes to corpus B in a legacy encoding too, as the paper's own texts did.
LEGACY = {
    "Latn": "windows-1252",
    "Cyrl": "windows-1251",
    "Grek": "iso-8859-7",
    "Hebr": "windows-1255",
    "Arab": "windows-1256",
}


def code_of(word: str) -> str | None:
    try:
        return registry.find(word)
    except BadLanguage:
        return None


def in_unicode() -> Iterator[tuple[str, str]]:
    with zipfile.ZipFile(DATA / "texts/udhr2.zip") as archive:
        for name in archive.namelist():
            code = code_of(Path(name).stem.split("_")[0])
            text = (
                archive.read(name).decode("utf-8", "replace").lstrip("\ufeff")
                if name.endswith(".txt")
                else ""
            )
            if code and text.strip():
                yield code, text


def named(name: str, text: str, known: list[tuple[str, set[str]]]) -> str | None:
    """The code of a legacy file: by its words, or by its name where it shares none."""
    words = set(re.findall(r"\w{2,}", text.lower()))
    share, code = max((len(words & other) / (len(words) or 1), code) for code, other in known)
    if share > 0.4:
        return code
    for part in re.split(r"[_-]", name):
        if found := code_of(part):
            return found
    return None


def legacy(known: list[tuple[str, set[str]]]) -> Iterator[tuple[str, str, str, str, bytes]]:
    with zipfile.ZipFile(DATA / "texts/udhr.zip") as archive:
        for name in sorted(archive.namelist()):
            base = name.removeprefix("udhr/")
            stem, _, end = base.rpartition("-")
            body = archive.read(name)
            if not stem or end.endswith(("~", "err")) or len(body) < 1000:
                continue
            encoding = ENCODINGS.get(end)
            if encoding is None:
                font = next((FONTS[key] for key in FONTS if base.startswith(key)), None)
                if font:
                    yield (*font, f"x-font-{end.lower()}", "A", body)
                else:
                    print(f"passed over: {base}")
                continue
            try:
                text = labels.decode(body, labels.find(encoding) or "windows-1252")
            except LookupError:
                text = ""
            code = named(stem, text, known)
            if code:
                yield code, script_of_text(text), encoding, "A", body
            else:
                print(f"no code for {base}")


def texts() -> Iterator[tuple[str, str, str, str, bytes]]:
    unicode = list(in_unicode())
    known = [(code, set(re.findall(r"\w{2,}", text.lower()))) for code, text in unicode]
    yield from legacy(known)
    for code, text in unicode:
        yield code, script_of_text(text), "utf-8", "A", text.encode()
    for row in pq.read_table(DATA / "texts/bible.parquet").to_pylist():
        code = code_of(row["language"])
        if not code:
            continue
        text, script = row["text"], script_of_text(row["text"][:5000])
        yield code, script, "utf-8", "B", text.encode()[:BIBLE]
        body = text.encode(LEGACY.get(script, "ascii"), "replace")[:BIBLE]
        if not text[:5000].isascii() and body.count(b"?") < len(body) / 50:
            yield code, script, LEGACY[script], "B", body


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "-o", "--out", type=Path, default=Path(__file__).parents[1] / "src/linksight/data/trigrams.model"
    )
    out = parser.parse_args().out
    cleaned = [(*head, re.sub(rb"[\s\d]+", b" ", body[:MOST])) for *head, body in texts()]
    sets = TrigramSets.train(cleaned)
    sets.save(out, texts="Universal Declaration (NLTK udhr, udhr2), openly licensed Bible texts (eBible)")
    codes = {model[0] for model in sets.models}
    print(
        f"{len(sets.models)} models of {len(codes)} languages, {len(sets.members):,} members, {out.stat().st_size / 1e6:.2f} MB"
    )


if __name__ == "__main__":
    main()
