"""Trains the low-rank URL model with PyTorch.

    python recipes/url_model/train.py WORK [--rows 520000] [--dim 32] [--bits 4]

1. three cross-fitted models (by registered domain) find rows that good models contradict, and what
   to believe of each label; three readers, byte-level transformers, are asked as well, each of the
   rows whose domains it never saw (6 minutes on a GPU; their answers are kept in WORK/told.npz);
2. wide teachers, linear and deep, half of them on labels and half on beliefs: on all that is left,
   then on curated rows mixed by source as dev is;
3. a narrow model starts from the strongest rows of the linear teachers' mean, fitted in few
   dimensions, and learns from the labels and from what teachers and readers think together;
4. its table is coded in a few bits, and trained on as coded.

Writes WORK/model.npz and WORK/table.npz, which ``package.py`` turns into the bundled model.
"""

from __future__ import annotations

import argparse
import multiprocessing
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from network import Coder, DeepModel, Model
from readers import School, Texts, pack, unpack
from rows import DEVICE, number, read, say
from trainer import Settings, Trainer

WIDE = Settings()
NARROW = replace(WIDE, rate=0.005, fine_rate=0.002, gram_dropout=0.6)
LINEAR, DEEP = 8, 4  # teachers; the mean of the linear ones is linear again
SCALE = 6.0  # of the output matrix where the narrow model starts: rows of a size that Adam moves well


def agreed(*chances: torch.Tensor) -> torch.Tensor:
    """The geometric mean of probabilities, row by row: who is sure counts more than who is not."""
    found = torch.zeros_like(chances[0], dtype=torch.half)
    for part in torch.arange(len(found), device=DEVICE).split(131_072):
        logs = sum(torch.log(one[part].float() + 1e-5) for one in chances) / len(chances)
        found[part] = torch.softmax(logs, 1).half()
    return found


def readings(work: Path, trainer: Trainer, keep: np.ndarray) -> torch.Tensor:
    """What readers that never saw a row's domain think of it; asked once, and kept."""
    path = work / "told.npz"
    if not path.exists():
        texts = {name: Texts(work, name) for name in ("train", "made_up", "dutch")}
        pack(School(trainer, texts, WIDE).cross_fitted(keep), path)
    return unpack(path, trainer.n_languages)


@dataclass
class Means:
    """The mean of the linear teachers, and of all teachers of a kind what they make of each row."""

    weights: torch.Tensor
    bias: torch.Tensor
    chances: dict[str, list[torch.Tensor]]  #: by table: of linear ones, of deep ones


def teachers(trainer: Trainer, size: int, keep: np.ndarray, beliefs: torch.Tensor) -> Means:
    """Models that err apart: linear and deep, half of them on labels and half on beliefs."""
    n = trainer.n_languages
    means = Means(torch.zeros(size, n, device=DEVICE), torch.zeros(n, device=DEVICE), {})
    for name in ("train", "made_up", "dev"):
        shape = (len(trainer.tables[name]), n)
        means.chances[name] = [torch.zeros(shape, dtype=torch.half, device=DEVICE) for _ in range(2)]
    for seed in range(LINEAR + DEEP):
        deep, believing = seed >= LINEAR, seed % 2 == 1
        trainer.beliefs = beliefs if believing else None
        kind = DeepModel if deep else Model
        model = trainer.fit(size, WIDE, None if believing else keep, kind=kind, seed=seed)
        report(trainer, model, f"{kind.__name__}{', beliefs' if believing else ''}")
        for name, both in means.chances.items():
            for part in torch.arange(len(both[deep]), device=DEVICE).split(65_536):
                chances = torch.softmax(model.scores(trainer.tables[name], part), 1)
                both[deep][part] += (chances / (DEEP if deep else LINEAR)).half()
        if not deep:
            with torch.no_grad():
                means.weights += model.table[:-1] @ model.output / LINEAR
                means.bias += model.bias / LINEAR
    trainer.beliefs = None
    return means


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


def student(trainer: Trainer, vocabulary: torch.Tensor, keep: np.ndarray, means: Means, asked):
    """The narrow model, its coder, and the features that it knows."""
    seen = importance(trainer, len(vocabulary), keep)
    strength = means.weights.norm(dim=1) * seen.sqrt()
    kept = torch.sort(torch.topk(strength, asked.rows).indices).values
    model = narrowed(means.weights[kept], means.bias, seen[kept], asked.dim, trainer)
    number(trainer.tables, vocabulary[kept])
    trainer.fit(len(kept), model.settings, keep, start=model)
    report(trainer, model, "narrow")
    matter = (seen[kept] * model.table.detach()[:-1].pow(2).mean(1)).sqrt()
    model.coder = Coder.fitted(model.table.detach(), matter, 2**asked.bits)
    trainer.finish(model, replace(model.settings, fine_rate=0.001, fine_epochs=1), keep)
    report(trainer, model, f"narrow, {asked.bits} bits")
    return model, vocabulary[kept]


def write(model: Model, known: torch.Tensor, languages: np.ndarray, out: Path) -> None:
    assert model.coder is not None
    table = model.table.detach()[:-1]
    scales = Coder.scales(table)
    out.mkdir(parents=True, exist_ok=True)
    np.savez(
        out / "model.npz",
        hashes=known.cpu().numpy().view(np.uint64),
        levels=model.coder.levels.cpu().numpy(),
        output=model.output.detach().cpu().numpy(),
        bias=model.bias.detach().cpu().numpy(),
        languages=languages,
        hint_scale=np.float32(WIDE.hint_scale),
    )
    np.savez_compressed(
        out / "table.npz",
        codes=model.coder.nearest(table / scales).to(torch.uint8).cpu().numpy(),
        scales=scales[:, 0].cpu().numpy().astype(np.float16),
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path)
    parser.add_argument("--rows", type=int, default=520_000)
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
    told = readings(asked.work, trainer, trainer.contradicted(honest))
    honest = agreed(honest, told)
    keep, beliefs = trainer.contradicted(honest), trainer.believed(honest, WIDE)
    means = teachers(trainer, len(vocabulary), keep, beliefs)
    trainer.teacher = {
        "train": agreed(*means.chances["train"], told),
        "made_up": agreed(*means.chances["made_up"]),
    }
    model, known = student(trainer, vocabulary, keep, means, asked)
    write(model, known, labels["languages"], asked.out or asked.work)
    say("done")


if __name__ == "__main__":
    main()
