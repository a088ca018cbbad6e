"""Trains the low-rank URL model with PyTorch.

    python recipes/url_model/train.py WORK [--rows 500000] [--dim 32] [--bits 4]

1. three cross-fitted models (by registered domain) find rows that good models contradict, and what
   to believe of each label;
2. four wide teachers, two of them deep, two on labels and two on beliefs: on all that is left, then
   on curated rows mixed by source as dev is;
3. the strongest rows are kept; a narrow model starts from the teachers' best low-rank fit and learns
   from the labels and from the teachers' mean probabilities together;
4. its table is coded in a few bits, and trained on as coded.

Writes WORK/model.npz and WORK/table.npz, which ``package.py`` turns into the bundled model.
"""

from __future__ import annotations

import argparse
import multiprocessing
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from network import Coder, DeepModel, Model
from rows import DEVICE, number, read, say
from trainer import Settings, Trainer

WIDE = Settings()
NARROW = replace(WIDE, epochs=3, rate=0.005, fine_rate=0.002)
SCALE = 6.0  # of the output matrix where the narrow model starts: rows of a size that Adam moves well


def teachers(trainer: Trainer, size: int, keep: np.ndarray, beliefs: torch.Tensor) -> list[Model]:
    """Models that err apart: linear and deep, on labels and on beliefs."""
    found = []
    for seed, (kind, believing) in enumerate(
        ((Model, False), (Model, True), (DeepModel, False), (DeepModel, True))
    ):
        trainer.beliefs = beliefs if believing else None
        found.append(trainer.fit(size, WIDE, None if believing else keep, kind=kind, seed=seed))
        report(trainer, found[-1], f"{kind.__name__}{', beliefs' if believing else ''}")
    trainer.beliefs = None
    return found


def lesson(trainer: Trainer, models: list[Model], name: str) -> torch.Tensor:
    """The teachers' mean probabilities of every row."""
    rows = trainer.tables[name]
    told = torch.zeros(len(rows), trainer.n_languages, dtype=torch.half, device=DEVICE)
    for part in torch.arange(len(rows), device=DEVICE).split(65_536):
        chances = [torch.softmax(model.scores(rows, part), 1) for model in models]
        told[part] = (sum(chances) / len(models)).half()
    return told


def importance(trainer: Trainer, size: int, keep: np.ndarray) -> torch.Tensor:
    """How often each feature is seen in the mix that training stands for."""
    weights = sum(
        share * found * keep / (found * keep).mean()
        for share, found in ((0.5, trainer.all_weights(WIDE)), (1.0, trainer.curated_weights(WIDE)))
    )
    train, made_up = trainer.tables["train"], trainer.tables["made_up"]
    by_feature = torch.repeat_interleave(
        torch.from_numpy(weights).float().to(DEVICE), train.offsets[1:] - train.offsets[:-1]
    )
    seen = torch.zeros(size + 1, device=DEVICE).index_add_(0, train.ids.long(), by_feature)
    seen.index_add_(0, made_up.ids.long(), torch.full((len(made_up.ids),), 0.1, device=DEVICE))
    return seen[:-1]


def narrowed(
    weights: torch.Tensor, bias: torch.Tensor, seen: torch.Tensor, dim: int, trainer: Trainer
) -> Model:
    """A model of few dimensions that scores as nearly like the full weights as it can."""
    with torch.no_grad():
        values, vectors = torch.linalg.eigh((weights * seen[:, None]).T @ weights)
        top = vectors[:, -dim:]
        model = Model(len(weights), trainer.n_languages, replace(NARROW, dim=dim))
        model.table[:-1] = weights @ top / SCALE
        model.table[-1] = 0
        model.output[:] = top.T * SCALE
        model.bias[:] = bias
        say(f"{dim} dimensions hold {float(values[-dim:].sum() / values.sum()):.1%}")
    return model


def report(trainer: Trainer, model: Model, name: str) -> None:
    scores = model.scores(trainer.tables["dev"]).cpu().numpy()
    y, curated = trainer.labels["dev_y"], trainer.labels["dev_trust"] == 1
    large = trainer.labels["rows_of_language"] >= 1000
    rows = curated & (y >= 0) & large[np.maximum(y, 0)]
    right = scores.argmax(1) == y
    say(f"{name}: accuracy on curated dev {right[rows].mean():.4f}, all {right.mean():.4f}, uncalibrated")


def student(trainer: Trainer, vocabulary: torch.Tensor, keep: np.ndarray, beliefs: torch.Tensor, asked):
    """The narrow model, its coder, and the features that it knows."""
    wide = teachers(trainer, len(vocabulary), keep, beliefs)
    seen = importance(trainer, len(vocabulary), keep)
    with torch.no_grad():
        linear = wide[:2]
        full = sum(model.table[:-1] @ model.output for model in linear) / len(linear)
        bias = sum(model.bias for model in linear) / len(linear)
    kept = torch.sort(torch.topk(full.norm(dim=1) * seen.sqrt(), asked.rows).indices).values
    for name in ("train", "made_up"):
        trainer.teacher[name] = lesson(trainer, wide, name)
    model = narrowed(full[kept], bias, seen[kept], asked.dim, trainer)
    del wide, linear, full
    number(trainer.tables, vocabulary[kept])
    trainer.fit(len(kept), model.settings, keep, start=model)
    report(trainer, model, "narrow")
    matter = (seen[kept] * model.table.detach()[:-1].pow(2).mean(1)).sqrt()
    model.coder = Coder.fitted(model.table.detach(), matter, 2**asked.bits)
    trainer.finish(model, replace(model.settings, fine_rate=0.001, fine_epochs=1), keep)
    report(trainer, model, f"narrow, {asked.bits} bits")
    return model, vocabulary[kept]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--dim", type=int, default=32)
    parser.add_argument("--bits", type=int, default=4, help="of each number in the table")
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
    trainer = Trainer(tables, labels)
    honest = trainer.cross_fitted(len(vocabulary), replace(WIDE, epochs=2))
    keep, beliefs = trainer.contradicted(honest), trainer.believed(honest, WIDE)
    del honest
    model, known = student(trainer, vocabulary, keep, beliefs, asked)
    assert model.coder is not None
    table = model.table.detach()[:-1]
    scales = Coder.scales(table)
    out = asked.out or asked.work
    np.savez(
        out / "model.npz",
        hashes=known.cpu().numpy().view(np.uint64),
        levels=model.coder.levels.cpu().numpy(),
        output=model.output.detach().cpu().numpy(),
        bias=model.bias.detach().cpu().numpy(),
        languages=labels["languages"],
        hint_scale=np.float32(WIDE.hint_scale),
    )
    np.savez_compressed(
        out / "table.npz",
        codes=model.coder.nearest(table / scales).to(torch.uint8).cpu().numpy(),
        scales=scales[:, 0].cpu().numpy().astype(np.float16),
    )
    say("done")


if __name__ == "__main__":
    main()
