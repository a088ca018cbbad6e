"""The shipped model: from URLs to languages with honest probabilities.

>>> import linksight
>>> model = linksight.load()
>>> model.detect("https://www.lemonde.fr/economie/").language
'fr'
>>> model.predict(["http://www.zeitung.de/politik", "mailto:me@example.nl"])
['de', 'und']
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linksight import languages as language_names
from linksight.calibration import Calibration, Threshold, choose_threshold
from linksight.errors import BadConfig, BadLanguage, ModelFormatError
from linksight.extension import Memory
from linksight.modelfile import read_model, write_model
from linksight.records import UND, Detection
from linksight.tables import EVEN, EvidenceTable, HashedTable
from linksight.urls import Url

if TYPE_CHECKING:
    from linksight.compiled import CompiledModel
    from linksight.explanation import Explanation

FORMAT, VERSION = "linksight-scorer", 1
BUNDLED = "urls.linksight"
#: Fewer URLs than this are answered in plain Python sooner than compiled code is loaded.
WORTH_COMPILING = 2_000
Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Scorer:
    """A table of feature weights, its languages, and what turns scores into probabilities."""

    table: HashedTable | EvidenceTable
    languages: tuple[str, ...]
    calibration: Calibration
    about: Mapping[str, Any] = field(default_factory=dict)  #: training data, measured quality
    curves: Mapping[str, Floats] = field(default_factory=dict)  #: see ``choose_threshold``
    memory: Memory | None = None  #: what ``extend`` learns against

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
        from linksight.batches import raw_scores

        return raw_scores(self, urls)

    def predict_proba(
        self,
        urls: Iterable[Any],
        *,
        languages: Iterable[str] | str | None = None,
        priors: Mapping[str, float] | None = None,
    ) -> Floats:
        """Probabilities, one row a URL, columns as ``languages`` of the model; rows sum to one.

        ``languages`` restricts them (the other columns are zero), ``priors`` are base rates.
        """
        from linksight.batches import logits

        model = self if priors is None else self.with_priors(priors)
        return model.calibration.probabilities(model._restricted(logits(model, urls), languages))

    def predict(self, urls: Iterable[Any], *, languages: Iterable[str] | str | None = None) -> list[str]:
        """The likeliest language of each URL, however doubtful; ``und`` where the URL cannot be used.

        Use :meth:`detect` or ``predict_table`` for answers that admit doubt.
        """
        from linksight.batches import best

        return best(self, urls, None if languages is None else self._columns(languages)).languages(self)

    def predict_table(self, urls: Iterable[Any], *, languages: Iterable[str] | str | None = None) -> Any:
        """An Arrow table with ``language`` (``und`` in doubt), ``probability`` and ``problem``."""
        from linksight.batches import best

        return best(self, urls, None if languages is None else self._columns(languages)).table(self)

    def with_priors(self, priors: Mapping[str, float]) -> Scorer:
        """The model for a web with these base rates, such as ``{"nl": 0.018}``."""
        return replace(self, calibration=self.calibration.with_rates(self.languages, priors))

    def threshold(self, language: str, *, precision: float = 0.95, base_rate: float = 0.02) -> Threshold:
        """The probability above which URLs are of the language with the wanted precision.

        Measured on domains never seen; ``recall`` of the answer is what the threshold costs.
        """
        code = self._columns([language])[0]
        name = self.languages[code]
        if name not in self.curves:
            raise BadLanguage(language, "too few labelled URLs of unseen domains to measure a threshold")
        return choose_threshold(name, self.curves[name], precision, base_rate)

    def extended(
        self, language: str, urls: Iterable[str] = (), words: Iterable[str] = (), *, rate: float = 0.01
    ) -> Scorer:
        """A model that knows one language more, or better, from addresses and words of it."""
        from linksight.extension import extend

        return extend(self, language, urls, words, rate=rate)

    # --- one URL --------------------------------------------------------------------------------

    def detect(
        self, url: str, languages: Iterable[str] | str | None = None, *, explain: bool = False
    ) -> Detection:
        """The language behind one URL; ``und`` when no language is sure enough."""
        parsed = Url.parse(url)
        chances = self.calibration.probabilities(self._restricted(self._logits_of(parsed)[None], languages))[
            0
        ]
        order = np.argsort(-chances, kind="stable")[:5]
        candidates = tuple((self.languages[k], float(chances[k])) for k in order if chances[k] >= 0.0005)
        language, probability = candidates[0]
        sure = probability >= self.calibration.doubt
        reasons = self.explain(url, languages).reasons() if explain else ()
        return Detection(url, language if sure else UND, probability, candidates, reasons)

    def explain(self, url: str, languages: Iterable[str] | str | None = None) -> Explanation:
        """Which parts of the URL spoke for which language; contributions add up to the score."""
        from linksight.explanation import Explanation

        columns = list(range(len(self.languages))) if languages is None else self._columns(languages)
        return Explanation.of(self, Url.parse(url), columns)

    def _logits_of(self, url: Url) -> Floats:
        scores: Floats = self.table.contributions(url.text)[1].sum(axis=0) + self.table.bias
        logits: Floats = self._calibrated(scores[None], np.array([is_page(url.text)]))[0]
        return logits

    def _calibrated(self, scores: Floats, pages: NDArray[np.bool_]) -> Floats:
        if scores.shape[1] == 1:  # binary: the score against nothing, and nothing wins a tie
            nothing = np.full_like(scores, np.finfo(np.float32).tiny)
            scores = np.concatenate([scores, nothing], axis=1)
        return self.calibration.logits(scores, pages)

    def _restricted(self, logits: Floats, languages: Iterable[str] | str | None) -> Floats:
        if languages is None:
            return logits
        columns = self._columns(languages)
        masked = np.full_like(logits, -np.inf)
        masked[:, columns] = logits[:, columns]
        return masked

    def _columns(self, languages: Iterable[str] | str) -> list[int]:
        codes = language_names.find_all(languages)
        if not codes:
            raise BadLanguage(languages, "no language given")
        for code in codes:
            if code not in self.languages:
                raise BadLanguage(code, "the model does not know this language")
        return [self._positions[code] for code in codes]

    @cached_property
    def compiled(self) -> CompiledModel:
        """The form that scores columns of URLs, made when it is first needed."""
        from linksight.compiled import CompiledModel

        return CompiledModel(self)

    @property
    def is_compiled(self) -> bool:
        """Whether :attr:`compiled` was made already."""
        return "compiled" in self.__dict__

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {code: k for k, code in enumerate(self.languages)}

    # --- on disk --------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as one file; see ``modelfile``."""
        values, arrays = _described(self)
        write_model(path, FORMAT, VERSION, values, arrays)

    def __repr__(self) -> str:
        return f"<Scorer: {len(self.languages)} languages, {type(self.table).__name__}>"


def is_page(text: str) -> bool:
    """Whether a URL's text has more than a host."""
    return bool(text.partition("/")[2])


def load(path: str | os.PathLike[str] | None = None) -> Scorer:
    """The bundled model, or the one saved at ``path``."""
    return _bundled() if path is None else _read(Path(path))


@lru_cache(maxsize=1)
def _bundled() -> Scorer:
    return _read(Path(str(files("linksight.data").joinpath(BUNDLED))))


def _described(scorer: Scorer) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    table, calibration = scorer.table, scorer.calibration
    values: dict[str, Any] = {
        "languages": list(scorer.languages), "doubt": calibration.doubt, "surprise": calibration.surprise, "about": dict(scorer.about),
        "hash": ["fnv1a", "linksight", str(_test_vector())], "curves": sorted(scorer.curves),
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
    if scorer.memory is not None:
        memory = scorer.memory
        arrays |= {
            "memory": memory.vectors,
            "memory_languages": memory.languages,
            "memory_pages": memory.pages,
        }
    return values, arrays


def _read(path: Path) -> Scorer:
    values, arrays = read_model(path, FORMAT, VERSION)
    try:
        if values["hash"][2] != str(_test_vector()):
            raise ModelFormatError(path, "made with another hash")
        names = tuple(map(str, values["languages"]))
        calibration = Calibration(
            arrays["slopes"],
            arrays["offsets"],
            arrays["rates"],
            float(values["doubt"]),
            float(values["surprise"]),
        )
        curves = dict(zip(values["curves"], arrays.get("curve_points", ()), strict=True))
        memory = None
        if "memory" in arrays:
            memory = Memory(arrays["memory"], arrays["memory_languages"], arrays["memory_pages"])
        scorer = Scorer(_table_of(values, arrays), names, calibration, values["about"], curves, memory)
        _check(path, scorer)
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise (
            error
            if isinstance(error, ModelFormatError)
            else ModelFormatError(path, f"inconsistent ({error!r})")
        ) from error
    return scorer


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


def _test_vector() -> int:
    from linksight.features.hashing import fnv1a

    return fnv1a("linksight")
