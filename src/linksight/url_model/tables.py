"""Answers as Arrow tables: the likeliest languages of each URL, and record batches with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from linksight.errors import BadConfig, BadData
from linksight.features.url_buffer import as_list
from linksight.url_model.predict import best, probabilities
from linksight.urls.arrow_input import arrow_chunks, to_arrow

if TYPE_CHECKING:
    import pyarrow as pa

    from linksight.url_model.model import Scorer

_ROWS = 65_536  #: whose probabilities are in memory at a time


def top_table(
    scorer: Scorer, urls: Any, columns: list[int] | None, top_k: int, n_threads: int | None
) -> pa.Table:
    """Lists of the ``top_k`` likeliest languages and their probabilities, best first; empty for an unusable URL."""
    import pyarrow as pa

    chunks = arrow_chunks(urls)
    if chunks is None:
        chunks = arrow_chunks(to_arrow(as_list(urls))) or []
    parts = [chunk.slice(first, _ROWS) for chunk in chunks for first in range(0, len(chunk), _ROWS)]
    tables = [_top(scorer, part, columns, top_k, n_threads) for part in parts]
    return pa.concat_tables(tables) if tables else _top(scorer, [], columns, top_k, n_threads)


def _top(scorer: Scorer, urls: Any, columns: list[int] | None, top_k: int, n_threads: int | None) -> pa.Table:
    import pyarrow as pa

    k = min(top_k, len(scorer.languages) if columns is None else len(set(columns)))
    chances = probabilities(scorer, urls, columns, n_threads)
    likeliest = np.argsort(-chances, axis=1, kind="stable")[:, :k]
    answers = best(scorer, urls, columns, n_threads).table(scorer)
    usable = np.asarray(answers["problem"].combine_chunks().is_null(), dtype=bool)
    starts = pa.array(np.concatenate(([0], np.cumsum(np.where(usable, k, 0)))).astype(np.int32))
    names = pa.array(scorer.languages, pa.string()).take(pa.array(likeliest[usable].ravel()))
    shares = pa.array(np.take_along_axis(chances, likeliest, axis=1)[usable].ravel())
    lists = [pa.ListArray.from_arrays(starts, values) for values in (names, shares)]
    return pa.table([*lists, answers["problem"]], names=["language", "probability", "problem"])


def check_top(top_k: int) -> None:
    """Refuse a number of languages that makes no sense."""
    if isinstance(top_k, bool) or not isinstance(top_k, int | np.integer) or top_k < 1:
        raise BadConfig(f"top_k must be a whole number of 1 or more, not {top_k!r}")


def label_batches(scorer: Scorer, data: Any, column: str, **options: Any) -> pa.RecordBatchReader:
    """The batches of a reader, table or dataset with the columns of ``predict_table`` added, one at a time."""
    import pyarrow as pa

    reader = _reader(data)
    place = reader.schema.get_field_index(column)
    if place < 0:
        raise BadData(f"no column {column!r}; there are {', '.join(map(repr, reader.schema.names))}")
    added = scorer.predict_table(pa.array([], pa.string()), **options).schema
    if taken := [name for name in added.names if name in reader.schema.names]:
        raise BadData(f"there is a column {taken[0]!r} already; name the new ones with prefix=")
    schema = pa.schema([*reader.schema, *added])

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in reader:
            found = scorer.predict_table(batch.column(place), **options).combine_chunks()
            columns = [found[name].combine_chunks() for name in added.names]
            yield pa.RecordBatch.from_arrays([*batch.columns, *columns], schema=schema)

    return pa.RecordBatchReader.from_batches(schema, batches())


def _reader(data: Any) -> pa.RecordBatchReader:
    """A reader of record batches, whatever of Arrow's (or of others with its stream interface) they come from."""
    import pyarrow as pa

    if isinstance(data, pa.RecordBatchReader):
        return data
    if hasattr(data, "scanner"):  # a dataset
        return data.scanner().to_reader()
    if hasattr(data, "to_reader"):  # a table or a scanner
        return data.to_reader()
    if hasattr(data, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(data)
    raise BadData(f"record batches are needed (reader, table or dataset), not {type(data).__name__}")
