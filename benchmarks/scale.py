"""What size costs: rows a second from Parquet to Parquet, in Spark, pages a second, crawl workers.

    python benchmarks/scale.py files --rows 1000000 10000000    Parquet to Parquet beside the kernel alone
    python benchmarks/scale.py kinds --rows 1000000             the same rows as CSV, JSON lines, text, by language
    python benchmarks/scale.py spark --rows 10000000            the same rows in Spark, local[2]
    python benchmarks/scale.py pages                            pages from bytes to labels
    python benchmarks/scale.py workers --store postgresql://... 1, 2 and 4 crawl workers on one PostgreSQL
    python benchmarks/scale.py table --price 0.04               write what was measured into docs/how-to/scale.md

Every measurement runs in a process of its own and is kept in docs/scale.json. Wall clocks of a busy
machine lie; ratios are taken from turns that follow each other, and by processor time.
Needs LINKSIGHT_DATA.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from scale_children import FILES, KINDS, PAGES, SPARK

HERE = Path(__file__).parent
LOAD = round(os.getloadavg()[0], 1)  #: before we add to it
FIGURES = HERE.parent / "docs" / "scale.json"


def child(code: str, *arguments: object) -> dict[str, Any]:
    """What a measurement in a process of its own printed."""
    environment = os.environ | {
        "PYTHONPATH": str(HERE.parent / "src"),
        "PYTHONWARNINGS": "ignore",
        "PYSPARK_PYTHON": sys.executable,
    }
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        sys.exit(done.stderr[-3000:])
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def keep(name: str, figures: Any) -> None:
    """Remember a measurement, with the machine that it was made on."""
    known = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}
    known["machine"] = {
        "cores": os.cpu_count(),
        "system": platform.machine(),
        "python": platform.python_version(),
        "load": LOAD,
    }
    known[name] = figures
    FIGURES.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({name: figures}))


def data_folder() -> Path:
    where = os.environ.get("LINKSIGHT_DATA")
    if not where:
        sys.exit("LINKSIGHT_DATA is not set")
    return Path(where)


def make_rows(n_rows: int, path: Path) -> Path:
    """A Parquet file of so many rows: the training URLs with two other columns, again and again."""
    import pyarrow.parquet as pq

    if path.exists():
        return path
    file = pq.ParquetFile(data_folder() / "urls" / "train.parquet")
    spare, left = path.with_suffix(".part"), n_rows
    with pq.ParquetWriter(
        spare, file.schema_arrow.empty_table().select(["url", "source", "trust"]).schema
    ) as writer:
        while left > 0:
            for batch in file.iter_batches(262_144, columns=["url", "source", "trust"]):
                writer.write_batch(batch.slice(0, left))
                left -= min(batch.num_rows, left)
                if not left:
                    break
    spare.replace(path)
    return path


def files(options: argparse.Namespace, folder: Path) -> None:
    found = []
    for n_rows in options.rows:
        source, turns = make_rows(n_rows, folder / f"{n_rows}.parquet"), []
        for _ in range(options.repeat):
            turns.append(child(FILES, source, folder / "out.parquet", options.kernel_turns))
        for turn in turns:
            turn["ratio"] = (turn["rows"] / turn["job_s"]) / (turn["kernel_rows"] / turn["kernel_s"])
            turn["cpu_ratio"] = (turn["kernel_cpu_s"] / turn["kernel_rows"]) / (
                turn["job_cpu_s"] / turn["rows"]
            )
        best = min(turns, key=lambda turn: turn["job_cpu_s"])
        best["ratio"] = statistics.median(turn["ratio"] for turn in turns)
        best["input_mb"], best["output_mb"] = (
            path.stat().st_size / 1e6 for path in (source, folder / "out.parquet")
        )
        found.append(best)
    keep("files", found)


def kinds(options: argparse.Namespace, folder: Path) -> None:
    source = make_rows(options.rows[0], folder / f"{options.rows[0]}.parquet")
    work = folder / "kinds"
    work.mkdir(exist_ok=True)
    keep("kinds", child(KINDS, source, work))


def in_spark(options: argparse.Namespace, folder: Path) -> None:
    source = make_rows(options.rows[-1], folder / f"{options.rows[-1]}.parquet")
    before = child(FILES, source, folder / "out.parquet", options.kernel_turns)
    turn = child(SPARK, source, folder / "spark")
    turn["kernel_rows_s"] = before["kernel_rows"] / before["kernel_s"]
    turn["ratio"] = turn["rows"] / turn["seconds"] / turn["kernel_rows_s"]
    turn["files_ratio"] = before["job_s"] / turn["seconds"]
    keep("spark", turn)


def pages(options: argparse.Namespace, folder: Path) -> None:
    keep("pages", child(PAGES, data_folder() / "pages" / "dev.parquet", options.pages))


def workers(options: argparse.Namespace, folder: Path) -> None:
    """Crawl the same local web with 1, 2 and 4 workers; the web answers slowly, as the real one does."""
    if not options.store:
        sys.exit("--store postgresql://... is needed; its schema public is emptied")
    sys.path[:0] = [str(HERE), str(HERE.parent / "src")]
    from crawl_speed import OURS, environment, prepare, serve
    from sqlalchemy import text

    from linksight.system.database import open_store

    found = []
    for count in (1, 2, 4):
        server, seed = serve(200, options.host_pages, options.latency)
        engine = open_store(options.store)
        with engine.begin() as connection:
            connection.execute(text("DROP SCHEMA public CASCADE"))
            connection.execute(text("CREATE SCHEMA public"))
        engine.dispose()
        folders = [prepare(seed, store=options.store, concurrency=options.concurrency) for _ in range(count)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            running = [
                subprocess.Popen([sys.executable, "-c", OURS, str(one)], stdout=subprocess.PIPE, text=True, env=environment())
                for one in folders
            ]  # fmt: skip
            results = [process.communicate()[0].split() for process in running]
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        finally:
            server.terminate()
            server.wait()
        n_pages = sum(int(done[-2]) for done in results)
        found.append(
            {"workers": count, "pages": n_pages, "seconds": max(float(done[-1]) for done in results)}
        )
        found[-1]["cpu_s"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        sizes = [path.stat().st_size for one in folders for path in one.rglob("*.warc.gz")]
        found[-1]["warc_mb"] = sum(sizes) / 1e6
        for one in folders:
            shutil.rmtree(one)
    keep("workers", {"latency": options.latency, "concurrency": options.concurrency, "runs": found})


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["files", "kinds", "spark", "pages", "workers", "table"])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--repeat", type=int, default=1, help="turns of each size")
    parser.add_argument(
        "--kernel-turns",
        type=int,
        default=2,
        help="times 262,144 rows for the kernel alone, before and after",
    )
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--store", default="", help="a PostgreSQL whose schema public may be emptied")
    parser.add_argument("--host-pages", type=int, default=10, help="of each of the 200 hosts")
    parser.add_argument("--latency", type=float, default=0.25)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--price", type=float, default=0.04, help="of a core-hour, in your currency")
    parser.add_argument("--folder", type=Path, help="where to put the tables, to use them again")
    options = parser.parse_args()
    if options.what == "table":
        from scale_page import write_page

        write_page(json.loads(FIGURES.read_text(encoding="utf-8")), options.price)
        return
    what = {"files": files, "kinds": kinds, "spark": in_spark, "pages": pages, "workers": workers}[
        options.what
    ]
    with tempfile.TemporaryDirectory(prefix="linksight-scale-") as spare:
        what(options, options.folder or Path(spare))


if __name__ == "__main__":
    main()
