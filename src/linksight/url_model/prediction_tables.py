"""Add prediction columns to Arrow record batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from linksight.errors import BadData

if TYPE_CHECKING:
    import pyarrow as pa

    from linksight.url_model.model import UrlLanguageModel


def label_batches(model: UrlLanguageModel, data: Any, column: str, **options: Any) -> pa.RecordBatchReader:
    """A reader of the batches of a reader, table or dataset with the columns of ``predict_table`` added."""
    import pyarrow as pa

    reader = _reader(data)
    place = reader.schema.get_field_index(column)
    if place < 0:
        raise BadData(f"no column {column!r}; there are {', '.join(map(repr, reader.schema.names))}")
    added = model.predict_table([], **options).schema
    if duplicates := [name for name in added.names if name in reader.schema.names]:
        raise BadData(f"there is a column {duplicates[0]!r} already; name the new ones with prefix=")
    schema = pa.schema([*reader.schema, *added])

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in reader:
            predictions = model.predict_table(batch.column(place), **options).combine_chunks()
            columns = [predictions[name].combine_chunks() for name in added.names]
            yield pa.RecordBatch.from_arrays([*batch.columns, *columns], schema=schema)

    return pa.RecordBatchReader.from_batches(schema, batches())


def _reader(data: Any) -> pa.RecordBatchReader:
    """A reader of the record batches of any Arrow object, or of an object with Arrow's stream interface."""
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
