"""Trains the URL model on the processor: one loss, one table.

    python recipes/url_model/train.py WORK [--fold K] [--out OUT]

Reads rows.xz, rows.npz, resources.json.xz and old.npz of WORK. Needs numba. Rows are drawn by weight; each step moves the
embeddings of a row's features by Adagrad with one step size a feature, from both cores at once without locks (Hogwild).
"""

from __future__ import annotations

import argparse
import json
import lzma
import multiprocessing
import os
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

import numba
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))
sys.path.insert(0, str(Path(__file__).parent))
from extract import SITE, hashed
from figures import FOLDS, GENERIC
from made_up import Writer, read

START = time.time()
LONG, NAME = 40, 40  # features from which a path is long, and of a host that counts by the root of its number
CHUNK = 128  # rows between two updates of the output matrix


def report(*words: object) -> None:
    print(f"[{time.time() - START:6.1f}]", *words, flush=True)


@dataclass(frozen=True)
class Settings:
    dim: int = 128
    samples: float = 9e6  # rows of pages and home pages; curated lists come on top
    rate: float = 0.25
    gram_dropout: float = 0.75
    hint_dropout: float = 0.12
    site_dropout: float = 0.6
    group_dropout: float = 0.1
    hint_scale: float = 0.6
    power: float = 0.35  # languages weigh (share of the web) ** power
    trust: tuple[float, ...] = (20.0, 1.0, 0.5, 0.1)
    hosts: float = 0.3  # share of home pages among labelled rows
    made_up: tuple[float, float] = (
        0.35,
        0.5,
    )  # share of made-up rows, least and what rare languages have on top
    kinds: dict = field(
        default_factory=lambda: {
            "own": 1.0,
            "word": 1.0,
            "home": 0.8,
            "code": 2.0,
            "blank": 1.0,
            "false": 1.2,
        }
    )
    lists: float = 1.0  # rows of curated lists for each other row
    lists_taught: float = 0.6
    taught: float = 0.0  # weight of the teacher beside the label, where there is a teacher
    not_dutch: float = 0.1  # listings that are not Dutch for each other row
    balance: tuple[float, float, float] = (0.3, 0.15, 0.2)
    smoothing: float = 0.02


@numba.njit
def numbered(hashes):
    """The distinct hashes in the order in which they are met, and the number of each hash."""
    mask = (1 << 28) - 1
    slots = np.full(mask + 1, -1, np.int32)
    keys, ids = np.empty(1 << 24, np.int64), np.empty(len(hashes), np.int32)
    n = 0
    for i in range(len(hashes)):
        h = hashes[i]
        at = (h ^ (h >> 29)) & mask
        while slots[at] >= 0 and keys[slots[at]] != h:
            at = (at + 1) & mask
        if slots[at] < 0:
            if n == len(keys):
                more = np.empty(2 * n, np.int64)
                more[:n] = keys
                keys = more
            keys[n], slots[at] = h, n
            n += 1
        ids[i] = slots[at]
    return keys[:n].copy(), ids


@numba.njit
def counted(ids, size, weights, offsets):
    """How often each feature stands in rows of these weights."""
    found = np.zeros(size)
    for row in range(len(weights)):
        if weights[row] > 0:
            for i in range(offsets[row], offsets[row + 1]):
                found[ids[i]] += weights[row]
    return found


@numba.njit
def chosen(ids, groups, offsets, place):
    """The features that have a new place, by row."""
    n = 0
    for i in range(len(ids)):
        n += ids[i] >= 0 and place[ids[i]] >= 0
    new_ids, new_groups, new_offsets = (
        np.empty(n, np.int32),
        np.empty(n, groups.dtype),
        np.zeros_like(offsets),
    )
    n = 0
    for row in range(len(offsets) - 1):
        for i in range(offsets[row], offsets[row + 1]):
            if ids[i] >= 0 and place[ids[i]] >= 0:
                new_ids[n], new_groups[n] = place[ids[i]], groups[i]
                n += 1
        new_offsets[row + 1] = n
    return new_ids, new_groups, new_offsets


@numba.njit(fastmath=True, nogil=True, inline="always")
def _weigh(ids, groups, a, b, training, s, weights):
    """Weights of a row's features: the factor of each group, and dropout."""
    counts = np.zeros(3, np.float32)
    for i in range(a, b):
        g = groups[i]
        counts[0 if g == SITE else g] += 1
    host, path = max(counts[1], 1.0), max(counts[2], 1.0)
    length = max(path / LONG, 1.0)
    factors = np.empty(3, np.float32)
    factors[0] = s[4]
    factors[1] = host**-0.5 * length ** -s[5]
    if counts[2] == 0:
        factors[1] *= (host / NAME) ** s[7]
    factors[2] = path**-0.5 * length ** s[6]
    if training:
        for g in range(3):
            if np.random.random() < s[3]:
                factors[g] = 0
    for i in range(a, b):
        g = groups[i]
        w = factors[0 if g == SITE else g]
        if training and w > 0:
            drop = s[2] if g == SITE else (s[1] if g == 0 else s[0])
            if np.random.random() < drop:
                w = 0
            elif g != SITE:
                w /= 1 - drop
        weights[i - a] = w


@numba.njit(fastmath=True, parallel=True)
def scores_of(ids, groups, offsets, rows, table, output, bias, s):
    n, dim, k = len(rows), table.shape[1], output.shape[1]
    out = np.empty((n, k), np.float32)
    for r in numba.prange(n):
        a, b = offsets[rows[r]], offsets[rows[r] + 1]
        weights = np.empty(b - a, np.float32)
        _weigh(ids, groups, a, b, False, s, weights)
        z = np.zeros(dim, np.float32)
        for i in range(a, b):
            row = table[ids[i]]
            w = weights[i - a]
            for d in range(dim):
                z[d] += w * row[d]
        out[r] = bias
        for d in range(dim):
            zd = z[d]
            for j in range(k):
                out[r, j] += zd * output[d, j]
    return out


@numba.njit(fastmath=True, parallel=True)
def _train(
    ids,
    groups,
    offsets,
    rows,
    kinds,
    target,
    top,
    top_p,
    adjust,
    lists_adjust,
    dutch,
    table,
    table_g,
    output,
    output_g,
    bias,
    bias_g,
    s,
    rate,
    smoothing,
    taught,
    seed,
    frozen,
):
    n_threads = 2
    dim, k = output.shape
    losses = np.zeros((n_threads, 3))
    for t in numba.prange(n_threads):
        np.random.seed(seed + t)
        part = (len(rows) + n_threads - 1) // n_threads
        first, last = t * part, min((t + 1) * part, len(rows))
        weights = np.empty(20_000, np.float32)
        z, gz = np.empty(dim, np.float32), np.empty(dim, np.float32)
        p = np.empty(k, np.float32)
        g_out, g_bias = np.zeros((dim, k), np.float32), np.zeros(k, np.float32)
        for r in range(first, last):
            row, kind = rows[r], kinds[r]
            a, b = offsets[row], offsets[row + 1]
            _weigh(ids, groups, a, b, True, s, weights)
            z[:] = 0
            for i in range(a, b):
                w = weights[i - a]
                if w != 0:
                    v = table[ids[i]]
                    for d in range(dim):
                        z[d] += w * v[d]
            if kind == 0:
                for j in range(k):
                    p[j] = bias[j] + adjust[j]
            else:
                for j in range(k):
                    p[j] = bias[j] + lists_adjust[j]
            for d in range(dim):
                zd = z[d]
                for j in range(k):
                    p[j] += zd * output[d, j]
            most = p[0]
            for j in range(1, k):
                most = max(most, p[j])
            total = np.float32(0)
            for j in range(k):
                p[j] = np.exp(p[j] - most)
                total += p[j]
            for j in range(k):
                p[j] /= total
            # p becomes the gradient of the loss by the scores
            if kind == 2:
                own = min(p[dutch], np.float32(0.95))
                losses[t, 2] -= np.log(1 - own)
                factor = own / (1 - own)
                for j in range(k):
                    p[j] = -factor * p[j]
                p[dutch] += factor
            else:
                y = target[row]
                losses[t, kind] -= np.log(p[y] + 1e-9)
                smooth = smoothing if kind == 0 else np.float32(0)
                share = taught[kind]
                mass = np.float32(0)
                for j in range(4):
                    mass += top_p[kind, row, j]
                if mass == 0:
                    share = np.float32(0)
                for j in range(k):
                    p[j] -= (1 - share) * smooth / k
                p[y] -= (1 - share) * (1 - smooth)
                if share > 0:
                    for j in range(4):
                        p[top[kind, row, j]] -= share * top_p[kind, row, j] / mass
            for d in range(dim):
                total = np.float32(0)
                zd = z[d]
                for j in range(k):
                    total += p[j] * output[d, j]
                    g_out[d, j] += zd * p[j]
                gz[d] = total
            for j in range(k):
                g_bias[j] += p[j]
            if not frozen:
                norm = np.float32(0)
                for d in range(dim):
                    norm += gz[d] * gz[d]
                norm /= dim
                for i in range(a, b):
                    w = weights[i - a]
                    if w != 0:
                        f = ids[i]
                        table_g[f] += w * w * norm
                        step = rate * w / np.sqrt(table_g[f] + 1e-10)
                        v = table[f]
                        for d in range(dim):
                            v[d] -= step * gz[d]
            if (r - first) % CHUNK == CHUNK - 1 or r == last - 1:
                for d in range(dim):
                    for j in range(k):
                        g = g_out[d, j]
                        output_g[d, j] += g * g
                        output[d, j] -= rate * np.float32(0.5) * g / np.sqrt(output_g[d, j] + 1e-6)
                        g_out[d, j] = 0
                for j in range(k):
                    bias_g[j] += g_bias[j] * g_bias[j]
                    bias[j] -= rate * np.float32(0.5) * g_bias[j] / np.sqrt(bias_g[j] + 1e-6)
                    g_bias[j] = 0
    return losses.sum(0)


class Model:
    def __init__(self, size: int, languages: int, s: Settings, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.settings = s
        self.table = ((rng.random((size, s.dim), np.float32) - 0.5) * 0.2).astype(np.float32)
        self.output = np.zeros((s.dim, languages), np.float32)
        self.bias = np.zeros(languages, np.float32)
        self.table_g = np.full(size, 1e-4, np.float32)
        self.output_g = np.full_like(self.output, 1.0)
        self.bias_g = np.full_like(self.bias, 1.0)

    def scalars(self) -> np.ndarray:
        s = self.settings
        return np.array(
            [s.gram_dropout, s.hint_dropout, s.site_dropout, s.group_dropout, s.hint_scale, *s.balance],
            np.float32,
        )

    def scores(self, data: Data, rows: np.ndarray) -> np.ndarray:
        return scores_of(
            data.ids, data.groups, data.offsets, rows, self.table, self.output, self.bias, self.scalars()
        )


class Data:
    def __init__(self, work: Path, n_made_up: int, fold: int) -> None:
        found = dict(np.load(work / "rows.npz"))
        texts = lzma.decompress((work / "rows.xz").read_bytes()).decode("utf-8").split("\n")
        resources = read(work)
        self.web = resources["web"]
        self.set = found["set"].copy()
        # Real pages are learnt from, except those of one fold, which judges.
        pages, sure = self.set == "pages", found["sure"] == 1
        judged = pages & sure & (found["fold"] == fold)
        held = set(found["domain"][judged].tolist())
        learnt = pages & sure & (found["fold"] != fold) & ~np.isin(found["domain"], list(held))
        counts: dict[str, int] = {}
        for code in found["language"][found["set"] == "train"]:
            counts[code] = counts.get(code, 0) + 1
        made = [
            c for c, v in resources["languages"].items()
            if (len(v["words"]) > 300 or len(v["phrases"]) > 60) and (len(v.get("slug", ())) > 30 or self.web.get(c, 0) > 1e-8)
        ]  # fmt: skip
        self.languages = sorted({c for c in counts if c and counts[c] >= 30} | set(made))
        report(len(self.languages), "languages", len(made), "made up")
        if not (work / f"features{n_made_up}.npz").exists():
            self.extract(work, texts, resources, made, n_made_up)
        stored = np.load(work / f"features{n_made_up}.npz")
        hashes, self.groups, lengths = stored["hashes"], stored["groups"], stored["lengths"]
        number = {c: i for i, c in enumerate(self.languages)}
        n_made = len(stored["made_language"])
        self.y = np.array(
            [number.get(c, -1) for c in (*found["language"], *stored["made_language"])], np.int32
        )
        self.set = np.r_[self.set, np.full(n_made, "made")]
        self.kind = np.r_[np.full(len(texts), ""), stored["made_kind"]]
        pad = lambda name, value: np.r_[found[name], np.full(n_made, value)]  # noqa: E731
        self.trust, self.page, self.domain = pad("trust", 9), pad("page", True), pad("domain", -1)
        self.seen, self.sure, self.source, self.texts = found["seen"], found["sure"], found["source"], texts
        self.judge = self.set == "pages"
        self.judge[: len(texts)] &= judged
        self.set[: len(texts)][learnt] = "train"
        self.offsets = np.r_[0, np.cumsum(lengths, dtype=np.int64)]
        seen, self.ids = numbered(hashes)
        del hashes
        learnt_rows = np.isin(self.set, ["train", "made"]).astype(float)
        n = counted(self.ids, len(seen), learnt_rows, self.offsets)
        is_site = np.zeros(len(seen), bool)
        is_site[self.ids[self.groups == SITE]] = True
        self.vocabulary, self.is_site = seen, is_site
        self.only((n >= 4) | ((n >= 2) & is_site))
        report(f"{len(self.vocabulary):,} in the vocabulary of {len(seen):,}, {len(self.ids):,} features")
        self.read_before(work)

    def only(self, kept: np.ndarray) -> None:
        """Keep some features of the vocabulary alone."""
        place = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
        self.ids, self.groups, self.offsets = chosen(self.ids, self.groups, self.offsets, place)
        self.vocabulary, self.is_site = self.vocabulary[kept], self.is_site[kept]

    def extract(self, work, texts, resources, made, n_made_up) -> None:
        jobs = [(resources, c, n_of(c, self.web, n_made_up), s) for c in made for s in range(2)]
        with multiprocessing.Pool(os.cpu_count()) as pool:
            rows = [row for part in pool.imap_unordered(written, jobs_small(jobs)) for row in part]
            report(f"{len(rows):,} made-up rows, {len(texts):,} labelled")
            step = 10_000
            parts = [(texts[i : i + step], None) for i in range(0, len(texts), step)]
            made_texts = [row[0] for row in rows]
            known = {site for v in resources["languages"].values() for site in v.get("site", ())}
            parts += [(made_texts[i : i + step], known) for i in range(0, len(rows), step)]
            columns = zip(*pool.imap(hashed, parts), strict=True)
            hashes, groups, lengths = (np.concatenate(c) for c in columns)
        np.savez(
            work / f"features{n_made_up}.npz", hashes=hashes, groups=groups, lengths=lengths,
            made_language=np.array([r[1] for r in rows]), made_kind=np.array([r[2] for r in rows]),
        )  # fmt: skip
        report(f"{len(hashes):,} features")

    def read_before(self, work: Path) -> None:
        """What the model before this one makes of curated rows."""
        old = dict(np.load(work / "old.npz"))
        place = np.array([self.languages.index(c) if c in self.languages else -1 for c in old["languages"]])
        # What a teacher makes of each row: of rows with the mix of the web, and of curated lists with theirs.
        self.top = np.zeros((2, len(self.y), 4), np.int16)
        self.top_p = np.zeros((2, len(self.y), 4), np.float32)
        top = place[old["top"]]
        self.top[1, old["index"]] = np.maximum(top, 0)
        self.top_p[1, old["index"]] = np.where(top >= 0, old["p"].astype(np.float32), 0) / 255
        rates = np.full(len(self.languages), 1e-6)
        rates[place[place >= 0]] = np.maximum(old["rates"][place >= 0], 1e-6)
        self.lists_adjust = np.log(rates / rates.sum()).astype(np.float32)

    def curated(self) -> np.ndarray:
        """Weights of curated rows, each source as often as in dev, a few rows a domain."""
        n = len(self.source)
        here = np.zeros(len(self.y), bool)
        here[:n] = (self.set[:n] == "train") & np.isin(self.trust[:n], [1, 2]) & (self.y[:n] >= 0)
        names, of = np.unique(self.source, return_inverse=True)
        dev = self.set[:n] == "dev"
        in_dev = np.bincount(of[dev], minlength=len(names))
        found = np.bincount(of[here[:n]], minlength=len(names))
        mix = np.where(in_dev > 0, (in_dev + 1) / (found + 10), 0) ** 0.9
        weights = np.zeros(len(self.y))
        weights[:n] = np.where(here[:n], mix[of] * np.where(self.trust[:n] == 1, 1, 0.4), 0)
        per_domain = np.bincount(self.domain[here])
        weights[here] *= np.minimum(1, 5 / per_domain[self.domain[here]])
        mean = weights[weights > 0].mean()
        return np.minimum(weights / mean, 20)

    def sampling(self, s: Settings, drop: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Weights of rows, and the mass of each language."""
        n = len(self.languages)
        share = np.array([self.web.get(c, 0) for c in self.languages]) + 2e-6
        mass = share**s.power
        mass /= mass.sum()
        weights = np.zeros(len(self.y))
        train = (self.set == "train") & (self.y >= 0)
        weights[train] = np.array(s.trust)[self.trust[train]]
        if drop is not None:
            weights[drop] = 0
        per_domain = np.bincount(self.domain[train], weights=weights[train], minlength=self.domain.max() + 1)
        weights[train] *= np.minimum(1, 5 / np.maximum(per_domain[self.domain[train]], 1e-9)) ** 0.7
        made = self.set == "made"
        weights[made] = [s.kinds[k] for k in self.kind[made]]
        out = np.zeros(len(self.y))
        real = {}
        for page in (True, False):
            some = train & (self.page == page)
            real[page] = np.bincount(self.y[some], weights=weights[some], minlength=n)
        made_total = np.bincount(self.y[made], weights=weights[made], minlength=n)
        effective = real[True] + 0.3 * real[False]
        share_made = s.made_up[0] + s.made_up[1] * np.exp(-effective / 3000)
        share_made = np.where(made_total > 0, share_made, 0)
        share_made = np.where(effective < 1, 1, share_made)
        hosts = np.minimum(s.hosts, real[False] / np.maximum(real[False] + 4 * real[True], 1e-9) * 3)
        hosts = np.where(real[True] < 1, 1, np.minimum(hosts, 1))
        for page, part in ((True, 1 - hosts), (False, hosts)):
            some = train & (self.page == page)
            scale = mass * (1 - share_made) * part / np.maximum(real[page], 1e-9)
            out[some] = weights[some] * scale[self.y[some]]
        out[made] = weights[made] * (mass * share_made / np.maximum(made_total, 1e-9))[self.y[made]]
        return out, np.bincount(np.maximum(self.y, 0), weights=out, minlength=n)


def n_of(code: str, web: dict, total: int) -> int:
    return int(total * (0.4 + 0.6 * min(1, (web.get(code, 0) / 0.01) ** 0.3)))


def jobs_small(jobs):
    for resources, code, n, seed in jobs:
        own = {
            "languages": {
                c: {"phrases": v["phrases"][:150], "words": v["words"][:600], "ending": v["ending"]}
                | {kind: v.get(kind, [])[:120] for kind in ("place", "person", "people")}
                for c, v in resources["languages"].items()
                if v.get("ending") and len(v["phrases"]) > 60
            }
        }
        own["languages"][code] = resources["languages"][code]
        yield (
            {**own, "slugs": resources["slugs"], "names": resources["names"], "towns": resources["towns"]},
            code,
            n,
            seed,
        )


def written(job):
    resources, code, n, seed = job
    return list(Writer(resources, code, seed).rows(n // 2))


def drawer(weights: np.ndarray):
    rows = np.flatnonzero(weights > 0)
    ladder = np.cumsum(weights[rows])
    return lambda rng, n: rows[np.minimum(np.searchsorted(ladder, rng.random(n) * ladder[-1]), len(rows) - 1)]


def fit(
    data: Data, s: Settings, *, drop=None, start: Model | None = None, seed: int = 0, frozen: bool = False
) -> Model:
    weights, mass = data.sampling(s, drop)
    model = start or Model(len(data.vocabulary), len(data.languages), s, seed)
    adjust = np.log(np.maximum(mass, 1e-6)).astype(np.float32)
    draws = drawer(weights), drawer(data.curated()), drawer((data.set == "dutch").astype(float))
    rng = np.random.default_rng(seed)
    step = 200_000
    shares = np.array([1, s.lists, s.not_dutch])
    n_steps = max(1, round(s.samples / step))
    for k in range(n_steps):
        sizes = (step * shares).astype(int)
        rows = np.concatenate([draw(rng, n) for draw, n in zip(draws, sizes, strict=True)])
        kinds = np.repeat(np.arange(3, dtype=np.int8), sizes)
        order = rng.permutation(len(rows))
        rate = s.rate * (1 - k / n_steps) + 0.02 * s.rate
        losses = _train(
            data.ids, data.groups, data.offsets, rows[order], kinds[order], data.y, data.top, data.top_p, adjust,
            data.lists_adjust, data.languages.index("nl"), model.table, model.table_g, model.output, model.output_g,
            model.bias, model.bias_g, model.scalars(), np.float32(rate), np.float32(s.smoothing),
            np.array([s.taught, s.lists_taught], np.float32), seed * 1000 + k, frozen,
        )  # fmt: skip
        if k % 10 == 9 or k == n_steps - 1:
            report(f"{k + 1} of {n_steps}, losses", np.round(losses / np.maximum(sizes, 1), 4))
    return model


def evaluate(data: Data, model: Model, name: str) -> dict:
    names = np.array(data.languages)
    result = {}
    index = np.flatnonzero(data.judge & (data.y >= 0))
    scores = model.scores(data, index)
    own = np.unique(data.y[index])
    y = data.y[index]
    limited = np.full_like(scores, -1e9)
    limited[:, own] = scores[:, own]
    right, seen = limited.argmax(1) == y, data.seen[index]
    ending = np.array([data.texts[i].partition("/")[0].rpartition(".")[2] in GENERIC for i in index])
    result["unseen"], result["generic"], result["seen"] = (
        right[~seen].mean(),
        right[~seen & ending].mean(),
        right[seen].mean(),
    )
    result["mean"] = np.mean([right[~seen & (y == k)].mean() for k in own if (~seen & (y == k)).sum() >= 8])
    p = np.exp(limited - limited.max(1, keepdims=True))
    result["nll"] = -np.log(p[np.arange(len(y)), y] / p.sum(1) + 1e-9)[~seen].mean()
    index = np.flatnonzero((data.set == "dev") & (data.trust == 1) & (data.y >= 0))
    scores, y = model.scores(data, index), data.y[index]
    ending = np.array([data.texts[i].partition("/")[0].rpartition(".")[2] in GENERIC for i in index])
    page = data.page[index]
    right = (1.3 * scores + data.lists_adjust).argmax(1) == y
    result["lists"], result["lists_generic"], result["lists_pages"] = (
        right.mean(),
        right[ending].mean(),
        right[page].mean(),
    )
    index = np.flatnonzero(data.set == "listings")
    guess = (1.3 * model.scores(data, index) + data.lists_adjust).argmax(1) == list(names).index("nl")
    true = data.y[index] >= 0
    result["dutch"] = 2 * (guess & true).sum() / (guess.sum() + true.sum())
    report(name, {k: round(float(v), 4) for k, v in result.items()})
    return result


def contradicted(data: Data, model: Model) -> np.ndarray:
    """Weak rows whose language a model that never saw them rules out."""
    rows = np.flatnonzero((data.set == "train") & (data.trust >= 2) & (data.y >= 0))
    bad = np.zeros(len(data.y), bool)
    for part in np.array_split(rows, len(rows) // 50_000 + 1):
        scores = model.scores(data, part)
        p = np.exp(scores - scores.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        bad[part] = (p[np.arange(len(part)), data.y[part]] < 0.05) & (p.max(1) > 0.5)
    for level in (2, 3):
        report(f"trust {level}: {bad[rows][data.trust[rows] == level].mean():.1%} contradicted")
    return bad


# --- the table that ships -----------------------------------------------------------------------


def importance(data: Data, s: Settings, drop: np.ndarray | None) -> np.ndarray:
    """How often each feature is seen in training."""
    weights, _ = data.sampling(s, drop)
    weights = weights / weights.sum() + s.lists * data.curated() / data.curated().sum()
    return counted(data.ids, len(data.vocabulary), weights, data.offsets)


def pruned(data: Data, model: Model, s: Settings, drop, n_rows: int, n_sites: int) -> Model:
    """The model with its strongest rows alone."""
    seen = importance(data, s, drop)
    gram = model.output @ model.output.T
    strength = np.sqrt(np.einsum("rd,de,re->r", model.table, gram, model.table, optimize=True)) * np.sqrt(
        seen
    )
    kept = np.zeros(len(strength), bool)
    for group, n in ((data.is_site, n_sites), (~data.is_site, n_rows - n_sites)):
        places = np.flatnonzero(group)
        kept[places[np.argsort(-strength[places])[:n]]] = True
    small = replace_rows(model, kept)
    data.only(kept)
    report(f"{kept.sum():,} of {len(kept):,} rows")
    return small


def replace_rows(model: Model, kept: np.ndarray) -> Model:
    small = Model(1, len(model.bias), model.settings)
    small.table, small.table_g = np.ascontiguousarray(model.table[kept]), model.table_g[kept]
    small.output, small.output_g, small.bias, small.bias_g = (
        model.output,
        model.output_g,
        model.bias,
        model.bias_g,
    )
    return small


def narrowed(model: Model, seen: np.ndarray, dim: int) -> Model:
    """The model in the directions in which its rows differ most."""
    whole = model.output.astype(np.float64)
    weighted = (model.table * np.sqrt(seen)[:, None]).astype(np.float64)
    # Singular vectors of table @ output, from small matrices: table = QR.
    r = np.linalg.cholesky(weighted.T @ weighted + 1e-9 * np.eye(len(whole))).T
    u, values, v = np.linalg.svd(r @ whole, full_matrices=False)
    small = Model(1, whole.shape[1], replace(model.settings, dim=dim))
    back = np.linalg.solve(r, u[:, :dim])  # table @ back are orthonormal directions
    scale = np.sqrt(values[:dim])
    small.table = np.ascontiguousarray((model.table @ (back * scale)).astype(np.float32))
    small.output = np.ascontiguousarray((scale[:, None] * v[:dim]).astype(np.float32))
    # Rows of the size that training began with.
    size = np.sqrt((small.table**2).mean()) / np.sqrt((model.table**2).mean())
    small.table /= size
    small.output *= size
    small.bias, small.table_g = model.bias, model.table_g
    small.output_g, small.bias_g = np.full_like(small.output, model.output_g.mean()), model.bias_g
    report(f"{dim} dimensions hold {(values[:dim] ** 2).sum() / (values**2).sum():.1%}")
    return small


def coded(
    table: np.ndarray, weights: np.ndarray, n_levels: int = 16
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Codes, scales and levels: a number is a level times the scale of its row. Levels by Lloyd's method."""
    scales = np.clip(np.sqrt((table**2).mean(1)), 1e-4, 3.3).astype(np.float16).astype(np.float32)
    points = table / scales[:, None]
    some = np.random.default_rng(0).integers(0, points.size, 2_000_000)
    sample, mass = points.reshape(-1)[some], weights[some // table.shape[1]]
    levels = np.quantile(sample, (np.arange(n_levels) + 0.5) / n_levels)
    for _ in range(30):
        nearest = np.digitize(sample, (levels[1:] + levels[:-1]) / 2)
        total = np.bincount(nearest, sample * mass, n_levels)
        levels = np.where(total != 0, total / np.maximum(np.bincount(nearest, mass, n_levels), 1e-12), levels)
    codes = np.digitize(points, (levels[1:] + levels[:-1]) / 2).astype(np.uint8)
    return codes, scales, levels.astype(np.float32)


def teach(data: Data, s: Settings, drop, models: list[Model]) -> None:
    """Let the mean of models teach all rows with the mix that they are drawn with."""
    _, mass = data.sampling(s, drop)
    adjust = np.log(np.maximum(mass, 1e-6)).astype(np.float32)
    rows = np.flatnonzero((data.set == "train") | (data.set == "made"))
    for part in np.array_split(rows, len(rows) // 50_000 + 1):
        scores = sum(model.scores(data, part) for model in models) / len(models) + adjust
        top = np.argpartition(-scores, 4, axis=1)[:, :4]
        p = np.exp(scores - scores.max(1, keepdims=True))
        data.top[0, part] = top
        data.top_p[0, part] = np.take_along_axis(p, top, 1)


def ship(data: Data, s: Settings, drop, model: Model, asked, out: Path) -> None:
    small = pruned(data, model, s, drop, asked.rows, asked.sites)
    seen = importance(data, s, drop)
    if asked.narrow and asked.narrow < s.dim:
        small = narrowed(small, seen, asked.narrow)
        s = small.settings
    evaluate(data, small, "few rows")
    small = fit(
        data,
        replace(
            s, rate=s.rate * 0.4, samples=s.samples * 0.4, gram_dropout=s.gram_dropout - 0.15, taught=0.6
        ),
        drop=drop,
        start=small,
        seed=77,
    )
    evaluate(data, small, "few rows, trained again")
    codes, scales, levels = coded(small.table, np.sqrt(seen))
    small.table = np.ascontiguousarray(levels[codes] * scales[:, None])
    evaluate(data, small, "coded")
    fit(
        data,
        replace(s, rate=s.rate * 0.2, samples=2e6, gram_dropout=0.3, taught=0.6),
        drop=drop,
        start=small,
        seed=78,
        frozen=True,
    )
    evaluate(data, small, "coded, output fitted")
    np.savez(
        out / "model.npz", hashes=data.vocabulary.view(np.uint64), levels=levels, output=small.output, bias=small.bias,
        languages=np.array(data.languages), hint_scale=np.float32(s.hint_scale), balance=np.array(s.balance),
    )  # fmt: skip
    np.savez_compressed(
        out / "table.npz", codes=codes[:, 0::2] | codes[:, 1::2] << 4, scales=scales.astype(np.float16)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--made-up", type=int, default=20_000, help="URLs made up for a large language")
    parser.add_argument(
        "--fold", type=int, choices=range(FOLDS), default=0, help="fold of real pages that judges"
    )
    parser.add_argument("--settings", default="{}", help="changed settings as JSON")
    parser.add_argument("--trials", default="", help="settings as JSON, separated by ;")
    parser.add_argument("--rows", type=int, default=440_000)
    parser.add_argument("--sites", type=int, default=60_000)
    parser.add_argument("--narrow", type=int, default=64, help="dimensions that ship")
    asked = parser.parse_args()
    out = asked.out or asked.work
    data = Data(asked.work, asked.made_up, asked.fold)
    given = lambda text: {k: tuple(v) if isinstance(v, list) else v for k, v in json.loads(text).items()}  # noqa: E731
    base = Settings(**given(asked.settings))
    first = fit(data, replace(base, trust=(*base.trust[:3], 0.0), samples=base.samples / 3))
    evaluate(data, first, "without weak rows")
    drop = contradicted(data, first)
    for k, trial in enumerate(filter(None, asked.trials.split(";"))):
        evaluate(data, fit(data, replace(base, **given(trial)), drop=drop, seed=k), trial)
    if asked.rows:
        model = fit(data, base, drop=drop)
        evaluate(data, model, "wide")
        teach(data, base, drop, [first, model])
        ship(data, base, drop, model, asked, out)


if __name__ == "__main__":
    main()
