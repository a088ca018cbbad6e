"""Training: all rows by trust, then curated rows mixed by source as dev is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from mix import curated_weights
from network import Model
from rows import DEVICE, Rows, say


@dataclass(frozen=True)
class Settings:
    """What was found to matter; the table of trials is in docs/research/model-log.md."""

    dim: int = 64
    epochs: int = 4
    rate: float = 0.01
    fine_epochs: int = 3
    fine_rate: float = 0.003
    gram_dropout: float = 0.7  # hosts of the test are never those of training: no single n-gram may decide
    group_dropout: float = 0.1  # of all hints, of the host or of the path
    hint_dropout: float = 0.15
    hint_scale: float = 0.6
    weak_weight: float = 0.15  # trust 3
    list_weight: float = 0.7  # trust 2
    fine_list_weight: float = 0.4
    domain_cap: int = 5
    balance: float = 0.25  # languages weigh n ** -balance
    source_mix: float = 0.9  # curated sources weigh as in dev
    made_up: tuple[float, float, float, float] = (0.4, 0.4, 0.3, 3.0)  # slugs, hosts, towns, codes
    not_dutch: float = 0.4  # rows of which only that is known
    fine_made_up: float = 0.3  # share of the made-up rows' weight that stays in the last phase
    taught: float = 0.7  # share of the teachers' word where there is one


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
        self.beliefs: torch.Tensor | None = None

    def fit(
        self,
        size: int,
        settings: Settings,
        keep: np.ndarray | None = None,
        *,
        kind: type[Model] = Model,
        start: Model | None = None,
        seed: int = 0,
    ) -> Model:
        model = start or kind(size, self.n_languages, settings, seed)
        weights = self.all_weights(settings) * (1 if keep is None else keep)
        self.run(model, weights, settings.rate, settings.epochs, 16_384, made_up=1.0)
        self.finish(model, settings, keep)
        return model

    def finish(self, model: Model, settings: Settings, keep: np.ndarray | None = None) -> None:
        curated = self.curated_weights(settings) * (1 if keep is None else keep)
        self.run(
            model, curated, settings.fine_rate, settings.fine_epochs, 4_096, made_up=settings.fine_made_up
        )

    def run(self, model: Model, weights, rate, epochs, size, *, made_up: float) -> None:
        settings, labels = model.settings, self.labels
        rows = torch.from_numpy(np.flatnonzero(weights > 0)).to(DEVICE)
        weight = torch.from_numpy(weights / weights[weights > 0].mean()).float().to(DEVICE)
        made_up_weight = (
            made_up
            * torch.tensor(settings.made_up, device=DEVICE)[
                torch.from_numpy(labels["made_up_kind"]).long().to(DEVICE)
            ]
        )
        fused = DEVICE.type == "cuda"
        optimizer = torch.optim.Adam(model.parameters(), lr=rate, betas=(0.9, 0.99), fused=fused)
        n_batches = len(rows) // size
        n_made_up = len(self.made_up_target) // (len(self.target) // size) if made_up else 0
        for step in range(int(epochs * n_batches)):
            i = step % n_batches
            if i == 0:
                order = rows[torch.randperm(len(rows), device=DEVICE)]
                extra = torch.randperm(len(self.made_up_target), device=DEVICE)
            for group in optimizer.param_groups:
                group["lr"] = group["factor"] * (rate * (1 - step / (epochs * n_batches)) + 1e-5)
            chosen = order[i * size : (i + 1) * size]
            loss = self.loss(model, "train", chosen, weight[chosen]) / size
            if n_made_up:
                chosen = extra[i * n_made_up : (i + 1) * n_made_up]
                loss = loss + self.loss(model, "made_up", chosen, made_up_weight[chosen]) / size
            if settings.not_dutch:
                chosen = self.not_dutch[torch.randint(len(self.not_dutch), (size // 8,), device=DEVICE)]
                dutch = torch.softmax(model(self.tables["dutch"].batch(chosen), True), 1)[:, self.dutch]
                loss = loss - settings.not_dutch * torch.log1p(-dutch.clamp(max=0.999)).mean() / 8
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()

    def loss(self, model: Model, name: str, rows: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        scores = model(self.tables[name].batch(rows), True)
        if name == "train" and self.beliefs is not None:
            losses = -(self.beliefs[rows].float() * torch.log_softmax(scores, 1)).sum(1)
        else:
            target = self.target if name == "train" else self.made_up_target
            losses = F.cross_entropy(scores, target[rows], reduction="none")
        if name in self.teacher:
            taught = self.teacher[name][rows].float()
            share = model.settings.taught
            losses = (1 - share) * losses - share * (taught * torch.log_softmax(scores, 1)).sum(1)
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
        return curated_weights(
            self.labels, settings.domain_cap, settings.source_mix, settings.fine_list_weight
        )

    def cross_fitted(self, size: int, settings: Settings, keep: np.ndarray | None = None) -> torch.Tensor:
        """Every training row's probabilities by one of three models that never saw its domain."""
        fold = self.labels["train_domain"] % 3
        found = torch.zeros(len(fold), self.n_languages, dtype=torch.half, device=DEVICE)
        for k in range(3):
            model = self.fit(size, settings, (fold != k) * (1.0 if keep is None else keep))
            index = torch.from_numpy(np.flatnonzero(fold == k)).to(DEVICE)
            for part in index.split(65_536):
                found[part] = torch.softmax(model.scores(self.tables["train"], part), 1).half()
        return found

    def contradicted(self, probabilities: torch.Tensor) -> np.ndarray:
        """1 for rows to keep, 0 for those that a model which never saw their domain rules out."""
        own = probabilities.gather(1, self.target.clamp(min=0)[:, None])[:, 0].float().cpu().numpy()
        best = probabilities.max(1).values.float().cpu().numpy()
        bad = (own < 0.1) & (best > 0.5) & (self.labels["train_trust"] >= 2)
        say(f"contradicted: {bad.mean():.1%} of rows")
        return np.where(bad, 0.0, 1.0)

    def believed(
        self, probabilities: torch.Tensor, settings: Settings, least=(0.97, 0.9, 0.75), rounds: int = 4
    ) -> torch.Tensor:
        """What each row's language is, given its label and a model that never saw its domain.

        Of every source and label the true shares are found by expectation maximisation: p(language |
        URL) over the model's own mix, times the share of the language among rows with this label.
        """
        labels, n = self.labels, self.n_languages
        weights = self.curated_weights(settings)
        y = np.maximum(labels["train_y"], 0)
        mix = np.bincount(y, weights=weights, minlength=n) + 1e-4 * weights.sum()
        prior = torch.from_numpy(mix / mix.sum()).float().to(DEVICE)
        groups, group = np.unique(labels["train_source"].astype(np.int64) * n + y, return_inverse=True)
        own = torch.from_numpy(groups % n).to(DEVICE)
        trust = np.zeros(len(groups), np.int64)
        trust[group] = labels["train_trust"]
        floor = torch.tensor(least, device=DEVICE)[torch.from_numpy(trust - 1).to(DEVICE)]
        group = torch.from_numpy(group).to(DEVICE)
        sure = F.one_hot(own, n).float()
        first = floor[:, None] * sure + (1 - floor[:, None]) * prior
        shares = first.clone()
        belief = torch.zeros_like(probabilities)
        for _ in range(rounds):
            total = 20 * first
            for part in torch.arange(len(group), device=DEVICE).split(131_072):
                chance = (probabilities[part].float() + 1e-4) / prior * shares[group[part]]
                chance = chance / chance.sum(1, keepdim=True)
                belief[part] = chance.half()
                total.index_add_(0, group[part], chance)
            shares = total / total.sum(1, keepdim=True)
            held = shares.gather(1, own[:, None])[:, 0]
            mixed = torch.maximum(held, floor)
            rest = shares * (1 - sure)
            shares = sure * mixed[:, None] + rest / rest.sum(1, keepdim=True).clamp(min=1e-9) * (
                1 - mixed[:, None]
            )
        kept = belief.gather(1, self.target.clamp(min=0)[:, None])[:, 0].float()
        for level in (1, 2, 3):
            some = torch.from_numpy(labels["train_trust"] == level).to(DEVICE)
            say(f"trust {level}: {float(kept[some].mean()):.3f} of the labels believed")
        return belief
