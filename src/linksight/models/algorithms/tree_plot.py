"""The top of a decision tree as a picture, as in figure 2 of the paper."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from linksight.errors import BadConfig, MissingExtra
from linksight.models.algorithms.tree_arrays import TreeArrays

_KINDS = (".svg", ".png", ".pdf")
_WIDTH, _HEIGHT = 1.65, 0.72  # inches for a level and for a leaf: from left to right it fits a page


def draw_tree(
    tree: TreeArrays, columns: Sequence[str], names: Sequence[str], path: str | os.PathLike[str], depth: int
) -> None:
    """Write the picture; the file name's extension selects the format."""
    kind = Path(path).suffix.lower()
    if kind not in _KINDS:
        raise BadConfig(f"{path}: a picture of a tree is named {', '.join(_KINDS)}")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "lab", "drawing a tree") from None
    places = _places(tree, depth)
    height = 1 + max(y for y, _ in places.values())
    width = 1 + max(level for _, level in places.values())
    figure = Figure(figsize=(max(4.0, _WIDTH * width), max(1.5, _HEIGHT * height)))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(-0.5, width - 0.5)
    axes.set_ylim(-height + 0.4, 0.6)
    for node, (y, level) in places.items():
        inner = int(tree.left[node]) in places
        for child, answer in ((int(tree.left[node]), "no"), (int(tree.right[node]), "yes")) if inner else ():
            to_y, to_level = places[child]
            axes.plot([level, to_level], [-y, -to_y], color="0.6", linewidth=1, zorder=1)
            axes.text((level + to_level) / 2, -(y + to_y) / 2, answer, fontsize=9, color="0.35", ha="center", va="center",
                      bbox={"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none"}, zorder=2)  # fmt: skip
        shown = tree.node_text(node, columns, names) if inner else tree.leaf_text(node, names)
        box = {"boxstyle": "round,pad=0.4", "facecolor": "white" if inner else "0.93", "edgecolor": "0.4"}
        lines = shown.replace("  ", "\n").replace(" f(-)", "\nf(-)")
        axes.text(level, -y, lines, fontsize=9, ha="center", va="center", bbox=box, zorder=3)
    figure.savefig(path, dpi=150)


def _places(tree: TreeArrays, depth: int) -> dict[int, tuple[float, int]]:
    """The coordinates of the nodes of the top levels: leaves in a column, parents beside their middle."""
    places: dict[int, tuple[float, int]] = {}
    n_leaves = 0

    def place(node: int, level: int) -> float:
        nonlocal n_leaves
        if level == depth or tree.left[node] < 0:
            y = float(n_leaves)
            n_leaves += 1
        else:
            y = (place(int(tree.left[node]), level + 1) + place(int(tree.right[node]), level + 1)) / 2
        places[node] = (y, level)
        return y

    place(0, 0)
    return places
