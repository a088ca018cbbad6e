"""``linksight site`` as a user runs it."""

from __future__ import annotations

import csv
import gzip
import json

import pytest
from click.testing import CliRunner

import linksight
from linksight.cli import main
from linksight.sites.patterns.exports import FORMATS


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs a command in an empty folder; the result must be what was expected."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments, code=0, text=None):
        result = CliRunner().invoke(main, ["site", *map(str, arguments)], input=text)
        assert result.exit_code == code, result.output + repr(result.exception)
        return result

    return call


@pytest.fixture
def urls(tmp_path):
    path = tmp_path / "urls.txt"
    lines = [
        f"http://a.org/{kind}/{n}" for n in range(100) for kind in ("en/product", "nl/product", "author")
    ]
    path.write_text("\n".join(lines))
    return path


def test_patterns_are_learnt_from_a_site_and_kept(run, shop, tmp_path):
    result = run("learn", shop[0], "--allow-private", "--delay", 0, "--hubs", 30, "-o", "shop.json")
    assert "kept in linksight-sites.db" in result.stderr
    assert result.stdout == ""
    assert "patterns from" in result.stderr
    patterns = linksight.load_patterns("shop.json")
    assert {"marke", "magazin", "kategorie"} <= {p.name for p in patterns}
    again = run("learn", shop[0], "--allow-private")
    assert "gathered before" in again.stderr
    assert again.stdout.startswith("id\tname\tpattern")
    fresh = run("learn", shop[0], "--allow-private", "--delay", 0, "--hubs", 10, "--fresh", "-q")
    assert fresh.stderr == ""


def test_a_site_that_is_gathered_anew_keeps_the_names_of_its_patterns(run, shop):
    asked = ("learn", shop[0], "--allow-private", "--delay", 0, "--hubs", 10, "--store", "s.db")
    run(*asked)
    run("annotate", "--store", "s.db", "--rename", "marke=brand")
    assert "--fresh gathers it anew" in run(*asked).stderr
    again = run(*asked, "--fresh")
    assert "gathered before" not in again.stderr
    assert "\tbrand\t" in again.stdout


def test_a_private_address_needs_to_be_allowed(run, shop):
    result = run("learn", shop[0], code=1)
    assert result.stderr.startswith("Error: http://127.0.0.1")
    assert "--allow-private" in result.stderr


def test_patterns_are_learnt_from_files_without_leaving_a_database(run, urls, tmp_path):
    assert "kept in" not in run("learn", "urls.txt", "-o", "p.json").stderr
    assert {p.text for p in linksight.load_patterns("p.json")} == {
        "http://a.org/en/product/*",
        "http://a.org/nl/product/*",
        "http://a.org/author/*",
    }
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.json", "urls.txt"]


@pytest.fixture
def learnt(run, urls):
    run("learn", urls, "-o", "p.json", "-q")
    return "p.json"


def test_urls_are_matched_in_every_format(run, learnt, urls):
    table = run("match", learnt, "http://a.org/author/7", "http://b.org/", "mailto:x")
    assert table.stdout.splitlines()[0] == "author\thttp://a.org/author/*\thttp://a.org/author/7"
    assert "1 of 2 URLs match no pattern" in table.stderr
    assert "1 is no web address" in table.stderr
    rows = [
        json.loads(line) for line in run("match", learnt, "-i", urls, "--format", "jsonl").stdout.splitlines()
    ]
    assert len(rows) == 300
    assert all(row["name"] for row in rows)
    run("match", learnt, "-i", "-", "--format", "csv", "-o", "m.csv", text="http://a.org/author/1\nx y\n")
    with open("m.csv") as file:  # noqa: PTH123
        assert [row["problem"] for row in csv.DictReader(file)] == ["", "not a web address"]


def test_the_name_of_the_output_tells_its_format(run, learnt, urls, tmp_path):
    for name in ("m.csv", "m.jsonl", "m.csv.gz", "m.txt"):
        run("match", learnt, "-i", urls, "-o", name)
    assert (tmp_path / "m.csv").read_text().startswith("url,pattern,name,problem\n")
    assert (tmp_path / "m.jsonl").read_text().startswith('{"url": ')
    assert gzip.decompress((tmp_path / "m.csv.gz").read_bytes()) == (tmp_path / "m.csv").read_bytes()
    assert (tmp_path / "m.txt").read_text().count("\t") == 600
    for name, begins in (
        ("r.py", '"""Rules'),
        ("r.yaml", "seeds:"),
        ("r.cxml", "<!--"),
        ("r.csv", "url,anchor"),
    ):
        run("export", learnt, "-o", name)
        assert (tmp_path / name).read_text().startswith(begins)
    run("show", learnt, "-o", "s.json")
    assert linksight.load_patterns("s.json") == linksight.load_patterns(learnt)


def test_rows_in_a_format_that_match_does_not_write_are_refused(run, learnt, tmp_path):
    assert (
        "m.parquet: rows are written as .csv"
        in run("match", learnt, "http://a.org/", "-o", "m.parquet", code=2).stderr
    )
    assert not (tmp_path / "m.parquet").exists()


def test_lines_that_are_no_urls_do_not_all_match(run, learnt):
    told = run("match", learnt, "-i", "-", text="name\nclass\n").stderr
    assert told.splitlines() == ["no URL to match", "2 are no web addresses"]


def test_a_site_that_changed_raises_the_alarm(run, learnt):
    result = run(
        "match", learnt, "-i", "-", text="\n".join(f"http://a.org/new/way/{n}/x" for n in range(200))
    )
    assert "learn the patterns again" in result.stderr


def test_parquet_is_read(run, learnt, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"link": ["http://a.org/author/1", None]}), "u.parquet")
    assert len(run("match", learnt, "-i", "u.parquet", "--column", "link").stdout.splitlines()) == 2
    assert len(run("match", learnt, "-i", "u.parquet").stdout.splitlines()) == 2  # the only column
    assert "no column" in run("match", learnt, "-i", "u.parquet", "--column", "url", code=1).stderr


def test_patterns_are_shown_as_a_table_json_languages_and_a_coloured_page(run, learnt, tmp_path):
    assert "http://a.org/author/*" in run("show", learnt).stdout
    assert json.loads(run("show", learnt, "--format", "json").stdout)["format"] == "linksight-patterns"
    assert "http://a.org/nl/product/*\ten nl" in run("show", learnt, "--languages").stdout
    (tmp_path / "page.html").write_text("<a href='/author/3'>x</a>")
    run("show", learnt, "--page", "page.html", "--base", "http://a.org/", "-o", "c.html")
    assert 'data-pattern="0"' in (tmp_path / "c.html").read_text()
    assert "needs -o" in run("show", learnt, "--page", "page.html", code=2).stderr


def test_patterns_are_renamed_merged_and_discarded(run, learnt):
    run("annotate", learnt, "--rename", "0=writer", "--merge", "1,2=product", "--colour", "0=#112233")
    patterns = linksight.load_patterns(learnt)
    assert {p.name for p in patterns} == {"writer", "product"}
    run("annotate", learnt, "--discard", "writer", "-o", "less.json")
    assert len(linksight.load_patterns("less.json")) == 1
    assert run("annotate", learnt, "--discard", "nobody", code=1).stderr.startswith(
        "Error: no pattern 'nobody'"
    )
    assert "ID=VALUE" in run("annotate", learnt, "--rename", "0", code=2).stderr


def test_annotation_in_the_workbench_makes_a_version(run, urls):
    run("learn", urls, "--store", "w.db", "--name", "a", "-q")
    run("annotate", "--store", "w.db", "--rename", "0=writer")
    assert "writer" in run("show", "--store", "w.db", "--name", "a").stdout
    links = run("export", "--store", "w.db", "--format", "csv").stdout
    assert len(links.splitlines()) == 301


@pytest.mark.parametrize("style", FORMATS)
def test_patterns_are_exported(run, learnt, style, tmp_path):
    on_screen = run("export", learnt, "--format", style).stdout
    run("export", learnt, "--format", style, "-o", "out")
    assert (tmp_path / "out").read_text() == on_screen
    assert "author" in on_screen


def test_evaluation_by_rules_and_by_a_table(run, urls, tmp_path):
    run("learn", urls, "--store", "w.db", "-q")
    (tmp_path / "c.toml").write_text("[classes]\nauthor = '/author/'\nproduct = '/product/'\n")
    result = run("evaluate", "c.toml", "--store", "w.db")
    assert result.stdout.splitlines()[1].split("\t")[4:7] == ["1.000", "1.000", "1.000"]
    lines = [f"{url},{url.split('/')[3]}" for url in urls.read_text().split()]
    (tmp_path / "t.csv").write_text("\n".join(["url,class", *lines]))
    (row,) = json.loads(run("evaluate", "t.csv", "--mode", "unsupervised", "--format", "json").stdout)
    assert row["f1"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["learn", "none.txt"], 2, "none.txt: no such file"),
        (["learn", "http://a.org/", "http://b.org/"], 2, "One site at a time"),
        (["learn", "ftp://a.org/"], 1, "not a web address"),
        (["match", "p.json"], 2, "Give URLs or --input"),
        (["show"], 2, "No workbench here"),
        (["evaluate", "urls.txt"], 2, "No workbench here"),
    ],
)
def test_mistakes_are_one_line_on_stderr(run, learnt, arguments, code, said):
    result = run(*arguments, code=code)
    assert said in result.stderr
    assert "Traceback" not in result.output


def test_a_damaged_file_of_patterns_is_refused(run, tmp_path):
    (tmp_path / "bad.json").write_text("{}")
    assert run("show", "bad.json", code=1).stderr == "Error: bad.json: not a file of patterns\n"


ROWS = [f"https://www.kb.nl/{kind}/{n}" for n in range(60) for kind in ("nl/boek", "en/book")]
LEARNT = {"https://www.kb.nl/nl/boek/*", "https://www.kb.nl/en/book/*"}


def write_list(path, column="address"):
    """ROWS as a file of the kind that its name says, with another column before."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [{"id": str(n), column: url} for n, url in enumerate(ROWS)]
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        sign = "\t" if path.suffix == ".tsv" else ","
        path.write_text("".join(f"{n}{sign}{url}\n" for n, url in [("id", column), *enumerate(ROWS)]))


@pytest.mark.parametrize("name", ["l.csv", "l.tsv", "l.jsonl", "l.parquet"])
def test_tables_of_urls_are_learnt_from_and_matched_by_their_column(run, tmp_path, name):
    write_list(tmp_path / name)
    run("learn", name, "--column", "address", "-o", "p.json")
    assert {p.text for p in linksight.load_patterns("p.json")} == LEARNT
    matched = run("match", "p.json", "-i", name, "--column", "address")
    assert "120 URLs: all match" in matched.stderr
    refused = run("learn", name, "-o", "q.json", code=1)
    assert "no column 'url'; choose one with --column: id, address" in refused.stderr
    assert not (tmp_path / "q.json").exists()


def test_a_column_named_url_needs_no_option_and_a_list_without_names_loses_no_row(run, tmp_path):
    write_list(tmp_path / "l.csv", "url")
    run("learn", "l.csv", "-o", "p.json")
    assert linksight.load_patterns("p.json").learnt["urls"] == 120
    (tmp_path / "bare.csv").write_text("\n".join(ROWS))
    run("learn", "bare.csv", "-o", "p.json")
    assert linksight.load_patterns("p.json").learnt["urls"] == 120


def test_a_column_is_refused_where_there_are_none(run, urls):
    assert "no column 'x'" in run("learn", "urls.txt", "--column", "x", code=1).stderr
    assert "--column is for tables" in run("learn", "http://a.example/", "--column", "x", code=2).stderr


def test_a_stray_address_of_another_site_is_named_with_the_remedy(run, tmp_path):
    (tmp_path / "kb.txt").write_text("\n".join([*ROWS, "https://else.example/any/thing"]))
    said = run("learn", "kb.txt", "-o", "p.json").stderr
    assert "1 URL of 121 is not of kb.nl but of else.example" in said
    assert "--site http://kb.nl/" in said
    said = run("learn", "kb.txt", "--site", "http://kb.nl/", "-o", "p.json").stderr
    assert "else.example" not in said
    assert {p.text for p in linksight.load_patterns("p.json")} == LEARNT
    assert run("match", "p.json", "https://foo.example/any/thing").stdout.startswith("-\t-\t")


def test_the_hubs_of_a_list_are_said_to_be_dealt(run, tmp_path):
    (tmp_path / "kb.txt").write_text("\n".join(ROWS))
    assert "hubs dealt by chance from a list" in run("learn", "kb.txt", "-o", "p.json").stderr


def test_languages_of_a_file_are_filled_though_a_workbench_of_another_site_is_here(run, tmp_path):
    (tmp_path / "kb.txt").write_text("\n".join(ROWS))
    run("learn", "kb.txt", "-o", "p.json")
    (tmp_path / "other.txt").write_text("\n".join(f"http://a.example/{n}" for n in range(30)))
    run("learn", "other.txt", "--store", "linksight-sites.db", "-o", "other.json")
    shown = run("show", "p.json", "--languages")
    rows = {row.split("\t")[1]: row.split("\t")[2] for row in shown.stdout.splitlines()}
    assert rows["https://www.kb.nl/nl/boek/*"].startswith("nl ")
    assert "by page is empty: no page" in shown.stderr


def test_bytes_that_are_no_text_are_no_list(run, tmp_path):
    """Cut into lines they look like names of hosts now and then, and patterns were learnt from those."""
    noise = tmp_path / "noise.txt"
    noise.write_bytes(bytes(range(256)) * 40 + b"\na.b\nc.d/e\n")
    result = run("learn", noise, "-o", "p.json", code=1)
    assert "noise.txt: binary data, not a text file" in result.stderr
    assert not (tmp_path / "p.json").exists()


@pytest.mark.parametrize("command", ["learn", "match"])
def test_a_table_that_is_cut_off_is_named(run, learnt, tmp_path, command):
    cut = tmp_path / "cut.csv.gz"
    cut.write_bytes(gzip.compress(b"url\n" + b"https://a.org/1\n" * 9000)[:60])
    arguments = [str(cut)] if command == "learn" else [str(learnt), "-i", str(cut)]
    result = run(command, *arguments, code=1)
    assert "cut.csv.gz: cannot be read" in result.stderr


def test_a_list_may_begin_with_the_mark_of_windows(run, learnt, tmp_path):
    """Notepad's UTF-8 lost its first URL."""
    (tmp_path / "kb.txt").write_text("\ufeff" + "\n".join(ROWS), encoding="utf-8")
    assert f"from {len(ROWS)} URLs" in run("learn", "kb.txt", "-o", "p.json").stderr
    assert "left out" not in run("learn", "kb.txt", "-o", "p.json").stderr
    assert f"{len(ROWS)} URLs: all match" in run("match", "p.json", "-i", "kb.txt").stderr
    text = (tmp_path / "kb.txt").read_text(encoding="utf-8")
    assert f"{len(ROWS)} URLs: all match" in run("match", "p.json", "-i", "-", text=text).stderr


def test_letters_that_cannot_be_read_are_told_of(run, tmp_path):
    rows = "\n".join(f"https://www.kb.nl/café/{n}" for n in range(40))
    (tmp_path / "old.txt").write_bytes(rows.encode("latin-1"))
    (tmp_path / "new.txt").write_text(rows, encoding="utf-8")
    for name, told in (("old.txt", True), ("new.txt", False)):
        assert ("not all of the list is UTF-8" in run("learn", name, "-o", "p.json").stderr) == told
        assert (f"{name}: not all of it is UTF-8" in run("match", "p.json", "-i", name).stderr) == told


def test_a_list_with_nothing_of_the_site_says_what_is_in_it(run, tmp_path):
    (tmp_path / "kb.txt").write_text("\n".join(ROWS))
    said = run("learn", "kb.txt", "--site", "https://else.example/", "-o", "p.json", code=1).stderr
    assert said == "Error: kb.txt: no URL of https://else.example/ in it, but of kb.nl\n"


def test_a_stray_address_makes_no_pattern_for_the_whole_web(run, tmp_path):
    (tmp_path / "kb.txt").write_text("\n".join([*ROWS, "https://else.example/any/thing"]))
    run("learn", "kb.txt", "-o", "p.json")
    assert run("match", "p.json", "https://foo.example/any/thing").stdout.startswith("-\t-\t")


def test_an_evaluation_without_anything_to_measure_says_what_it_needs(run, tmp_path):
    (tmp_path / "classes.toml").write_text('[classes]\nbook = { regex = "/boek/" }\n')
    said = run("evaluate", "classes.toml", code=2).stderr
    assert "linksight site learn FILE --store FILE.db" in said
    assert "file of patterns" not in said, "it takes none"
    (tmp_path / "classes.csv").write_text("url,class\nhttp://a.nl/,\n")
    assert (
        run("evaluate", "classes.csv", code=1).stderr == "Error: classes.csv: no row with a URL and a class\n"
    )
