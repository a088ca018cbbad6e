"""Training data from a crawl: URLs labelled with the languages of their pages.

At most five URLs a site, as in Hogewind et al., so that a classifier does not learn the sites.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Engine, select

from linksight.crawl.frontier import sql_schema
from linksight.errors import BadData, BadLanguage
from linksight.languages import registry
from linksight.results import UND, ZXX
from linksight.system.atomic_write import whole_file

MAX_URLS_PER_SITE = 5
COLUMNS = ("url", "language", "source", "strength", "kind", "domain", "trust", "confidence")
_TEXT_FORMATS = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl"}


def label_rows(
    engine: Engine, per_site: int = MAX_URLS_PER_SITE, confidence: float = 0.8
) -> Iterator[dict[str, Any]]:
    """Yield URLs with the languages of their pages, by falling confidence within a site."""
    p = sql_schema.pages.c
    query = (
        select(p.url, p.language, p.site, p.confidence)
        .where(p.language.not_in((UND, ZXX)), p.confidence >= confidence, p.reason != "redirect")
        .order_by(p.site, p.confidence.desc(), p.id)
    )
    n_of_site: Counter[str] = Counter()
    with engine.connect() as connection:
        for row in connection.execution_options(stream_results=True).execute(query):
            n_of_site[row.site] += 1
            if n_of_site[row.site] <= per_site:
                path = row.url.split("/", 3)[3] if row.url.count("/") > 2 else ""
                yield {
                    "url": row.url,
                    "language": row.language,
                    "source": "crawl",
                    "strength": "page",
                    "kind": "page" if path else "host",
                    "domain": row.site,
                    "trust": 1 if row.confidence >= 0.95 else 2,
                    "confidence": round(row.confidence, 4),
                }


def write_labels(rows: Iterable[dict[str, Any]], path: Path) -> int:
    """Write labels as Parquet, CSV or JSON lines, by the file extension; return their number."""
    labels = list(rows)
    if path.suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = {name: [row[name] for row in labels] for name in COLUMNS}
        with whole_file(path) as file:
            pq.write_table(pa.table(columns), file)
    elif path.suffix in _TEXT_FORMATS:
        with whole_file(path, "w") as file:
            print_labels(labels, file, _TEXT_FORMATS[path.suffix])
    else:
        raise BadData(f"{path}: labels are written as .parquet, .csv, .tsv or .jsonl")
    return len(labels)


def print_labels(rows: Iterable[dict[str, Any]], file: IO[str], kind: str) -> int:
    """Write labels as ``csv``, ``tsv`` or ``jsonl``; return their number."""
    count = 0
    writer = csv.DictWriter(file, COLUMNS, delimiter="\t" if kind == "tsv" else ",", lineterminator="\n")
    if kind != "jsonl":
        writer.writeheader()
    for row in rows:
        count += 1
        if kind == "jsonl":
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
        else:
            writer.writerow(row)
    return count


def read_labels(path: str | Path) -> tuple[list[str], list[str]]:
    """Read URLs and languages from a Parquet, CSV or JSON-lines file with columns url and language."""
    file = Path(path)
    try:
        rows = list(_rows_of(file))
    except (OSError, ValueError, KeyError) as error:
        raise BadData(f"{path}: cannot be read as labelled URLs ({error})") from None
    urls, languages = [], []
    for row in rows:
        try:
            languages.append(registry.find(str(row["language"])))
            urls.append(str(row["url"]))
        except (BadLanguage, KeyError, TypeError):
            continue
    if not urls:
        raise BadData(f"{path}: no row with a url and a known language")
    return urls, languages


def _rows_of(file: Path) -> Iterator[dict[str, Any]]:
    if file.suffix == ".parquet":
        import pyarrow.parquet as pq

        yield from pq.read_table(file, columns=["url", "language"]).to_pylist()
    elif file.suffix in (".jsonl", ".ndjson"):
        with file.open(encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines if line.strip())
    else:
        with file.open(encoding="utf-8", newline="") as lines:
            yield from csv.DictReader(lines, delimiter="\t" if file.suffix == ".tsv" else ",")
