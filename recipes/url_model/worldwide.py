"""Gives endings that the whole world uses (``.io``, ``.dev``, ``.app``) the languages that they have in the world.

    python recipes/url_model/worldwide.py WORK [--out FOLDER]

Labelled home pages under such endings come from a few lists: Korean developers' blogs, Chinese personal sites.
English ones are there too, but as pages (feeds) and not as home pages. So ``fly.io`` was Chinese and ``go.dev``
Korean. Here all rows of the table stay as they are but those of these endings (``t:io``, ``d:io/0``, ``d:io/1``) and of
hosts under them that many share (``s:github.io``). They are fitted again on

real       labelled URLs under the ending, weighed as dev is;
homes      the home pages of the sites among them of which only pages are labelled;
moved      labelled URLs under ``.com``, ``.net`` and ``.org``, with this ending instead: what an ending is without lists.

Dev's home pages under these endings are of the same lists, so dev cannot tell how far the rows should go. They go ``SHARE``
of the way: as far as it costs dev little. ``package.py`` leaves those home pages out where it fits what each language
starts from.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from codes import fitted, on_dev
from lessons import Corpus, Lesson
from mix import curated_weights, ending_of, host_of, is_worldwide
from weights import Weights, folders

SHARE = 0.6
REAL, HOMES, MOVED = 0.3, 0.05, 0.1  # what a row of each weighs
FEWEST = 3  # labelled domains of an ending that is fitted
SHARED = 15  # domains from which a host is shared
GENERIC = ("com", "net", "org")  # where labelled URLs are moved from


class Endings:
    """The features that are fitted, and the rows that they are fitted on."""

    def __init__(self, corpus: Corpus, labels) -> None:
        self.corpus, self.weights = corpus, curated_weights(labels) * (corpus.y >= 0)
        self.trust = labels["train_trust"]
        self.rng = np.random.default_rng(0)
        self.rows = [int(i) for i in np.flatnonzero(self.weights) if is_worldwide(ending_of(corpus.texts[i]))]
        first = np.unique(corpus.domain, return_index=True)[1]
        counts = Counter(ending_of(corpus.texts[i]) for i in first)
        self.counts = {
            ending: n for ending, n in sorted(counts.items()) if n >= FEWEST and is_worldwide(ending)
        }
        hosts = [host_of(corpus.texts[i]) for i in {corpus.domain[i]: i for i in self.rows}.values()]
        common = Counter(".".join(host.split(".")[-2:]) for host in hosts if host.count(".") >= 2)
        self.shared = sorted(host for host, n in common.items() if n >= SHARED)
        self.features = [feature for e in self.counts for feature in (f"t:{e}", f"d:{e}/0", f"d:{e}/1")]
        self.features += [f"s:{host}" for host in self.shared]

    def lesson(self, texts: list[str], rows: list[int], weights) -> Lesson:
        targets = np.zeros((len(rows), len(self.corpus.known)), np.float32)
        targets[np.arange(len(rows)), self.corpus.y[rows]] = 1
        return Lesson.of(texts, targets, np.asarray(weights, float), self.features)

    def real(self) -> Lesson:
        texts = [self.corpus.texts[i] for i in self.rows]
        return self.lesson(texts, self.rows, REAL * self.weights[self.rows])

    def homes(self) -> Lesson:
        """A site's home page is in the language of its pages; that of a shared host is not its users'."""
        alone = {
            self.corpus.domain[i]: i
            for i in self.rows
            if self.trust[i] == 1
            and self.corpus.texts[i].partition("/")[2]
            and not host_of(self.corpus.texts[i]).endswith(tuple(f".{host}" for host in self.shared))
        }
        rows = list(alone.values())
        return self.lesson([host_of(self.corpus.texts[i]) for i in rows], rows, np.full(len(rows), HOMES))

    def moved(self) -> Lesson:
        chance = self.weights * (self.trust == 1)
        rows = np.array([i for i in np.flatnonzero(chance) if ending_of(self.corpus.texts[i]) in GENERIC])
        chance = chance[rows] / chance[rows].sum()
        texts, chosen = [], []
        for ending, n in self.counts.items():
            for i in self.rng.choice(rows, int(np.clip(4 * n**0.5, 20, 150)), p=chance):
                path = self.corpus.texts[i].partition("/")[2] if self.rng.random() < 0.5 else ""
                host = host_of(self.corpus.texts[i]).rpartition(".")[0]
                texts.append(f"{host}.{ending}/{path}".removesuffix("/"))
                chosen.append(int(i))
        return self.lesson(texts, chosen, np.full(len(texts), MOVED))


def main() -> None:
    work, out = folders(__doc__)
    weights, endings = Weights.read(work), Endings(Corpus(work), np.load(work / "labels.npz"))
    print(f"{len(endings.counts)} endings, shared hosts {' '.join(endings.shared)}")
    table = weights.table
    calibration, plain = on_dev(table, endings.corpus.known)
    rows = weights.rows(endings.features)
    lessons = [endings.real(), endings.homes(), endings.moved()]
    moved = fitted(table, calibration, plain, lessons, rows.values)
    weights.replace(rows, rows.values + SHARE * (moved - rows.values))
    weights.write(out)


if __name__ == "__main__":
    main()
