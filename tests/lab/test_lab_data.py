"""Labelled URLs: every kind of file, every kind of bad one, splits that keep their word."""

import gzip
import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight.errors import BadData
from linksight.lab.evaluation.labelled_urls import LabelledUrls, dutch_sample, load_labelled, paper_sample
from linksight.urls.parser import site_of

ROWS = [("http://a.de/", "German"), ("http://b.no/", "no"), ("http://c.nl/,x", "nld")]
EXPECTED = ("de", "no", "nl")


def write(path, rows=ROWS, names=("url", "language")):
    """The rows in the kind of file that the name says."""
    kind = path.name.split(".")[1]
    table = pa.table({names[0]: [url for url, _ in rows], names[1]: [label for _, label in rows]})
    if kind == "parquet":
        pyarrow.parquet.write_table(table, path)
        return path
    if kind in ("csv", "tsv"):
        sink = pa.BufferOutputStream()
        delimiter = "\t" if kind == "tsv" else ","
        pyarrow.csv.write_csv(table, sink, pyarrow.csv.WriteOptions(delimiter=delimiter))
        data = sink.getvalue().to_pybytes()
    else:
        data = b"".join(json.dumps(row).encode() + b"\n" for row in table.to_pylist())
    packer = {"gz": gzip.compress, "zst": lambda raw: pa.compress(raw, "zstd", asbytes=True)}
    path.write_bytes(packer.get(path.name.split(".")[-1], bytes)(data))
    return path


@pytest.mark.parametrize(
    "name", ["x.csv", "x.tsv", "x.jsonl", "x.parquet", "x.csv.gz", "x.jsonl.gz", "x.jsonl.zst"]
)
def test_every_kind_of_file_is_read(tmp_path, name):
    rows = load_labelled(write(tmp_path / name))
    assert rows.urls == tuple(url for url, _ in ROWS)
    assert rows.languages == EXPECTED


@pytest.mark.parametrize(
    "kind", [pa.binary(), pa.large_binary(), pa.string_view(), pa.dictionary(pa.int8(), pa.binary())]
)
def test_text_is_text_however_parquet_calls_it(tmp_path, kind):
    table = pa.table({"url": [url for url, _ in ROWS], "language": [label for _, label in ROWS]})
    table = pa.table({name: table[name].cast(pa.binary()).cast(kind) for name in table.column_names})
    pyarrow.parquet.write_table(table, tmp_path / "x.parquet")
    assert load_labelled(tmp_path / "x.parquet").languages == EXPECTED


@pytest.mark.parametrize("name", ["x.parquet", "x.jsonl"])
def test_a_column_may_be_a_field_of_one(tmp_path, name):
    rows = [{"page": {"url": url, "n": 1}, "is.in": label} for url, label in ROWS]
    if name == "x.parquet":
        pyarrow.parquet.write_table(pa.Table.from_pylist(rows), tmp_path / name)
    else:
        (tmp_path / name).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    found = load_labelled(tmp_path / name, url_column="page.url", language_column="is.in")
    assert (found.urls, found.languages) == (tuple(url for url, _ in ROWS), EXPECTED)
    with pytest.raises(BadData, match=r"no column 'page.href'; there are: page, is.in"):
        load_labelled(tmp_path / name, url_column="page.href", language_column="is.in")


def test_only_the_columns_that_are_wanted_are_read(tmp_path, monkeypatch):
    read = pyarrow.parquet.ParquetFile.read
    seen = []
    monkeypatch.setattr(
        pyarrow.parquet.ParquetFile, "read", lambda file, names: seen.append(names) or read(file, names)
    )
    table = pa.table({"html": ["<p>"], "URL": ["http://a.de/"], "language": ["de"]})
    pyarrow.parquet.write_table(table, tmp_path / "x.parquet")
    assert load_labelled(tmp_path / "x.parquet").urls == ("http://a.de/",)
    assert seen == [["URL", "language"]]


@pytest.mark.parametrize("domain", ["news", None, "www.a.de"])
def test_a_column_named_domain_does_not_say_what_is_held_out(tmp_path, domain):
    table = pa.table(
        {"url": ["http://www.a.de/", "http://m.a.de/", "http://b.nl/"], "language": ["de", "de", "nl"]}
    )
    pyarrow.parquet.write_table(table.append_column("domain", [[domain] * 3]), tmp_path / "x.parquet")
    rows = load_labelled(tmp_path / "x.parquet")
    assert (rows.site_folds(1000) == LabelledUrls.of(rows.urls, rows.languages).site_folds(1000)).all()


@pytest.mark.parametrize(
    "text",
    [
        "url;language\nhttp://a.de/x,y;German\nhttp://b.nl/;nld\n",
        "\ufeffURL,Language\nhttp://a.de/x;y,German\nhttp://b.nl/,nld\n",
        "sep=|\nid|url|language\n1|http://a.de/|German\n2|http://b.nl/|nld\n",
        "url,language\nhttp://a.de/x,y,de\nhttp://a.de/,German\nonly\nhttp://b.nl/,nld\n",
    ],
)
def test_tables_are_read_as_detect_reads_them(tmp_path, text):
    for name in ("x.csv", "x.txt"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        if name == "x.csv" or not text.startswith("sep="):
            rows = load_labelled(tmp_path / name)
            assert rows.languages == ("de", "nl")
            assert sum(rows.dropped.values()) == 2 * text.count("only")


def test_lines_that_are_no_rows_are_left_out_and_counted(tmp_path):
    lines = [
        {"n": 1, "url": "http://a.de/", "language": "de"},
        "nonsense",
        {"url": 7, "language": "de"},
        {"id": 8},
    ]
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n{")
    rows = load_labelled(tmp_path / "x.jsonl")
    assert (rows.urls, rows.languages) == (("http://a.de/",), ("de",))
    assert rows.dropped == {"not a JSON object": 2, "not text": 1, "no URL": 1}


def test_a_list_of_one_language_needs_no_column_of_it(tmp_path):
    for name, text in (
        ("x.txt", "# mine\nhttp://a.de/x,y\n\nhttp://b.de/\n"),
        ("x.csv", "id,url\n1,http://b.de/\n2,http://a.de/\n"),
    ):
        (tmp_path / name).write_text(text)
        rows = load_labelled(tmp_path / name, language="German")
        assert rows.languages == ("de", "de")
    mixed = load_labelled(write(tmp_path / "y.csv"), language="German")
    assert mixed.languages == EXPECTED  # what the table says goes before


def test_columns_may_have_other_names(tmp_path):
    path = write(tmp_path / "x.csv", names=("link", "tongue"))
    assert load_labelled(path, url_column="link", language_column="tongue").languages == EXPECTED


def test_rows_without_url_or_language_are_counted(tmp_path):
    rows = load_labelled(
        write(tmp_path / "x.parquet", [*ROWS, (None, "de"), ("http://d.de/", None), (" ", "de")])
    )
    assert len(rows) == 3
    assert rows.dropped == {"no URL": 2, "no language": 1}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.csv", None, "no such file"),
        ("x.csv", b"", "empty file"),
        ("x.csv", b"url,language\n", "no rows"),
        ("x.csv", b"address,language\nhttp://a.de/,de\n", "no column 'url'; there are: address, language"),
        ("x.jsonl", b'{"url": "http://a.de/"}\n', "no column 'language'"),
        ("x.jsonl", b'{"url": \n', "cannot be read as jsonl"),
        ("x.parquet", b"PAR1 nonsense", "not a Parquet file, or cut short"),
        ("x.csv.gz", b"\x1f\x8bnot packed", "cannot be read as csv"),
        ("x.doc", b"x", "cannot tell the kind of table"),
        ("x.csv", b"url,language\nhttp://a.de/,Klingonish\n", "unknown languages: 'Klingonish'"),
        ("x.csv", b"url,language\nhttp://a.de/\n", r"no rows .*wrong number of fields: 1"),
        ("x.csv", b"url,language\nhttp://a.de/\xe4,de\n", "not all of it is UTF-8.* iconv"),
        ("x.json", b'[{"url": "http://a.de/", "language": "de"}]', "one JSON array, .* jq -c"),
        ("x.txt", b"http://a.de/\nhttp://b.de/\n", "addresses without languages; .* --extend -l"),
    ],
)
def test_a_file_that_cannot_be_used_is_an_error_that_says_why(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(BadData, match=message) as error:
        load_labelled(tmp_path / name)
    assert name in str(error.value)


def test_rows_of_unknown_languages_can_be_left_out(tmp_path):
    path = write(tmp_path / "x.csv", [*ROWS, ("http://d.de/", "Klingonish")])
    rows = load_labelled(path, skip_unknown=True)
    assert rows.languages == EXPECTED
    assert rows.dropped == {"unknown language": 1}


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(BadData, match="a folder"):
        load_labelled(tmp_path)


def test_many_unknown_languages_are_not_all_listed():
    labels = [f"xx{i}" for i in range(9)]
    with pytest.raises(BadData, match="and 4 more"):
        LabelledUrls.of(["http://a.de/"] * 9, labels)


hosts = st.sampled_from(
    ["a.de", "www.a.de", "b.co.uk", "m.b.co.uk", "c.nl", "d.github.io", "e.github.io", "not a url"]
)
some_rows = st.lists(st.tuples(hosts, st.sampled_from(["de", "en", "nl"])), min_size=1, max_size=40)


@settings(max_examples=60, deadline=None)
@given(some_rows, st.integers(2, 10), st.integers(0, 5))
def test_no_site_is_in_two_folds(rows, n_folds, seed):
    labelled = LabelledUrls.of([f"http://{host}/x" for host, _ in rows], [label for _, label in rows])
    folds = labelled.site_folds(n_folds, seed)
    assert ((folds >= 0) & (folds < n_folds)).all()
    by_site = {}
    for url, fold in zip(labelled.urls, folds, strict=True):
        by_site.setdefault(site_of(url), set()).add(fold)
    assert all(len(found) == 1 for found in by_site.values())


@settings(max_examples=60, deadline=None)
@given(some_rows, st.integers(2, 10), st.integers(0, 5))
def test_random_folds_spread_each_language_evenly(rows, n_folds, seed):
    labelled = LabelledUrls.of([f"http://{host}/x" for host, _ in rows], [label for _, label in rows])
    folds = labelled.folds("random", n_folds, seed)
    for language in set(labelled.languages):
        sizes = np.bincount(folds[np.array(labelled.languages) == language], minlength=n_folds)
        assert sizes.max() - sizes.min() <= 1


def test_rows_can_be_taken_by_number_mask_and_language():
    rows = LabelledUrls.of(["http://a.de/", "http://b.nl/", "http://c.de/"], ["de", "nl", "de"])
    assert rows.take(np.array([2, 1])).urls == ("http://c.de/", "http://b.nl/")
    assert rows.of_languages(["German"]).urls == ("http://a.de/", "http://c.de/")
    with pytest.raises(BadData, match="no row is in any"):
        rows.of_languages(["fr"])
    with pytest.raises(BadData, match="unknown split"):
        rows.folds("magic", 2)


@pytest.mark.data
def test_the_papers_sample_is_even_unique_and_curated_first(data):
    rows = paper_sample(data, size=5_000)
    assert len(rows) == 25_000
    assert len(set(rows.urls)) == 25_000
    assert {rows.languages.count(language) for language in set(rows.languages)} == {5_000}
    table = pyarrow.parquet.read_table(data / "urls" / "train.parquet", columns=["url", "strength"])
    human = set(table["url"].to_numpy()[(table["strength"].to_pandas() == "human").to_numpy()])
    assert all(url in human for url in rows.urls)


@pytest.mark.data
def test_the_dutch_sample_is_dutch_or_not(data):
    rows = dutch_sample(data)
    assert len(rows) == 109_529
    assert rows.languages.count("nl") == 52_572
    assert set(rows.languages) == {"nl", "und"}
