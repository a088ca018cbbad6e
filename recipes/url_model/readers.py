"""Readers: byte-level transformers that only teach.

Alone they know no more than the table does, but they err elsewhere: they see letters in their order,
where the table sums n-grams. Each row is read by the one that never saw its domain.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, count, islice
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from rows import DEVICE, say
from torch import nn
from trainer import Settings, Trainer

LONGEST = 96  # bytes of a text; what follows says little
WIDTHS = (12, 16, 20, 24, 28, 32, 40, 48, 64, 80, LONGEST)  # a batch holds texts of about one length
TOKENS = 131_072  # bytes of a batch
HIDDEN_BYTES = 0.08  # share of bytes that a text is read without


@dataclass(frozen=True)
class Pace:
    """How long and how fast a reader learns."""

    passes: float
    rate: float
    made_up: float  #: share of the made-up rows in each pass
    made_up_weight: float


KEPT = 3  # languages of each row whose chances are written
FIRST, LAST = Pace(2.6, 1e-3, 0.5, 1.0), Pace(3, 1.5e-4, 0.02, 0.3)


class Texts:
    """Texts as bytes on the training device."""

    def __init__(self, work: Path, name: str) -> None:
        lines = lzma.decompress((work / f"{name}.xz").read_bytes()).decode("utf-8").split("\n")
        raw = [line.removeprefix("www.").encode()[:LONGEST] or b" " for line in lines]
        self.lengths = np.array([len(text) for text in raw])
        self.data = torch.from_numpy(np.frombuffer(b"".join(raw), np.uint8).copy()).to(DEVICE)
        self.starts = torch.from_numpy(np.cumsum(self.lengths) - self.lengths).to(DEVICE)
        self.sizes = torch.from_numpy(self.lengths).to(DEVICE)

    def batch(self, rows: torch.Tensor, width: int) -> torch.Tensor:
        """Bytes from 2 on; 0 is past the end, 1 a byte that is hidden."""
        places = torch.arange(width, device=DEVICE)
        found = self.data[(self.starts[rows][:, None] + places).clamp(max=len(self.data) - 1)].long() + 2
        return torch.where(places < self.sizes[rows][:, None], found, 0)


def by_width(lengths: np.ndarray, rows: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Rows of about one length, with the width that holds them."""
    for least, width in zip((0, *WIDTHS), WIDTHS, strict=False):
        some = rows[(lengths[rows] > least) & (lengths[rows] <= width)]
        if len(some):
            yield width, some


class Block(nn.Module):
    def __init__(self, dim: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.before, self.between = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.asked, self.answer = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.inner = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        n, size, dim = x.shape
        parts = self.asked(self.before(x)).view(n, size, 3, self.heads, dim // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        x = x + self.dropout(self.answer(seen.transpose(1, 2).reshape(n, size, dim)))
        return x + self.dropout(self.inner(self.between(x)))


class Reader(nn.Module):
    """Bytes with their neighbours, six layers of attention, and a sum of what was found."""

    def __init__(self, languages: int, seed: int, dim: int = 384, layers: int = 6, heads: int = 6) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.languages = languages
        self.byte, self.place = nn.Embedding(258, dim), nn.Embedding(LONGEST, dim)
        nn.init.normal_(self.byte.weight, std=0.5)
        nn.init.normal_(self.place.weight, std=0.1)
        self.near = nn.ModuleList([nn.Conv1d(dim, dim, size, padding=size // 2) for size in (3, 5)])
        self.blocks = nn.ModuleList([Block(dim, heads, 0.1) for _ in range(layers)])
        self.norm, self.matter = nn.LayerNorm(dim), nn.Linear(dim, 1)
        self.output = nn.Sequential(nn.Dropout(0.3), nn.Linear(2 * dim, languages))

    def forward(self, text: torch.Tensor) -> torch.Tensor:
        there = text > 0
        if self.training:
            text = torch.where((torch.rand(text.shape, device=DEVICE) < HIDDEN_BYTES) & there, 1, text)
        x = self.byte(text) + self.place.weight[: text.shape[1]]
        x = x + sum(near(x.transpose(1, 2)) for near in self.near).transpose(1, 2)
        for block in self.blocks:
            x = block(x, there[:, None, None, :])
        x = self.norm(x).float()
        share = self.matter(x)[..., 0].masked_fill(~there, -1e4).softmax(1)
        mean = (x * there[..., None]).sum(1) / there.sum(1, keepdim=True)
        return self.output(torch.cat([(share[..., None] * x).sum(1), mean], 1))

    @torch.no_grad()
    def chances(self, texts: Texts, rows: np.ndarray, out: torch.Tensor) -> None:
        """Writes the probabilities of some rows to the same rows of ``out``."""
        self.eval()
        for width, some in by_width(texts.lengths, rows):
            for part in torch.from_numpy(some).to(DEVICE).split(2 * TOKENS // width):
                with torch.autocast(DEVICE.type, torch.bfloat16):
                    scores = self(texts.batch(part, width))
                out[part] = torch.softmax(scores.float(), 1).to(out.dtype)
        self.train()


class School:
    """What readers learn from: the trainer's rows and weights, as bytes."""

    def __init__(self, trainer: Trainer, texts: dict[str, Texts], settings: Settings) -> None:
        self.trainer, self.texts, self.settings = trainer, texts, settings
        kinds = torch.from_numpy(trainer.labels["made_up_kind"]).long().to(DEVICE)
        self.made_up_weight = torch.tensor(settings.made_up, device=DEVICE)[kinds]
        not_dutch = trainer.not_dutch.cpu().numpy()
        self.not_dutch = {
            width: torch.from_numpy(rows).to(DEVICE)
            for width, rows in by_width(texts["dutch"].lengths, not_dutch)
        }

    def cross_fitted(self, keep: np.ndarray, n_folds: int = 3) -> torch.Tensor:
        """The probabilities of every labelled row by a reader that never saw its domain."""
        fold = self.trainer.labels["train_domain"] % n_folds
        told = torch.zeros(len(fold), self.trainer.n_languages, dtype=torch.half, device=DEVICE)
        for k in range(n_folds):
            reader = Reader(self.trainer.n_languages, k).to(DEVICE)
            learnt = keep * (fold != k)
            self.run(reader, self.trainer.all_weights(self.settings) * learnt, FIRST)
            self.run(reader, self.trainer.curated_weights(self.settings) * learnt, LAST)
            reader.chances(self.texts["train"], np.flatnonzero(fold == k), told)
            say(f"reader {k + 1} of {n_folds}")
        return told

    def run(self, reader: Reader, weights: np.ndarray, pace: Pace) -> None:
        weight = torch.from_numpy(weights / weights[weights > 0].mean()).float().to(DEVICE)
        groups = [
            {"params": [p for p in reader.parameters() if p.dim() > 1], "weight_decay": 0.05},
            {"params": [p for p in reader.parameters() if p.dim() <= 1], "weight_decay": 0.0},
        ]
        optimizer = torch.optim.AdamW(groups, lr=pace.rate, betas=(0.9, 0.98), fused=DEVICE.type == "cuda")
        rows, rng = np.flatnonzero(weights > 0), np.random.default_rng(0)
        n_steps = int(pace.passes * sum(1 for _ in self.batches(rows, pace, rng)))
        stream = chain.from_iterable(self.batches(rows, pace, rng) for _ in count())
        for step, batch in enumerate(islice(stream, n_steps)):
            for group in optimizer.param_groups:
                group["lr"] = pace.rate * min(1, (step + 1) / 150) * (1 - step / n_steps) + 1e-6
            loss = self.loss(reader, weight, pace, *batch)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
            optimizer.step()
        say(f"{n_steps} steps, loss {float(loss.detach()):.3f}")

    def batches(self, rows: np.ndarray, pace: Pace, rng) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """(width, labelled rows, made-up rows) in an order by chance."""
        made_up = self.texts["made_up"].lengths
        extra = np.flatnonzero(rng.random(len(made_up)) < pace.made_up)
        extra = dict(by_width(made_up, extra))
        found = []
        for width, some in by_width(self.texts["train"].lengths, rows):
            others = extra.get(width, some[:0])
            n = -(-(len(some) + len(others)) * width // TOKENS)
            found += [
                (width, *pair)
                for pair in zip(
                    np.array_split(rng.permutation(some), n),
                    np.array_split(rng.permutation(others), n),
                    strict=True,
                )
            ]
        yield from (found[i] for i in rng.permutation(len(found)))

    def loss(self, reader, weight, pace, width, rows, extra) -> torch.Tensor:
        trainer = self.trainer
        chosen, made_up = torch.from_numpy(rows).to(DEVICE), torch.from_numpy(extra).to(DEVICE)
        others = self.not_dutch.get(width, trainer.not_dutch)
        others = others[torch.randint(len(others), (len(rows) // 8,), device=DEVICE)]
        asked = (
            (self.texts["train"], chosen),
            (self.texts["made_up"], made_up),
            (self.texts["dutch"], others),
        )
        with torch.autocast(DEVICE.type, torch.bfloat16):
            scores = reader(torch.cat([texts.batch(some, width) for texts, some in asked])).float()
        n = len(rows) + len(extra)
        target = torch.cat([trainer.target[chosen], trainer.made_up_target[made_up]])
        weights = torch.cat([weight[chosen], pace.made_up_weight * self.made_up_weight[made_up]])
        losses = F.cross_entropy(scores[:n], target, reduction="none")
        dutch = torch.softmax(scores[n:], 1)[:, trainer.dutch]
        against = torch.log1p(-dutch.clamp(max=0.999)).sum() / max(len(others), 1)
        return (losses * weights).sum() / n - self.settings.not_dutch * against / 8


def pack(told: torch.Tensor, path: Path) -> None:
    """Writes the likeliest languages of each row, which is all that a file should hold of it."""
    chances, found = told.float().topk(KEPT, dim=1)
    np.savez_compressed(
        path,
        p=(chances * 250).round().to(torch.uint8).cpu().numpy(),
        l=found.to(torch.uint8).cpu().numpy(),
    )


def unpack(path: Path, languages: int) -> torch.Tensor:
    """The chances of each row again; what is left is spread over all languages."""
    packed = np.load(path)
    chances = torch.from_numpy(packed["p"]).to(DEVICE).float() / 250
    rest = (1 - chances.sum(1, keepdim=True)).clamp(min=0.002) / languages
    told = rest.half().repeat(1, languages)
    return told.scatter_add_(1, torch.from_numpy(packed["l"]).to(DEVICE).long(), chances.half())
