"""Classifiers on disk: a zip of one JSON manifest and plain arrays. No pickle, nothing that runs.

What is a table alone is saved as the scorer's own file; this format is for what is not (rank
order, trees, hosting countries, combinations, and anything on custom features).
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import LinksightError, ModelFormatError
from linksight.features import FeatureSet, LearningPart, parse_features
from linksight.features.hosting import HostingCountries
from linksight.models.base import AdditiveClassifier, UrlClassifier

if TYPE_CHECKING:
    from linksight.scorer import Scorer

FORMAT, VERSION = "linksight-classifier", 1
_MANIFEST = "manifest.json"
_MOST_BYTES = 8 * 2**30  # a file that claims more is not one of ours


def save_classifier(classifier: UrlClassifier, path: str | os.PathLike[str]) -> None:
    """Write a trained classifier; the file is there whole or not at all."""
    if isinstance(classifier, AdditiveClassifier) and classifier.features_.is_hashed:
        classifier.compile().save(path)
        return
    values, arrays = describe(classifier)
    manifest = {"format": FORMAT, "version": VERSION, **values, "arrays": {}}
    packed = {name: _pack(array) for name, array in arrays.items()}
    manifest["arrays"] = {name: hashlib.sha256(data).hexdigest() for name, data in packed.items()}
    target = Path(path)
    with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as temporary:
        try:
            with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr(_MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=1))
                for name, data in packed.items():
                    archive.writestr(f"{name}.npy", data)
        except BaseException:
            Path(temporary.name).unlink()
            raise
    Path(temporary.name).replace(target)


def load_classifier(path: str | os.PathLike[str]) -> UrlClassifier | Scorer:
    """Read a model that ``save`` wrote, of whatever kind; refuse what is not one."""
    if not is_classifier_file(path):
        from linksight.scorer import load

        return load(path)
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = _read_manifest(path, archive)
            arrays = {
                name: _unpack(path, archive, name, digest) for name, digest in manifest["arrays"].items()
            }
        return rebuild(manifest, arrays)
    except LinksightError:
        raise
    except (zipfile.BadZipFile, OSError, EOFError, KeyError, ValueError, TypeError, IndexError) as error:
        raise ModelFormatError(path, f"damaged model file ({error})") from error


def is_classifier_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file is of this format (and not, say, a scorer's)."""
    try:
        with zipfile.ZipFile(path) as archive:
            found = json.loads(archive.read(_MANIFEST))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile, EOFError):
        return False
    return isinstance(found, dict) and found.get("format") == FORMAT


def describe(classifier: UrlClassifier) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """A trained classifier as plain values and arrays."""
    state, arrays = classifier.state()
    parameters = {name: _plain(value) for name, value in classifier.get_params().items()}
    learnt = {
        part.spec: part.state() for part in classifier.features_.parts if isinstance(part, LearningPart)
    }
    values = {
        "algorithm": classifier.algorithm, "parameters": parameters, "languages": list(classifier.languages_),
        "features": classifier.features_.spec, "learnt": learnt, "state": state,
    }  # fmt: skip
    return values, arrays


def _plain(value: Any) -> Any:
    if isinstance(value, FeatureSet):
        return value.spec
    if isinstance(value, HostingCountries):
        return value.as_dict()
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def rebuild(values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> UrlClassifier:
    """The classifier that :func:`describe` described."""
    from linksight.models import classifier_type

    kind = classifier_type(values["algorithm"])
    parameters = dict(values["parameters"])
    if isinstance(parameters.get("hosting"), dict):
        parameters["hosting"] = HostingCountries(**parameters["hosting"])
    classifier = kind(**parameters)
    classifier.check_parameters()
    features = parse_features(values["features"]) if values["features"] else FeatureSet(())
    classifier.features_ = features.restored(values["learnt"])
    classifier.restore(values["state"], arrays)
    classifier._set_languages(tuple(values["languages"]))
    return classifier


def _read_manifest(path: object, archive: zipfile.ZipFile) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads(archive.read(_MANIFEST))
    version = manifest.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise ModelFormatError(
            path, f"format version {version!r} is newer than this linksight reads ({VERSION})"
        )
    if sum(entry.file_size for entry in archive.infolist()) > _MOST_BYTES:
        raise ModelFormatError(path, "claims to hold more than 8 GB")
    return manifest


def _pack(array: NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _unpack(path: object, archive: zipfile.ZipFile, name: str, digest: str) -> NDArray[Any]:
    data = archive.read(f"{name}.npy")
    if hashlib.sha256(data).hexdigest() != digest:
        raise ModelFormatError(path, f"damaged model file ({name} does not match its digest)")
    array: NDArray[Any] = np.load(io.BytesIO(data), allow_pickle=False)
    return array
