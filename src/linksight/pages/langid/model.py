"""The page model: weights of n-grams for each language, in one file of a manifest and plain arrays.

The manifest has the classes, their training texts and a test vector of the hash. Loading checks all of it and runs
no code of the file.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from linksight.errors import ModelFormatError
from linksight.native.pages.buffers import view
from linksight.pages.langid import array_file, ngrams, scripts
from linksight.system.resources import bytes_of

FORMAT = "linksight-pages 1"
_NORWEGIAN = {"nb": "no", "nn": "no"}
#: Additional priors in natural logarithms: they decide a sentence, not a page. Texts in all languages have English words, so
#: an English sentence fits many of them. The other varieties have one kind of training text (messages of one program, Genesis),
#: and every text of that kind fits them.
USUAL = {
    "en": 6.0,
    "aln": -20.0,
    "frc": -20.0,
    "jut": -20.0,
    "lki": -20.0,
    "nd": -20.0,
    "nr": -8.0,
    "sli": -20.0,
}
ROWS = 1 << ngrams.BITS


@dataclass(frozen=True, eq=False)
class PageModel:
    """A table of n-gram weights with the properties of its classes.

    A class is a language, or one of its scripts or forms (``sr-Latn``, ``nn``).
    """

    classes: tuple[str, ...]
    slots: Any  #: uint32, one a row: where its pairs are, and a check
    pairs: Any  #: uint16: how many pairs a row has, then class and weight of each
    bias: Any  #: float32: weight of each class per feature
    prior: Any  #: float32: log prior of each class
    step: float  #: natural logarithm that one unit of weight is worth
    manifest: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def codes(self) -> tuple[str, ...]:
        """The language of each class."""
        return tuple(_NORWEGIAN.get(name, name).partition("-")[0] for name in self.classes)

    @cached_property
    def numbers(self) -> dict[str, list[int]]:
        """For each language the numbers of its classes."""
        found: dict[str, list[int]] = {}
        for number, code in enumerate(self.codes):
            found.setdefault(code, []).append(number)
        return found

    @cached_property
    def language_numbers(self) -> tuple[int, ...]:
        """For each class a number that those of its language share."""
        numbers = {code: number for number, code in enumerate(dict.fromkeys(self.codes))}
        return tuple(numbers[code] for code in self.codes)

    @cached_property
    def scripts(self) -> tuple[str, ...]:
        """The script of each class: its letters must occur for the class to be thought of."""
        return tuple(self.manifest["scripts"])

    @cached_property
    def english(self) -> int | None:
        """The number of the class of English, the language of boilerplate."""
        return self.codes.index("en") if "en" in self.codes else None

    @cached_property
    def by_script(self) -> dict[str, Any]:
        """For each script the numbers of the classes that are written in it."""
        import numpy as np

        return {s: np.array([k for k, own in enumerate(self.scripts) if own == s]) for s in set(self.scripts)}

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages of the model, sorted.

        >>> "nl" in load().languages
        True
        """
        return tuple(sorted(set(self.codes)))

    @cached_property
    def trained_on(self) -> dict[str, dict[str, int]]:
        """For each language, how many characters of which source it was trained on."""
        sums: dict[str, dict[str, int]] = {code: {} for code in self.languages}
        for name, code in zip(self.classes, self.codes, strict=True):
            for source, size in self.manifest.get("texts", {}).get(name, {}).items():
                sums[code][source] = sums[code].get(source, 0) + size
        return sums

    @cached_property
    def arrays(self) -> ModelArrays:
        """The model as the kernels read it."""
        import numpy as np

        numbers = (
            [*self.language_numbers],
            [int(name == "Latn") for name in self.scripts],
            self._script_parts(),
        )
        language_of, latin, parts = (view(np.array(row, np.int32)) for row in numbers)
        english = -1 if self.english is None else self.english
        tables = ngrams.kinds(), view(self.slots), view(self.pairs), view(self.bias)
        return ModelArrays(*tables, language_of, latin, parts, english, self.step)

    def _script_parts(self) -> list[int]:
        """For each class the numbers of up to three of its scripts; 0 is padding."""
        found: list[int] = []
        for name in self.scripts:
            parts = (part for part in scripts.PARTS.get(name, (name,)) if part in scripts.NAMES)
            found += [*(scripts.NAMES.index(part) for part in parts), 0, 0, 0][:3]
        return found


class ModelArrays(NamedTuple):
    """The arrays of a model that ``native.pages.line_scores`` reads."""

    letters: Any  #: the kind of each character, see ``ngrams.kinds``
    slots: Any
    pairs: Any
    bias: Any
    language_of: Any
    latin: Any
    parts: Any
    english: int
    step: float


def pack(manifest: dict[str, Any], arrays: dict[str, Any]) -> bytes:
    """The bytes of a model file; ``arrays`` are sizes, checks, classes and weights."""
    vector = ["fnv1a-32 of characters", "chat", ngrams.keys_of("chat")[-1]]
    return array_file.pack(FORMAT, manifest | {"hash": vector, "bits": ngrams.BITS}, arrays)


def unpack(data: bytes, origin: object = "page model") -> PageModel:
    """The model in the bytes of a file; raises ModelFormatError on anything that is not as written."""
    import numpy as np

    header, arrays = array_file.unpack(FORMAT, data, origin)
    try:
        known = header["bits"] == ngrams.BITS and header["hash"][2] == ngrams.keys_of(header["hash"][1])[-1]
        names = tuple(header["classes"])
        sizes = arrays["sizes"].astype(np.int64)
        classes, weights, checks = arrays["classes"], arrays["weights"], arrays["checks"]
        bias, prior = (np.array(header[key], np.float32) for key in ("bias", "prior"))
        fits = len(header["scripts"]) == len(names)
        step = float(header["step"])
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ModelFormatError(origin, f"damaged: {error}") from None
    if not known:
        raise ModelFormatError(origin, "made for another version of the features")
    if (
        len(sizes) != ROWS
        or len(checks) != np.count_nonzero(sizes)
        or not len(classes) == len(weights) == sizes.sum()
        or classes.max(initial=0) >= len(names)
        or weights.max(initial=0) >= 1 << ngrams.WEIGHT_BITS
        or not (fits and len(bias) == len(prior) == len(names))
    ):
        raise ModelFormatError(origin, "the arrays do not fit together")
    prior += np.array([USUAL.get(name, 0.0) for name in names], np.float32)
    # In memory a row's size precedes its pairs, and its offset and check share 32 bits.
    filled = sizes > 0
    own = sizes[filled]
    starts = np.cumsum(own + 1) - own  # place 0 stays empty: a slot of 0 is no row
    pairs = np.zeros(int(own.sum()) + len(own) + 1, np.uint16)
    if len(pairs) >= 1 << 22:
        raise ModelFormatError(origin, "too many weights")
    pairs[starts] = own
    inner = np.ones(len(pairs), bool)
    inner[starts] = inner[0] = False
    np.place(pairs, inner, (classes << np.uint16(ngrams.WEIGHT_BITS)) | weights)
    slots = np.zeros(ROWS, np.uint32)
    np.place(slots, filled, ((starts << 10) | (checks & 1023)).astype(np.uint32))
    return PageModel(names, slots, pairs, bias, prior, step, header)


@cache
def load(path: str | os.PathLike[str] | None = None) -> PageModel:
    """The bundled page model, or the one at ``path``; read once."""
    if path is None:
        return unpack(bytes_of("pages.model"), "pages.model")
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ModelFormatError(path, error.strerror or str(error)) from None
    return unpack(data, path)
