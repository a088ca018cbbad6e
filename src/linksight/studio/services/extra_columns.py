"""The columns of an uploaded table other than its URLs, saved and written again with the languages."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

from linksight.errors import BadData

if TYPE_CHECKING:
    import pyarrow as pa

    from linksight.bulk.row_block import Block

MAX_EXTRA_COLUMNS = 200  #: bounds tables of JSON lines whose rows all have other fields
MAX_BYTES = 160 << 20
FOUND = ("language", "probability", "problem")
_BATCH_ROWS = 50_000
_NUMBER = r"^[-+]?[0-9][0-9.,]*([eE][-+]?[0-9]+)?%?$"


class ExtraColumns:
    """Collects a table block by block; drops one that is too wide or too large, with the reason."""

    def __init__(self) -> None:
        self.left_out = ""  #: reason why the columns were dropped
        self.is_foreign = False  #: whether some of the text is not UTF-8
        self._names: dict[str, None] = {}
        self._parts: list[tuple[int, Any]] = []
        self._lines: list[Any] = []
        self._n_bytes = 0

    def add(self, block: Block, names: list[str]) -> None:
        """Add the next rows."""
        from linksight.bulk.formats.jsonl import JsonBlock

        self._names |= dict.fromkeys(names)
        if self.left_out or len(self._names) > MAX_EXTRA_COLUMNS:
            self._let_go(f"there are more than {MAX_EXTRA_COLUMNS}")
            return
        try:
            table = block.table()
        except UnicodeEncodeError:  # a lone surrogate, which JSON can contain
            raise BadData(f"{block.where}: the name of a column cannot be written as UTF-8") from None
        self._parts.append((block.n_rows, table))
        self._n_bytes += table.nbytes
        if isinstance(block, JsonBlock):
            self._lines.append(block.lines)
            self._n_bytes += block.n_bytes
        if self._n_bytes > MAX_BYTES:
            self._let_go(f"they are larger than {MAX_BYTES >> 20} MiB")

    def _let_go(self, why: str) -> None:
        self.left_out = self.left_out or why
        self._parts.clear()
        self._lines.clear()

    def table(self) -> pa.Table | None:
        """All rows with all columns; None for a table of one column."""
        import pyarrow as pa

        if self.left_out or (len(self._names) < 2 and not self._lines):
            return None
        columns = {
            name: [
                part[name] if name in part.column_names else pa.chunked_array([pa.nulls(n)])
                for n, part in self._parts
            ]
            for name in self._names
        }
        return pa.table({name: _joined(parts) for name, parts in columns.items()})

    def lines(self) -> pa.Table | None:
        """JSON lines unchanged: a column cannot hold mixed types or absent fields."""
        import pyarrow as pa

        return pa.table({"line": pa.chunked_array(self._lines, pa.large_binary())}) if self._lines else None


def _joined(parts: list[Any]) -> Any:
    """Chunks of a column joined; as text if their types differ, as within a chunk of JSON lines."""
    import pyarrow as pa

    kinds = {part.type for part in parts if not pa.types.is_null(part.type)} or {pa.string()}
    if len(kinds) > 1:
        kinds, parts = {pa.string()}, [_as_text(part) for part in parts]
    kind = kinds.pop()
    return pa.chunked_array([chunk for part in parts for chunk in part.cast(kind).chunks], kind)


def _as_text(column: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    from linksight.bulk.formats.json_writer import cells

    if pa.types.is_string(column.type) or pa.types.is_null(column.type):
        return column
    texts = cells(column).cast(pa.string())
    return pa.chunked_array([pc.if_else(pc.is_valid(column.combine_chunks()), texts, None)])


def write_labelled(rows: pa.Table, uploaded: pa.Table, form: str, out: IO[bytes]) -> None:
    """Rows of a run with all that was uploaded, written as ``linksight detect -i`` writes them."""
    import pyarrow.compute as pc

    from linksight.bulk.row_block import Block, take_rows
    from linksight.bulk.writers import make_writer

    prefix = prefix_beside(uploaded.column_names)
    table = take_rows(uploaded, pc.subtract(rows["row"], 1)).add_column(0, f"{prefix}row", rows["row"])
    found = rows.select(FOUND).rename_columns([prefix + name for name in FOUND])
    writer = make_writer(form, out, None, first=True, schema=None)
    for first in range(0, max(len(rows), 1), _BATCH_ROWS):
        some = table.slice(first, _BATCH_ROWS)
        block = Block("the download", harmless(some) if form == "csv" else some)
        writer.write([(block, found.slice(first, _BATCH_ROWS))])
    writer.close()


def write_lines(rows: pa.Table, lines: pa.Table, names: list[str], out: IO[bytes]) -> None:
    """Rows of a run behind the JSON lines that were uploaded, which stay as they were; ``names`` are their fields'."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from linksight.bulk.formats.json_writer import labelled_lines
    from linksight.bulk.formats.jsonl import JsonBlock

    prefix = prefix_beside(names)
    found = rows.select([*FOUND, "row"]).rename_columns([prefix + name for name in (*FOUND, "row")])
    for first in range(0, len(rows), _BATCH_ROWS):
        some = rows.slice(first, _BATCH_ROWS)
        chosen = lines["line"].take(pc.subtract(some["row"], 1)).combine_chunks()
        out.write(
            labelled_lines(JsonBlock("the download", pa.table({}), chosen), found.slice(first, _BATCH_ROWS))
        )


def prefix_beside(names: list[str]) -> str:
    """The prefix of the added columns that avoids conflicts with the uploaded ones.

    >>> prefix_beside(["url", "price"]), prefix_beside(["url", "language"])
    ('', 'detected_')
    """
    prefix = ""
    while any(prefix + name in names for name in ("row", *FOUND)):
        prefix += "detected_"
    return prefix


def harmless(table: pa.Table) -> pa.Table:
    """Escapes text that spreadsheets would run as a formula; signed numbers are unchanged.

    >>> import pyarrow as pa
    >>> harmless(pa.table({"=a": ["=1+1", "-2.5", None, "+x"]})).to_pydict()
    {"'=a": ["'=1+1", '-2.5', None, "'+x"]}
    """
    import pyarrow as pa

    columns = [_harmless(column) for column in table.columns]
    names = _harmless(pa.chunked_array([table.column_names], pa.string())).to_pylist()
    return pa.table(columns, names=names)


def _harmless(column: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    from linksight.bulk.writers import flat

    column = flat(column)
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    escaped = pc.replace_substring_regex(column, r"^([=+\-@\t\r])", r"'\1")
    return pc.if_else(pc.match_substring_regex(column, _NUMBER), column, escaped)
