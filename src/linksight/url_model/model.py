"""The shipped model: from URLs to languages with honest probabilities.

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
from linksight.url_model.embeddings import Background, EvidenceTable, HashedTable

if TYPE_CHECKING:
    from linksight.results import Detection
    from linksight.url_model.block_scorer import ScoringPlan
    from linksight.url_model.explain import Explanation
    from linksight.url_model.predict import Best
    from linksight.url_model.segmentation import WordList

BUNDLED = "urls.linksight"
#: What "no" is ahead of a "yes" that nothing speaks for.
_TIE = np.float32(1e-4)
Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Scorer:
    """A table of feature weights, its languages, and what turns scores into probabilities."""

    table: HashedTable | EvidenceTable
    languages: tuple[str, ...]
    calibration: Calibration
    about: Mapping[str, Any] = field(default_factory=dict)  #: training data, measured quality
    curves: Mapping[str, Floats] = field(default_factory=dict)  #: see ``choose_threshold``
    background: Background | None = None  #: what ``extend`` learns against
    words: WordList | None = None  #: what names are cut into where the table leaves doubt

    @classmethod
    def from_table(
        cls,
        features: str,
        table: Floats,
        bias: Floats,
        languages: Sequence[str],
        learnt: Mapping[str, Any] | None = None,
    ) -> Scorer:
        """A scorer from an additive model: one row of weights a bucket, one column a language.

        With one column the scorer is binary: the language where the score is positive, else ``und``.
        ``learnt`` is what custom features need besides their name: their word lists.
        """
        from linksight.results import UND

        names = tuple(languages)
        table, bias = np.asarray(table, np.float32), np.asarray(bias, np.float32)
        rows = len(table)
        if table.ndim != 2 or rows & (rows - 1) or table.shape[1] != len(bias):
            raise BadConfig("a table needs 2**n rows and one column for each number in the bias")
        if table.shape[1] == 1 and names[-1] != UND:
            names = (names[0], UND)
        return cls(HashedTable(features, table, bias, learnt or {}), names, Calibration.plain(len(names)))

    # --- scores ---------------------------------------------------------------------------------

    def score(self, urls: Iterable[Any]) -> Floats:
        """Raw scores, one row a URL: comparable within a row, no probabilities."""
        from linksight.url_model.predict import raw_scores

        return raw_scores(self, urls)

    def predict_proba(
        self,
        urls: Iterable[Any],
        *,
        languages: Iterable[str] | str | None = None,
        priors: Mapping[str, float] | str | None = None,
        n_threads: int | None = None,
    ) -> Floats:
        """Probabilities, one row a URL, columns as ``languages`` of the model; rows sum to one.

        ``languages`` restricts them (the other columns are zero), ``priors`` are base rates. ``n_threads`` is by
        default ``LINKSIGHT_THREADS`` or the number of cores.
        """
        from linksight.url_model.predict import probabilities

        model = self if priors is None else self.with_priors(priors)
        return probabilities(model, urls, model.columns(languages), n_threads)

    def predict(
        self,
        urls: Iterable[Any],
        *,
        languages: Iterable[str] | str | None = None,
        priors: Mapping[str, float] | str | None = None,
        n_threads: int | None = None,
    ) -> list[str]:
        """The likeliest language of each URL; ``und`` where the URL cannot be used or no language is sure enough.

        ``detect``, ``predict_table`` and the commands use the same rule: ``und`` below the model's threshold (a
        probability of .25). ``predict_proba`` gives the likeliest language of such URLs, too.
        """
        return self._best(urls, languages, priors, n_threads).languages(self)

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

        With ``top_k`` above 1 language and probability are lists of candidates, best first; they are empty where a
        URL is unusable. ``prefix`` is put before the names of the columns.
        """
        if isinstance(top_k, bool) or not isinstance(top_k, int | np.integer) or top_k < 1:
            raise BadConfig(f"top_k must be a whole number of 1 or more, not {top_k!r}")
        found = self._best(urls, languages, priors, n_threads, int(top_k)).table(self)
        return found.rename_columns([prefix + name for name in found.column_names]) if prefix else found

    def predict_batches(self, data: Any, column: str = "url", **options: Any) -> Any:
        """The record batches of an Arrow reader, table or dataset with the columns of :meth:`predict_table` added.

        ``options`` are those of ``predict_table``. The answer is a reader: memory holds one batch at a time.
        """
        from linksight.url_model.tables import label_batches

        return label_batches(self, data, column, **options)

    def _best(
        self,
        urls: Any,
        languages: Iterable[str] | str | None,
        priors: Mapping[str, float] | str | None,
        n_threads: int | None,
        top_k: int = 1,
    ) -> Best:
        from linksight.url_model.predict import best

        model = self if priors is None else self.with_priors(priors)
        return best(model, urls, model.columns(languages), n_threads, top_k)

    def with_priors(self, priors: Mapping[str, float] | str) -> Scorer:
        """The model for other base rates: ``{"nl": 0.018}``, ``"uniform"``, or ``"web"``, the mix of the model card."""
        return replace(self, calibration=self.calibration.with_rates(self.languages, priors))

    def threshold(self, language: str, *, precision: float = 0.95, base_rate: float = 0.02) -> Threshold:
        """The probability above which URLs are of the language with the wanted precision.

        Measured on domains never seen; ``recall`` of the answer is what the threshold costs, and
        ``recall_interval`` how sure that is. It is a probability as this model gives them, among all languages: of a model :meth:`with_priors` another.
        """
        columns = self.columns([language])
        assert columns
        code = self.languages[columns[0]]
        if code not in self.curves:
            raise BadLanguage(
                language,
                "too few labelled URLs of unseen domains to measure a threshold; with"
                f" priors={{{code!r}: {base_rate}}} a probability is the precision to expect above it",
            )
        line = choose_threshold(code, self.curves[code], precision, base_rate)
        rows = int(self.about.get("dev_rows", {}).get(code, 0))
        return replace(line, probability=self.calibration.moved(columns[0], line.probability), rows=rows)

    def extended(
        self, language: str, urls: Iterable[str] = (), words: Iterable[str] = (), *, rate: float = 0.01
    ) -> Scorer:
        """A model that knows one language more, or better, from addresses and words of it."""
        from linksight.url_model.add_language import extend

        return extend(self, language, urls, words, rate=rate)

    # --- one URL --------------------------------------------------------------------------------

    def detect(
        self,
        url: str,
        languages: Iterable[str] | str | None = None,
        *,
        explain: bool = False,
        priors: Mapping[str, float] | str | None = None,
    ) -> Detection:
        """The language behind one URL; ``und`` when no language is sure enough."""
        from linksight.results import UND, Detection

        if priors is not None:
            return self.with_priors(priors).detect(url, languages, explain=explain)
        columns, chances = self._top(url, self.columns(languages), 5)
        found = zip(columns.tolist(), chances.tolist(), strict=True)
        candidates = tuple([(self.languages[k], chance) for k, chance in found if chance >= 0.0005])
        language, probability = candidates[0]
        if probability < self.calibration.doubt:
            language = UND
        reasons = self.explain(url, languages).reasons() if explain else ()
        return Detection(url, language, probability, candidates, reasons)

    def _top(self, url: str, columns: list[int] | None, most: int) -> tuple[NDArray[np.int16], Floats]:
        """The likeliest columns of one URL with their probabilities, best first."""
        from linksight.url_model.block_scorer import block_scorer

        if not isinstance(self.table, EvidenceTable):
            from linksight.url_model.predict import best

            likeliest = best(self, [url], columns, top_k=most)
            bad, found = bool(likeliest.problems), (likeliest.column[:1], likeliest.probability[:1])
        else:
            data = url.encode("utf-8", "replace") if isinstance(url, str) else b""
            block = block_scorer(self.table)
            bad = bool(block.score(self.plan, data or b"\0", np.array([0, len(data)])))
            found = block.top(self.plan, columns, min(most, len(columns or self.languages)), 1)
        if bad:
            from linksight.urls.parser import Url

            Url.parse(url)  # raises the error with its reason
        return found[0][0], found[1][0]

    def explain(self, url: str, languages: Iterable[str] | str | None = None) -> Explanation:
        """Which parts of the URL spoke for which language; contributions add up to the score."""
        from linksight.url_model.explain import Explanation
        from linksight.urls.parser import Url

        return Explanation.of(self, Url.parse(url), self.columns(languages))

    def segment(self, text: str, logits: Floats) -> tuple[str, Floats]:
        """The names of a URL's text cut into words, and what they add to the calibrated score of each language."""
        if not isinstance(self.table, EvidenceTable) or self.words is None:
            return "", np.zeros_like(logits)
        from linksight.url_model.block_scorer import block_scorer

        return block_scorer(self.table).segment(self.plan, text, logits)

    def calibrated(self, scores: Floats, pages: NDArray[np.bool_]) -> Floats:
        """Sums of weights as logits of honest probabilities; ``pages`` says which URLs are no front pages."""
        if scores.shape[1] == 1:  # binary: the score against nothing, and nothing wins a tie
            # By enough to be seen in a probability of single precision.
            nothing = np.where(scores > 0, np.float32(0), _TIE)
            scores = np.concatenate([scores, nothing], axis=1)
        return self.calibration.logits(scores, pages)

    def columns(self, languages: Iterable[str] | str | None) -> list[int] | None:
        """The positions of some languages, however they are named; None for all."""
        from linksight.languages import registry as language_names

        if languages is None:
            return None
        if not isinstance(languages, Iterable):
            raise BadLanguage(languages, "languages are a list such as ['nl', 'fy']")
        words = languages.split(",") if isinstance(languages, str) else languages
        codes = {}
        for word in words:
            if not isinstance(word, str) or word.strip():
                codes[language_names.find(word)] = word
        if not codes:
            raise BadLanguage(languages, "no language given")
        for code, word in codes.items():
            if code not in self.languages:
                told = f"{language_names.name(code)} ({code})"
                raise BadLanguage(word, f"the model does not know {told}, see `linksight languages`")
        columns = [self._positions[code] for code in codes]
        if not self.calibration.rates[columns].any():
            raise BadConfig(f"base rates of {', '.join(codes)} are all 0: no language is left")
        return columns

    @cached_property
    def plan(self) -> ScoringPlan:
        """What scores columns of URLs, made when it is first needed."""
        from linksight.url_model.block_scorer import ScoringPlan

        assert isinstance(self.table, EvidenceTable)
        return ScoringPlan(self.table, self.languages, self.calibration, self.words)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {code: k for k, code in enumerate(self.languages)}

    # --- on disk --------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as one file, whole or not at all; see ``scorerfile``."""
        from linksight.url_model.model_io import write_scorer

        write_scorer(self, path)

    def __getstate__(self) -> dict[str, Any]:
        """What another process, or a copy, needs: the compiled form it makes for itself."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __repr__(self) -> str:
        return f"<Scorer: {len(self.languages)} languages, {type(self.table).__name__}>"


def load(path: str | os.PathLike[str] | None = None) -> Scorer:
    """The bundled model, or the one saved at ``path``."""
    from linksight.url_model.model_io import read_scorer

    return _bundled() if path is None else read_scorer(path)


@lru_cache(maxsize=1)
def _bundled() -> Scorer:
    return load(path_of(BUNDLED))
