"""Trains the URL model with PyTorch: one loss, one table.

    python recipes/url_model/train.py WORK [--out OUT]

Reads rows.xz, rows.npz, resources.json.xz and old.npz of WORK alone, so it can run on another machine.
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

import numpy as np
import torch
import torch.nn.functional as F

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))
sys.path.insert(0, str(Path(__file__).parent))
from extract import SITE, hashed
from made_up import Writer, read

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
START = time.time()
GENERIC = frozenset(
    "com org net info biz io dev top xyz online site app blog news club shop pro live space tech".split()
)
LONG, NAME = 40, 40  # features from which a path is long, and of a host that counts by the root of its number


def say(*words: object) -> None:
    print(f"[{time.time() - START:6.1f}]", *words, flush=True)


@dataclass(frozen=True)
class Settings:
    dim: int = 64
    samples: float = 16e6
    rate: float = 0.01
    batch: int = 16_384
    gram_dropout: float = 0.75
    hint_dropout: float = 0.15
    site_dropout: float = 0.6
    group_dropout: float = 0.1
    hint_scale: float = 0.6
    power: float = 0.35  # languages weigh (share of the web) ** power
    trust: tuple[float, ...] = (8.0, 1.0, 0.5, 0.1)
    hosts: float = 0.3  # share of home pages among labelled rows
    made_up: tuple[float, float] = (
        0.35,
        0.5,
    )  # share of made-up rows, least and what rare languages have on top
    kinds: dict = field(
        default_factory=lambda: {"own": 1.0, "home": 0.8, "code": 1.5, "blank": 1.0, "false": 1.0}
    )
    not_dutch: float = 0.4
    source_mix: float = 0.0
    lists: float = 1.0  # weight of the loss on curated lists, with the mix of their languages
    lists_taught: float = 0.6
    balance: tuple[float, float, float] = (0.3, 0.15, 0.2)
    smoothing: float = 0.02
    taught: float = 0.7


class Table:
    """All rows on the device: features as positions in the vocabulary."""

    def __init__(self, hashes, groups, counts) -> None:
        self.hashes = torch.from_numpy(hashes).to(DEVICE)
        self.groups = torch.from_numpy(groups).to(DEVICE)
        self.offsets = torch.from_numpy(np.r_[0, np.cumsum(counts, dtype=np.int64)]).to(DEVICE)

    def number(self, vocabulary: torch.Tensor) -> None:
        ids = []
        for part in self.hashes.split(50_000_000):
            found = torch.searchsorted(vocabulary, part).clamp(max=len(vocabulary) - 1)
            ids.append(torch.where(vocabulary[found] == part, found, len(vocabulary)).to(torch.int32))
        self.ids = torch.cat(ids)

    def batch(self, rows: torch.Tensor):
        starts = self.offsets[rows]
        lengths = self.offsets[rows + 1] - starts
        ends = torch.cumsum(lengths, 0)
        where = torch.arange(int(ends[-1]), device=DEVICE) - torch.repeat_interleave(
            ends - lengths - starts, lengths
        )
        return self.ids[where].long(), self.groups[where].long(), lengths


class Model:
    def __init__(self, size: int, languages: int, settings: Settings, seed: int = 0) -> None:
        torch.manual_seed(seed)
        self.size, self.settings = size, settings
        self.table = ((torch.rand(size + 1, settings.dim, device=DEVICE) - 0.5) * 0.2).requires_grad_()
        self.output = torch.zeros(settings.dim, languages, device=DEVICE, requires_grad=True)
        self.bias = torch.zeros(languages, device=DEVICE, requires_grad=True)
        self.coder = None

    def weights(self, batch, training: bool):
        ids, kind, lengths = batch
        s = self.settings
        group = torch.where(kind == SITE, 0, kind)
        n = len(lengths)
        rows = torch.repeat_interleave(torch.arange(n, device=DEVICE), lengths)
        found = (ids != self.size).float()
        counts = torch.zeros(n * 3, device=DEVICE).index_add_(0, rows * 3 + group, found)
        n_host, n_path = counts[1::3], counts[2::3]
        host, path = n_host.clamp(min=1), n_path.clamp(min=1)
        factors = torch.full((n, 3), s.hint_scale, device=DEVICE)
        factors[:, 1], factors[:, 2] = host**-0.5, path**-0.5
        fading, growth, rise = s.balance
        length = (n_path / LONG).clamp(min=1)
        factors[:, 1] *= torch.where(n_path == 0, (host / NAME) ** rise, 1.0) * length**-fading
        factors[:, 2] *= length**growth
        weights = found * factors.flatten()[rows * 3 + group]
        if training:
            drop = torch.where(
                kind == SITE, s.site_dropout, torch.where(group == 0, s.hint_dropout, s.gram_dropout)
            )
            keep = torch.rand_like(weights) > drop
            # A site's own row is in the table or not: it is not scaled up for the times that it is left out.
            weights = weights * keep / torch.where(kind == SITE, 1.0, 1 - drop)
            stays = torch.rand(n * 3, device=DEVICE) > s.group_dropout
            weights = weights * stays[rows * 3 + group]
        return weights

    def __call__(self, batch, training: bool = False) -> torch.Tensor:
        weights = self.weights(batch, training)
        ids, _, lengths = batch
        offsets = torch.cumsum(lengths, 0) - lengths
        table = self.table if self.coder is None else self.coder.straight_through(self.table)
        summed = F.embedding_bag(ids, table, offsets, mode="sum", per_sample_weights=weights)
        return summed @ self.output + self.bias

    def scores(self, table: Table, rows: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            return torch.cat([self(table.batch(part)) for part in rows.split(65_536)])


class Data:
    def __init__(self, work: Path, n_made_up: int) -> None:
        found = dict(np.load(work / "rows.npz"))
        texts = lzma.decompress((work / "rows.xz").read_bytes()).decode("utf-8").split("\n")
        resources = read(work)
        self.web = resources["web"]
        counts = {}
        for code in found["language"][found["set"] == "train"]:
            counts[code] = counts.get(code, 0) + 1
        made = [
            c
            for c, v in resources["languages"].items()
            if (len(v["words"]) > 300 or len(v["phrases"]) > 60)
            and (len(v.get("slug", ())) > 30 or self.web.get(c, 0) > 1e-8)
        ]
        self.languages = sorted({c for c in counts if c and counts[c] >= 30} | set(made))
        say(len(self.languages), "languages", len(made), "made up")
        jobs = [(resources, c, n_of(c, self.web, n_made_up), s) for c in made for s in range(2)]
        with multiprocessing.Pool(os.cpu_count()) as pool:
            rows = [row for part in pool.imap_unordered(written, jobs_small(jobs)) for row in part]
            say(f"{len(rows):,} made-up rows, {len(texts):,} labelled")
            step = 10_000
            parts = [(texts[i : i + step], None) for i in range(0, len(texts), step)]
            made_texts = [row[0] for row in rows]
            known = {site for v in resources["languages"].values() for site in v.get("site", ())}
            parts += [(made_texts[i : i + step], known) for i in range(0, len(rows), step)]
            columns = zip(*pool.imap(hashed, parts), strict=True)
            hashes, groups, lengths = (np.concatenate(c) for c in columns)
        self.table = Table(hashes, groups, lengths)
        say(f"{len(hashes):,} features")
        number = {c: i for i, c in enumerate(self.languages)}
        self.y = np.r_[[number.get(c, -1) for c in found["language"]], [number[r[1]] for r in rows]].astype(
            np.int64
        )
        self.set = np.r_[found["set"], np.full(len(rows), "made")]
        self.kind = np.r_[np.full(len(texts), ""), np.array([r[2] for r in rows])]
        pad = lambda name, value: np.r_[found[name], np.full(len(rows), value)]  # noqa: E731
        self.trust, self.page, self.domain = pad("trust", 9), pad("page", True), pad("domain", -1)
        self.seen, self.sure = found["seen"], found["sure"]
        self.source = found["source"]
        self.texts = texts
        train = torch.from_numpy(np.isin(self.set, ["train", "made"])).to(DEVICE)
        chosen = torch.repeat_interleave(train, torch.from_numpy(lengths.astype(np.int64)).to(DEVICE))
        seen, n = torch.unique(self.table.hashes[chosen], return_counts=True)
        sites = torch.unique(self.table.hashes[chosen & (self.table.groups == SITE)])
        self.vocabulary = seen[(n >= 4) | ((n >= 2) & torch.isin(seen, sites))]
        self.is_site = torch.isin(self.vocabulary, sites)
        self.table.number(self.vocabulary)
        say(f"{len(self.vocabulary):,} in the vocabulary of {len(seen):,}")
        self.target = torch.from_numpy(self.y).to(DEVICE)
        self.read_before(work)

    def read_before(self, work: Path) -> None:
        """What the model before this one makes of curated rows."""
        old = dict(np.load(work / "old.npz"))
        place = np.array([self.languages.index(c) if c in self.languages else -1 for c in old["languages"]])
        self.taught_top = torch.zeros(len(self.y), 4, dtype=torch.int64, device=DEVICE)
        self.taught_p = torch.zeros(len(self.y), 4, device=DEVICE)
        top = place[old["top"]]
        p = np.where(top >= 0, old["p"].astype(np.float32), 0)
        p /= np.maximum(p.sum(1, keepdims=True), 1e-6)
        index = torch.from_numpy(old["index"].astype(np.int64)).to(DEVICE)
        self.taught_top[index] = torch.from_numpy(np.maximum(top, 0)).to(DEVICE)
        self.taught_p[index] = torch.from_numpy(p).to(DEVICE)
        rates = np.full(len(self.languages), 1e-6)
        rates[place[place >= 0]] = np.maximum(old["rates"][place >= 0], 1e-6)
        self.lists_adjust = torch.from_numpy(np.log(rates / rates.sum())).float().to(DEVICE)

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
        curated = train & (self.trust == 1)
        in_dev = dict(
            zip(
                *np.unique(self.source[self.set[: len(self.source)] == "dev"], return_counts=True),
                strict=True,
            )
        )
        names, of = np.unique(self.source, return_inverse=True)
        here = np.bincount(of[curated[: len(of)]], minlength=len(names))
        mix = ((np.array([in_dev.get(name, 0) for name in names]) + 1) / (here + 10)) ** s.source_mix
        mix = np.clip(mix / np.median(mix[here > 50]), 1, 8)
        weights[: len(of)] *= np.where(curated[: len(of)], mix[of], 1)
        if drop is not None:
            weights[drop] = 0
        per_domain = np.bincount(self.domain[train], weights=weights[train], minlength=self.domain.max() + 1)
        weights[train] *= np.minimum(1, 5 / np.maximum(per_domain[self.domain[train]], 1e-9)) ** 0.7
        made = self.set == "made"
        weights[made] = [s.kinds[k] for k in self.kind[made]]
        out = np.zeros(len(self.y))
        real = {True: np.zeros(n), False: np.zeros(n)}
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


def fit(
    data: Data, s: Settings, *, drop=None, start: Model | None = None, teacher=None, seed: int = 0
) -> Model:
    weights, mass = data.sampling(s, drop)
    model = start or Model(len(data.vocabulary), len(data.languages), s, seed)
    rows = torch.from_numpy(np.flatnonzero(weights > 0)).to(DEVICE)
    ladder = torch.cumsum(torch.from_numpy(weights[weights > 0]).to(DEVICE), 0)
    adjust = torch.from_numpy(np.log(np.maximum(mass, 1e-6))).float().to(DEVICE)
    other = torch.from_numpy(np.flatnonzero(data.set == "dutch")).to(DEVICE)
    curated = data.curated()
    lists = torch.from_numpy(np.flatnonzero(curated > 0)).to(DEVICE)
    lists_ladder = torch.cumsum(torch.from_numpy(curated[curated > 0]).to(DEVICE), 0)
    dutch = data.languages.index("nl")
    optimizer = torch.optim.Adam(
        [model.table, model.output, model.bias], lr=s.rate, betas=(0.9, 0.99), fused=DEVICE.type == "cuda"
    )
    steps = int(s.samples / s.batch)
    total = 0.0
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = s.rate * (1 - step / steps) + 1e-5
        chosen = rows[
            torch.searchsorted(
                ladder, torch.rand(s.batch, device=DEVICE, dtype=torch.float64) * ladder[-1]
            ).clamp(max=len(rows) - 1)
        ]
        scores = model(data.table.batch(chosen), True) + adjust
        loss = F.cross_entropy(scores, data.target[chosen], label_smoothing=s.smoothing)
        if teacher is not None:
            with torch.no_grad():
                taught = torch.softmax(teacher(chosen) + adjust, 1)
            loss = (1 - s.taught) * loss - s.taught * (taught * torch.log_softmax(scores, 1)).sum(1).mean()
        if s.lists:
            loss = loss + s.lists * lists_loss(data, model, s, lists, lists_ladder, other, dutch)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        total += float(loss.detach()) if step >= steps - 50 else 0
    say("loss", total / 50)
    return model


def lists_loss(data: Data, model: Model, s: Settings, lists, ladder, other, dutch: int) -> torch.Tensor:
    """Curated lists, with their own mix of languages: labels, what the model before made of them, and what is not Dutch."""
    n = s.batch // 2
    draw = torch.rand(n, device=DEVICE, dtype=torch.float64) * ladder[-1]
    rows = lists[torch.searchsorted(ladder, draw).clamp(max=len(lists) - 1)]
    logs = torch.log_softmax(model(data.table.batch(rows), True) + data.lists_adjust, 1)
    own = -logs.gather(1, data.target[rows][:, None])[:, 0]
    before = -(logs.gather(1, data.taught_top[rows]) * data.taught_p[rows]).sum(1)
    loss = ((1 - s.lists_taught) * own + s.lists_taught * before).mean()
    some = other[torch.randint(len(other), (n // 8,), device=DEVICE)]
    p = torch.softmax(model(data.table.batch(some), True) + data.lists_adjust, 1)[:, dutch]
    return loss - s.not_dutch * torch.log1p(-p.clamp(max=0.999)).mean()


def report(data: Data, model: Model, name: str, only: np.ndarray | None = None) -> None:
    names = np.array(data.languages)
    result = {}
    index = np.flatnonzero((data.set == "pages") & (data.y >= 0))
    index = index[(data.sure[index] == 1) & (True if only is None else only[index])]
    scores = model.scores(data.table, torch.from_numpy(index).to(DEVICE)).cpu().numpy()
    own = np.unique(data.y[index])
    y = data.y[index]
    limited = np.full_like(scores, -1e9)
    limited[:, own] = scores[:, own]
    guess = limited.argmax(1)
    right, seen = guess == y, data.seen[index]
    ending = np.array([data.texts[i].partition("/")[0].rpartition(".")[2] in GENERIC for i in index])
    result["unseen"], result["generic"], result["seen"] = (
        right[~seen].mean(),
        right[~seen & ending].mean(),
        right[seen].mean(),
    )
    result["mean"] = np.mean([right[~seen & (y == k)].mean() for k in own if (~seen & (y == k)).sum() >= 8])
    p = np.exp(limited - limited.max(1, keepdims=True))
    top = 1 / p.sum(1)
    bins = np.minimum((top[~seen] * 10).astype(int), 9)
    result["ece"] = sum(
        abs(top[~seen][bins == b].mean() - right[~seen][bins == b].mean()) * (bins == b).mean()
        for b in np.unique(bins)
    )
    result["nll"] = -np.log(p[np.arange(len(y)), y] / p.sum(1) + 1e-9)[~seen].mean()
    index = np.flatnonzero((data.set == "dev") & (data.trust == 1) & (data.y >= 0))
    scores = model.scores(data.table, torch.from_numpy(index).to(DEVICE)).cpu().numpy()
    y = data.y[index]
    web = np.array([data.web.get(c, 0) for c in names]) + 1e-7
    own = np.log(np.bincount(y, minlength=len(names)) + 1.0)
    ending = np.array([data.texts[i].partition("/")[0].rpartition(".")[2] in GENERIC for i in index])
    for power in (0.5, 0.75, 1.0):
        right = (scores + power * np.log(web)).argmax(1) == y
        result[f"dev{power}"] = right.mean()
    right = (scores + own).argmax(1) == y
    result["dev_own"], result["dev_gen"] = right.mean(), right[ending].mean()
    right = (1.5 * scores + data.lists_adjust.cpu().numpy()).argmax(1) == y
    result["dev_lists"], result["dev_lists_gen"] = right.mean(), right[ending].mean()
    index = np.flatnonzero(data.set == "listings") if (data.set == "listings").any() else np.arange(9)
    scores = model.scores(data.table, torch.from_numpy(index).to(DEVICE)).cpu().numpy()
    said = (1.3 * scores + data.lists_adjust.cpu().numpy()).argmax(1) == list(names).index("nl")
    true = data.y[index] >= 0
    result["dutch"] = 2 * (said & true).sum() / (said.sum() + true.sum())
    say(name, {k: round(float(v), 4) for k, v in result.items()})


@dataclass
class Coder:
    """A table in a few bits a number: one of ``levels`` times the scale of the row."""

    levels: torch.Tensor  #: rising; the same for all rows and places

    @classmethod
    def fitted(cls, table: torch.Tensor, importance: torch.Tensor, n_levels: int, rounds: int = 30) -> Coder:
        """Levels that lose least of the rows that matter most (Lloyd's method)."""
        with torch.no_grad():
            points = (table[:-1] / cls.scales(table[:-1])).flatten()
            weights = importance[:, None].expand(-1, table.shape[1]).flatten()
            some = torch.randint(len(points), (2_000_000,), device=DEVICE)
            points, weights = points[some], weights[some]
            shares = (torch.arange(n_levels, device=DEVICE) + 0.5) / n_levels
            levels = torch.quantile(points[:1_000_000], shares)
            for _ in range(rounds):
                nearest = cls(levels).nearest(points)
                total = torch.zeros(n_levels, device=DEVICE).index_add_(0, nearest, points * weights)
                mass = torch.zeros(n_levels, device=DEVICE).index_add_(0, nearest, weights)
                levels = torch.where(mass > 0, total / mass.clamp(min=1e-12), levels)
        return cls(levels)

    @staticmethod
    def scales(table: torch.Tensor) -> torch.Tensor:
        """The root mean square of each row, as half precision holds it."""
        return table.pow(2).mean(1, keepdim=True).sqrt().clamp(min=1e-4, max=3.3).half().float()

    def nearest(self, numbers: torch.Tensor) -> torch.Tensor:
        return torch.bucketize(numbers, (self.levels[1:] + self.levels[:-1]) / 2)

    def coded(self, table: torch.Tensor) -> torch.Tensor:
        """The table as its codes give it back; its last row, which stands for no feature, stays."""
        with torch.no_grad():
            scales = self.scales(table[:-1])
            return torch.cat([self.levels[self.nearest(table[:-1] / scales)] * scales, table[-1:]])

    def straight_through(self, table: torch.Tensor) -> torch.Tensor:
        """Coded in the forward pass, as if it were not in the backward one."""
        return table + (self.coded(table) - table).detach()


def contradicted(data: Data, model: Model) -> np.ndarray:
    """Weak rows whose language a model that never saw them rules out."""
    rows = np.flatnonzero((data.set == "train") & (data.trust >= 2) & (data.y >= 0))
    bad = np.zeros(len(data.y), bool)
    index = torch.from_numpy(rows).to(DEVICE)
    for part in index.split(65_536):
        p = torch.softmax(model.scores(data.table, part), 1)
        own = p.gather(1, data.target[part][:, None])[:, 0]
        out = (own < 0.05) & (p.max(1).values > 0.5)
        bad[part[out].cpu().numpy()] = True
    for level in (2, 3):
        say(f"trust {level}: {bad[rows][data.trust[rows] == level].mean():.1%} contradicted")
    return bad


def importance(data: Data, s: Settings, drop: np.ndarray | None) -> torch.Tensor:
    """How often each feature is seen in training."""
    weights, _ = data.sampling(s, drop)
    rows = torch.from_numpy(np.flatnonzero(weights > 0)).to(DEVICE)
    values = torch.from_numpy(weights[weights > 0]).float().to(DEVICE)
    seen = torch.zeros(len(data.vocabulary) + 1, device=DEVICE)
    for part, value in zip(rows.split(100_000), values.split(100_000), strict=True):
        ids, _, lengths = data.table.batch(part)
        value = torch.repeat_interleave(value, lengths)
        seen.index_add_(0, ids, value)
    return seen[:-1]


def narrowed(
    data: Data, model: Model, s: Settings, drop, n_rows: int, n_sites: int, dim: int, scale: float = 6.0
):
    """A model of fewer rows and dimensions that scores as nearly like the wide one as it can; keeps the rows' hashes."""
    with torch.no_grad():
        seen = importance(data, s, drop)
        weights = model.table[:-1] @ model.output
        strength = weights.norm(dim=1) * seen.sqrt()
        sites = torch.topk(torch.where(data.is_site, strength, -1.0), n_sites).indices
        others = torch.topk(torch.where(data.is_site, -1.0, strength), n_rows - n_sites).indices
        kept = torch.sort(torch.cat([sites, others])).values
        weights, seen = weights[kept], seen[kept]
        values, vectors = torch.linalg.eigh((weights * seen[:, None]).T @ weights)
        top = vectors[:, -dim:]
        small = Model(len(kept), len(data.languages), replace(s, dim=dim))
        small.table[:-1] = weights @ top / scale
        small.table[-1] = 0
        small.output[:] = top.T * scale
        small.bias[:] = model.bias
        say(f"{dim} dimensions hold {float(values[-dim:].sum() / values.sum()):.1%}")
    return small, kept, seen


def write(model: Model, hashes: torch.Tensor, data: Data, out: Path) -> None:
    assert model.coder is not None
    table = model.table.detach()[:-1]
    scales = Coder.scales(table)
    np.savez(
        out / "model.npz", hashes=hashes.cpu().numpy().view(np.uint64), levels=model.coder.levels.cpu().numpy(),
        output=model.output.detach().cpu().numpy(), bias=model.bias.detach().cpu().numpy(),
        languages=np.array(data.languages), hint_scale=np.float32(model.settings.hint_scale),
        balance=np.array(model.settings.balance),
    )  # fmt: skip
    codes = model.coder.nearest(table / scales).to(torch.uint8).cpu().numpy()
    np.savez_compressed(
        out / "table.npz",
        codes=codes[:, 0::2] | codes[:, 1::2] << 4,
        scales=scales[:, 0].cpu().numpy().astype(np.float16),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--made-up", type=int, default=20_000)
    parser.add_argument("--trials", default="")
    parser.add_argument("--rows", type=int, default=600_000)
    parser.add_argument("--sites", type=int, default=100_000)
    parser.add_argument("--dim", type=int, default=32)
    parser.add_argument("--teachers", type=int, default=2)
    parser.add_argument("--base", default="{}")
    asked = parser.parse_args()
    out = asked.out or asked.work
    data = Data(asked.work, asked.made_up)
    given = lambda text: {k: tuple(v) if isinstance(v, list) else v for k, v in json.loads(text).items()}  # noqa: E731
    base = Settings(**given(asked.base))
    first = fit(data, replace(base, trust=(*base.trust[:3], 0.0), samples=base.samples / 2))
    report(data, first, "without weak rows")
    drop = contradicted(data, first)
    for k, trial in enumerate(filter(None, asked.trials.split(";"))):
        s = replace(base, **given(trial))
        model = fit(data, s, drop=drop, seed=k)
        report(data, model, trial)
    if not asked.rows:
        return
    shipped(data, base, drop, asked, out)


def shipped(data: Data, base: Settings, drop, asked, out: Path) -> None:
    """The model that ships: few rows and dimensions, taught by the mean of wide ones, coded in four bits."""
    models = [fit(data, base, drop=drop, seed=seed) for seed in range(asked.teachers)]
    report(data, models[0], "one teacher")

    class Mean:
        def __call__(self, rows):
            return sum(model(data.table.batch(rows)) for model in models) / len(models)

        def scores(self, table, rows):
            with torch.no_grad():
                return torch.cat([self(part) for part in rows.split(32_768)])

    teacher = Mean()
    report(data, teacher, "mean of teachers")
    wide = Model(len(data.vocabulary), len(data.languages), replace(base, dim=base.dim * len(models)))
    with torch.no_grad():
        wide.table[:] = torch.cat([m.table for m in models], 1)
        wide.output[:] = torch.cat([m.output for m in models], 0) / len(models)
        wide.bias[:] = sum(m.bias for m in models) / len(models)
    small, kept, seen = narrowed(data, wide, base, drop, asked.rows, asked.sites, asked.dim)
    del wide
    # The teacher reads all features, the student those that it keeps.
    ids, vocabulary = data.table.ids, data.vocabulary
    data.table.number(vocabulary[kept])
    few = data.table.ids

    def taught(rows):
        data.table.ids = ids
        found = teacher(rows)
        data.table.ids = few
        return found

    report(data, small, "narrow, before training")
    s = replace(
        small.settings, rate=0.004, samples=base.samples * 0.75, gram_dropout=base.gram_dropout - 0.15
    )
    small.settings = s
    fit(data, s, drop=drop, start=small, teacher=taught)
    report(data, small, "narrow")
    matter = (seen * small.table.detach()[:-1].pow(2).mean(1)).sqrt()
    small.coder = Coder.fitted(small.table.detach(), matter, 16)
    fit(data, replace(s, rate=0.0015, samples=base.samples * 0.3), drop=drop, start=small, teacher=taught)
    report(data, small, "narrow, coded")
    write(small, vocabulary[kept], data, out)


if __name__ == "__main__":
    main()
