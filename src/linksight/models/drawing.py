"""The top of a decision tree as a picture, as in figure 2 of the paper."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from linksight.errors import BadConfig, MissingExtra
from linksight.models.trees import TreeArrays

_KINDS = (".svg", ".png", ".pdf")


def draw_tree(
    tree: TreeArrays, columns: Sequence[str], names: Sequence[str], path: str | os.PathLike[str], depth: int
) -> None:
    """Write the picture; its kind is told by the name of the file."""
    kind = Path(path).suffix.lower()
    if kind not in _KINDS:
        raise BadConfig(f"{path}: a picture of a tree is named {', '.join(_KINDS)}")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "lab", "drawing a tree") from None
    places = _places(tree, depth)
    width = 1 + max(x for x, _ in places.values())
    figure = Figure(
        figsize=(max(4.0, 2.3 * width), 1.3 * (1 + min(depth, max(y for _, y in places.values()))))
    )
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(-0.6, width - 0.4)
    axes.set_ylim(-max(y for _, y in places.values()) - 0.5, 0.5)
    for node, (x, level) in places.items():
        inner = int(tree.left[node]) in places
        for child, answer in ((int(tree.left[node]), "no"), (int(tree.right[node]), "yes")) if inner else ():
            to_x, to_level = places[child]
            axes.plot([x, to_x], [-level, -to_level], color="0.6", linewidth=1, zorder=1)
            axes.text((x + to_x) / 2, -(level + to_level) / 2, answer, fontsize=8, color="0.4", ha="center")
        shown = tree.node_text(node, columns, names) if inner else tree.leaf_text(node, names)
        box = {"boxstyle": "round,pad=0.4", "facecolor": "white" if inner else "0.93", "edgecolor": "0.4"}
        axes.text(
            x, -level, shown.replace("  ", "\n"), fontsize=8, ha="center", va="center", bbox=box, zorder=2
        )
    figure.savefig(path, dpi=150)


def _places(tree: TreeArrays, depth: int) -> dict[int, tuple[float, int]]:
    """Where each node of the top levels stands: leaves side by side, parents above their middle."""
    places: dict[int, tuple[float, int]] = {}
    n_leaves = 0

    def place(node: int, level: int) -> float:
        nonlocal n_leaves
        if level == depth or tree.left[node] < 0:
            x = float(n_leaves)
            n_leaves += 1
        else:
            x = (place(int(tree.left[node]), level + 1) + place(int(tree.right[node]), level + 1)) / 2
        places[node] = (x, level)
        return x

    place(0, 0)
    return places
