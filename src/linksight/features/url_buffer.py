"""The texts of many URLs in one buffer, for the compiled extraction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadUrl
from linksight.urls.arrow_input import check_column, texts_in, typed
from linksight.urls.parser import Url


def as_list(column: Iterable[Any]) -> list[Any]:
    """Any column (list, NumPy, pandas, Polars, Arrow) as a list of Python values.

    >>> as_list(np.array(["http://a.nl/"]))
    ['http://a.nl/']
    """
    check_column(column)
    column = typed(column)
    # A column may be of bytes; single ones among objects are no text.
    is_typed = type(column).__module__.startswith("pyarrow")
    is_typed |= isinstance(column, np.ndarray) and column.dtype.kind == "S"
    for method in ("to_pylist", "to_list", "tolist"):
        convert = getattr(column, method, None)
        if convert is not None:
            values: list[Any] = convert()
            return texts_in(values) if is_typed else values
    return list(column)


def parsed(urls: Iterable[Any]) -> list[Url | None]:
    """Each address parsed; None where it is not a web address."""
    return [parse(raw) for raw in as_list(urls)]


def parse(raw: Any) -> Url | None:
    """One address parsed; None where it is not a web address."""
    try:
        return raw if isinstance(raw, Url) else Url.parse(raw)
    except BadUrl:
        return None


@dataclass(frozen=True)
class Texts:
    """The lower-case texts of many URLs as UTF-8 in one buffer; unusable ones are empty.

    >>> texts = Texts.of(["http://a.nl/x", "mailto:a@b"])
    >>> bytes(texts.data), texts.offsets.tolist()
    (b'a.nl/x', [0, 6, 6])
    """

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, urls: Iterable[Any]) -> Texts:
        """Parse once, keep the text."""
        # A lone surrogate cannot be written as UTF-8; it is no letter either.
        pieces = [b"" if url is None else url.text.encode("utf-8", "replace") for url in parsed(urls)]
        offsets = np.zeros(len(pieces) + 1, dtype=np.int64)
        np.cumsum([len(piece) for piece in pieces], out=offsets[1:])
        return cls(np.frombuffer(b"".join(pieces), dtype=np.uint8), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1
