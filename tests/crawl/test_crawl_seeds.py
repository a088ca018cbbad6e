"""Seeds from files: the same files that ``linksight detect -i`` reads, and the same rows of them."""

from __future__ import annotations

import gzip
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from linksight.cli import main
from linksight.crawl.run import api
from linksight.crawl.run.seeds import read_seeds
from linksight.errors import BadData

SEEDS = ["http://a.frl/", "http://b.frl/nijs?a=1,2"]
TEXTS = {
    "seeds.txt": "# of the library\nhttp://a.frl/\n\n  http://b.frl/nijs?a=1,2\n",
    "marked.txt": "\ufeffhttp://a.frl/\r\nhttp://b.frl/nijs?a=1,2\r\n",
    "seeds.csv": 'name,url\nA,http://a.frl/\nB,"http://b.frl/nijs?a=1,2"\n',
    "bare.csv": 'http://a.frl/\n"http://b.frl/nijs?a=1,2"\n',
    "half.csv": "url;name\nhttp://a.frl/;A\nhttp://b.frl/nijs?a=1,2;B\n",
    "seeds.tsv": "url\tname\nhttp://a.frl/\tA\nhttp://b.frl/nijs?a=1,2\tB\n",
    "seeds.jsonl": "".join(json.dumps({"id": n, "url": url}) + "\n" for n, url in enumerate(SEEDS)),
    "nameless": 'name,url\nA,http://a.frl/\nB,"http://b.frl/nijs?a=1,2"\n',
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_file_of_any_kind_gives_its_urls(tmp_path, name):
    path = tmp_path / name
    path.write_text(TEXTS[name], encoding="utf-8", newline="")
    assert read_seeds([str(path)])[:2] == (SEEDS, {})
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read_seeds([str(packed)])[:2] == (SEEDS, {})


def test_parquet_has_its_column_too(tmp_path):
    pq.write_table(pa.table({"id": [1, 2], "homepage": SEEDS}), tmp_path / "seeds.parquet")
    assert read_seeds([str(tmp_path / "seeds.parquet")], "homepage")[:2] == (SEEDS, {})


def test_rows_without_a_url_are_counted(tmp_path):
    path = tmp_path / "seeds.csv"
    path.write_text("url,name\nhttp://a.frl/,A\n,B\nhttp://c.frl/,C,too much\n")
    assert read_seeds([str(path)])[:2] == (["http://a.frl/"], {str(path): 2})


def test_a_column_of_a_text_and_bytes_of_another_encoding_are_refused(tmp_path):
    path = tmp_path / "seeds.txt"
    path.write_text(SEEDS[0])
    with pytest.raises(BadData, match="one seed a line"):
        read_seeds([str(path)], "url")
    path.write_bytes("http://a.frl/stêd\n".encode("latin-1"))
    with pytest.raises(BadData, match=r"seeds.txt: not a text file in UTF-8"):
        read_seeds([str(path)])


@pytest.fixture
def begun(monkeypatch):
    """The seeds of crawls that would begin."""
    found = []

    def start(out, config, on_progress):
        found.append(config.seeds)
        raise BadData("enough")

    monkeypatch.setattr(api, "start_crawl", start)
    return found


def test_the_command_reads_tables_and_standard_input(tmp_path, begun):
    path = tmp_path / "sites.csv"
    path.write_text("name,homepage\nA,http://a.frl/\nB,\n")
    words = ["crawl", "run", "-l", "fy", "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(main, [*words, "http://s.frl/", "-i", str(path), "--column", "homepage"])
    assert begun == [("http://s.frl/", "http://a.frl/")]
    assert "sites.csv: 1 row without a URL left out" in done.stderr
    CliRunner().invoke(main, [*words, "-i", "-"], input=io.BytesIO(TEXTS["seeds.csv"].encode()))
    assert begun[1] == tuple(SEEDS)


def test_seeds_of_a_file_that_are_no_addresses_are_left_out_and_told(tmp_path, begun):
    path = tmp_path / "seeds.txt"
    path.write_text("http://a.frl/ # of the library\nto be done\nhttp://b.frl/#top\nmailto:me@a.frl\n")
    words = ["crawl", "run", "-l", "fy", "-o", str(tmp_path / "out"), "-i", str(path)]
    done = CliRunner().invoke(main, words)
    assert begun == [("http://a.frl/", "http://b.frl/#top")]
    assert "2 seeds left out, the first: bad host name: 'to be done'" in done.stderr
    path.write_text("to be done\n")
    assert "Error: bad host name: 'to be done'" in CliRunner().invoke(main, words).stderr


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["-i", "nothing.csv"], "nothing.csv: no such file"),
        (["--column", "url"], "--column is for tables of seeds"),
    ],
)
def test_a_file_that_is_not_there_and_a_column_of_nothing_are_told(tmp_path, begun, given, told):
    done = CliRunner().invoke(main, ["crawl", "run", "-l", "fy", "-o", str(tmp_path / "out"), *given])
    assert (told in done.stderr, begun) == (True, [])
