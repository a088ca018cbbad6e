"""Baselines by country code: the top-level domain determines the language."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from linksight.features import parse_features
from linksight.features.feature_hash import bucket, fnv1a
from linksight.models.additive import AdditiveClassifier
from linksight.models.algorithms.country_tables import LookUp, tlds_of

if TYPE_CHECKING:
    from linksight.url_model.model import UrlLanguageModel


class CcTld(LookUp, AdditiveClassifier):
    """Table I of the paper: ``.at`` is German, ``.com`` is nothing. Needs no training.

    ``table="full"`` takes each country's first language for all countries instead; ``tlds`` gives
    the top-level domains of a binary classifier's language by hand.
    """

    algorithm = "cctld"
    english_besides: tuple[str, ...] = ()

    def __init__(
        self, features: str = "tld", *, language: str | None = None, table: str = "paper",
        tlds: tuple[str, ...] | None = None, bits: int | None = None, seed: int = 0,
    ) -> None:  # fmt: skip
        self.features = features
        self.language = language
        self.table = table
        self.tlds = tlds
        self.bits = bits
        self.seed = seed

    def _set_languages(self, names: tuple[str, ...]) -> None:
        super()._set_languages(names)
        self.features_ = parse_features("tld")
        self.bits_ = self.bits or 20
        table = np.zeros((2**self.bits_, len(names)))
        for k, name in enumerate(names):
            for tld in self._tlds_of(name):
                table[bucket(fnv1a(f"t:{tld}"), self.bits_), k] = 1.0
        self._set_table(table, np.full(len(names), -0.5))

    def _tlds_of(self, language: str) -> tuple[str, ...]:
        own = self.tlds if self.tlds is not None and self.language is not None else None
        found = own or tlds_of(language, self.table)
        return found + self.english_besides if language == "en" else found

    def compile(self) -> UrlLanguageModel:
        """The URL model; undetermined where no language has the top-level domain, as the classifier is."""
        model, n = super().compile(), len(self.languages_)
        if self.language is not None:
            return model
        hit = math.exp(min(self.slope_, 50.0))
        none = 1 / n  # the probability after scores of -0.5 alone, and with one of +0.5
        one = (1 - self.noise_) * hit / (hit + n - 1) + self.noise_ / n
        return replace(model, calibration=replace(model.calibration, reject_threshold=(none + one) / 2))


class CcTldPlus(CcTld):
    """The same with ``.com`` and ``.org`` as English."""

    algorithm = "cctld+"
    english_besides = ("com", "org")
