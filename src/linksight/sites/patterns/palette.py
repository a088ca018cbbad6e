"""Colours that are far apart, for any number of patterns."""

from __future__ import annotations

import math
from functools import lru_cache

Lab = tuple[float, float, float]
_STEP = 17  # grid step of red, green and blue
MAX_COLOURS = 400  #: more cannot be distinguished, and thousands take minutes to compute


@lru_cache(maxsize=64)
def palette(n: int) -> tuple[str, ...]:
    """``n`` colours, each the farthest from all before it, dark enough to be read on white; more than ``MAX_COLOURS`` repeat.

    >>> palette(3)
    ('#004400', '#bb00ff', '#ee0000')
    """
    if n > MAX_COLOURS:
        few = palette(MAX_COLOURS)
        return tuple(few[k % MAX_COLOURS] for k in range(n))
    chosen: list[str] = []
    candidates = {f"#{r:02x}{g:02x}{b:02x}": _oklab(r, g, b) for r, g, b in _readable()}
    distance = {name: math.dist(lab, _oklab(255, 255, 255)) for name, lab in candidates.items()}
    while len(chosen) < n:
        best = max(distance, key=lambda name: distance[name])
        chosen.append(best)
        for name, lab in candidates.items():
            distance[name] = min(distance[name], math.dist(lab, candidates[best]))
    return tuple(chosen)


@lru_cache(maxsize=1)
def _readable() -> tuple[tuple[int, int, int], ...]:
    grid = range(0, 256, _STEP)
    colours = ((r, g, b) for r in grid for g in grid for b in grid)
    # Contrast of at least 4.5 to 1 against white, because names are written on them; not so dark that all look black.
    return tuple(rgb for rgb in colours if 0.04 < _luminance(*rgb) < 0.183)


def _linear(value: int) -> float:
    share = value / 255
    return float(share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4)


def _luminance(red: int, green: int, blue: int) -> float:
    return 0.2126 * _linear(red) + 0.7152 * _linear(green) + 0.0722 * _linear(blue)


def _oklab(red: int, green: int, blue: int) -> Lab:
    """Björn Ottosson's perceptual colour space OKLab."""
    r, g, b = _linear(red), _linear(green), _linear(blue)
    long = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)
    medium = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    short = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )
