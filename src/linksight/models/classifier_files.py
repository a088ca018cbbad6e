"""Classifiers on disk: a manifest and plain arrays.

Language classifiers with one table of weights are saved as URL models; this format is for the others: rank
order, trees, hosting countries, combinations, custom features, and labels that are not languages.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import LinksightError, ModelFormatError
from linksight.features import FeatureSet, parse_features
from linksight.features.custom import CustomFeatures
from linksight.features.geo import HostingCountries
from linksight.models.additive import AdditiveClassifier
from linksight.models.estimator import UrlClassifier
from linksight.results import UND
from linksight.system.model_file import DAMAGE, kind_of, read_model, write_model
from linksight.url_model.embeddings import HashedWeights

if TYPE_CHECKING:
    from linksight.url_model.model import UrlLanguageModel

FORMAT, VERSION = "linksight-classifier", 1
_SETTINGS = {"nameservers": [], "timeout_s": 2.0, "n_workers": 64, "cache_size": 500_000}  # of a bare path
_LEARNT = "learnt"  # the array that holds the word lists as JSON: too long for the manifest


def save_classifier(classifier: UrlClassifier, path: str | os.PathLike[str]) -> None:
    """Write a trained classifier; atomically."""
    is_scorer = classifier.labels_are_languages_ or classifier.language is not None
    if isinstance(classifier, AdditiveClassifier) and classifier.features_.is_hashed and is_scorer:
        classifier.compile().save(path)
        return
    values, arrays = describe(classifier)
    write_model(path, FORMAT, VERSION, values, arrays)


def load_classifier(
    path: str | os.PathLike[str], hosting: HostingCountries | str | os.PathLike[str] | None = None
) -> UrlClassifier | UrlLanguageModel:
    """Read a model that ``save`` wrote, of either format; refuse any other file."""
    if kind_of(path) != FORMAT:
        from linksight.url_model.model import load

        model = load(path)
        if hosting is not None and isinstance(model.table, HashedWeights):
            for state in model.table.learnt.values():
                if state.get("hosting") is not None:
                    state["hosting"] = HostingCountries.of(hosting).as_dict()
        return model
    values, arrays = read_model(path, FORMAT, VERSION)
    try:
        return rebuild(values, arrays, hosting)
    except LinksightError:
        raise
    except DAMAGE as error:
        raise ModelFormatError(path, f"damaged model file ({error!r})") from error


def describe(classifier: UrlClassifier) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """A trained classifier as plain values and arrays."""
    state, arrays = classifier.state()
    values = {
        "algorithm": classifier.algorithm,
        "parameters": {name: _plain(value) for name, value in classifier.get_params().items()},
        "languages": list(classifier.languages_),
        "labels": _shown_labels(classifier),
        "labels_are_languages": classifier.labels_are_languages_,
        "slope": classifier.slope_,
        "noise": classifier.noise_,
        "features": classifier.features_.spec,
        "state": state,
    }
    text = json.dumps(classifier.features_.state(), ensure_ascii=False).encode()
    return values, {**arrays, _LEARNT: np.frombuffer(text, dtype=np.uint8)}


def _shown_labels(classifier: UrlClassifier) -> list[Any]:
    """The classes; a binary classifier that was trained on True and False answers with its language once saved."""
    if classifier.language is not None and classifier.classes_.dtype.kind in "bi":
        return sorted([*classifier.languages_, UND])
    labels: list[Any] = classifier.classes_.tolist()
    return labels


def rebuild(
    values: dict[str, Any],
    arrays: dict[str, NDArray[Any]],
    hosting: HostingCountries | str | os.PathLike[str] | None = None,
) -> UrlClassifier:
    """The classifier that :func:`describe` described; ``hosting`` replaces the database that the file names."""
    from linksight.models import classifier_type

    parameters = dict(values["parameters"])
    saved_hosting = parameters.get("hosting")
    if saved_hosting is not None:
        parameters["hosting"] = (
            HostingCountries.of(hosting) if hosting is not None else _load_hosting(saved_hosting)
        )
    classifier = classifier_type(values["algorithm"])(**parameters)
    classifier.check_parameters()
    features = parse_features(values["features"]) if values["features"] else FeatureSet(())
    learnt = json.loads(arrays[_LEARNT].tobytes())
    classifier.features_ = _hosted(features.restored(learnt), hosting)
    classifier.restore(values["state"], {name: array for name, array in arrays.items() if name != _LEARNT})
    classifier._set_languages(tuple(map(str, values["languages"])))
    classifier.classes_ = _labels(values, classifier)
    classifier.labels_are_languages_ = bool(values.get("labels_are_languages", True))
    classifier.slope_ = float(values.get("slope", 1.0))
    classifier.noise_ = float(values.get("noise", 0.0))
    if not 0 <= classifier.noise_ <= 1:
        raise ValueError("a share of noise outside of 0 to 1")
    return classifier


def _labels(values: dict[str, Any], classifier: UrlClassifier) -> NDArray[Any]:
    """The classes of a classifier; files of earlier versions have languages alone."""
    names = classifier.languages_
    labels = values.get("labels", [*names, UND] if classifier.language is not None else names)
    found = np.unique(np.array(labels))
    if found.dtype.kind not in "Uib" or len(found) != max(2, len(names)):
        raise ValueError("labels that do not fit the classifier")
    return found


def _load_hosting(hosting: Any) -> HostingCountries:
    """The hosting countries that a file names, by their settings or by a path."""
    settings = hosting if isinstance(hosting, dict) else {**_SETTINGS, "database": hosting}
    return HostingCountries.from_dict(settings)


def _hosted(features: FeatureSet, hosting: HostingCountries | str | os.PathLike[str] | None) -> FeatureSet:
    """The features with the user's hosting countries in place of those that the file names."""
    if hosting is None:
        return features
    where = HostingCountries.of(hosting)
    return FeatureSet(
        tuple(
            replace(part, hosting=where)
            if isinstance(part, CustomFeatures) and part.hosting is not None
            else part
            for part in features.parts
        )
    )


def _plain(value: Any) -> Any:
    if isinstance(value, FeatureSet):
        return value.spec
    if isinstance(value, HostingCountries):
        return value.as_dict()
    return os.fspath(value) if isinstance(value, os.PathLike) else value
