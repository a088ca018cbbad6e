"""Add languages to Arrow record batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from linksight.errors import BadData

if TYPE_CHECKING:
    import pyarrow as pa

    from linksight.url_model.model import Scorer


def label_batches(scorer: Scorer, data: Any, column: str, **options: Any) -> pa.RecordBatchReader:
    """The batches of a reader, table or dataset with the columns of ``predict_table`` added, one at a time."""
    import pyarrow as pa

    reader = _reader(data)
    place = reader.schema.get_field_index(column)
    if place < 0:
        raise BadData(f"no column {column!r}; there are {', '.join(map(repr, reader.schema.names))}")
    added = scorer.predict_table([], **options).schema
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
