"""Trains the low-rank URL model with PyTorch.

    python recipes/url_model/train.py WORK [--rows 400000] [--dim 32] [--bits 5]

1. three cross-fitted models (by registered domain) find rows that good models contradict;
2. a wide model on all that is left, then on curated rows mixed by source as dev is;
3. its strongest rows are kept; a narrow model starts from their best low-rank fit and learns from
   the labels and from the wide model's probabilities together.

Writes WORK/model.npz: hashes, embeddings, output, bias, languages, and dev scores.
"""

from __future__ import annotations

import argparse
import lzma
import multiprocessing
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))
from linksight.features.evidence import evidence
from linksight.features.hashing import fnv1a

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
START = time.time()


@dataclass(frozen=True)
class Settings:
    """What was found to matter; the table of trials is in docs/model-card.md."""

    dim: int = 64
    epochs: int = 3
    rate: float = 0.01
    fine_epochs: int = 2
    fine_rate: float = 0.003
    gram_dropout: float = 0.5  # hosts of the test are never those of training: no single n-gram may decide
    hint_dropout: float = 0.15
    hint_scale: float = 0.6
    weak_weight: float = 0.15  # trust 3
    list_weight: float = 0.7  # trust 2
    fine_list_weight: float = 0.4
    domain_cap: int = 5
    balance: float = 0.25  # languages weigh n ** -balance
    source_mix: float = 0.9  # curated sources weigh as in dev
    made_up: tuple[float, float, float, float] = (0.4, 0.4, 0.3, 3.0)  # slugs, hosts, towns, codes
    not_dutch: float = 0.2  # rows of which only that is known


def say(*words: object) -> None:
    print(f"[{time.time() - START:6.1f}]", *words, flush=True)


# --- features ---------------------------------------------------------------------------------


def hashed(texts: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Feature hashes, their groups (0 hints, 1 host, 2 path) and how many each row has."""
    hashes, groups, counts, known = [], [], [], {}
    for text in texts:
        hints, host, path = evidence(text)
        if text.partition("/")[0].endswith("*"):
            hints = strip_made_up(hints)
        elif text.startswith("z9."):  # a made-up host under a real top-level domain
            hints = [name for name in hints if name[0] in "tdkqlc"]
        before = len(hashes)
        for group, names in enumerate((hints, host, path)):
            for name in names[:400]:
                if (value := known.get(name)) is None:
                    value = known[name] = fnv1a(name)
                hashes.append(value)
                groups.append(group)
        counts.append(len(hashes) - before)
    return np.array(hashes, np.uint64).view(np.int64), np.array(groups, np.uint8), np.array(counts, np.int32)


def strip_made_up(names: list[str]) -> list[str]:
    """A made-up URL has no domain, length or shape of its own to learn from."""
    return [name for name in names if name[0] in "cqlrbxn" and "*" not in name and "z9" not in name]


@dataclass
class Rows:
    hashes: torch.Tensor
    groups: torch.Tensor
    offsets: torch.Tensor
    ids: torch.Tensor = None  # type: ignore[assignment]

    def batch(self, rows: torch.Tensor):
        starts = self.offsets[rows]
        lengths = self.offsets[rows + 1] - starts
        ends = torch.cumsum(lengths, 0)
        where = torch.arange(int(ends[-1]), device=DEVICE) - torch.repeat_interleave(
            ends - lengths - starts, lengths
        )
        return self.ids[where].long(), self.groups[where].long(), lengths


def read(work: Path, name: str, pool) -> Rows:
    texts = lzma.decompress((work / f"{name}.xz").read_bytes()).decode("utf-8").split("\n")
    parts = list(pool.imap(hashed, [texts[i : i + 20_000] for i in range(0, len(texts), 20_000)]))
    hashes, groups, counts = (np.concatenate(column) for column in zip(*parts, strict=True))
    say(name, f"{len(texts):,} rows, {len(hashes):,} features")
    offsets = torch.from_numpy(np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])).to(DEVICE)
    return Rows(torch.from_numpy(hashes).to(DEVICE), torch.from_numpy(groups).to(DEVICE), offsets)


def number(tables: dict[str, Rows], vocabulary: torch.Tensor) -> None:
    """Gives every feature its row in the (sorted) vocabulary, or one past its end."""
    for rows in tables.values():
        found = torch.searchsorted(vocabulary, rows.hashes).clamp(max=len(vocabulary) - 1)
        none = torch.tensor(len(vocabulary), device=DEVICE)
        rows.ids = torch.where(vocabulary[found] == rows.hashes, found, none).to(torch.int32)


# --- model ------------------------------------------------------------------------------------


class Model:
    def __init__(self, size: int, languages: int, settings: Settings) -> None:
        torch.manual_seed(0)
        self.size, self.settings = size, settings
        self.table = ((torch.rand(size + 1, settings.dim, device=DEVICE) - 0.5) * 0.2).requires_grad_()
        self.output = torch.zeros(settings.dim, languages, device=DEVICE, requires_grad=True)
        self.bias = torch.zeros(languages, device=DEVICE, requires_grad=True)

    def __call__(self, batch, training: bool = False) -> torch.Tensor:
        ids, groups, lengths = batch
        rows = torch.repeat_interleave(torch.arange(len(lengths), device=DEVICE), lengths)
        found = (ids != self.size).float()
        counts = (
            torch.zeros(len(lengths) * 3, device=DEVICE).index_add_(0, rows * 3 + groups, found).clamp(min=1)
        )
        hint = groups == 0
        weights = found * torch.where(hint, self.settings.hint_scale, counts[rows * 3 + groups] ** -0.5)
        if training:
            drop = torch.where(hint, self.settings.hint_dropout, self.settings.gram_dropout)
            weights = weights * (torch.rand_like(weights) > drop) / (1 - drop)
        offsets = torch.cumsum(lengths, 0) - lengths
        summed = F.embedding_bag(ids, self.table, offsets, mode="sum", per_sample_weights=weights)
        return summed @ self.output + self.bias

    def scores(self, rows: Rows, size: int = 65_536) -> torch.Tensor:
        with torch.no_grad():
            ranges = range(0, len(rows.offsets) - 1, size)
            last = len(rows.offsets) - 1
            return torch.cat(
                [self(rows.batch(torch.arange(i, min(i + size, last), device=DEVICE))) for i in ranges]
            )


class Trainer:
    def __init__(self, tables: dict[str, Rows], labels: dict[str, np.ndarray]) -> None:
        self.tables, self.labels = tables, labels
        self.target = torch.from_numpy(labels["train_y"].astype(np.int64)).to(DEVICE)
        self.made_up_target = torch.from_numpy(labels["made_up_y"].astype(np.int64)).to(DEVICE)
        self.n_languages = len(labels["languages"])
        self.dutch = list(labels["languages"]).index("nl")
        in_dev = np.isin(labels["dutch_domain"], labels["dev_domain"])
        learn = (labels["dutch_y"] == 0) & ~in_dev & (labels["dutch_domain"] % 5 != 0)
        self.not_dutch = torch.from_numpy(np.flatnonzero(learn)).to(DEVICE)
        self.teacher: dict[str, torch.Tensor] = {}

    def fit(
        self, size: int, settings: Settings, keep: np.ndarray | None = None, start: Model | None = None
    ) -> Model:
        model = start or Model(size, self.n_languages, settings)
        weights = self.all_weights(settings) * (1 if keep is None else keep)
        self.run(model, weights, settings.rate, settings.epochs, 16_384, with_made_up=True)
        curated = self.curated_weights(settings) * (1 if keep is None else keep)
        self.run(model, curated, settings.fine_rate, settings.fine_epochs, 4_096, with_made_up=False)
        return model

    def run(self, model: Model, weights, rate, epochs, size, *, with_made_up) -> None:
        settings, labels = model.settings, self.labels
        rows = torch.from_numpy(np.flatnonzero(weights > 0)).to(DEVICE)
        weight = torch.from_numpy(weights / weights[weights > 0].mean()).float().to(DEVICE)
        made_up_weight = torch.tensor(settings.made_up, device=DEVICE)[
            torch.from_numpy(labels["made_up_kind"]).long().to(DEVICE)
        ]
        optimizer = torch.optim.Adam([model.table, model.output, model.bias], lr=rate, betas=(0.9, 0.99))
        n_batches = len(rows) // size
        n_made_up = len(self.made_up_target) // n_batches if with_made_up else 0
        for step in range(epochs * n_batches):
            i = step % n_batches
            if i == 0:
                order = rows[torch.randperm(len(rows), device=DEVICE)]
                extra = torch.randperm(len(self.made_up_target), device=DEVICE)
            for group in optimizer.param_groups:
                group["lr"] = rate * (1 - step / (epochs * n_batches)) + 1e-5
            chosen = order[i * size : (i + 1) * size]
            loss = self.loss(model, "train", chosen, self.target[chosen], weight[chosen]) / size
            if n_made_up:
                chosen = extra[i * n_made_up : (i + 1) * n_made_up]
                loss = (
                    loss
                    + self.loss(model, "made_up", chosen, self.made_up_target[chosen], made_up_weight[chosen])
                    / size
                )
            if settings.not_dutch:
                chosen = self.not_dutch[torch.randint(len(self.not_dutch), (size // 8,), device=DEVICE)]
                dutch = torch.softmax(model(self.tables["dutch"].batch(chosen), True), 1)[:, self.dutch]
                loss = loss - settings.not_dutch * torch.log1p(-dutch.clamp(max=0.999)).mean() / 8
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()

    def loss(self, model, name, rows, target, weight) -> torch.Tensor:
        scores = model(self.tables[name].batch(rows), True)
        losses = F.cross_entropy(scores, target, reduction="none")
        if name in self.teacher:
            taught = self.teacher[name][rows].float()
            losses = 0.5 * losses - 0.5 * (taught * torch.log_softmax(scores, 1)).sum(1)
        return (losses * weight).sum()

    def all_weights(self, settings: Settings) -> np.ndarray:
        """Rows by trust, domains capped, languages balanced, privacy policies nearly out."""
        labels = self.labels
        weights = np.array([0, 1, settings.list_weight, settings.weak_weight])[labels["train_trust"]]
        policies = list(labels["sources"]).index("odp_utcid_en_policyurls")
        weights = weights * np.where(labels["train_source"] == policies, 0.1, 1)
        per_domain = np.bincount(labels["train_domain"])
        weights = weights * np.minimum(1, settings.domain_cap / per_domain[labels["train_domain"]])
        y = labels["train_y"]
        weights = np.where(y < 0, 0, weights)
        mass = np.bincount(np.maximum(y, 0), weights=weights, minlength=self.n_languages)
        return weights * (np.maximum(mass, 1) ** -settings.balance)[np.maximum(y, 0)]

    def curated_weights(self, settings: Settings) -> np.ndarray:
        """Rows of dev's sources, at most a few a domain, each source as often as in dev."""
        labels = self.labels
        y, source = labels["train_y"], labels["train_source"]
        usable = np.isin(source, np.unique(labels["dev_source"])) & (y >= 0) & (labels["train_trust"] <= 2)
        rows = np.random.default_rng(0).permutation(np.flatnonzero(usable))
        rows = rows[np.argsort(labels["train_domain"][rows], kind="stable")]
        domain = labels["train_domain"][rows]
        starts = np.flatnonzero(np.r_[True, domain[1:] != domain[:-1]])
        rank = np.arange(len(rows)) - np.repeat(starts, np.diff(np.r_[starts, len(rows)]))
        rows = rows[rank < settings.domain_cap]
        in_dev = np.bincount(labels["dev_source"], minlength=len(labels["sources"]))
        here = np.bincount(source[rows], minlength=len(labels["sources"]))
        mix = ((in_dev + 1) / (here + 10)) ** settings.source_mix
        weights = np.zeros(len(y))
        weights[rows] = mix[source[rows]] * np.where(
            labels["train_trust"][rows] == 1, 1, settings.fine_list_weight
        )
        return np.minimum(weights / weights[rows].mean(), 20)

    def contradicted(self, size: int, settings: Settings) -> np.ndarray:
        """1 for rows to keep, 0 for those that a model which never saw their domain rules out."""
        fold, n = self.labels["train_domain"] % 3, len(self.labels["train_y"])
        own, best = np.zeros(n, np.float32), np.zeros(n, np.float32)
        for k in range(3):
            model = self.fit(size, settings, (fold != k).astype(float))
            probabilities = torch.softmax(model.scores(self.tables["train"]), 1)
            rows = np.flatnonzero(fold == k)
            index = torch.from_numpy(rows).to(DEVICE)
            own[rows] = (
                probabilities[index].gather(1, self.target[index].clamp(min=0)[:, None])[:, 0].cpu().numpy()
            )
            best[rows] = probabilities[index].max(1).values.cpu().numpy()
            del model, probabilities
        bad = (own < 0.1) & (best > 0.5) & (self.labels["train_trust"] >= 2)
        say(f"contradicted: {bad.mean():.1%} of rows")
        return np.where(bad, 0.0, 1.0)

    def narrowed(self, wide: Model, kept: torch.Tensor, frequency: torch.Tensor, settings: Settings) -> Model:
        """A model of fewer dimensions that scores as nearly like the wide one as it can."""
        with torch.no_grad():
            full = wide.table[kept] @ wide.output
            values, vectors = torch.linalg.eigh((full * frequency[kept][:, None]).T @ full)
            top = vectors[:, -settings.dim :]
            model = Model(len(kept), self.n_languages, settings)
            scale = wide.output.norm() / top.norm()
            model.table[:-1] = full @ top / scale
            model.table[-1] = 0
            model.output[:] = top.T * scale
            model.bias[:] = wide.bias
            say(f"{settings.dim} dimensions hold {float(values[-settings.dim :].sum() / values.sum()):.1%}")
        return model

    def report(self, model: Model, name: str) -> np.ndarray:
        scores = model.scores(self.tables["dev"]).cpu().numpy()
        y, curated = self.labels["dev_y"], (self.labels["dev_trust"] == 1)
        large = self.labels["rows_of_language"] >= 1000
        rows = curated & (y >= 0) & large[np.maximum(y, 0)]
        guess = scores.argmax(1)
        say(
            f"{name}: accuracy on curated dev {np.mean(guess[rows] == y[rows]):.4f}, all {np.mean(guess == y):.4f}"
        )
        return scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--dim", type=int, default=32)
    parser.add_argument("--bits", type=int, default=5, help="of each number in the table")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    labels = dict(np.load(asked.work / "labels.npz"))
    with multiprocessing.Pool() as pool:
        tables = {name: read(asked.work, name, pool) for name in ("train", "made_up", "dev", "dutch")}
    seen, counts = torch.unique(
        torch.cat([tables["train"].hashes, tables["made_up"].hashes]), return_counts=True
    )
    vocabulary = seen[counts >= 4]
    number(tables, vocabulary)
    say(f"{len(vocabulary):,} features")
    trainer, wide = Trainer(tables, labels), Settings()
    keep = trainer.contradicted(len(vocabulary), replace(wide, epochs=2))
    model = trainer.fit(len(vocabulary), wide, keep)
    wide_scores = trainer.report(model, "wide")
    frequency = torch.zeros(len(vocabulary) + 1, device=DEVICE)
    for name, weight in (("train", 1.0), ("made_up", 0.1)):
        ids = tables[name].ids.long()
        frequency.index_add_(0, ids, torch.full((len(ids),), weight, device=DEVICE))
    strength = (model.table.detach().norm(dim=1) * frequency.sqrt())[:-1]
    kept = torch.sort(torch.topk(strength, asked.rows).indices).values
    vocabulary = vocabulary[kept]
    for name in ("train", "made_up"):
        trainer.teacher[name] = torch.softmax(model.scores(tables[name]), 1).half()
    narrow = replace(wide, dim=asked.dim, epochs=2, rate=0.005, fine_rate=0.002)
    start = trainer.narrowed(model, kept, frequency, narrow)
    del model
    number(tables, vocabulary)
    trainer.report(start, "narrow, before training")
    model = trainer.fit(len(vocabulary), narrow, keep, start)
    trainer.report(model, "narrow")
    levels = 2 ** (asked.bits - 1) - 1
    with torch.no_grad():
        largest = model.table[:-1].abs().max(1, keepdim=True).values.clamp(min=1e-8)
        coded = torch.round(model.table[:-1] / largest * levels)
        model.table[:-1] = coded * (largest / levels)
    scores = trainer.report(model, f"narrow, {asked.bits} bits")
    out = asked.out or asked.work
    np.savez(
        out / "model.npz",
        hashes=vocabulary.cpu().numpy().view(np.uint64),
        output=model.output.detach().cpu().numpy(),
        bias=model.bias.detach().cpu().numpy(),
        languages=labels["languages"],
        hint_scale=np.float32(wide.hint_scale),
    )
    np.savez_compressed(
        out / "table.npz",
        coded=coded.to(torch.int8).cpu().numpy(),
        scale=(largest[:, 0] / levels).cpu().numpy(),
    )
    dutch = model.scores(tables["dutch"]).cpu().numpy()
    own = dutch[:, trainer.dutch].copy()
    dutch[:, trainer.dutch] = -np.inf
    np.savez_compressed(
        out / "scores.npz", dev=scores, wide_dev=wide_scores, dutch_own=own, dutch_other=dutch.max(1)
    )
    say("done")


if __name__ == "__main__":
    main()
