"""The models that are trained: the low-rank one that ships, and a deep one that only teaches."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from rows import DEVICE, N_GROUPS, Rows
from torch import nn


class Model:
    """Rows of ``dim`` numbers, summed by group, and an output matrix: one score a language."""

    def __init__(self, size: int, languages: int, settings, seed: int = 0) -> None:
        torch.manual_seed(seed)
        self.size, self.settings = size, settings
        self.table = ((torch.rand(size + 1, settings.dim, device=DEVICE) - 0.5) * 0.2).requires_grad_()
        self.output = torch.zeros(settings.dim, languages, device=DEVICE, requires_grad=True)
        self.bias = torch.zeros(languages, device=DEVICE, requires_grad=True)
        self.coder: Coder | None = None

    def parameters(self) -> list[dict]:
        """What is learnt; ``factor`` is by how much slower than the table."""
        return [{"params": [self.table, self.output, self.bias], "factor": 1.0}]

    def weighted(self, batch, training: bool):
        """Features, the URL and group of each, and their weights.

        Hints weigh alike, n-grams by the root of their number.
        """
        ids, groups, lengths = batch
        rows = torch.repeat_interleave(torch.arange(len(lengths), device=DEVICE), lengths)
        found = (ids != self.size).float()
        counts = torch.zeros(len(lengths) * N_GROUPS, device=DEVICE)
        counts = counts.index_add_(0, rows * N_GROUPS + groups, found).clamp(min=1)
        hint = groups == 0
        weights = found * torch.where(
            hint, self.settings.hint_scale, counts[rows * N_GROUPS + groups] ** -0.5
        )
        if training:
            drop = torch.where(hint, self.settings.hint_dropout, self.settings.gram_dropout)
            weights = weights * (torch.rand_like(weights) > drop) / (1 - drop)
            stays = torch.rand(len(lengths) * N_GROUPS, device=DEVICE) > self.settings.group_dropout
            weights = weights * stays[rows * N_GROUPS + groups]
        return ids, rows * N_GROUPS + groups, weights, lengths

    def __call__(self, batch, training: bool = False) -> torch.Tensor:
        ids, _, weights, lengths = self.weighted(batch, training)
        offsets = torch.cumsum(lengths, 0) - lengths
        table = self.table if self.coder is None else self.coder.straight_through(self.table)
        summed = F.embedding_bag(ids, table, offsets, mode="sum", per_sample_weights=weights)
        return summed @ self.output + self.bias

    def scores(self, rows: Rows, chosen: torch.Tensor | None = None, size: int = 65_536) -> torch.Tensor:
        with torch.no_grad():
            chosen = torch.arange(len(rows), device=DEVICE) if chosen is None else chosen
            return torch.cat([self(rows.batch(part)) for part in chosen.split(size)])


class DeepModel(Model):
    """The same sums, and a hidden layer over hints, host and path that sees what goes with what."""

    HIDDEN, DROPOUT = 512, 0.4

    def __init__(self, size: int, languages: int, settings, seed: int = 0) -> None:
        super().__init__(size, languages, settings, seed)
        self.net = nn.Sequential(
            nn.Linear(N_GROUPS * (settings.dim + 1), self.HIDDEN),
            nn.GELU(),
            nn.Dropout(self.DROPOUT),
            nn.Linear(self.HIDDEN, languages),
        ).to(DEVICE)
        nn.init.zeros_(self.net[3].weight)
        nn.init.zeros_(self.net[3].bias)

    def parameters(self) -> list[dict]:
        return [*super().parameters(), {"params": list(self.net.parameters()), "factor": 0.15}]

    def __call__(self, batch, training: bool = False) -> torch.Tensor:
        ids, where, weights, lengths = self.weighted(batch, training)
        n = len(lengths)
        counts = torch.zeros(n * N_GROUPS, device=DEVICE, dtype=torch.long)
        counts.index_add_(0, where, torch.ones_like(where))
        offsets = torch.cumsum(counts, 0) - counts
        parts = F.embedding_bag(ids, self.table, offsets, mode="sum", per_sample_weights=weights)
        parts = parts.view(n, N_GROUPS, -1)
        sizes = torch.log1p(counts.view(n, N_GROUPS).float()) * 0.3
        self.net.train(training)
        return parts.sum(1) @ self.output + self.bias + self.net(torch.cat([parts.flatten(1), sizes], 1))


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
        return table.pow(2).mean(1, keepdim=True).sqrt().clamp(min=1e-4).half().float()

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
