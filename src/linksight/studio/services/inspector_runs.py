"""Runs of the inspector: lists of URLs with their languages, stored as Parquet until they are deleted."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from linksight.errors import BadData
from linksight.studio.jobs import Job
from linksight.studio.responses import NotThere
from linksight.studio.services import language_service
from linksight.system.atomic_write import whole_file, write_whole

if TYPE_CHECKING:
    import pyarrow as pa

CHUNK_ROWS = 50_000
PAGE_ROWS = 100
SORTS = ("row", "url", "language", "probability")
MAX_RUNS = 200
UPLOADED = "given.parquet"  #: file suffix of the uploaded columns
LINES = "lines.parquet"  #: file suffix of uploaded JSON lines


@dataclass(frozen=True)
class Run:
    """A list of URLs with the settings of its prediction."""

    title: str
    languages: tuple[str, ...] | None = None
    rates: language_service.Rates = ()
    n_urls: int = 0
    counts: dict[str, int] = field(default_factory=dict)  #: by language, most first
    problems: dict[str, int] = field(default_factory=dict)
    left_out: str = ""  #: why the other columns of the upload are not kept
    is_foreign: bool = False  #: whether some of the upload is not UTF-8
    at: float = field(default_factory=time.time)
    id: str = field(default_factory=lambda: secrets.token_hex(8))


@dataclass(frozen=True)
class View:
    """Filters, order and page of the rows that are shown."""

    language: str = ""
    least: float = 0.0
    text: str = ""
    sort: str = "row"
    descending: bool = False
    page: int = 1

    def select(self, table: pa.Table) -> pa.Table:
        """The rows that the filters let through, in order."""
        import pyarrow.compute as pc

        mask = None
        for part in self._masks(table, pc):
            mask = part if mask is None else pc.and_(mask, part)
        table = table if mask is None else table.filter(mask)
        if self.sort in SORTS[1:] or self.descending:
            way = "descending" if self.descending else "ascending"
            table = table.sort_by([(self.sort, way), ("row", "ascending")])
        return table

    def _masks(self, table: pa.Table, pc: Any) -> Iterator[Any]:
        if self.language == "problem":
            yield pc.is_valid(table["problem"])
        elif self.language:
            yield pc.equal(table["language"], self.language)
        if self.least > 0:
            yield pc.greater_equal(table["probability"], self.least)
        if self.text:
            yield pc.match_substring(table["url"], self.text, ignore_case=True)


class Runs:
    """The runs in a folder."""

    def __init__(self, folder: Path, max_bytes: int = 4 << 30) -> None:
        self.folder, self.max_bytes = folder, max_bytes

    def make(
        self,
        job: Job,
        urls: pa.Array,
        run: Run,
        uploaded: pa.Table | None = None,
        lines: pa.Table | None = None,
    ) -> Run:
        """Predict the languages of all URLs, a chunk at a time, and store the table and the uploaded columns."""
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.parquet as pq

        self.folder.mkdir(parents=True, exist_ok=True)
        counts: dict[str, int] = {}
        problems: dict[str, int] = {}
        with (
            whole_file(self._path(run.id, "parquet")) as file,
            pq.ParquetWriter(file, _schema(), compression="zstd") as writer,
        ):
            for first in range(0, len(urls), CHUNK_ROWS):
                job.progress(first, len(urls), f"{first:,} of {len(urls):,} URLs")
                some = urls.slice(first, CHUNK_ROWS)
                found = language_service.predict(some, run.languages, run.rates)
                rows = pa.array(range(first + 1, first + 1 + len(some)), pa.int32())
                columns = [rows, some, *(found[name] for name in ("language", "probability", "problem"))]
                writer.write_table(pa.table(columns, schema=_schema()))
                _count(found["language"].filter(pc.is_null(found["problem"])), counts)
                _count(found["problem"].drop_null(), problems)
            job.progress(len(urls), len(urls), "writing")
        for ending, table in ((UPLOADED, uploaded), (LINES, lines)):
            if table is not None:
                with whole_file(self._path(run.id, ending)) as file:
                    pq.write_table(table, file, compression="zstd")
        ended = replace(run, n_urls=len(urls), counts=_sorted(counts), problems=_sorted(problems))
        # The JSON comes last: it lists the run, whose table must be there by then.
        write_whole(self._path(run.id, "json"), json.dumps(asdict(ended)))
        self._make_room(ended.id)
        return ended

    def _make_room(self, newest: str) -> None:
        """Forget the oldest runs beyond the limits on their number and disk space."""
        n_bytes = 0
        for number, run in enumerate(self.all()):
            n_bytes += sum(path.stat().st_size for path in self.folder.glob(f"{run.id}.*"))
            if run.id != newest and (number >= MAX_RUNS or n_bytes > self.max_bytes):
                self.forget(run.id)

    def get(self, number: str) -> Run:
        """A run by its id."""
        try:
            return run_from(json.loads(self._path(number, "json").read_text(encoding="utf-8")))
        except FileNotFoundError:
            raise NotThere(f"no list {number!r}: it was forgotten, or never made") from None

    def table(self, number: str) -> pa.Table:
        """The table of a run."""
        path = self._path(number, "parquet")
        if not path.exists():
            raise NotThere(f"no list {number!r}: it was forgotten, or never made")
        return _read(path)

    def uploaded_table(self, number: str, ending: str = UPLOADED) -> pa.Table | None:
        """The uploaded columns of a run, or its lines; None if the upload had only URLs."""
        import pyarrow.parquet as pq

        path = self._path(number, ending)
        return pq.read_table(path) if path.exists() else None

    def all(self) -> list[Run]:
        """All runs, the latest first."""
        found: list[Run] = []
        for path in self.folder.glob("*.json"):
            # A run that is forgotten at this moment, or a foreign file, must not hide the others.
            with suppress(NotThere, ValueError, TypeError, KeyError):
                found.append(self.get(path.stem))
        return sorted(found, key=lambda run: -run.at)

    def forget(self, number: str) -> None:
        """Remove a run."""
        for ending in ("json", "parquet", UPLOADED, LINES):
            self._path(number, ending).unlink(missing_ok=True)

    def _path(self, number: str, ending: str) -> Path:
        # The id becomes part of a path: only generated ids may.
        if len(number) != 16 or not all(c in "0123456789abcdef" for c in number):
            raise NotThere(f"no list {number[:40]!r}")
        return self.folder / f"{number}.{ending}"


def run_from(values: dict[str, Any]) -> Run:
    """A run from its JSON."""
    languages = tuple(values["languages"]) if values["languages"] else None
    rates = tuple((code, rate) for code, rate in values["rates"])
    return Run(**values | {"languages": languages, "rates": rates})


FORMATS = ("csv", "jsonl", "parquet")


def check_format(form: str) -> None:
    """Raise :class:`BadData` for a format that rows cannot be written in."""
    if form not in FORMATS:
        raise BadData(f"unknown format {form[:40]!r}; known: {', '.join(FORMATS)}")


def write_rows(table: pa.Table, form: str, out: IO[bytes]) -> None:
    """The rows as ``csv``, ``jsonl`` or ``parquet``."""
    check_format(form)
    if form == "csv":
        import pyarrow.csv as pc

        pc.write_csv(_harmless(table), out)
    elif form == "jsonl":
        for batch in table.to_batches(10_000):
            lines = (json.dumps(row, ensure_ascii=False) for row in batch.to_pylist())
            out.write(("\n".join(lines) + "\n").encode("utf-8", "replace"))
    else:
        import pyarrow.parquet as pq

        pq.write_table(table, out)


def _harmless(table: pa.Table) -> pa.Table:
    """Escapes text that spreadsheets would run as a formula."""
    import pyarrow.compute as pc

    shown = pc.replace_substring_regex(table["url"], r"^([=+\-@\t\r])", r"'\1")
    return table.set_column(table.schema.get_field_index("url"), "url", shown)


@lru_cache(maxsize=3)
def _read(path: Path) -> pa.Table:
    import pyarrow.parquet as pq

    return pq.read_table(path)


def _schema() -> pa.Schema:
    import pyarrow as pa

    return pa.schema(
        [("row", pa.int32()), ("url", pa.large_string()), ("language", pa.string()),
         ("probability", pa.float32()), ("problem", pa.string())]
    )  # fmt: skip


def _count(column: Any, counts: dict[str, int]) -> None:
    for pair in column.value_counts().to_pylist():
        counts[pair["values"]] = counts.get(pair["values"], 0) + pair["counts"]


def _sorted(counts: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
