"""A folder in which the examples run: small files by the names that they use, and programs that stay on this machine."""

from __future__ import annotations

import csv
import gzip
import json
import os
import shutil
import sys
import sysconfig
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from doc_blocks import ROOT, Step
from doc_web import TEXTS

URLS = (
    "https://www.lemonde.fr/economie/",
    "https://www.nu.nl/sport",
    "http://www.zeitung.de/politik",
    "https://www.bbc.co.uk/news",
)
_WORDS = {
    "de": "nachrichten wirtschaft gesundheit zeitung schule wetter versicherung kirche verein handwerk".split(),
    "en": "news business health newspaper school weather insurance church society workshop".split(),
    "es": "noticias economia salud periodico escuela tiempo seguros iglesia asociacion taller".split(),
    "fr": "nouvelles economie sante journal ecole meteo assurances eglise association atelier".split(),
    "it": "notizie economia salute giornale scuola meteo assicurazioni chiesa associazione officina".split(),
    "nl": "nieuws economie gezondheid krant school weer verzekering kerk vereniging werkplaats".split(),
}
_FRISIAN = "skoalle nijs frysk wurd bern wetter krante gemeente stêd tsjerke".split()
_GRONINGS = "schoule nijs grunnegers woord kinder woater kraant gemainte stad kerk".split()
_STAND_INS = Path(__file__).with_name("stand_ins")


def labelled(count: int, salt: str = "") -> list[dict[str, Any]]:
    """Made-up URLs of six languages, ``count`` of each, with the columns of the labelled data."""
    return [_row(language, words, i, salt) for i in range(count) for language, words in _WORDS.items()]


def _row(language: str, words: list[str], i: int, salt: str) -> dict[str, Any]:
    first, second = words[i % 10], words[(7 * i + 3) % 10]
    site = i // 4 if i % 4 else 1000 + i  # one in four is the only page of its site
    domain = f"{words[site % 10]}{salt}{site}.{'com' if site % 3 else language}"
    path = "" if i % 5 == 0 else f"{second}/{first}-{second}-{i}.{'pdf' if i % 7 == 0 else 'html'}"
    return {
        "url": f"http://www.{domain}/{path}", "language": language, "source": "written", "strength": "human",
        "kind": "page" if path else "host", "domain": domain, "trust": 1,
    }  # fmt: skip


def fill(folder: Path, shop: str = "https://shop.example") -> None:
    """Writes the files that examples read and that no example before them makes."""
    folder.mkdir()
    _write_lists(folder, shop)
    _write_labelled(folder)
    (folder / "page.html").write_text(f"<p>{TEXTS['nl']}</p>")
    (folder / "warcs").mkdir()
    for name in ("crawl.warc.gz", "warcs/one.warc.gz", "warcs/two.warc.gz"):
        (folder / name).write_bytes(b"".join(gzip.compress(record) for record in _records(shop)))
    for name in ("benchmarks", "deploy", "recipes"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "docs").mkdir()  # examples write there
    write_data(folder / "my-data")
    shutil.copy(ROOT / "docs" / "comparison.json", folder / "docs")


def _write_lists(folder: Path, shop: str) -> None:
    kinds = {kind: [f"{shop}/{kind}/{n}" for n in range(40)] for kind in ("product", "ticket")}
    (folder / "classes.csv").write_text(
        "url,class\n" + "".join(f"{url},{kind}\n" for kind, urls in kinds.items() for url in urls)
    )
    lines = "".join(f"{url}\n" for url in (*URLS, *kinds["product"], *kinds["ticket"]))
    (folder / "urls.txt").write_text(lines)
    (folder / "outlinks.txt").write_text("".join(f"{url}\n" for url in URLS))
    (folder / "urls.txt.gz").write_bytes(gzip.compress(lines.encode()))
    (folder / "urls.csv.gz").write_bytes(gzip.compress(f"address\n{lines}".encode()))
    (folder / "crawl" / "part").mkdir(parents=True)
    for name in ("urls.parquet", "big.parquet", "crawl/part/1.parquet"):
        pq.write_table(pa.table({"url": URLS, "target_uri": URLS}), folder / name)
    index = folder / "index" / "crawl=CC-MAIN-2024-10" / "subset=warc"  # as Common Crawl's has its columns
    index.mkdir(parents=True)
    pq.write_table(
        pa.table({"url": URLS, "content_languages": ["fra", "nld", "deu", "eng"]}), index / "1.parquet"
    )


def _write_labelled(folder: Path) -> None:
    rows = labelled(60)
    for name in ("labelled.csv", "mine.csv", "held-out.csv"):
        with (folder / name).open("w", newline="") as file:
            table = csv.DictWriter(file, list(rows[0]))
            table.writeheader()
            table.writerows(rows)
    pq.write_table(pa.Table.from_pylist(rows), folder / "labelled.parquet")
    packed = gzip.compress("".join(f"{json.dumps(row)}\n" for row in rows).encode())
    (folder / "labelled.jsonl.gz").write_bytes(packed)
    frisian = [f"https://www.krante-{i}.example/{_FRISIAN[i % 10]}/{i},fy\n" for i in range(60)]
    (folder / "seeds.csv").write_text("url,language\n" + "".join(frisian))
    (folder / "frisian-urls.txt").write_text("".join(row.partition(",")[0] + "\n" for row in frisian))
    (folder / "frisian.txt").write_text("\n".join(_FRISIAN))
    (folder / "gronings.txt").write_text("\n".join(_GRONINGS))


def _records(shop: str) -> Iterator[bytes]:
    """A response for each language, with links, as a WARC file has them."""
    for language, text in TEXTS.items():
        links = "".join(f"<a href='{shop}/{language}/{n}'>{n}</a>" for n in range(9))
        body = f"<html><body><p>{text}</p>{links}</body></html>".encode()
        http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
        yield (
            (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {shop}/{language}/\r\n"
                f"WARC-Date: 2024-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{ord(language[0]):012}>\r\n"
                f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
            ).encode()
            + http
            + b"\r\n\r\n"
        )


def write_data(folder: Path) -> None:
    """Labelled URLs and pages as ``LINKSIGHT_DATA`` has them, a few of each."""
    (folder / "urls").mkdir(parents=True)
    (folder / "pages").mkdir()
    pq.write_table(pa.Table.from_pylist(labelled(400)), folder / "urls" / "train.parquet")
    pq.write_table(pa.Table.from_pylist(labelled(20, "-dev")), folder / "urls" / "dev.parquet")
    pages = [
        {
            "path": f"{section}/{language}/{i}.html", "language": language, "language_basis": "source",
            "encoding": "utf-8", "encoding_basis": "valid", "section": section, "source": "written", "html_lang": language,
            "numeric_entities": 0, "body": f"<p>{text}</p><a href='http://a{i}.example/'>{text[:20]}</a>".encode(),
        }
        for language, text in TEXTS.items() for section in ("web", "docs", "encodings") for i in range(3)
    ]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(pages), folder / "pages" / "dev.parquet")
    dutch = [
        {"url": row["url"], "dutch": row["language"] == "nl", "domain": row["domain"]} for row in labelled(20)
    ]
    pq.write_table(pa.Table.from_pylist(dutch), folder / "urls" / "dutch.parquet")
    sure = [{"url": row["url"], "language": row["language"], "sure": 1} for row in labelled(5, "-page")]
    pq.write_table(pa.Table.from_pylist(sure), folder / "urls" / "pages_dev.parquet")
    (folder / "texts").mkdir()
    for name in ("udhr2.zip", "genesis.zip"):
        zipfile.ZipFile(folder / "texts" / name, "w").close()


#: linksight and what stands in for packages that are elsewhere.
MODULES = os.pathsep.join((str(ROOT / "src"), str(_STAND_INS / "modules")))


def programs(folder: Path, loaded: Path) -> dict[str, str]:
    """The environment in which ``linksight`` and ``python`` are those under test, and installers and clusters stand-ins.

    ``loaded`` is where doc_server.py listens; what serves until it is stopped is a process of its own.
    """
    folder.mkdir()
    client = f'"{sys.executable}" -S -E "{Path(__file__).with_name("doc_client.py")}" "{loaded}"'
    own = f'case "$1" in serve|demo) exec "{sys.executable}" -m linksight "$@";; esac'
    _write_program(folder / "linksight", f'{own}\nexec {client} "$@"')
    _write_program(folder / "python", f'exec "{sys.executable}" "$@"')
    for path in _STAND_INS.glob("*.py"):
        _write_program(folder / path.stem, f'exec "{sys.executable}" "{path}" "$@"')
    path = os.pathsep.join((str(folder), str(Path(sys.executable).parent), os.environ["PATH"]))
    _write_spark_settings(folder / "spark")
    return {
        "PATH": path,
        "PYTHONPATH": MODULES,
        "COLUMNS": "100",
        "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
        "HOME": str(folder),
        "SPARK_CONF_DIR": str(folder / "spark"),
        "PYSPARK_PYTHON": sys.executable,
    }


def fill_clone(folder: Path) -> None:
    """What a clone of the repository has, as far as it is needed to install from it."""
    skipped = shutil.ignore_patterns("__pycache__", "*.so")
    for name in ("src", "scripts"):
        shutil.copytree(ROOT / name, folder / name, ignore=skipped)
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)


def installing(folder: Path) -> dict[str, str]:
    """The environment in which a new virtual environment gets linksight alone, and finds the rest where we have it.

    pip asks no registry and compiles nothing (tests/packaging compiles), and ``scripts/test`` calls tools that do nothing.
    """
    tools = folder / "tools" / "bin"
    tools.mkdir(parents=True)
    for name in ("python", "ruff", "mypy"):
        _write_program(tools / name, f'echo {name} "$@"')
    return {
        "PYTHONPATH": sysconfig.get_path("purelib"),
        "PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_COMPILE": "1", "LINKSIGHT_PURE": "1", "LINKSIGHT_VENV": str(tools.parent),
    }  # fmt: skip


def _write_spark_settings(folder: Path) -> None:
    """Spark on one core of this machine, without pages to watch it by and without much compiling of its own."""
    folder.mkdir()
    (folder / "spark-defaults.conf").write_text(
        "spark.master local[1]\nspark.ui.enabled false\nspark.sql.shuffle.partitions 1\n"
        "spark.driver.host 127.0.0.1\nspark.driver.bindAddress 127.0.0.1\n"
        "spark.driver.extraJavaOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC\n"
    )


def _write_program(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


def substituted(step: Step, hosts: Mapping[str, str]) -> Step:
    """The step with each host of ``hosts`` by what stands in for it, in the command and in what it shows."""

    def here(text: str) -> str:
        for host, stand_in in hosts.items():
            text = text.replace(host, stand_in)
        return text

    return Step(step.where, here(step.command), None if step.wanted is None else here(step.wanted))
