"""Gradient descent over stretches of the texts: what naive Bayes gets wrong where classes are alike.

Needs numba, which linksight does not: pip install numba
"""

from __future__ import annotations

import random

import numpy as np
from numba import njit
from page_weights import keys_of

HARD = 8.0  # how much more often a class is drawn that is always taken for another
BIAS_RATE = 0.004  # how fast what a class pays with every feature is corrected


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


def corrected(texts, unique, row, kinds, weights, bias, totals, *, passes: int, n_examples: int):
    """Weights and biases after some passes over ``texts``; before each it is told how good they are on text held out."""
    rows, starts, sizes = np.unique(row, return_index=True, return_counts=True)
    row_of = np.full(len(unique), -1, np.int64)
    row_of[rows] = np.arange(len(rows))
    examples = Examples(texts, 0.1, row_of, unique.astype(np.int64))
    share = np.minimum(totals, 1e6) ** 0.4
    held = examples.draw(20_000, held=True, share=list(share))
    weights, grads = weights.astype(np.float64), np.full(len(weights), 1e-2)
    bias_grads, prior, missed = np.ones(len(texts)), np.zeros(len(texts)), np.zeros((2, len(texts)))
    table = (starts, sizes, kinds.astype(np.int64), weights, grads, bias, bias_grads, prior, missed)
    for step in range(passes + 1):
        missed[:] = 0
        right, loss = descend(*held, *table, 30.0, 0.0, -1.1, False)
        n = len(held[1])
        print(f"pass {step}: held out {right / n:.4f}, loss {loss / n:.4f}", flush=True)
        if step < passes:
            # Neighbours that are hard to tell apart are looked at more often.
            hard = 1 + HARD * (missed[0] + 0.1) / (missed[1] + 5)
            batch = examples.draw(n_examples, share=list(share * hard))
            descend(*batch, *table, 30.0, 0.05, -1.1, True)
    return weights, bias
