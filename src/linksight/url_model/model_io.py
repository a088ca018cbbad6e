"""A scorer on disk: one file of a manifest and plain arrays (see ``modelfile``), checked when it is read."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import ModelFormatError
from linksight.features.feature_hash import fnv1a
from linksight.features.url_features import ExtractionSettings, default_settings
from linksight.native.urls.segmentation import BITS, BUCKET, SET_BITS
from linksight.system.model_file import DAMAGE, MAX_BITS, read_model, table_of, write_model
from linksight.url_model.calibration import Calibration
from linksight.url_model.embeddings import EVEN, Background, Balance, EvidenceTable, HashedTable
from linksight.url_model.model import Scorer
from linksight.url_model.segmentation import SegmentationCosts, WordList

#: What the compiled core has numbers for: rows and their sums have 30 bits, columns 15.
_MAX_HINT_SCALE = 1e4
_MAX_LOGIT = 80.0  #: exp of it is a float of 32 bits
_MAX_SLOPE = 1e6  #: classifiers that answer yes or no have steep ones
_MAX_ROWS, _MAX_DIMENSIONS, _MAX_LANGUAGES = 2**27, 2**12, 2**15 - 1
FORMAT, VERSION = "linksight-scorer", 1
# A model is of use with the hash it was made with alone.
_HASH = ["fnv1a", "linksight", str(fnv1a("linksight"))]


def write_scorer(scorer: Scorer, path: str | os.PathLike[str]) -> None:
    """Write a scorer, whole or not at all."""
    values, arrays = describe(scorer)
    write_model(path, FORMAT, VERSION, values, arrays)


def read_scorer(path: str | os.PathLike[str]) -> Scorer:
    """A scorer that :func:`write_scorer` wrote; what does not fit together is refused."""
    values, arrays = read_model(path, FORMAT, VERSION)
    try:
        if values["hash"][2] != _HASH[2]:
            raise ModelFormatError(path, "made with another hash")
        scorer = _rebuilt(values, arrays)
        _check(path, scorer)
    except ModelFormatError:
        raise
    except DAMAGE as error:
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
    if calibration.shift is not None:
        arrays["shift"] = calibration.shift
    more_values, more_arrays = _evidence(table) if isinstance(table, EvidenceTable) else _hashed(table)
    values |= more_values
    arrays |= more_arrays
    if scorer.curves:
        arrays["curve_points"] = np.stack([scorer.curves[name] for name in sorted(scorer.curves)])
    if (background := scorer.background) is not None:
        arrays |= {
            "memory": background.vectors,
            "memory_languages": background.languages,
            "memory_pages": background.pages,
        }
    if (words := scorer.words) is not None:
        values["words"] = list(words.languages)
        values["segmentation"] = words.costs._asdict()
        arrays |= _runs("word_", words.starts) | {"word_entries": words.entries}
    return values, arrays


def _evidence(table: EvidenceTable) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    values = {
        "table": "evidence-5", "hint_scale": float(table.hint_scale), "balance": table.balance,
        "extraction": table.settings.as_dict(),
    }  # fmt: skip
    kinds, scales = np.unique(table.scales, return_inverse=True)
    arrays: dict[str, NDArray[Any]] = {
        **_runs("", table.starts), "prints": table.prints, "codes": table.codes, "scales": table.scales,
        "levels": table.levels, "output": table.output,
    }  # fmt: skip
    if len(kinds) <= 256:
        arrays |= {"scales": scales.astype(np.uint8), "scale_kinds": kinds}
    return values, arrays


def _runs(name: str, starts: NDArray[np.uint32]) -> dict[str, NDArray[Any]]:
    """How long the run of each bucket is, which is smaller than where it starts: two to a byte where they fit.

    >>> _runs("", np.array([0, 2, 2, 17, 18], np.uint32)), _runs("", np.array([0, 2, 20], np.uint32))
    ({'half_sizes': array([ 2, 31], dtype=uint8)}, {'sizes': array([ 2, 18], dtype=uint8)})
    """
    sizes = (starts[1:] - starts[:-1]).astype(np.uint8)
    if sizes.max(initial=0) > 15 or len(sizes) % 2:
        return {f"{name}sizes": sizes}
    return {f"{name}half_sizes": sizes[0::2] | sizes[1::2] << np.uint8(4)}


def _starts(name: str, arrays: dict[str, NDArray[Any]], n: int) -> NDArray[np.uint32]:
    """What :func:`_runs` was made from, if the runs are of ``n`` rows in all.

    >>> _starts("", {"half_sizes": np.array([2, 31], np.uint8)}, 18).tolist()
    [0, 2, 2, 17, 18]
    """
    halves = arrays.get(f"{name}half_sizes")
    sizes = arrays[f"{name}sizes"] if halves is None else np.stack([halves & 15, halves >> 4], axis=1).ravel()
    if sizes.dtype != np.uint8 or int(sizes.sum(dtype=np.int64)) != n:
        raise ValueError("runs of rows that are not there")
    starts = np.zeros(len(sizes) + 1, np.uint32)
    starts[1:] = sizes
    np.cumsum(starts, out=starts)
    return starts


def _hashed(table: HashedTable) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    rows = np.flatnonzero(table.weights.any(axis=1)).astype(np.uint32)
    values = {"table": "hashed-1", "features": table.features, "bits": table.bits}
    arrays: dict[str, NDArray[Any]] = {"rows": rows, "weights": table.weights[rows]}
    if table.learnt:  # word lists are too long for the manifest
        arrays["learnt"] = np.frombuffer(json.dumps(table.learnt, ensure_ascii=False).encode(), np.uint8)
    return values, arrays


def _rebuilt(values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Scorer:
    doubt, surprise = float(values["doubt"]), float(values["surprise"])
    calibration = Calibration(
        arrays["slopes"], arrays["offsets"], arrays["rates"], doubt, surprise, arrays.get("shift")
    )
    curves = dict(zip(values["curves"], arrays.get("curve_points", ()), strict=True))
    background = None
    if "memory" in arrays:
        background = Background(arrays["memory"], arrays["memory_languages"], arrays["memory_pages"])
    names = tuple(map(str, values["languages"]))
    return Scorer(
        _table_of(values, arrays),
        names,
        calibration,
        values["about"],
        curves,
        background,
        _words_of(values, arrays),
    )


def _table_of(values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> HashedTable | EvidenceTable:
    """The table of weights, of any format that was ever written."""
    if values["table"] in ("evidence-1", "evidence-2", "evidence-3", "evidence-4", "evidence-5"):
        # Files before evidence-5 do not hold these lists; they were made with those of today.
        settings = (
            ExtractionSettings.from_dict(values["extraction"])
            if "extraction" in values
            else default_settings()
        )
        prints, scales = arrays["prints"], arrays["scales"]
        if "scale_kinds" in arrays:
            scales = arrays["scale_kinds"][scales]
        return EvidenceTable(
            _starts("", arrays, len(prints)), prints, arrays["codes"], scales, arrays.get("levels", EVEN),
            arrays["output"], arrays["bias"], float(values["hint_scale"]),
            Balance(*map(float, values.get("balance", ()))), settings,
        )  # fmt: skip
    if values["table"] == "hashed-1":
        bias = arrays["bias"]
        weights = table_of(arrays["rows"], arrays["weights"], int(values["bits"]), len(bias))
        learnt = json.loads(arrays["learnt"].tobytes()) if "learnt" in arrays else {}
        return HashedTable(str(values["features"]), weights, bias, learnt)
    raise ValueError(f"unknown table {values['table']!r}")


def _words_of(values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> WordList | None:
    if "words" not in values:
        return None
    entries = arrays["word_entries"]
    costs = SegmentationCosts(**values.get("segmentation", {}))
    return WordList(tuple(map(str, values["words"])), _starts("word_", arrays, len(entries)), entries, costs)


def _check(path: object, scorer: Scorer) -> None:
    """What does not fit would show as nonsense much later, or never: compiled code reads past the end of an array."""
    table, calibration, k = scorer.table, scorer.calibration, len(scorer.languages)
    fits = (
        _calibration_fits(calibration, k)
        and len(set(scorer.languages)) == k
        and all(curve.ndim == 2 and curve.shape[1] == 3 for curve in scorer.curves.values())
        and (_evidence_fits(table, k) if isinstance(table, EvidenceTable) else _hashed_fits(table, k))
        and (scorer.background is None or _background_fits(scorer.background, table, k))
        and (scorer.words is None or _words_fit(scorer.words, scorer.languages))
    )
    if not fits:
        raise ModelFormatError(path, "its arrays do not fit together")


def _calibration_fits(calibration: Calibration, k: int) -> bool:
    """Whether probabilities by this calibration are numbers from 0 to 1."""
    shift = np.zeros(k, np.float32) if calibration.shift is None else calibration.shift
    return (
        _floats(calibration.slopes, 2)
        and _floats(calibration.offsets, 2, k)
        and _floats(calibration.rates, k)
        and _floats(shift, k)
        and all(
            isinstance(share, int | float) and 0 <= share <= 1
            for share in (calibration.surprise, calibration.doubt)
        )
        and bool((calibration.rates >= 0).all() and (np.abs(shift) <= _MAX_LOGIT).all())
        and bool(
            (np.abs(calibration.slopes) <= _MAX_SLOPE).all()
            and (np.abs(calibration.offsets) <= _MAX_LOGIT).all()
        )
    )


def _evidence_fits(table: EvidenceTable, k: int) -> bool:
    """Whether the arrays of a table have the sizes and types that compiled code takes for granted."""
    n, word = len(table.prints), table.codes.dtype
    size, n_levels = (2, 16) if word == np.uint8 else (3, 32)
    return (
        table.output.ndim == 2
        and _floats(table.output, table.dim, k)
        and _floats(table.bias, k)
        and _floats(table.scales, n)
        and _floats(table.levels, n_levels)
        and table.prints.shape == (n,)
        and table.prints.dtype == np.uint16
        and _sensible(table.balance)
        and word in (np.uint8, np.uint16)
        and table.codes.shape == (n, -(-table.dim // size))
        and 0 < table.bits <= MAX_BITS
        and len(table.starts) == 2**table.bits + 1
        and n <= _MAX_ROWS
        and 0 < table.dim <= _MAX_DIMENSIONS
        and 0 < k <= _MAX_LANGUAGES
        and bool((table.scales >= 0).all())
        and isinstance(table.hint_scale, int | float)
        and abs(table.hint_scale) <= _MAX_HINT_SCALE
    )


def _words_fit(words: WordList, languages: tuple[str, ...]) -> bool:
    """Compiled code looks into whole buckets and at every language."""
    return (
        0 < len(words.languages) <= SET_BITS
        and len(set(words.languages) & set(languages)) == len(words.languages)
        and len(words.starts) == 2**BITS + 1
        and int((words.starts[1:] - words.starts[:-1]).max()) <= BUCKET
        and words.costs.is_valid
        and words.entries.dtype == np.uint16
        and words.entries.ndim == 1
    )


def _sensible(balance: Balance) -> bool:
    powers = (balance.fading, balance.growth, balance.rise)
    return balance.long >= 0 and balance.name >= 1 and all(-2 <= power <= 2 for power in powers)


def _hashed_fits(table: HashedTable, k: int) -> bool:
    _ = table.feature_set  # an unknown spec or a damaged word list shows here
    return _floats(table.bias, k) or (_floats(table.bias, 1) and k == 2)


def _background_fits(rows: Background, table: HashedTable | EvidenceTable, k: int) -> bool:
    n = len(rows.vectors)
    return (
        isinstance(table, EvidenceTable)
        and _floats(rows.vectors, n, table.dim)
        and _whole_below(rows.languages, n, k)
        and _whole_below(rows.pages, n, 2)
    )


def _floats(array: NDArray[Any], *shape: int) -> bool:
    return array.dtype.kind == "f" and array.shape == shape


def _whole_below(array: NDArray[Any], n: int, end: int) -> bool:
    return array.dtype.kind in "iu" and array.shape == (n,) and bool(((array >= 0) & (array < end)).all())
