"""Common Crawl's columnar index by language from the URL, beside the language of the content.

    spark-submit recipes/spark_common_crawl.py \\
        --index s3a://commoncrawl/cc-index/table/cc-main/warc/ --crawl CC-MAIN-2024-10 --out measured/

Reads the index as it is (``url``, ``content_languages``, partitions ``crawl`` and ``subset``), and
writes three tables under ``--out``: ``languages`` (rows by crawl and language told from the URL),
``quality`` (precision and recall by crawl and language, at the base rates of the crawl) and, with
``--rows``, ``rows`` (every URL with its language). ``--sample`` takes a share of the rows.

WARC files, too: ``--warcs paths.txt`` labels the pages in the files at those paths by their bytes.
"""

from __future__ import annotations

import argparse
from typing import Any

from linksight.integrations import spark as linksight_spark


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--index", help="the columnar index: a folder of Parquet files")
    parser.add_argument("--crawl", action="append", default=[], help="only this crawl; may be given again")
    parser.add_argument("--subset", default="warc", help="of the index; empty for all")
    parser.add_argument("--sample", type=float, default=1.0, help="share of the rows")
    parser.add_argument("--languages", help="only these")
    parser.add_argument("--rows", action="store_true", help="write every row, too")
    parser.add_argument("--warcs", help="a text file of paths of WARC files, one a line")
    parser.add_argument("--out", required=True)
    options = parser.parse_args(arguments)
    if not options.index and not options.warcs:
        parser.error("give --index or --warcs")

    from pyspark.sql import SparkSession

    session = SparkSession.builder.appName("linksight on Common Crawl").getOrCreate()
    if options.index:
        classify(session, options)
    if options.warcs:
        label(session, options)


def classify(session: Any, options: argparse.Namespace) -> None:
    """Languages by URL, and how they compare with those of the content."""
    from pyspark.sql import functions as f

    index = session.read.parquet(options.index)
    if options.crawl and "crawl" in index.columns:
        index = index.where(f.col("crawl").isin(options.crawl))
    if options.subset and "subset" in index.columns:
        index = index.where(f.col("subset") == options.subset)
    by = [name for name in ("crawl",) if name in index.columns]
    rows = index.select(*by, "url", "content_languages")
    if options.sample < 1:
        rows = rows.sample(options.sample, seed=0)
    found = linksight_spark.detect(rows, "url", languages=options.languages)
    if options.rows:
        found.write.mode("overwrite").parquet(f"{options.out}/rows")
        found = session.read.parquet(f"{options.out}/rows")  # scored once
    counts = found.groupBy(*by, "language").agg(
        f.count("*").alias("n_urls"), f.mean("probability").alias("probability")
    )
    write(counts.orderBy(*by, f.desc("n_urls")), f"{options.out}/languages")
    measured = linksight_spark.evaluate(rows, "url", "content_languages", by=by, languages=options.languages)
    write(measured, f"{options.out}/quality")


def label(session: Any, options: argparse.Namespace) -> None:
    """Pages of WARC files, by their bytes; a file is the unit of work."""
    paths = session.read.text(options.warcs).withColumnRenamed("value", "path")
    spread = paths.repartition(max(paths.count(), 1))
    linksight_spark.identify(spread, "path").write.mode("overwrite").parquet(f"{options.out}/pages")


def write(table: Any, path: str) -> None:
    """A small table as one CSV file with a header."""
    table.coalesce(1).write.mode("overwrite").option("header", True).csv(path)


if __name__ == "__main__":
    main()
