"""linksight inside a real Spark."""

from __future__ import annotations

import os
import runpy
import signal
from pathlib import Path

import pyarrow as pa
import pytest

import linksight
from linksight.errors import BadConfig, BadData, BadLanguage, ModelFormatError
from linksight.integrations import spark as ls

pytestmark = [
    pytest.mark.spark,
    # Sockets between Spark and Python are closed by neither side's collector in time.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
    pytest.mark.filterwarnings("ignore:distutils Version classes are deprecated"),  # Spark 3.5
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

URLS = [
    "http://www.zeitung.de/politik",
    "https://www.lemonde.fr/economie/",
    "mailto:a@b.org",
    None,
    "https://www.volkskrant.nl/nieuws",
]


@pytest.fixture(scope="module")
def table(spark):
    rows = [
        (i, URLS[i % 5], ["deu,eng", "fra", "xxx", "eng", "nld"][i % 5], f"crawl-{i % 2}")
        for i in range(1500)
    ]
    return spark.createDataFrame(
        rows, "n int, url string, content_languages string, crawl string"
    ).repartition(3)


def test_every_row_comes_back_with_its_language(table):
    rows = ls.detect(table).orderBy("n").collect()
    assert [row.n for row in rows] == list(range(1500))
    wanted = linksight.load().predict_table(URLS).to_pylist()
    for row in rows[:50]:
        expected = wanted[row.n % 5]
        assert (row.url, row.language, row.problem) == (
            URLS[row.n % 5],
            expected["language"],
            expected["problem"],
        )
        assert row.probability == pytest.approx(expected["probability"], abs=1e-5)


def test_options_reach_the_workers(table, tmp_path):
    model = tmp_path / "mine.linksight"
    linksight.load().save(model)
    found = ls.detect(table, model=model, languages="nl,de", priors={"nl": 0.5}, prefix="d_")
    assert {row.d_language for row in found.select("d_language").distinct().collect()} <= {"nl", "de", "und"}


def test_broadcast_model_is_opened_once_in_a_process():
    class Counted:
        reads = 0

        @property
        def value(self) -> bytes:
            Counted.reads += 1
            return ls._bundled_path().read_bytes()

    first, second = ls._open_received("digest", Counted()), ls._open_received("digest", Counted())
    assert first is second
    assert Counted.reads == 1


def test_evaluation_by_crawl_at_natural_base_rates(table):
    rows = ls.evaluate(table, language="content_languages", by=["crawl"]).collect()
    assert ls.evaluate(table, by=["crawl"]).collect() == rows  # Common Crawl's column is found by itself
    assert {row.crawl for row in rows} == {"crawl-0", "crawl-1"}
    german = next(row for row in rows if row.language == "de" and row.crawl == "crawl-0")
    assert (german.n_urls, german.n_right, german.precision, german.recall) == (150, 150, 1.0, 1.0)
    english = next(row for row in rows if row.language == "en")
    assert (english.n_right, english.recall, english.precision) == (0, 0.0, None)
    # What is no language has no truth to be measured against.
    assert german.base_rate == pytest.approx(0.25)


def test_evaluation_agrees_with_a_count_by_hand(spark):
    truth = ["de", "de", "fr", "fr", "nl"]
    urls = [URLS[0], URLS[1], URLS[1], "mailto:a@b", URLS[4]]
    df = spark.createDataFrame(list(zip(urls, truth, strict=True)), "url string, language string")
    rows = {row.language: row for row in ls.evaluate(df).collect()}
    assert (rows["de"].precision, rows["de"].recall) == (1.0, 0.5)
    assert (rows["fr"].precision, rows["fr"].recall, rows["fr"].f1) == (0.5, 0.5, 0.5)


def test_rows_with_a_gap_in_what_they_are_measured_by_are_measured_together(spark):
    rows = [(URLS[0], "deu", None), (URLS[1], "fra", None), (URLS[4], "nld", "utf-8")]
    df = spark.createDataFrame(rows, "url string, language string, charset string")
    found = ls.evaluate(df, by="charset").collect()  # one column needs no list around it
    assert {(row.charset, row.language): (row.n_found, row.base_rate) for row in found} == {
        (None, "de"): (1, 0.5),
        (None, "fr"): (1, 0.5),
        ("utf-8", "nl"): (1, 1.0),
    }


def test_a_worker_killed_in_the_middle_costs_no_row(spark, tmp_path):
    """The first worker to reach row 700 kills itself with SIGKILL; Spark tries that task again."""
    marker = tmp_path / "killed"

    def kill_once(batches):
        for batch in batches:
            if 700 in batch.column(0).to_pylist() and not marker.exists():
                marker.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            yield batch

    df = spark.range(0, 2000, numPartitions=2).selectExpr(
        "cast(id as int) n", "concat('http://www.zeitung', id, '.de/politik') url"
    )
    found = ls.detect(df.mapInArrow(kill_once, df.schema))
    rows = found.collect()
    assert marker.exists()
    assert sorted(row.n for row in rows) == list(range(2000))
    assert sum(row.language == "de" for row in rows) > 1900


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds processes as Linux shows them")
def test_the_workers_of_linksight_killed_in_the_middle_cost_no_row(spark, tmp_path):
    """Whoever reaches row 700 kills all other Python workers: those that score, in the midst of it."""
    marker = tmp_path / "killed"

    def kill_the_others(batches):
        for batch in batches:
            if 700 in batch.column(0).to_pylist() and not marker.exists():
                parent = os.getppid()
                siblings = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
                others = [int(pid) for pid in siblings if int(pid) != os.getpid()]
                marker.write_text(str(len(others)))
                for pid in others:
                    os.kill(pid, signal.SIGKILL)
            yield batch

    df = spark.range(0, 20_000, numPartitions=2).selectExpr(
        "cast(id as int) n", "concat('http://www.zeitung', id, '.de/politik') url"
    )
    rows = ls.detect(df.mapInArrow(kill_the_others, df.schema)).collect()
    assert int(marker.read_text()) > 0, "nobody was killed"
    assert sorted(row.n for row in rows) == list(range(20_000))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"url": "address"}, BadData, "no column 'address'; there are: n, url"),
        ({"url": "n"}, BadData, "column 'n' holds int, not text"),
        ({"languages": "klingonish"}, BadLanguage, "klingonish"),
        ({"priors": {"nl": 2}}, BadConfig, "between 0 and 1"),
    ],
)
def test_wrong_use_is_told_before_the_job_starts(table, options, error, message):
    with pytest.raises(error, match=message):
        ls.detect(table, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"url": "address"}, "no column 'address'"),
        ({"language": "truth"}, "no column 'truth'"),
        ({"language": "content_languages", "by": ["month"]}, "no column 'month'"),
    ],
)
def test_an_evaluation_names_the_column_that_is_not_there(table, options, message):
    with pytest.raises(BadData, match=message):
        ls.evaluate(table, **options)


def test_columns_that_are_there_and_models_that_are_none(table, tmp_path):
    with pytest.raises(BadData, match="'language' already"):
        ls.detect(ls.detect(table))
    (tmp_path / "no.model").write_bytes(b"not a model")
    with pytest.raises(ModelFormatError):
        ls.detect(table, model=tmp_path / "no.model")


def test_names_of_columns_may_be_odd_and_come_twice(spark):
    """Spark reads a dot as a field of a struct wherever a name is given, so no name is given."""
    rows = [(url, i, i + 1, (i,), "x") for i, url in enumerate(URLS)]
    names = "`target.uri` string, `a.b` int, n int, `s t` struct<`x.y`: int>, `q``q` string"
    odd = spark.createDataFrame(rows, names)
    found = ls.detect(odd, "target.uri")
    assert found.columns == [*odd.columns, "language", "probability", "problem"]
    assert [tuple(row)[:6] for row in found.collect()] == [
        (*row[:3], (row[3][0],), row[4], code)
        for row, code in zip(rows, ["de", "fr", "und", "und", "nl"], strict=True)
    ]
    twice = odd.select("`target.uri`", "n", "n")
    assert [tuple(row)[1:4] for row in ls.detect(twice, "target.uri").limit(1).collect()] == [(1, 1, "de")]
    with pytest.raises(BadData, match="two columns are named 'n'"):
        ls.detect(twice, "n")
    measured = ls.evaluate(
        odd.selectExpr("`target.uri` as `u.r`", "'de' as `c.l`", "n as `b.y`"), "u.r", "c.l", by=["b.y"]
    )
    assert measured.columns[:3] == ["b.y", "language", "n_urls"]
    assert [row["n_right"] for row in measured.collect()] == [1, 0, 0, 0, 0]


def test_names_of_columns_are_read_in_the_case_that_spark_reads_them(spark):
    upper = spark.createDataFrame([(url,) for url in URLS], "URL string")
    assert ls.detect(upper).columns == ["URL", "language", "probability", "problem"]
    with pytest.raises(BadData, match="'Language' already"):
        ls.detect(upper.selectExpr("URL", "1 as Language"))
    spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        with pytest.raises(BadData, match="no column 'url'"):
            ls.detect(upper)
        assert ls.detect(upper.selectExpr("URL", "1 as Language"), "URL").columns[1:3] == [
            "Language",
            "language",
        ]
    finally:
        spark.conf.unset("spark.sql.caseSensitive")


def test_what_is_no_column_of_the_table_is_told_with_the_next_step(spark):
    from pyspark.sql import functions as f

    nested = spark.createDataFrame([((url,),) for url in URLS], "meta struct<url: string>")
    with pytest.raises(BadData, match=r"withColumn\('url', df\['meta.url'\]\)"):
        ls.detect(nested, "meta.url")
    with pytest.raises(BadConfig, match="the name of a column"):
        ls.detect(nested, f.col("meta"))
    with pytest.raises(BadData, match="'language' is the name of a measure"):
        ls.evaluate(
            spark.createDataFrame([("http://a.de/", "de")], "url string, language string"), by=["language"]
        )


def test_a_model_in_memory_is_taken_as_it_is(table):
    priors = linksight.load().with_priors({"nl": 0.5})
    rows = ls.detect(table, model=priors).where("n < 5").orderBy("n").collect()
    expected = priors.predict_table(URLS).to_pylist()
    for row, wanted in zip(rows, expected, strict=True):
        assert row.language == wanted["language"]
        assert row.probability == pytest.approx(wanted["probability"], abs=1e-5)


def test_a_function_of_ones_own_takes_the_model_along(table):
    from pyspark.sql import functions as f

    model = linksight.load()
    language = f.udf(lambda url: model.predict([url])[0], "string")
    rows = table.where("n < 5").orderBy("n").select(language("url").alias("found")).collect()
    assert [row.found for row in rows] == model.predict(URLS)


def test_pages_of_warc_files(spark, warc, tmp_path):
    (tmp_path / "broken.warc.gz").write_bytes(b"\x1f\x8b\x08 cut")
    paths = [
        str(warc("a.warc.gz", 2)),
        str(warc("b.warc.gz")),
        str(tmp_path / "broken.warc.gz"),
        str(tmp_path / "none.warc"),
    ]
    df = spark.createDataFrame([(path,) for path in paths], "path string").repartition(2)
    rows = ls.identify(df).collect()
    labels = [(Path(row.path).name, row.language) for row in rows if row.language]
    assert sorted(labels) == sorted(
        [("a.warc.gz", code) for code in ("de", "fr", "nl") * 2]
        + [("b.warc.gz", code) for code in ("de", "fr", "nl")]
    )
    assert {Path(row.path).name for row in rows if row.problem and not row.language} == {
        "broken.warc.gz",
        "none.warc",
    }


def test_the_workers_function_needs_no_spark():
    batches = pa.table({"url": URLS}).to_batches(max_chunksize=2)
    found = pa.Table.from_batches(ls.label_batches(batches, linksight.load(), prefix="x_"))
    assert found.column_names == ["url", "x_language", "x_probability", "x_problem"]
    assert found["x_language"].to_pylist() == ["de", "fr", "und", "und", "nl"]
    assert len(list(ls.label_batches(batches, linksight.load()))) == len(batches)


def test_a_worker_holds_few_rows_at_a_time_where_they_are_large(monkeypatch):
    monkeypatch.setattr(ls, "MAX_BATCH_BYTES", 1000)
    taken = []

    def batches():
        for i in range(9):
            taken.append(i)
            yield pa.RecordBatch.from_pydict({"url": [URLS[0]], "page": ["x" * 600]})

    next(ls.label_batches(batches(), linksight.load()))
    assert taken == [0, 1]


def test_the_job_on_an_index_like_common_crawls(spark, warc, tmp_path):
    """Run as a user runs it, by spark-submit's own entry, on a partitioned index."""
    rows = [
        (URLS[i % 5], ["deu,eng", "fra", None, "eng", "nld"][i % 5], f"CC-{i % 2}", "warc")
        for i in range(200)
    ]
    index = spark.createDataFrame(rows, "url string, content_languages string, crawl string, subset string")
    index.write.partitionBy("crawl", "subset").parquet(str(tmp_path / "index"))
    (tmp_path / "paths.txt").write_text(f"{warc('a.warc.gz')}\n{warc('b.warc.gz')}\n")
    recipe = runpy.run_path(str(Path(__file__).parents[2] / "recipes" / "spark_common_crawl.py"))
    out = str(tmp_path / "out")
    recipe["main"](
        [
            "--index",
            str(tmp_path / "index"),
            "--crawl",
            "CC-0",
            "--rows",
            "--warcs",
            str(tmp_path / "paths.txt"),
            "--out",
            out,
        ]
    )
    quality = {row.language: row for row in spark.read.option("header", True).csv(f"{out}/quality").collect()}
    assert float(quality["de"].recall) == 1.0
    assert {row.crawl for row in quality.values()} == {"CC-0"}
    assert spark.read.parquet(f"{out}/rows").count() == 100
    assert spark.read.parquet(f"{out}/pages").count() == 6
    assert spark.read.option("header", True).csv(f"{out}/languages").count() >= 4
