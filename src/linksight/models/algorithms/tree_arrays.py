"""A fitted decision tree as plain arrays: prediction and serialisation without scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class TreeArrays:
    """One entry a node, the root first; ``left`` is -1 at a leaf."""

    feature: NDArray[np.int32]
    threshold: NDArray[np.float32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    counts: NDArray[np.float64]  #: training rows of each class that reach the node

    @classmethod
    def of(cls, fitted: Any, n_classes: int) -> TreeArrays:
        """From a fitted tree of scikit-learn."""
        tree = fitted.tree_
        counts = np.zeros((tree.node_count, n_classes))
        counts[:, fitted.classes_] = tree.value[:, 0] * tree.weighted_n_node_samples[:, np.newaxis]
        return cls(
            tree.feature.astype(np.int32), tree.threshold.astype(np.float32), tree.children_left.astype(np.int32),
            tree.children_right.astype(np.int32), counts,
        )  # fmt: skip

    @classmethod
    def restored(cls, arrays: dict[str, NDArray[Any]], n_features: int) -> TreeArrays:
        """Restore and validate the result of :meth:`as_dict`: every path ends in a leaf with training rows."""
        tree = cls(**arrays)
        n = len(tree.left)
        if not n or any(len(array) != n for array in arrays.values()) or tree.counts.ndim != 2:
            raise ValueError("arrays of one length are needed")
        inner = np.flatnonzero(tree.left >= 0)
        children = np.stack([tree.left[inner], tree.right[inner]])
        # Children come after their parents, so the tree has no cycle.
        if (children <= inner).any() or (children >= n).any():
            raise ValueError("nodes that are not there")
        if (tree.feature[inner] < 0).any() or (tree.feature[inner] >= n_features).any():
            raise ValueError("features that are not there")
        if tree.counts.shape[1] < 2 or (tree.counts < 0).any() or not tree.counts.any(axis=1).all():
            raise ValueError("nodes that no row came to")
        return tree

    def as_dict(self) -> dict[str, NDArray[Any]]:
        """The arrays by name."""
        return dict(vars(self))

    def leaves(self, matrix: NDArray[np.float32]) -> NDArray[np.int64]:
        """The leaf that each row ends in."""
        at = np.zeros(len(matrix), dtype=np.int64)
        for rows, nodes in self._steps(matrix):
            at[rows] = nodes
        return at

    def _steps(self, matrix: NDArray[np.float32]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Level by level, the rows above a leaf and the nodes that they reach."""
        rows = np.arange(len(matrix))
        nodes = np.zeros(len(matrix), dtype=np.int64)
        while len(rows):
            yield rows, nodes
            inner = self.left[nodes] >= 0
            rows, nodes = rows[inner], nodes[inner]
            goes_left = matrix[rows, self.feature[nodes]] <= self.threshold[nodes]
            nodes = np.where(goes_left, self.left[nodes], self.right[nodes]).astype(np.int64)

    def shares(self, matrix: NDArray[np.float32]) -> NDArray[np.float64]:
        """The share of each class in the leaf of each row."""
        counts = self.counts[self.leaves(matrix)]
        found: NDArray[np.float64] = counts / counts.sum(axis=1, keepdims=True)
        return found

    def passed(
        self, matrix: NDArray[np.float32], targets: NDArray[np.int64], n_classes: int
    ) -> NDArray[np.float64]:
        """How many of these rows of each class come by each node."""
        counts = np.zeros((len(self.left), n_classes))
        for rows, nodes in self._steps(matrix):
            np.add.at(counts, (nodes, targets[rows]), 1)
        return counts

    def node_text(self, node: int, columns: Sequence[str], names: Sequence[str]) -> str:
        """The text of a node: its test, or at a leaf its class and the share of each class.

        The shares are the paper's f(+) and f(-): of all rows of a class, those that end here.
        """
        if self.left[node] >= 0:
            return f"{columns[self.feature[node]]} > {self.threshold[node]:g}?"
        return self.leaf_text(node, names)

    def leaf_text(self, node: int, names: Sequence[str]) -> str:
        """The answer of a node, if it were a leaf."""
        shares = self.counts[node] / np.maximum(self.counts[0], 1)
        best = int(self.counts[node].argmax())
        if len(names) == 2:
            return f"{names[best]}  f(+)={shares[1]:.3f} f(-)={shares[0]:.3f}"
        return f"{names[best]}  f={shares[best]:.3f}"

    def text(self, columns: Sequence[str], names: Sequence[str], depth: int) -> str:
        """The top ``depth`` levels, the answer "no" of each question first."""
        lines: list[str] = []

        def write(node: int, level: int, lead: str) -> None:
            cut = level == depth and self.left[node] >= 0
            shown = self.leaf_text(node, names) + "  …" if cut else self.node_text(node, columns, names)
            lines.append(f"{'    ' * level}{lead}{shown}")
            if self.left[node] >= 0 and not cut:
                write(int(self.left[node]), level + 1, "no:  ")
                write(int(self.right[node]), level + 1, "yes: ")

        write(0, 0, "")
        return "\n".join(lines)
