"""Trains the model of legacy encodings: how often one byte follows another, for each encoding and language.

    python recipes/encoding_model.py --cache ~/.cache/linksight-texts [-o src/linksight/data/encodings.model]

The texts that ``page_texts.py`` gathered are written in every legacy encoding that fits their language.
"""

from __future__ import annotations

import argparse
import random
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
from linksight.pages.charset import labels, visual_hebrew
from linksight.pages.charset.codecs import euc_tw, t61
from linksight.pages.charset.detector import FORMAT, folded
from linksight.pages.langid import array_file
from linksight.system.atomic_write import write_whole

WESTERN = "en fr de es it pt nl sv da nb nn fi is ca gl eu af id sq oc fo lb br ga et"
CENTRAL = "cs sk pl hu sl hr ro sr-Latn sq de"
CYRILLIC = "ru uk bg be sr mk"
FITS = {
    "windows-1252": WESTERN, "iso-8859-15": "fr fi et es de it nl pt da", "macintosh": "fr de es it en sv da pt", "ibm850": "fr de es it sv da pt",
    "ibm437": "fr de es it en", "windows-1250": CENTRAL, "iso-8859-2": CENTRAL, "ibm852": "cs sk pl hu sl hr ro", "mac-latin2": "cs sk pl hu sl hr",
    "iso-8859-16": "ro hu pl hr sl fr", "windows-1257": "lt lv et", "iso-8859-13": "lt lv et pl", "iso-8859-4": "lt lv et se", "iso-8859-10": "is lt se",
    "ibm775": "lt lv et", "windows-1254": "tr az", "iso-8859-3": "eo mt tr", "ibm857": "tr", "mac-turkish": "tr", "iso-8859-14": "cy ga gd",
    "windows-1251": CYRILLIC + " kk ky tt tg mn", "koi8-r": "ru bg", "koi8-u": "uk be", "iso-8859-5": CYRILLIC, "ibm866": "ru bg uk be", "ibm855": CYRILLIC,
    "mac-cyrillic": CYRILLIC, "koi8-t": "tg", "ptcp154": "kk", "kz1048": "kk", "windows-1253": "el", "iso-8859-7": "el", "cp737": "el", "ibm869": "el",
    "mac-greek": "el", "windows-1255": "he yi", "iso-8859-8": "he he-visual", "ibm862": "he he-visual", "windows-1256": "ar fa ur", "iso-8859-6": "ar", "cp874": "th",
    "windows-1258": "vi", "viscii": "vi", "tcvn": "vi", "vps": "vi", "t.61": "eo", "armscii-8": "hy", "geostd8": "ka", "shift_jis": "ja", "euc-jp": "ja", "gb18030": "zh-Hans zh-Hant",
    "big5": "zh-Hant", "euc-tw": "zh-Hant", "euc-kr": "ko", "johab": "ko",
}  # fmt: skip
MOST = 250_000


def texts(cache: Path) -> dict[str, str]:
    """class -> a shuffled text of all its sources."""
    lines: dict[str, list[str]] = defaultdict(list)
    for row in pq.read_table(cache / "texts.parquet").to_pylist():
        lines[row["class"]] += row["text"][:MOST].splitlines()
    mixed = {}
    for kind, all_lines in lines.items():
        random.Random(0).shuffle(all_lines)
        mixed[kind] = "\n".join(all_lines)[: 3 * MOST]
    mixed["he-visual"] = visual_hebrew.reverse_words(mixed["he"])
    return mixed


def encoder(name: str) -> dict[str, bytes] | None:
    """Character to bytes where Python has no codec."""
    if name == "euc-tw":
        planes = euc_tw._planes()
        return {
            character: (b"" if plane == 0 else bytes([0x8E, 0xA1 + plane]))
            + bytes([0xA1 + place // 94, 0xA1 + place % 94])
            for plane in (1, 0)
            for place, character in enumerate(planes[plane])
            if character != euc_tw.NONE
        }
    if chart := labels.chart(name):
        return {
            character: bytes([place])
            for place, character in enumerate(chart)
            if character != "\ufffd" and place >= 32
        }
    return None


def written(text: str, name: str) -> bytes:
    if name == "t.61":
        return t61.encode(text)
    own = encoder(name)
    if own is not None:
        return b"".join(own.get(c, c.encode() if c < "\x80" else b" ") for c in text)
    codec = {"gb18030": "gbk", "big5": "big5"}.get(name, labels.codec(name))
    if name == "windows-1258":  # tones are characters of their own there
        return b"".join(vietnamese(c) for c in text)
    if name in ("windows-1250", "iso-8859-2", "ibm852"):  # the cedilla stands for the comma there
        text = text.translate(str.maketrans("șțȘȚ", "şţŞŢ"))
    return text.encode(codec, "replace")


def vietnamese(character: str) -> bytes:
    try:
        return character.encode("cp1258")
    except UnicodeEncodeError:
        parts = unicodedata.normalize("NFD", character)
        if len(parts) == 3:  # vowel and tone, the vowel's own mark composed with it
            marks = sorted(parts[1:], key=lambda mark: mark in "\u0300\u0301\u0303\u0309\u0323")
            parts = unicodedata.normalize("NFC", parts[0] + marks[0]) + marks[1]
        return parts.encode("cp1258", "ignore")


def models(cache: Path) -> Iterator[tuple[str, str, np.ndarray]]:
    known = texts(cache)
    for name, kinds in FITS.items():
        for kind in kinds.split():
            body = folded(written(known[kind], name))
            byte = np.frombuffer(body, np.uint8).astype(np.int64)
            pair = byte[:-1] * 256 + byte[1:]
            high = (byte[:-1] > 127) | (byte[1:] > 127)
            counts = np.bincount(pair[high], minlength=65536)
            counts = counts * 200_000 / max(1, counts.sum())
            yield name, kind, np.minimum(255, np.round(8 * np.log2(1 + counts))).astype(np.uint8)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, default=Path("~/.cache/linksight-texts").expanduser())
    parser.add_argument(
        "-o", "--out", type=Path, default=Path(__file__).parents[1] / "src/linksight/data/encodings.model"
    )
    options = parser.parse_args()
    names, rows = [], []
    for name, kind, row in models(options.cache):
        names.append([name, kind])
        rows.append(row)
    data = array_file.pack(FORMAT, {"models": names}, {"counts": np.concatenate(rows)})
    write_whole(options.out, data)
    print(f"{len(names)} models of {len({n for n, _ in names})} encodings, {len(data) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
