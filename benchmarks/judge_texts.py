"""Accuracy on test sets that nobody here wrote: short text, legacy encodings, Western signs and English pages.

    LINKSIGHT_DATA=... python benchmarks/judge_texts.py [--folder FOLDER] [--part lingua,legacy,signs,mixed,decode,pages]
        [--held-out] [--files FOLDER] [--prescan FOLDER] [--details]

The folder holds ``lingua.parquet`` (language, kind, text) and ``wcxb.parquet`` (url, body); by default the
halves in ``LINKSIGHT_DATA/judges``. An undetermined answer counts as wrong; ``nearest`` counts the first
candidate of every answer.

The bundled model learnt short text from nine tenths of the given half of lingua's lines. ``--held-out`` judges on
the last tenth: lines whose CRC-32 is divisible by ten. Another file's lines are all unknown to it.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
from linksight.pages import identify
from linksight.pages.charset import labels
from linksight.pages.charset.detector import WESTERN
from linksight.pages.html import declarations
from linksight.results import UND, ZXX

SIGNS = "°º²£×®\xa0"
#: Legacy encodings that pages in each language were published in.
LEGACY = {
    "windows-1252": "af ca da de en es eu fi fr ga id is it la ms nb nl nn pt sv sw",
    "windows-1250": "bs cs hr hu pl ro sk sl sq",
    "iso-8859-2": "bs cs hr hu pl sk sl",
    "windows-1251": "be bg mk ru uk",
    "koi8-r": "ru", "koi8-u": "uk", "iso-8859-5": "bg mk ru", "ibm866": "ru", "mac-cyrillic": "ru",
    "windows-1253": "el", "iso-8859-7": "el", "windows-1254": "tr", "windows-1255": "he",
    "windows-1256": "ar fa", "windows-1257": "et lt lv", "windows-1258": "vi", "cp874": "th",
    "shift_jis": "ja", "euc-jp": "ja", "iso-2022-jp": "ja", "gb18030": "zh", "big5": "zh", "euc-kr": "ko",
}  # fmt: skip
NORWEGIAN = {"nb": "no", "nn": "no"}
HELD_OUT = 10  #: lines with a CRC-32 that this divides were not learnt from
Rows = list[dict[str, str]]


def code_of(language: str) -> str:
    return NORWEGIAN.get(language, language)


def calibration_error(answers: list[tuple[float, bool]], bins: int = 15) -> float:
    """Expected calibration error: the mean gap of confidence and accuracy over bins of equal width."""
    found: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for confidence, right in answers:
        found[min(bins - 1, int(confidence * bins))].append((confidence, right))
    gaps = (abs(sum(c - right for c, right in own)) for own in found.values())
    return sum(gaps) / max(1, len(answers))


def lines_of(folder: Path, held_out: bool) -> Rows:
    """The lines of lingua's test data."""
    rows = pq.read_table(folder / "lingua.parquet").to_pylist()
    return [row for row in rows if not held_out or zlib.crc32(row["text"].encode()) % HELD_OUT == 0]


def lingua(rows: Rows, languages: bool, limit: int) -> None:
    """Sentences, word pairs and single words."""
    print(
        "| lingua | right | nearest | calibration error | at .99 and more: share, right |\n|---|---|---|---|---|"
    )
    for kind in ("sentences", "word-pairs", "single-words"):
        own = [row for n, row in enumerate(r for r in rows if r["kind"] == kind) if n % limit == 0]
        right: dict[str, list[bool]] = defaultdict(list)
        wrong: dict[str, Counter[str]] = defaultdict(Counter)
        nearest, sure = [], []
        for row in own:
            code, page = code_of(row["language"]), identify(row["text"].encode())
            first = page.candidates[0][0] if page.candidates else page.language
            right[code].append(page.language == code)
            nearest.append(first == code)
            if page.language not in (UND, ZXX):
                sure.append((page.confidence, page.language == code))
            if page.language != code:
                wrong[code][page.language if page.language == UND else first] += 1
        every = [hit for hits in right.values() for hit in hits]
        top = [hit for confidence, hit in sure if confidence >= 0.99]
        figures = (sum(every) / len(every), sum(nearest) / len(nearest), calibration_error(sure))
        print(f"| {kind} | {figures[0]:.4f} | {figures[1]:.4f} | {figures[2]:.4f} |"
              f" {len(top) / len(every):.3f}, {sum(top) / max(1, len(top)):.4f} |", flush=True)  # fmt: skip
        if languages:
            shares = {code: sum(hits) / len(hits) for code, hits in right.items()}
            for code in sorted(shares, key=shares.__getitem__)[:30]:
                print(f"   {code} {shares[code]:.3f} {dict(wrong[code].most_common(4))}")


def sentences_of(rows: Rows) -> dict[str, list[str]]:
    """The sentences of each language."""
    texts: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row["kind"] == "sentences":
            texts[row["language"]].append(row["text"])
    return texts


def legacy_texts(rows: Rows, size: int, limit: int) -> Iterator[tuple[str, str, bytes]]:
    """(encoding, language, bytes) of sentences, ``size`` at a time, that an encoding can write and ASCII cannot."""
    texts = sentences_of(rows)
    for encoding, languages in LEGACY.items():
        for language in languages.split():
            found = 0
            for start in range(0, len(texts[language]), size):
                lines = texts[language][start : start + size]
                text = "\n".join(lines)
                try:
                    data = text.encode(encoding)
                except UnicodeEncodeError:
                    continue
                if not text.isascii():
                    found += 1
                    if found % limit == 0:
                        yield encoding, language, data


def decodes_alike(data: bytes, encoding: str, other: str) -> bool:
    if {encoding, other} <= {"gb2312", "gbk", "gb18030"}:  # supersets of one another
        return True
    try:
        return encoding == other or data.decode(encoding, "replace") == data.decode(other, "replace")
    except LookupError:
        return False


def legacy(rows: Rows, details: bool, limit: int) -> None:
    """Sentences in legacy encodings: is the encoding right, and the language."""
    print("| legacy encodings | encoding | language |\n|---|---|---|")
    for size in (1, 5):
        hits, wrong = [], Counter()
        for encoding, language, data in legacy_texts(rows, size, limit if size == 1 else 1):
            page = identify(data)
            right = decodes_alike(data, encoding, page.encoding), page.language == code_of(language)
            hits.append(right)
            if not all(right):
                wrong[encoding, language, page.encoding if not right[0] else "", page.language] += 1
        encodings, languages = (sum(side) / len(hits) for side in zip(*hits, strict=True))
        print(f"| {size} sentence(s), {len(hits)} | {encodings:.4f} | {languages:.4f} |", flush=True)
        if details:
            for key, count in wrong.most_common(40):
                print("  ", *key, count)


def signs(rows: Rows, details: bool, limit: int) -> None:
    """Undeclared Western text in ASCII, but for one kind of sign."""
    western = set(LEGACY["windows-1252"].split())
    lines = [
        r["text"]
        for r in rows
        if r["kind"] == "sentences" and r["language"] in western and r["text"].isascii()
    ]
    hits, wrong = [], Counter()
    for number, line in enumerate(lines):
        if number % limit:
            continue
        sign = SIGNS[number % len(SIGNS)]
        words = line.split()
        place = len(words) // 2
        glue = {"\xa0": "\xa0", "£": " £20 ", "×": " 3 × 4 ", "®": "® "}.get(sign, f" 20{sign} ")
        data = (" ".join(words[:place]) + glue + " ".join(words[place:])).encode("cp1252")
        page = identify(data)
        hits.append(decodes_alike(data, "windows-1252", page.encoding))
        if not hits[-1]:
            wrong[repr(sign), page.encoding] += 1
    print(
        f"signs alone in {len(hits)} Western sentences: encoding right {sum(hits) / len(hits):.4f}",
        flush=True,
    )
    if details:
        for key, count in wrong.most_common(30):
            print("  ", *key, count)


def mixed(rows: Rows, details: bool, limit: int) -> None:
    """Pages of twenty paragraphs with one more in another language: at the top, in the middle, at the end."""
    texts, rng = sentences_of(rows), random.Random(0)
    counts: dict[tuple[str, str], list[bool]] = defaultdict(list)

    def paragraphs(language: str, n: int) -> list[str]:
        return [" ".join(rng.choices(texts[language], k=2)) for _ in range(n)]

    for language in sorted(set(texts) - {"en"})[::limit]:
        for name, main, other in (("English", "en", language), ("another language", language, "en")):
            blocks = paragraphs(main, 20)
            for where, place in (("top", 0), ("middle", 10), ("end", 20)):
                page = [*blocks[:place], *paragraphs(other, 1), *blocks[place:]]
                found = identify(("<title>1</title>" + "".join(f"<p>{text}</p>" for text in page)).encode())
                counts[name, where].append(found.language == code_of(main))
                if details and not counts[name, where][-1]:
                    print("  ", main, other, where, found.candidates[:2])
    for (name, where), hits in counts.items():
        print(
            f"twenty paragraphs in {name}, one in another at the {where}: right {sum(hits)} of {len(hits)}",
            flush=True,
        )


def files(folder: Path, details: bool, _: int) -> None:
    """Charset test files in folders named by encoding, such as the tests of chardet."""
    wrong: Counter[str] = Counter()
    total = raised = 0
    for path in sorted(path for path in folder.glob("*/*") if path.is_file()):
        name = labels.find(path.parent.name) or next(
            (
                found
                for end in range(len(path.parent.name), 0, -1)
                if (found := labels.find(path.parent.name[:end].rstrip("-_")))
            ),
            None,
        )
        if name is None:
            continue
        data = path.read_bytes()
        found, total = identify(data).encoding, total + 1
        if not decodes_alike(data, name, found):
            wrong[f"{path.parent.name}/{path.name}: {found}"] += 1
        try:
            data.decode(found)
        except UnicodeError:
            raised += 1
    print(f"{total} charset files: {total - wrong.total()} right; decode raises for {raised}")
    print(*(wrong if details else ()), sep="\n   ")


def prescan(folder: Path, details: bool) -> None:
    """html5lib's tests of encoding declarations; one of them needs a program to run."""
    hits = []
    for path in sorted(folder.glob("*.dat")):
        for part in path.read_bytes().split(b"#data\n")[1:]:
            data, _, expected = part.partition(b"\n#encoding\n")
            found = [*declarations.encodings_of(declarations.scan(data)), WESTERN][0]
            hits.append(found == labels.find(expected.split(b"\n")[0].decode()))
            if details and not hits[-1]:
                print("  ", expected.strip(), found, data[:200])
    print(f"encoding declarations of html5lib-tests: {sum(hits)} of {len(hits)} right", flush=True)


def pages(folder: Path, details: bool, _: int) -> None:
    """English pages that are called another language."""
    rows = pq.read_table(folder / "wcxb.parquet").to_pylist()
    found: Counter[str] = Counter()
    sure = []
    for row in rows:
        page = identify(row["body"])
        found[page.language] += 1
        if page.confidence >= 0.99 and page.language not in (UND, ZXX):
            sure.append(page.language == "en")
        if page.language != "en" and details:
            print(
                "  ",
                page.language,
                page.candidates[:2],
                page.encoding,
                page.reason,
                row["name"],
                row["url"][:100],
            )
    others = sum(count for code, count in found.items() if code not in ("en", UND, ZXX))
    print(f"{len(rows)} pages, nearly all English: {others} called another language, {found[UND]} und, {found[ZXX]} zxx;"
          f" at .99 and more {len(sure)}, of them English {sum(sure) / max(1, len(sure)):.4f}", flush=True)  # fmt: skip


def decode(rows: Rows, *_: Any) -> None:
    """Answers whose encoding cannot decode the body."""
    data = Path(os.environ.get("LINKSIGHT_DATA", "../shared/data"))
    bodies = [row["body"] for row in pq.read_table(data / "pages/dev.parquet", columns=["body"]).to_pylist()]
    bodies += [body for _, _, body in legacy_texts(rows, 5, 5)]
    raised: Counter[str] = Counter()
    for body in bodies:
        page = identify(body)
        try:
            body.decode(page.encoding, "replace")
        except (LookupError, UnicodeError):
            raised[page.encoding] += 1
    print(f"decode raises for {raised.total()} of {len(bodies)} pages {dict(raised)}", flush=True)


PARTS = {"lingua": lingua, "legacy": legacy, "signs": signs, "mixed": mixed, "decode": decode}


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--folder", type=Path, default=Path(os.environ.get("LINKSIGHT_DATA", "../shared/data")) / "judges"
    )
    parser.add_argument("--part", default=",".join([*PARTS, "pages"]), help="parts, joined by commas")
    parser.add_argument(
        "--files", type=Path, help="folder of charset test files, in folders named by encoding"
    )
    parser.add_argument("--prescan", type=Path, help="folder of html5lib's encoding tests")
    parser.add_argument("--held-out", action="store_true", help="lines that the model did not learn from")
    parser.add_argument(
        "--details", action="store_true", help="list languages, encodings and pages that are wrong"
    )
    parser.add_argument("--every", type=int, default=1, help="judge every n-th text")
    options = parser.parse_args(list(arguments) if arguments is not None else None)
    rows = lines_of(options.folder, options.held_out)
    for part in options.part.split(","):
        if part == "pages":
            pages(options.folder, options.details, options.every)
        else:
            PARTS[part](rows, options.details, options.every)
    if options.files:
        files(options.files, options.details, options.every)
    if options.prescan:
        prescan(options.prescan, options.details)


if __name__ == "__main__":
    main()
