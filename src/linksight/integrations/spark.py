"""linksight inside Spark: languages for tables of billions of URLs, labels for WARC files.

    from linksight import spark as linksight_spark

    df = session.read.parquet("s3://commoncrawl/cc-index/table/cc-main/warc/crawl=CC-MAIN-2024-10/")
    linksight_spark.detect(df, url="url").groupBy("language").count().show()
    linksight_spark.evaluate(df, language="content_languages", by=["crawl"]).show()

The model travels once to each executor, as a broadcast; each Python worker opens it once. Workers
need linksight installed (or ``spark-submit --archives``). Rows travel as Arrow batches, nothing is
turned into Python objects. Spark 3.5 and 4.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linksight.errors import BadConfig, BadData, MissingExtra
from linksight.results import UND

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from linksight.url_model.model import UrlLanguageModel

GATHERED_ROWS = 131_072  #: Spark's batches are small; scored together they cost less
GATHERED_BYTES = 64 << 20  #: of all columns: a table may hold the pages themselves
_ADDED = ("language", "probability", "problem")
_MEASURES = ("language", "n_urls", "n_found", "n_right", "base_rate", "precision", "recall", "f1")


def detect(
    df: DataFrame, url: str = "url", *, model: str | os.PathLike[str] | UrlLanguageModel | None = None,
    languages: Iterable[str] | str | None = None, priors: Mapping[str, float] | None = None, prefix: str = "",
) -> DataFrame:  # fmt: skip
    """The rows with ``language``, ``probability`` and ``problem``; all columns are kept.

    ``model`` is a file or a loaded model, ``languages`` restricts the answer, ``priors`` are base rates,
    ``prefix`` stands before the names of the new columns. A URL that cannot be used is ``und`` with its problem.
    """
    types = _types()
    place = _place_of_text(df, url)
    added = [prefix + name for name in _ADDED]
    if taken := [name for new in added for name in _alike(df, new)]:
        raise BadData(f"the table has a column {taken[0]!r} already; name the new ones with prefix=")
    kinds = (types.StringType(), types.FloatType(), types.StringType())
    fields = [types.StructField(name, kind) for name, kind in zip(_ADDED, kinds, strict=True)]
    opened = _shipped(df, model)
    wanted = languages if languages is None or isinstance(languages, str) else tuple(languages)
    # What is wrong with the options shows here and not in a worker's traceback.
    _prepared(opened(), priors).predict_table([], languages=wanted)

    def label(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return label_batches(batches, _prepared(opened(), priors), f"_{place}", wanted)

    # Spark looks columns up by their names here, and reads a dot in one as a field of a struct.
    numbered = df.toDF(*(f"_{i}" for i in range(len(df.columns))))
    found = numbered.mapInArrow(label, types.StructType([*numbered.schema.fields, *fields]))
    return found.toDF(*df.columns, *added)


def label_batches(
    batches: Iterable[pa.RecordBatch],
    scorer: UrlLanguageModel,
    url: str = "url",
    languages: Any = None,
    prefix: str = "",
) -> Iterator[pa.RecordBatch]:
    """Record batches with the new columns: what a worker runs, and all there is to it."""
    import pyarrow as pa

    for some in _gathered(batches):
        column = pa.chunked_array([batch.column(batch.schema.get_field_index(url)) for batch in some])
        # One thread: Spark runs as many of these as the machine has cores.
        found = scorer.predict_table(column, languages=languages, n_threads=1).combine_chunks()
        first = 0
        for batch in some:
            rows = found.slice(first, batch.num_rows)
            first += batch.num_rows
            columns = [rows[name].combine_chunks() for name in _ADDED]
            names = [*batch.schema.names, *(prefix + name for name in _ADDED)]
            yield pa.RecordBatch.from_arrays([*batch.columns, *columns], names=names)


def evaluate(
    df: DataFrame, url: str = "url", language: str | None = None, *, by: Sequence[str] | str = (),
    model: str | os.PathLike[str] | UrlLanguageModel | None = None, languages: Iterable[str] | str | None = None,
) -> DataFrame:  # fmt: skip
    """Precision and recall by language, at the base rates of the rows themselves.

    ``language`` is the column of true languages: codes of any kind, or Common Crawl's
    ``content_languages``, of which the first is taken; by itself ``language``, or else that. ``by`` names
    columns, such as ``crawl``, that are measured apart. Rows without a true language are left out.
    """
    _types()
    from pyspark.sql import functions as f

    if language is None:
        usual = ("language", "content_languages")
        language = next((name for name in usual if name in df.columns), usual[0])
    names = [df.columns[_place(df, name)] for name in ([by] if isinstance(by, str) else by)]
    if taken := [name for name in names if name in _MEASURES]:
        raise BadData(f"{taken[0]!r} is the name of a measure; rename the column")
    columns = df.toDF(*(f"_{i}" for i in range(len(df.columns))))
    truth = f.col(f"_{_place_of_text(df, language)}")
    by = [f"by_{i}" for i in range(len(names))]
    apart = [f.col(f"_{_place(df, name)}").alias(new) for name, new in zip(names, by, strict=True)]
    address = f.col(f"_{_place_of_text(df, url)}")
    rows = columns.where(truth.isNotNull() & (truth != "")).select(
        *apart, address.alias("url"), truth.alias("truth")
    )
    found = detect(rows, "url", model=model, languages=languages, prefix="found_")
    return _measures(_confusion(found, by), by).toDF(*names, *_MEASURES)


def _confusion(found: DataFrame, by: list[str]) -> DataFrame:
    """How often each true language was taken for which; small, whatever the table: all after it costs nothing."""
    from pyspark.sql import functions as f

    raw = found.groupBy(*by, "truth", "found_language").count()
    confusion = raw.mapInArrow(_with_codes, raw.schema).groupBy(*by, "truth", "found_language").agg(
        f.sum("count").alias("count")
    )  # fmt: skip
    return confusion.where(f.col("truth") != UND)


def _measures(confusion: DataFrame, by: list[str]) -> DataFrame:
    """A row for each true language: the columns of ``_MEASURES`` behind those that it is measured by."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    none, count = f.lit(0), f.col("count")
    hit = f.when(f.col("truth") == f.col("found_language"), count).otherwise(0)
    true = confusion.select(
        *by, f.col("truth").alias("language"), count.alias("n_urls"), hit.alias("n_right"), none.alias("n_found")
    )  # fmt: skip
    said = confusion.select(
        *by, f.col("found_language").alias("language"), none.alias("n_urls"), none.alias("n_right"), count.alias("n_found")
    )  # fmt: skip
    # Grouped and not joined: to a join a gap in what it is measured by is like no other gap, and its rows are lost.
    sums = [f.sum(name).alias(name) for name in ("n_urls", "n_right", "n_found")]
    both = true.unionByName(said).groupBy(*by, "language").agg(*sums).where(f.col("n_urls") > 0)
    if by:
        both = both.withColumn("n_all", f.sum("n_urls").over(Window.partitionBy(*by)))
    else:
        both = both.crossJoin(both.agg(f.sum("n_urls").alias("n_all")))
    precision = f.col("n_right") / f.when(f.col("n_found") > 0, f.col("n_found"))
    recall = f.col("n_right") / f.col("n_urls")
    return both.select(
        *by, "language", "n_urls", "n_found", "n_right", (f.col("n_urls") / f.col("n_all")).alias("base_rate"),
        precision.alias("precision"), recall.alias("recall"),
        (2 * f.col("n_right") / (f.col("n_urls") + f.col("n_found"))).alias("f1"),
    ).orderBy(*by, f.desc("n_urls"), "language")  # fmt: skip


def identify(df: DataFrame, path: str = "path", *, method: str = "default") -> DataFrame:
    """A row for each page of the WARC files (or pages) whose paths are in a column.

    Paths are those that the workers can open: a shared folder, or what ``spark.files`` brought.
    Give the table as many partitions as files (``df.repartition(n)``): a file is the unit of work.
    """
    _types()
    place = _place_of_text(df, path)

    def label(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        paths = (str(value) for batch in batches for value in batch.column(0).to_pylist() if value)
        return label_pages(paths, method)

    numbered = df.toDF(*(f"_{i}" for i in range(len(df.columns))))
    return numbered.select(f"_{place}").mapInArrow(label, _label_columns())


def _label_columns() -> str:
    """The columns of labels and their types, as Spark writes them."""
    from linksight.pages.input.batch import COLUMNS, schema_of

    kinds = {"bool": "boolean"}
    return ", ".join(
        f"{field.name} {kinds.get(str(field.type), field.type)}" for field in schema_of("path", *COLUMNS)
    )


def label_pages(
    paths: Iterable[str], method: str = "default", at_once: int = 256
) -> Iterator[pa.RecordBatch]:
    """Record batches with the labels of the pages at some paths; what cannot be read is a row too."""
    import pyarrow as pa

    from linksight.pages.input.batch import COLUMNS, labels_of, schema_of

    schema = schema_of("path", *COLUMNS)
    held: list[dict[str, Any]] = []
    for path in paths:
        for label in labels_of(path, method):
            held.append(label)
            if len(held) == at_once:
                yield pa.RecordBatch.from_pylist(held, schema=schema)
                held = []
    if held:
        yield pa.RecordBatch.from_pylist(held, schema=schema)


# --- helpers ------------------------------------------------------------------------------------


def _types() -> Any:
    try:
        from pyspark.sql import types
    except ImportError:
        raise MissingExtra("pyspark", "spark", "linksight.spark") from None
    return types


def _alike(df: DataFrame, name: str) -> list[str]:
    """The columns that Spark takes for this one: in any case, unless it was told to tell cases apart."""
    strict = str(df.sparkSession.conf.get("spark.sql.caseSensitive", "false")).lower() == "true"
    return [one for one in df.columns if one == name or (not strict and one.lower() == name.lower())]


def _place(df: DataFrame, name: str) -> int:
    """Which column is of that name; :class:`BadData` where there is none, or more than one."""
    if not isinstance(name, str):
        raise BadConfig(f"the name of a column is needed, not {type(name).__name__}")
    found = [name] * df.columns.count(name) or _alike(df, name)
    if len(found) > 1:
        raise BadData(f"two columns are named {name!r}")
    if not found:
        of_struct = "." in name and name.split(".")[0] in df.columns
        made = f"; a field becomes a column by df.withColumn('url', df[{name!r}])" if of_struct else ""
        raise BadData(f"no column {name!r}; there are: {', '.join(df.columns)}{made}")
    return df.columns.index(found[0])


def _place_of_text(df: DataFrame, name: str) -> int:
    """The same for a column of text."""
    place = _place(df, name)
    kind = df.schema.fields[place].dataType.simpleString()
    if not kind.startswith(("string", "varchar", "char")):
        raise BadData(f"column {name!r} holds {kind}, not text")
    return place


def _shipped(
    df: DataFrame, model: str | os.PathLike[str] | UrlLanguageModel | None
) -> Callable[[], UrlLanguageModel]:
    """A function for workers that opens the model; its bytes travel once to each executor."""
    data = _bytes_of(model)
    digest = hashlib.sha256(data).hexdigest()
    try:
        broadcast: Any = df.sparkSession.sparkContext.broadcast(data)
    except Exception as error:  # Spark Connect has no context and says so in a way of its own
        if model is not None:
            raise BadConfig(
                "this session cannot broadcast (Spark Connect): your model needs a classic session"
            ) from error
        return _bundled
    return lambda: _opened(digest, broadcast)


def _bytes_of(model: str | os.PathLike[str] | UrlLanguageModel | None) -> bytes:
    """The model's file; a damaged one is an error here and now."""
    from linksight.url_model.model import UrlLanguageModel, load

    if isinstance(model, UrlLanguageModel):
        with tempfile.TemporaryDirectory(prefix="linksight-") as folder:
            model.save(Path(folder) / "model")
            return (Path(folder) / "model").read_bytes()
    path = _bundled_path() if model is None else Path(model)
    load(path)
    return path.read_bytes()


def _bundled() -> UrlLanguageModel:
    from linksight.url_model.model import load

    return load()


def _bundled_path() -> Path:
    from linksight.system.resources import path_of
    from linksight.url_model.model import BUNDLED

    return Path(path_of(BUNDLED))


class _Received:
    """A broadcast that is told apart by its digest, so that a worker opens it once."""

    def __init__(self, digest: str, broadcast: Any) -> None:
        self.digest, self.broadcast = digest, broadcast

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Received) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


def _opened(digest: str, broadcast: Any) -> UrlLanguageModel:
    return _open_once(_Received(digest, broadcast))


@lru_cache(maxsize=2)
def _open_once(received: _Received) -> UrlLanguageModel:
    from linksight.url_model.model import load

    with tempfile.TemporaryDirectory(prefix="linksight-") as folder:
        path = Path(folder) / "model"
        path.write_bytes(received.broadcast.value)
        return load(path)


def _prepared(scorer: UrlLanguageModel, priors: Mapping[str, float] | None) -> UrlLanguageModel:
    return scorer if priors is None else scorer.with_priors(priors)


def _gathered(batches: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    held: list[pa.RecordBatch] = []
    n_rows = n_bytes = 0
    for batch in batches:
        held.append(batch)
        n_rows, n_bytes = n_rows + batch.num_rows, n_bytes + batch.nbytes
        if n_rows >= GATHERED_ROWS or n_bytes >= GATHERED_BYTES:
            yield held
            held, n_rows, n_bytes = [], 0, 0
    if held:
        yield held


def _with_codes(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """True languages as codes; ``und`` for what is no language."""
    import pyarrow as pa

    for batch in batches:
        place = batch.schema.get_field_index("truth")
        codes = pa.array([_code(value) for value in batch.column(place).to_pylist()], pa.string())
        columns = [codes if i == place else column for i, column in enumerate(batch.columns)]
        yield pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _code(value: str | None) -> str:
    """The first language of a list, as a code.

    >>> _code("fra,eng"), _code("Dutch"), _code("?")
    ('fr', 'nl', 'und')
    """
    from linksight.languages.registry import code_of

    return code_of((value or "").split(",")[0]) or UND
