"""Save and load URL models: one file with a manifest and plain arrays (see ``system.model_file``), validated on load.

Manifest keys and array names are part of the file format: ``doubt`` is ``reject_threshold``, ``surprise`` is
``label_noise``, ``rates`` are the class priors, ``prints`` the fingerprints and ``memory`` the replay sample.
"""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import ModelFormatError
from linksight.features.feature_hash import fnv1a
from linksight.features.url_features import ExtractionSettings
from linksight.native.urls.segmentation import BITS, BUCKET, SET_BITS
from linksight.system.model_file import DAMAGE, MAX_BITS, read_model, table_of, write_model
from linksight.url_model.calibration import Calibration
from linksight.url_model.embeddings import (
    N_LEVELS,
    GroupWeighting,
    HashedWeights,
    QuantizedEmbeddings,
    ReplaySample,
)
from linksight.url_model.model import UrlLanguageModel
from linksight.url_model.segmentation import SegmentationCosts, WordList

_MAX_HINT_SCALE = 1e4
_MAX_LOGIT = 80.0  #: exp of it is a float of 32 bits
_MAX_SLOPE = 1e6  #: binary classifiers have steep slopes
#: Limits of the compiled code's integers: rows and sums of rows have 30 bits, columns 15.
_MAX_ROWS, _MAX_DIMENSIONS, _MAX_LANGUAGES = 2**27, 2**12, 2**15 - 1
FORMAT, VERSION = "linksight-scorer", 1
# A model works only with the hash function that it was trained with.
_HASH = ["fnv1a", "linksight", str(fnv1a("linksight"))]


def write_url_model(model: UrlLanguageModel, path: str | os.PathLike[str]) -> None:
    """Write a model file atomically."""
    values, arrays = describe(model)
    write_model(path, FORMAT, VERSION, values, arrays)


def read_url_model(path: str | os.PathLike[str]) -> UrlLanguageModel:
    """Read a file that :func:`write_url_model` wrote; inconsistent files raise ``ModelFormatError``."""
    values, arrays = read_model(path, FORMAT, VERSION)
    try:
        if values["hash"][2] != _HASH[2]:
            raise ModelFormatError(path, "made with another hash")
        model = _deserialise(values, arrays)
        _check(path, model)
    except ModelFormatError:
        raise
    except DAMAGE as error:
        raise ModelFormatError(path, f"inconsistent ({error!r})") from error
    return model


def describe(model: UrlLanguageModel) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Serialise a model as manifest values and arrays."""
    table, calibration = model.table, model.calibration
    values: dict[str, Any] = {
        "languages": list(model.languages), "doubt": calibration.reject_threshold, "surprise": calibration.label_noise, "about": dict(model.about),
        "hash": _HASH, "curves": sorted(model.curves),
    }  # fmt: skip
    arrays: dict[str, NDArray[Any]] = {
        "bias": table.bias,
        "slopes": calibration.slopes,
        "offsets": calibration.offsets,
        "rates": calibration.class_priors,
    }
    if calibration.shift is not None:
        arrays["shift"] = calibration.shift
    more_values, more_arrays = (
        _embedding_values(table) if isinstance(table, QuantizedEmbeddings) else _hashed_values(table)
    )
    values |= more_values
    arrays |= more_arrays
    if model.curves:
        arrays["curve_points"] = np.stack([model.curves[name] for name in sorted(model.curves)])
    if (sample := model.replay_sample) is not None:
        arrays |= {
            "memory": sample.vectors,
            "memory_languages": sample.languages,
            "memory_pages": sample.pages,
        }
    if (words := model.words) is not None:
        values["words"] = list(words.languages)
        values["segmentation"] = words.costs._asdict()
        arrays |= _bucket_sizes("word_", words.bucket_offsets) | {"word_entries": words.entries}
    return values, arrays


def _embedding_values(table: QuantizedEmbeddings) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    values = {
        "table": "evidence-5", "hint_scale": float(table.hint_scale), "balance": table.group_weighting,
        "extraction": table.settings.as_dict(),
    }  # fmt: skip
    scale_values, scale_codes = np.unique(table.scales, return_inverse=True)
    arrays: dict[str, NDArray[Any]] = {
        **_bucket_sizes("", table.bucket_offsets), "prints": table.fingerprints, "codes": table.codes, "scales": table.scales,
        "levels": table.levels, "output": table.output,
    }  # fmt: skip
    if len(scale_values) <= 256:
        arrays |= {"scales": scale_codes.astype(np.uint8), "scale_kinds": scale_values}
    return values, arrays


def _bucket_sizes(prefix: str, bucket_offsets: NDArray[np.uint32]) -> dict[str, NDArray[Any]]:
    """The number of rows in each bucket, which takes less room than offsets: two to a byte if all are below 16.

    >>> _bucket_sizes("", np.array([0, 2, 2, 17, 18], np.uint32)), _bucket_sizes("", np.array([0, 2, 20], np.uint32))
    ({'half_sizes': array([ 2, 31], dtype=uint8)}, {'sizes': array([ 2, 18], dtype=uint8)})
    """
    sizes = (bucket_offsets[1:] - bucket_offsets[:-1]).astype(np.uint8)
    if sizes.max(initial=0) > 15 or len(sizes) % 2:
        return {f"{prefix}sizes": sizes}
    return {f"{prefix}half_sizes": sizes[0::2] | sizes[1::2] << np.uint8(4)}


def _bucket_offsets(prefix: str, arrays: dict[str, NDArray[Any]], n_rows: int) -> NDArray[np.uint32]:
    """The inverse of :func:`_bucket_sizes`; the sizes must add up to ``n_rows``.

    >>> _bucket_offsets("", {"half_sizes": np.array([2, 31], np.uint8)}, 18).tolist()
    [0, 2, 2, 17, 18]
    """
    halves = arrays.get(f"{prefix}half_sizes")
    sizes = (
        arrays[f"{prefix}sizes"] if halves is None else np.stack([halves & 15, halves >> 4], axis=1).ravel()
    )
    if sizes.dtype != np.uint8 or int(sizes.sum(dtype=np.int64)) != n_rows:
        raise ValueError("bucket sizes do not add up to the number of rows")
    bucket_offsets = np.zeros(len(sizes) + 1, np.uint32)
    bucket_offsets[1:] = sizes
    np.cumsum(bucket_offsets, out=bucket_offsets)
    return bucket_offsets


def _hashed_values(table: HashedWeights) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    rows = np.flatnonzero(table.weights.any(axis=1)).astype(np.uint32)
    values = {"table": "hashed-1", "features": table.features, "bits": table.bits}
    arrays: dict[str, NDArray[Any]] = {"rows": rows, "weights": table.weights[rows]}
    if table.learnt:  # word lists are too long for the manifest
        arrays["learnt"] = np.frombuffer(json.dumps(table.learnt, ensure_ascii=False).encode(), np.uint8)
    return values, arrays


def _deserialise(values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> UrlLanguageModel:
    """The inverse of :func:`describe`, without validation."""
    calibration = Calibration(
        slopes=arrays["slopes"],
        offsets=arrays["offsets"],
        class_priors=arrays["rates"],
        reject_threshold=float(values["doubt"]),
        label_noise=float(values["surprise"]),
        shift=arrays.get("shift"),
    )
    curves = dict(zip(values["curves"], arrays.get("curve_points", ()), strict=True))
    replay_sample = None
    if "memory" in arrays:
        replay_sample = ReplaySample(arrays["memory"], arrays["memory_languages"], arrays["memory_pages"])
    return UrlLanguageModel(
        table=_read_table(values, arrays),
        languages=tuple(map(str, values["languages"])),
        calibration=calibration,
        about=values["about"],
        curves=curves,
        replay_sample=replay_sample,
        words=_read_words(values, arrays),
    )


def _read_table(
    values: dict[str, Any], arrays: dict[str, NDArray[Any]]
) -> HashedWeights | QuantizedEmbeddings:
    if values["table"] == "evidence-5":
        fingerprints, scales = arrays["prints"], arrays["scales"]
        if "scale_kinds" in arrays:
            scales = arrays["scale_kinds"][scales]
        return QuantizedEmbeddings(
            bucket_offsets=_bucket_offsets("", arrays, len(fingerprints)),
            fingerprints=fingerprints,
            codes=arrays["codes"],
            scales=scales,
            levels=arrays["levels"],
            output=arrays["output"],
            bias=arrays["bias"],
            hint_scale=float(values["hint_scale"]),
            group_weighting=GroupWeighting(*map(float, values["balance"])),
            settings=ExtractionSettings.from_dict(values["extraction"]),
        )
    if values["table"] == "hashed-1":
        bias = arrays["bias"]
        weights = table_of(arrays["rows"], arrays["weights"], int(values["bits"]), len(bias))
        learnt = json.loads(arrays["learnt"].tobytes()) if "learnt" in arrays else {}
        return HashedWeights(str(values["features"]), weights, bias, learnt)
    raise ValueError(f"unknown table {values['table']!r}")


def _read_words(values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> WordList | None:
    if "words" not in values:
        return None
    entries, languages = arrays["word_entries"], tuple(map(str, values["words"]))
    costs = SegmentationCosts(**values["segmentation"])
    return WordList(languages, _bucket_offsets("word_", arrays, len(entries)), entries, costs)


def _check(path: object, model: UrlLanguageModel) -> None:
    """Raise ``ModelFormatError`` if shapes, types or ranges are inconsistent: compiled code checks no bounds."""
    table, calibration, k = model.table, model.calibration, len(model.languages)
    is_consistent = (
        _calibration_fits(calibration, k)
        and len(set(model.languages)) == k
        and all(curve.ndim == 2 and curve.shape[1] == 3 for curve in model.curves.values())
        and (
            _embeddings_fit(table, k)
            if isinstance(table, QuantizedEmbeddings)
            else _hashed_weights_fit(table, k)
        )
        and (model.replay_sample is None or _replay_sample_fits(model.replay_sample, table, k))
        and (model.words is None or _words_fit(model.words, model.languages))
    )
    if not is_consistent:
        raise ModelFormatError(path, "its arrays do not fit together")


def _calibration_fits(calibration: Calibration, k: int) -> bool:
    """Whether this calibration gives probabilities from 0 to 1."""
    shift = np.zeros(k, np.float32) if calibration.shift is None else calibration.shift
    return (
        _floats(calibration.slopes, 2)
        and _floats(calibration.offsets, 2, k)
        and _floats(calibration.class_priors, k)
        and _floats(shift, k)
        and all(
            isinstance(share, int | float) and 0 <= share <= 1
            for share in (calibration.label_noise, calibration.reject_threshold)
        )
        and bool((calibration.class_priors >= 0).all() and (np.abs(shift) <= _MAX_LOGIT).all())
        and bool(
            (np.abs(calibration.slopes) <= _MAX_SLOPE).all()
            and (np.abs(calibration.offsets) <= _MAX_LOGIT).all()
        )
    )


def _embeddings_fit(table: QuantizedEmbeddings, k: int) -> bool:
    """Whether the arrays have the shapes and types that compiled code assumes."""
    n = len(table.fingerprints)
    return (
        table.output.ndim == 2
        and _floats(table.output, table.dim, k)
        and _floats(table.bias, k)
        and _floats(table.scales, n)
        and _floats(table.levels, N_LEVELS)
        and table.fingerprints.shape == (n,)
        and table.fingerprints.dtype == np.uint16
        and _weighting_fits(table.group_weighting)
        and table.codes.dtype == np.uint8
        and table.codes.shape == (n, -(-table.dim // 2))
        and 0 < table.bits <= MAX_BITS
        and len(table.bucket_offsets) == 2**table.bits + 1
        and n <= _MAX_ROWS
        and 0 < table.dim <= _MAX_DIMENSIONS
        and 0 < k <= _MAX_LANGUAGES
        and bool((table.scales >= 0).all())
        and isinstance(table.hint_scale, int | float)
        and abs(table.hint_scale) <= _MAX_HINT_SCALE
    )


def _words_fit(words: WordList, languages: tuple[str, ...]) -> bool:
    """Whether buckets, languages and costs are within the limits of compiled code."""
    return (
        0 < len(words.languages) <= SET_BITS
        and len(set(words.languages) & set(languages)) == len(words.languages)
        and len(words.bucket_offsets) == 2**BITS + 1
        and int((words.bucket_offsets[1:] - words.bucket_offsets[:-1]).max()) <= BUCKET
        and words.costs.is_valid
        and words.entries.dtype == np.uint16
        and words.entries.ndim == 1
    )


def _weighting_fits(weighting: GroupWeighting) -> bool:
    exponents = (weighting.host_decay, weighting.path_growth, weighting.host_exponent)
    return (
        weighting.path_threshold >= 0
        and weighting.host_reference >= 1
        and all(-2 <= exponent <= 2 for exponent in exponents)
    )


def _hashed_weights_fit(table: HashedWeights, k: int) -> bool:
    _ = table.feature_set  # raises on an unknown spec or a damaged word list
    return _floats(table.bias, k) or (_floats(table.bias, 1) and k == 2)


def _replay_sample_fits(sample: ReplaySample, table: HashedWeights | QuantizedEmbeddings, k: int) -> bool:
    n = len(sample.vectors)
    return (
        isinstance(table, QuantizedEmbeddings)
        and _floats(sample.vectors, n, table.dim)
        and _integers_below(sample.languages, n, k)
        and _integers_below(sample.pages, n, 2)
    )


def _floats(array: NDArray[Any], *shape: int) -> bool:
    return array.dtype.kind == "f" and array.shape == shape


def _integers_below(array: NDArray[Any], n: int, end: int) -> bool:
    return array.dtype.kind in "iu" and array.shape == (n,) and bool(((array >= 0) & (array < end)).all())
