"""A scorer on disk: one file of a manifest and plain arrays (see ``modelfile``), checked when it is read."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.calibration import Calibration
from linksight.errors import ModelFormatError
from linksight.extension import Background
from linksight.features.hashing import fnv1a
from linksight.modelfile import read_model, write_model
from linksight.scorer import Scorer
from linksight.tables import EVEN, EvidenceTable, HashedTable

FORMAT, VERSION = "linksight-scorer", 1
_HASH = [
    "fnv1a",
    "linksight",
    str(fnv1a("linksight")),
]  # a model is of use with the hash it was made with alone


def write_scorer(scorer: Scorer, path: str | os.PathLike[str]) -> None:
    """Write a scorer, whole or not at all."""
    values, arrays = describe(scorer)
    write_model(path, FORMAT, VERSION, values, arrays)


def read_scorer(path: Path) -> Scorer:
    """A scorer that :func:`write_scorer` wrote; what does not fit together is refused."""
    values, arrays = read_model(path, FORMAT, VERSION)
    try:
        if values["hash"][2] != _HASH[2]:
            raise ModelFormatError(path, "made with another hash")
        scorer = _rebuilt(values, arrays)
        _check(path, scorer)
    except ModelFormatError:
        raise
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise ModelFormatError(path, f"inconsistent ({error!r})") from error
    return scorer


def describe(scorer: Scorer) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """A scorer as plain values and arrays."""
    table, calibration = scorer.table, scorer.calibration
    values: dict[str, Any] = {
        "languages": list(scorer.languages), "doubt": calibration.doubt, "surprise": calibration.surprise, "about": dict(scorer.about),
        "hash": _HASH, "curves": sorted(scorer.curves),
    }  # fmt: skip
    arrays: dict[str, NDArray[Any]] = {
        "bias": table.bias,
        "slopes": calibration.slopes,
        "offsets": calibration.offsets,
        "rates": calibration.rates,
    }
    if isinstance(table, EvidenceTable):
        values |= {"table": "evidence-2", "hint_scale": float(table.hint_scale)}
        sizes = np.diff(table.starts.astype(np.int64)).astype(np.uint8)
        arrays |= {
            "sizes": sizes,
            "prints": table.prints,
            "codes": table.codes,
            "scales": table.scales,
            "levels": table.levels,
            "output": table.output,
        }
    else:
        rows = np.flatnonzero(table.weights.any(axis=1)).astype(np.uint32)
        values |= {"table": "hashed-1", "features": table.features, "bits": table.bits}
        arrays |= {"rows": rows, "weights": table.weights[rows]}
        if table.learnt:  # word lists are too long for the manifest
            arrays["learnt"] = np.frombuffer(json.dumps(table.learnt, ensure_ascii=False).encode(), np.uint8)
    if scorer.curves:
        arrays["curve_points"] = np.stack([scorer.curves[name] for name in sorted(scorer.curves)])
    if (background := scorer.background) is not None:
        arrays |= {
            "memory": background.vectors,
            "memory_languages": background.languages,
            "memory_pages": background.pages,
        }
    return values, arrays


def _rebuilt(values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Scorer:
    doubt, surprise = float(values["doubt"]), float(values["surprise"])
    calibration = Calibration(arrays["slopes"], arrays["offsets"], arrays["rates"], doubt, surprise)
    curves = dict(zip(values["curves"], arrays.get("curve_points", ()), strict=True))
    background = None
    if "memory" in arrays:
        background = Background(arrays["memory"], arrays["memory_languages"], arrays["memory_pages"])
    names = tuple(map(str, values["languages"]))
    return Scorer(_table_of(values, arrays), names, calibration, values["about"], curves, background)


def _table_of(values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> HashedTable | EvidenceTable:
    if values["table"] in ("evidence-1", "evidence-2"):
        starts = np.concatenate([[0], np.cumsum(arrays["sizes"], dtype=np.uint32)]).astype(np.uint32)
        return EvidenceTable(
            starts, arrays["prints"], arrays["codes"], arrays["scales"], arrays.get("levels", EVEN),
            arrays["output"], arrays["bias"], float(values["hint_scale"]),
        )  # fmt: skip
    if values["table"] == "hashed-1":
        if not 0 < int(values["bits"]) <= 26:
            raise ValueError("bits")
        weights = np.zeros((2 ** int(values["bits"]), len(arrays["bias"])), np.float32)
        weights[arrays["rows"]] = arrays["weights"]
        learnt = json.loads(arrays["learnt"].tobytes()) if "learnt" in arrays else {}
        return HashedTable(str(values["features"]), weights, arrays["bias"], learnt)
    raise ValueError(f"unknown table {values['table']!r}")


def _check(path: Path, scorer: Scorer) -> None:
    """Sizes that do not fit would show as nonsense much later; here they show at once."""
    table, k = scorer.table, len(scorer.languages)
    fits = (
        scorer.calibration.offsets.shape == (2, k)
        and scorer.calibration.rates.shape == (k,)
        and len(set(scorer.languages)) == k
    )
    if isinstance(table, EvidenceTable):
        n = len(table.prints)
        fits &= (
            int(table.starts[-1]) == n
            and table.scales.shape == (n,)
            and table.codes.shape == (n, -(-table.dim // (2 if table.codes.dtype == np.uint8 else 3)))
            and table.levels.shape == ((16,) if table.codes.dtype == np.uint8 else (32,))
        )
        fits &= table.output.shape[1] == k == len(table.bias) and 2**table.bits + 1 == len(table.starts)
    else:
        _ = table.feature_set  # an unknown spec or a damaged word list shows here
        fits &= table.weights.shape[1] == len(table.bias) and (
            len(table.bias) == k or (len(table.bias) == 1 and k == 2)
        )
    if not fits:
        raise ModelFormatError(path, "its arrays do not fit together")
