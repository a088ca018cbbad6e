"""linksight inside Spark: languages for tables of billions of URLs, labels for WARC files.

    from linksight import spark as linksight_spark

    df = session.read.parquet("s3://commoncrawl/cc-index/table/cc-main/warc/crawl=CC-MAIN-2024-10/")
    linksight_spark.detect(df, url="url").groupBy("language").count().show()
    linksight_spark.evaluate(df, language="content_languages", by=["crawl"]).show()

The model is broadcast once to each executor; each Python worker opens it once. Workers need linksight
installed (or ``spark-submit --archives``). Rows are Arrow batches and never become Python objects.
Spark 3.5 and 4.
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

MAX_BATCH_ROWS = 131_072  #: Spark's batches are small; larger ones are scored faster
MAX_BATCH_BYTES = 64 << 20  #: of all columns: a table may hold the pages themselves
_ADDED = ("language", "probability", "problem")
_MEASURES = ("language", "n_urls", "n_found", "n_right", "base_rate", "precision", "recall", "f1")


def detect(
    df: DataFrame, url: str = "url", *, model: str | os.PathLike[str] | UrlLanguageModel | None = None,
    languages: Iterable[str] | str | None = None, priors: Mapping[str, float] | None = None, prefix: str = "",
) -> DataFrame:  # fmt: skip
    """The rows with ``language``, ``probability`` and ``problem``; all columns are kept.

    ``model`` is a file or a loaded model, ``languages`` restricts the answer, ``priors`` are base rates,
    ``prefix`` is put before the names of the new columns. An unusable URL gets ``und`` and its problem.
    """
    types = _import_types()
    index = _text_column_index(df, url)
    added = [prefix + name for name in _ADDED]
    if conflicts := [name for new in added for name in _matching_columns(df, new)]:
        raise BadData(f"the table has a column {conflicts[0]!r} already; name the new ones with prefix=")
    kinds = (types.StringType(), types.FloatType(), types.StringType())
    fields = [types.StructField(name, kind) for name, kind in zip(_ADDED, kinds, strict=True)]
    load_model = _broadcast_model(df, model)
    wanted = languages if languages is None or isinstance(languages, str) else tuple(languages)
    # Invalid options raise here and not in a worker.
    _with_priors(load_model(), priors).predict_table([], languages=wanted)

    def label(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return label_batches(batches, _with_priors(load_model(), priors), f"_{index}", wanted)

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
    """Record batches with the new columns; this runs in each worker."""
    import pyarrow as pa

    for some in _regroup(batches):
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
    ``content_languages``, of which the first counts. The default is ``language`` if there is such a column, else
    ``content_languages``. ``by`` names columns, such as ``crawl``, to group by. Rows without a true language are skipped.
    """
    _import_types()
    from pyspark.sql import functions as f

    if language is None:
        usual = ("language", "content_languages")
        language = next((name for name in usual if name in df.columns), usual[0])
    names = [df.columns[_column_index(df, name)] for name in ([by] if isinstance(by, str) else by)]
    if conflicts := [name for name in names if name in _MEASURES]:
        raise BadData(f"{conflicts[0]!r} is the name of a measure; rename the column")
    columns = df.toDF(*(f"_{i}" for i in range(len(df.columns))))
    truth = f.col(f"_{_text_column_index(df, language)}")
    by = [f"by_{i}" for i in range(len(names))]
    apart = [f.col(f"_{_column_index(df, name)}").alias(new) for name, new in zip(names, by, strict=True)]
    address = f.col(f"_{_text_column_index(df, url)}")
    rows = columns.where(truth.isNotNull() & (truth != "")).select(
        *apart, address.alias("url"), truth.alias("truth")
    )
    found = detect(rows, "url", model=model, languages=languages, prefix="found_")
    return _compute_measures(_count_confusion(found, by), by).toDF(*names, *_MEASURES)


def _count_confusion(found: DataFrame, by: list[str]) -> DataFrame:
    """The confusion matrix: counts by true and predicted language. It is small, so later steps are cheap."""
    from pyspark.sql import functions as f

    raw = found.groupBy(*by, "truth", "found_language").count()
    confusion = raw.mapInArrow(_with_codes, raw.schema).groupBy(*by, "truth", "found_language").agg(
        f.sum("count").alias("count")
    )  # fmt: skip
    return confusion.where(f.col("truth") != UND)


def _compute_measures(confusion: DataFrame, by: list[str]) -> DataFrame:
    """A row for each true language: the columns of ``by``, then those of ``_MEASURES``."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    zero, count = f.lit(0), f.col("count")
    hit = f.when(f.col("truth") == f.col("found_language"), count).otherwise(0)
    actual = confusion.select(
        *by, f.col("truth").alias("language"), count.alias("n_urls"), hit.alias("n_right"), zero.alias("n_found")
    )  # fmt: skip
    predicted = confusion.select(
        *by, f.col("found_language").alias("language"), zero.alias("n_urls"), zero.alias("n_right"), count.alias("n_found")
    )  # fmt: skip
    # Union and group, not join: a join drops rows with NULL in a column of ``by``.
    sums = [f.sum(name).alias(name) for name in ("n_urls", "n_right", "n_found")]
    both = actual.unionByName(predicted).groupBy(*by, "language").agg(*sums).where(f.col("n_urls") > 0)
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

    The workers must be able to open the paths: use a shared folder, or ``spark.files``.
    Give the table as many partitions as files (``df.repartition(n)``): a file is the unit of work.
    """
    _import_types()
    index = _text_column_index(df, path)

    def label(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        paths = (str(value) for batch in batches for value in batch.column(0).to_pylist() if value)
        return label_pages(paths, method)

    numbered = df.toDF(*(f"_{i}" for i in range(len(df.columns))))
    return numbered.select(f"_{index}").mapInArrow(label, _label_columns())


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
    """Record batches with the labels of the pages at some paths; an unreadable file gets a row too."""
    import pyarrow as pa

    from linksight.pages.input.batch import COLUMNS, labels_of, schema_of

    schema = schema_of("path", *COLUMNS)
    rows: list[dict[str, Any]] = []
    for path in paths:
        for label in labels_of(path, method):
            rows.append(label)
            if len(rows) == at_once:
                yield pa.RecordBatch.from_pylist(rows, schema=schema)
                rows = []
    if rows:
        yield pa.RecordBatch.from_pylist(rows, schema=schema)


# --- helpers ------------------------------------------------------------------------------------


def _import_types() -> Any:
    try:
        from pyspark.sql import types
    except ImportError:
        raise MissingExtra("pyspark", "spark", "linksight.spark") from None
    return types


def _matching_columns(df: DataFrame, name: str) -> list[str]:
    """The columns that Spark resolves this name to; it ignores case unless ``spark.sql.caseSensitive`` is set."""
    strict = str(df.sparkSession.conf.get("spark.sql.caseSensitive", "false")).lower() == "true"
    return [one for one in df.columns if one == name or (not strict and one.lower() == name.lower())]


def _column_index(df: DataFrame, name: str) -> int:
    """The index of the column of that name; :class:`BadData` if it is missing or ambiguous."""
    if not isinstance(name, str):
        raise BadConfig(f"the name of a column is needed, not {type(name).__name__}")
    found = [name] * df.columns.count(name) or _matching_columns(df, name)
    if len(found) > 1:
        raise BadData(f"two columns are named {name!r}")
    if not found:
        of_struct = "." in name and name.split(".")[0] in df.columns
        made = f"; a field becomes a column by df.withColumn('url', df[{name!r}])" if of_struct else ""
        raise BadData(f"no column {name!r}; there are: {', '.join(df.columns)}{made}")
    return df.columns.index(found[0])


def _text_column_index(df: DataFrame, name: str) -> int:
    """The index of a text column; :class:`BadData` for other types."""
    index = _column_index(df, name)
    kind = df.schema.fields[index].dataType.simpleString()
    if not kind.startswith(("string", "varchar", "char")):
        raise BadData(f"column {name!r} holds {kind}, not text")
    return index


def _broadcast_model(
    df: DataFrame, model: str | os.PathLike[str] | UrlLanguageModel | None
) -> Callable[[], UrlLanguageModel]:
    """Broadcast the model; the function returned opens it in a worker."""
    data = _read_model(model)
    digest = hashlib.sha256(data).hexdigest()
    try:
        broadcast: Any = df.sparkSession.sparkContext.broadcast(data)
    except Exception as error:  # Spark Connect has no context; its error type varies
        if model is not None:
            raise BadConfig(
                "this session cannot broadcast (Spark Connect): your model needs a classic session"
            ) from error
        return _bundled
    return lambda: _open_received(digest, broadcast)


def _read_model(model: str | os.PathLike[str] | UrlLanguageModel | None) -> bytes:
    """The bytes of the model's file, validated before they are broadcast."""
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
    """A broadcast, compared by its digest, so that a worker opens it once."""

    def __init__(self, digest: str, broadcast: Any) -> None:
        self.digest, self.broadcast = digest, broadcast

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Received) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


def _open_received(digest: str, broadcast: Any) -> UrlLanguageModel:
    return _open_once(_Received(digest, broadcast))


@lru_cache(maxsize=2)
def _open_once(received: _Received) -> UrlLanguageModel:
    from linksight.url_model.model import load

    with tempfile.TemporaryDirectory(prefix="linksight-") as folder:
        path = Path(folder) / "model"
        path.write_bytes(received.broadcast.value)
        return load(path)


def _with_priors(scorer: UrlLanguageModel, priors: Mapping[str, float] | None) -> UrlLanguageModel:
    return scorer if priors is None else scorer.with_priors(priors)


def _regroup(batches: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    group: list[pa.RecordBatch] = []
    n_rows = n_bytes = 0
    for batch in batches:
        group.append(batch)
        n_rows, n_bytes = n_rows + batch.num_rows, n_bytes + batch.nbytes
        if n_rows >= MAX_BATCH_ROWS or n_bytes >= MAX_BATCH_BYTES:
            yield group
            group, n_rows, n_bytes = [], 0, 0
    if group:
        yield group


def _with_codes(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """True languages as codes; ``und`` for an unknown language."""
    import pyarrow as pa

    for batch in batches:
        index = batch.schema.get_field_index("truth")
        codes = pa.array([_code(value) for value in batch.column(index).to_pylist()], pa.string())
        columns = [codes if i == index else column for i, column in enumerate(batch.columns)]
        yield pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _code(value: str | None) -> str:
    """The first language of a list, as a code.

    >>> _code("fra,eng"), _code("Dutch"), _code("?")
    ('fr', 'nl', 'und')
    """
    from linksight.languages.registry import code_of

    return code_of((value or "").split(",")[0]) or UND
