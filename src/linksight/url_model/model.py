"""The URL model: languages of URLs with calibrated probabilities.

>>> import linksight
>>> model = linksight.load()
>>> model.detect("https://www.lemonde.fr/economie/").language
'fr'
>>> model.predict(["http://www.zeitung.de/politik", "mailto:me@example.nl"])
['de', 'und']
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadConfig, BadLanguage
from linksight.system.resources import path_of
from linksight.url_model.calibration import Calibration, Threshold, choose_threshold
from linksight.url_model.embeddings import HashedWeights, QuantizedEmbeddings, ReplaySample

if TYPE_CHECKING:
    from linksight.results import Detection
    from linksight.url_model.block_scorer import ScoringPlan
    from linksight.url_model.explain import Explanation
    from linksight.url_model.predict import TopPredictions
    from linksight.url_model.segmentation import WordList

BUNDLED = "urls.linksight"
#: Margin of "no" over "yes" in a binary model for URLs without known features.
_TIE = np.float32(1e-4)
_MIN_CANDIDATE_PROBABILITY = 0.0005
Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class UrlLanguageModel:
    """A language classifier of URLs: feature weights, languages and calibration."""

    table: HashedWeights | QuantizedEmbeddings
    languages: tuple[str, ...]
    calibration: Calibration
    about: Mapping[str, Any] = field(default_factory=dict)  #: training data, measured quality
    curves: Mapping[str, Floats] = field(default_factory=dict)  #: see ``choose_threshold``
    replay_sample: ReplaySample | None = None  #: training vectors that ``add_language`` replays
    words: WordList | None = None  #: for segmenting host names of uncertain URLs

    @classmethod
    def from_table(
        cls,
        features: str,
        table: Floats,
        bias: Floats,
        languages: Sequence[str],
        learnt: Mapping[str, Any] | None = None,
    ) -> UrlLanguageModel:
        """Build from an additive model: one row of weights per hash bucket, one column per language.

        With one column the model is binary: the language if the score is positive, else ``und``.
        ``learnt`` holds the word lists of custom features.
        """
        from linksight.results import UND

        names = tuple(languages)
        table, bias = np.asarray(table, np.float32), np.asarray(bias, np.float32)
        rows = len(table)
        if table.ndim != 2 or rows & (rows - 1) or table.shape[1] != len(bias):
            raise BadConfig("a table needs 2**n rows and one column for each number in the bias")
        if table.shape[1] == 1 and names[-1] != UND:
            names = (names[0], UND)
        return cls(HashedWeights(features, table, bias, learnt or {}), names, Calibration.plain(len(names)))

    # --- scores ---------------------------------------------------------------------------------

    def score(self, urls: Iterable[Any]) -> Floats:
        """Uncalibrated scores, one row per URL; they are comparable within a row."""
        from linksight.url_model.predict import score_urls

        return score_urls(self, urls)

    def predict_proba(
        self,
        urls: Iterable[Any],
        *,
        languages: Iterable[str] | str | None = None,
        priors: Mapping[str, float] | str | None = None,
        n_threads: int | None = None,
    ) -> Floats:
        """Probabilities, one row per URL, one column per language of ``languages`` of the model; rows sum to one.

        ``languages`` restricts them (the other columns are zero), ``priors`` are base rates. ``n_threads`` is by
        default ``LINKSIGHT_THREADS`` or the number of cores.
        """
        from linksight.url_model.predict import predict_proba

        model = self if priors is None else self.with_priors(priors)
        return predict_proba(model, urls, model.class_indices(languages), n_threads)

    def predict(
        self,
        urls: Iterable[Any],
        *,
        languages: Iterable[str] | str | None = None,
        priors: Mapping[str, float] | str | None = None,
        n_threads: int | None = None,
    ) -> list[str]:
        """The most probable language of each URL; ``und`` for an invalid URL or a probability below the threshold.

        ``detect``, ``predict_table`` and the commands use the same rule: ``und`` below the model's threshold (a
        probability of .25). ``predict_proba`` gives probabilities of such URLs, too.
        """
        return self._predict_top(urls, languages, priors, n_threads).languages(self)

    def predict_table(
        self,
        urls: Iterable[Any],
        top_k: int = 1,
        *,
        prefix: str = "",
        languages: Iterable[str] | str | None = None,
        priors: Mapping[str, float] | str | None = None,
        n_threads: int | None = None,
    ) -> Any:
        """An Arrow table with ``language`` (``und`` in doubt), ``probability`` and ``problem``.

        With ``top_k`` above 1, language and probability are lists of candidates, best first; the lists of an invalid
        URL are empty. ``prefix`` goes before the column names.
        """
        if isinstance(top_k, bool) or not isinstance(top_k, int | np.integer) or top_k < 1:
            raise BadConfig(f"top_k must be a whole number of 1 or more, not {top_k!r}")
        table = self._predict_top(urls, languages, priors, n_threads, int(top_k)).table(self)
        return table.rename_columns([prefix + name for name in table.column_names]) if prefix else table

    def predict_batches(self, data: Any, column: str = "url", **options: Any) -> Any:
        """The record batches of an Arrow reader, table or dataset with the columns of :meth:`predict_table` added.

        ``options`` are those of ``predict_table``. The result is a reader, so memory holds one batch at a time.
        """
        from linksight.url_model.prediction_tables import label_batches

        return label_batches(self, data, column, **options)

    def _predict_top(
        self,
        urls: Any,
        languages: Iterable[str] | str | None,
        priors: Mapping[str, float] | str | None,
        n_threads: int | None,
        top_k: int = 1,
    ) -> TopPredictions:
        from linksight.url_model.predict import predict_top

        model = self if priors is None else self.with_priors(priors)
        return predict_top(model, urls, model.class_indices(languages), n_threads, top_k)

    def with_priors(self, priors: Mapping[str, float] | str) -> UrlLanguageModel:
        """The model for other base rates: ``{"nl": 0.018}``, ``"uniform"``, or ``"web"``, the mix of the model card."""
        return replace(self, calibration=self.calibration.with_priors(self.languages, priors))

    def threshold(self, language: str, *, precision: float = 0.95, base_rate: float = 0.02) -> Threshold:
        """The probability threshold at which predictions of a language have a given precision.

        Precision and recall were measured on unseen domains. ``recall`` of the result is the recall at the threshold,
        ``recall_interval`` its 95 % interval. The probability is one among all languages; priors of
        :meth:`with_priors` change it.
        """
        columns = self.class_indices([language])
        assert columns
        code = self.languages[columns[0]]
        if code not in self.curves:
            raise BadLanguage(
                language,
                "too few labelled URLs of unseen domains to measure a threshold; with"
                f" priors={{{code!r}: {base_rate}}} a probability is the precision to expect above it",
            )
        threshold = choose_threshold(code, self.curves[code], precision, base_rate)
        rows = int(self.about.get("dev_rows", {}).get(code, 0))
        probability = self.calibration.shifted_probability(columns[0], threshold.probability)
        return replace(threshold, probability=probability, rows=rows)

    def with_language(
        self, language: str, urls: Iterable[str] = (), words: Iterable[str] = (), *, rate: float = 0.01
    ) -> UrlLanguageModel:
        """A copy with one more language, or a better-known one, learnt from URLs and words; see ``add_language``."""
        from linksight.url_model.add_language import add_language

        return add_language(self, language, urls, words, rate=rate)

    # --- one URL --------------------------------------------------------------------------------

    def detect(
        self,
        url: str,
        languages: Iterable[str] | str | None = None,
        *,
        explain: bool = False,
        priors: Mapping[str, float] | str | None = None,
    ) -> Detection:
        """Detect the language of one URL; ``und`` below the rejection threshold."""
        from linksight.results import UND, Detection

        if priors is not None:
            return self.with_priors(priors).detect(url, languages, explain=explain)
        columns, probabilities = self._top(url, self.class_indices(languages), 5)
        ranked = zip(columns.tolist(), probabilities.tolist(), strict=True)
        candidates = tuple([(self.languages[k], p) for k, p in ranked if p >= _MIN_CANDIDATE_PROBABILITY])
        language, probability = candidates[0]
        if probability < self.calibration.reject_threshold:
            language = UND
        reasons = self.explain(url, languages).reasons() if explain else ()
        return Detection(url, language, probability, candidates, reasons)

    def _top(self, url: str, columns: list[int] | None, top_k: int) -> tuple[NDArray[np.int16], Floats]:
        """The most probable columns of one URL with their probabilities, best first."""
        from linksight.url_model.block_scorer import block_scorer

        if not isinstance(self.table, QuantizedEmbeddings):
            from linksight.url_model.predict import predict_top

            predictions = predict_top(self, [url], columns, top_k=top_k)
            is_invalid = bool(predictions.problems)
            top_columns, top_probabilities = predictions.column[:1], predictions.probability[:1]
        else:
            data = url.encode("utf-8", "replace") if isinstance(url, str) else b""
            block = block_scorer(self.table)
            is_invalid = bool(block.score(self.plan, data or b"\0", np.array([0, len(data)])))
            k = min(top_k, len(columns or self.languages))
            top_columns, top_probabilities = block.top(self.plan, columns, k, 1)
        if is_invalid:
            from linksight.urls.parser import Url

            Url.parse(url)  # raises the error with its reason
        return top_columns[0], top_probabilities[0]

    def explain(self, url: str, languages: Iterable[str] | str | None = None) -> Explanation:
        """The contribution of each feature of a URL to each language; contributions add up to the score."""
        from linksight.url_model.explain import Explanation
        from linksight.urls.parser import Url

        return Explanation.of(self, Url.parse(url), self.class_indices(languages))

    def segment(self, text: str, logits: Floats) -> tuple[str, Floats]:
        """Segment the host name of a URL text into words; returns them and their logits for each language."""
        if not isinstance(self.table, QuantizedEmbeddings) or self.words is None:
            return "", np.zeros_like(logits)
        from linksight.url_model.block_scorer import block_scorer

        return block_scorer(self.table).segment(self.plan, text, logits)

    def calibrated(self, scores: Floats, pages: NDArray[np.bool_]) -> Floats:
        """Calibrated logits of scores; ``pages`` is true for URLs with a path."""
        if scores.shape[1] == 1:
            # Binary: the second column is "not the language". It wins ties by a margin that survives float32.
            negative = np.where(scores > 0, np.float32(0), _TIE)
            scores = np.concatenate([scores, negative], axis=1)
        return self.calibration.logits(scores, pages)

    def class_indices(self, languages: Iterable[str] | str | None) -> list[int] | None:
        """Column indices of languages given by code or name; None for all languages."""
        from linksight.languages import registry as language_names

        if languages is None:
            return None
        if not isinstance(languages, Iterable):
            raise BadLanguage(languages, "languages are a list such as ['nl', 'fy']")
        labels = languages.split(",") if isinstance(languages, str) else languages
        codes = {}
        for label in labels:
            if not isinstance(label, str) or label.strip():
                codes[language_names.find(label)] = label
        if not codes:
            raise BadLanguage(languages, "no language given")
        for code, label in codes.items():
            if code not in self.languages:
                name = f"{language_names.name(code)} ({code})"
                raise BadLanguage(label, f"the model does not know {name}, see `linksight languages`")
        columns = [self._positions[code] for code in codes]
        if not self.calibration.class_priors[columns].any():
            raise BadConfig(f"base rates of {', '.join(codes)} are all 0: no language is left")
        return columns

    @cached_property
    def plan(self) -> ScoringPlan:
        """The compiled form for scoring, built on first use."""
        from linksight.url_model.block_scorer import ScoringPlan

        assert isinstance(self.table, QuantizedEmbeddings)
        return ScoringPlan(self.table, self.languages, self.calibration, self.words)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {code: k for k, code in enumerate(self.languages)}

    # --- on disk --------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as one file, atomically; see ``model_io``."""
        from linksight.url_model.model_io import write_url_model

        write_url_model(self, path)

    def __getstate__(self) -> dict[str, Any]:
        """The fields alone, for copies and other processes, which build their own compiled form."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __repr__(self) -> str:
        return f"<UrlLanguageModel: {len(self.languages)} languages, {type(self.table).__name__}>"


def load(path: str | os.PathLike[str] | None = None) -> UrlLanguageModel:
    """Load the bundled model, or the one saved at ``path``."""
    from linksight.url_model.model_io import read_url_model

    return _bundled() if path is None else read_url_model(path)


@lru_cache(maxsize=1)
def _bundled() -> UrlLanguageModel:
    return load(path_of(BUNDLED))
