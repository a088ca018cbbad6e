"""``linksight detect``: URLs as arguments, in files and through a pipe."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys

import pytest

KINDS = ["t.txt", "t.csv", "t.jsonl", "t.parquet", "t.txt.gz", "t.csv.zst", "t.jsonl.gz", "t.txt.zst"]
OUTPUTS = ["o.jsonl", "o.csv", "o.parquet", "o.jsonl.gz", "o.csv.zst"]


# --- arguments ----------------------------------------------------------------------------------


def test_one_url_is_one_json_line_where_nobody_watches(run):
    result = run("https://www.lemonde.fr/economie/")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["language"], result.stderr) == (0, "fr", "")
    assert found["candidates"][0][0] == "fr"


def test_table_and_csv_of_arguments(run):
    urls = ["https://www.lemonde.fr/economie/", "http://www.zeitung.de/politik"]
    assert [line.split()[0] for line in run(*urls, "--format", "table").stdout.splitlines()] == ["fr", "de"]
    rows = list(csv.DictReader(io.StringIO(run(*urls, "--format", "csv").stdout)))
    assert [row["language"] for row in rows] == ["fr", "de"]


@pytest.mark.parametrize(
    "url",
    [
        "",
        "   ",
        "mailto:a@b.org",
        "javascript:alert(1)",
        "word",
        "http://[::1",
        "http://a.de:99999/",
        "x" * 100_000,
    ],
)
def test_one_bad_url_is_one_line_on_stderr(run, url):
    result = run("--", url)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert len(result.stderr) < 300


def test_a_bad_url_among_others_is_marked_and_counted(run):
    result = run("http://www.zeitung.de/politik", "mailto:a@b.org")
    assert [json.loads(line)["language"] for line in result.stdout.splitlines()] == ["de", "und"]
    assert result.is_done
    assert "1 could not be used: not a web address (mailto:) 1" in result.stderr


def test_arguments_to_a_file(run, tmp_path, tables):
    assert run("http://www.zeitung.de/politik", "-o", tmp_path / "o.parquet").is_done
    assert tables.read(tmp_path / "o.parquet")[0]["language"] == "de"


def test_languages_priors_and_doubt(run):
    url = "https://www.nuus.com/nuus"
    assert json.loads(run(url, "--languages", "German,nld").stdout)["language"] in ("de", "nl")
    rates = [
        json.loads(run(url, "--languages", "nl,af", "--priors", f"af={rate}").stdout)
        for rate in ("0.0001", "0.9")
    ]
    shares = [dict(map(tuple, found["candidates"])).get("af", 0.0) for found in rates]
    assert shares[0] < shares[1]
    doubted = json.loads(run("http://www.zeitung.de/politik", "--min-probability", "1").stdout)
    assert doubted["language"] == "und"
    assert doubted["probability"] > 0.9


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "give URLs, or -i FILE, or --stream"),
        (["http://a.de", "--stream"], 2, "give URLs, or -i FILE, or --stream"),
        (["http://a.de", "--languages", "klingonish"], 1, "klingonish"),
        (["http://a.de", "--priors", "nl"], 1, "nl=0.018"),
        (["http://a.de", "--priors", "nl=0.9,de=0.9"], 1, "more than 1"),
        (["http://a.de", "--min-probability", "2"], 2, "--min-probability"),
        (["http://a.de", "--explain", "--format", "csv"], 2, "--explain goes with"),
        (["http://a.de", "--model", "nowhere.linksight"], 1, "nowhere.linksight"),
        (["-i", "nowhere.txt"], 1, "nowhere.txt: no such file or folder"),
        (["-i", "no*where"], 1, "no*where: no file matches"),
        (["--stream", "-o", "x.jsonl"], 2, "--stream reads stdin"),
    ],
)
def test_wrong_use(run, arguments, code, message):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr


# --- explain ------------------------------------------------------------------------------------


def test_explanation_as_json_adds_up(run):
    found = json.loads(run("--explain", "https://www.lemonde.fr/economie/").stdout)["explanation"]
    for k, score in enumerate(found["scores"]):
        total = found["base"][k] + sum(part["weights"][k] for part in found["contributions"])
        assert total == pytest.approx(score, abs=1e-3)
    assert len(found["characters"]) == len(found["text"])


def test_explanation_as_text(run):
    lines = run("--explain", "--format", "table", "https://www.lemonde.fr/economie/").stdout.splitlines()
    assert lines[0] == "www.lemonde.fr/economie/"
    assert set(lines[1]) <= set(" +-")
    assert any(line.split()[:1] == ["fr"] for line in lines)
    assert any("top-level domain" in line for line in lines)


def test_explanation_is_coloured_on_a_terminal():
    from linksight import load
    from linksight.cli.detect.terminal_table import coloured

    explanation = load().explain("https://www.lemonde.fr/economie/")
    text = coloured(explanation)
    assert "\x1b[38;5;" in text
    assert click_unstyled(text) == explanation.text


def click_unstyled(text: str) -> str:
    import click

    return click.unstyle(text)


# --- files --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("output", ["o.jsonl", "o.parquet"])
def test_every_kind_in(run, tmp_path, kind, output, tables):
    source = tables.write(tmp_path / kind)
    before = source.read_bytes()
    result = run("-i", source, "-o", tmp_path / output)
    assert result.is_done, result.stderr
    rows = tables.read(tmp_path / output)
    assert [row["language"] for row in rows] == tables.languages
    assert sum(row["problem"] is not None for row in rows) == 2
    if not kind.startswith("t.txt"):
        assert [int(row["id"]) for row in rows] == [1, 2, 3, 4, 5]
        assert rows[4]["note"] == "été"
    assert source.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([kind, output])


@pytest.mark.parametrize("output", OUTPUTS)
def test_every_kind_out(run, tmp_path, output, tables):
    source = tables.write(tmp_path / "t.parquet")
    assert run("-i", source, "-o", tmp_path / output).is_done
    rows = tables.read(tmp_path / output)
    assert [row["language"] for row in rows] == tables.languages
    assert [row["id"] for row in rows] == [1, 2, 3, 4, 5]
    assert rows[0]["note"] == 'a, "b"'


@pytest.mark.parametrize("form", ["jsonl", "csv", "table"])
def test_to_stdout_with_the_summary_on_stderr(run, tmp_path, form, tables):
    result = run("-i", tables.write(tmp_path / "t.csv"), "--format", form)
    assert result.is_done
    assert len(result.stdout.splitlines()) == 5 + (form == "csv")
    assert "5 rows: und 2" in result.stderr
    assert "2 could not be used: " in result.stderr
    assert run("-i", tmp_path / "t.csv", "--format", form, "--quiet").stderr == ""


def test_parquet_through_pipes(tmp_path, tables, environment):
    source = tables.write(tmp_path / "t.parquet")
    command = [sys.executable, "-m", "linksight", "detect", "-i", "-", "--format", "parquet", "--quiet"]
    done = subprocess.run(
        command, input=source.read_bytes(), capture_output=True, check=False, env=environment, timeout=600
    )
    assert done.returncode == 1  # two rows have a problem
    (tmp_path / "o.parquet").write_bytes(done.stdout)
    assert [row["language"] for row in tables.read(tmp_path / "o.parquet")] == tables.languages


@pytest.mark.parametrize(
    ("text", "kind"), [('{"url": "http://www.zeitung.de/politik"}\n', None), ("http://www.zeitung.de/politik", None),
                       ("x,url\n1,http://www.zeitung.de/politik\n", "csv")]
)  # fmt: skip
def test_standard_input(run, text, kind):
    result = run("-i", "-", *(["--from", kind] if kind else []), stdin=text)
    assert json.loads(result.stdout)["language"] == "de"


def test_folders_and_globs(run, tmp_path, tables):
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    for name in ("a.jsonl", "deep/b.jsonl.gz", "deep/c.csv"):
        tables.write(folder / name)
    (folder / "_SUCCESS").touch()
    (folder / "notes.md").write_text("not a table")
    assert "15 rows" in run("-i", folder, "-o", tmp_path / "all.jsonl").stderr
    assert "10 rows" in run("-i", folder / "**" / "*.jsonl*", "-o", tmp_path / "some.parquet").stderr
    assert "20 rows" in run("-i", folder, "-i", folder / "a.jsonl", "-o", tmp_path / "two.jsonl").stderr


def test_a_folder_whose_files_have_names_that_say_nothing_is_read_by_the_kind_that_is_given(run, tmp_path):
    (tmp_path / "out").mkdir()
    for name in ("part-00000", "part-00001", "_SUCCESS"):
        (tmp_path / "out" / name).write_text("http://www.nu.nl/\n")
    refused = run("-i", tmp_path / "out")
    assert refused.exit_code == 1
    assert "files such as part-00000 give their kind, such as --from text" in refused.stderr
    assert len(run("-i", tmp_path / "out", "--from", "text").stdout.splitlines()) == 2
    (tmp_path / "out" / "more.txt").write_text("http://www.nu.nl/\n")
    assert len(run("-i", tmp_path / "out", "--from", "text").stdout.splitlines()) == 1


def test_an_output_in_the_folder_that_is_read_is_not_taken_for_an_input_with_other_columns(
    run, tmp_path, tables
):
    (tmp_path / "rows").mkdir()
    tables.write(tmp_path / "rows" / "a.parquet", [{"url": "http://www.nu.nl/"}])
    output = tmp_path / "rows" / "b.parquet"
    assert run("-i", tmp_path / "rows", "-o", output).is_done
    again = run("-i", tmp_path / "rows", "-o", output, "--overwrite")
    assert again.exit_code == 1
    assert "is an input file; choose another output" in again.stderr


def test_files_of_a_folder_that_are_no_lists_of_urls_are_named(run, tmp_path, tables):
    folder = tmp_path / "in"
    folder.mkdir()
    tables.write(folder / "urls.jsonl")
    (folder / "README.txt").write_text("These are the URLs of the spring crawl.\n\nAsk Anna about them.\n")
    (folder / "package.json").write_text('{"name": "crawl",\n "private": true}\n')
    for output in (["-o", tmp_path / "all.jsonl"], []):
        told = run("-i", folder, *output).stderr
        assert f"{folder / 'README.txt'}: not one URL in it; if it is no list" in told
        assert f"{folder / 'package.json'}: not one URL in it" in told
        assert "urls.jsonl" not in told
    told = run("-i", folder, "-o", tmp_path / "all.csv").stderr
    assert "is not in the rows before" in told
    assert "not one URL" not in run("-i", folder / "README.txt").stderr  # which the counts say


def test_many_files_without_a_url_are_counted(run, tmp_path):
    for n in range(8):
        (tmp_path / f"{n}.txt").write_text("nothing here\n")
    told = run("-i", tmp_path).stderr
    assert (told.count("not one URL"), "and 3 files more without a URL" in told) == (5, True)


def test_the_rows_before_are_named_where_columns_do_not_fit(run, tmp_path, tables):
    (tmp_path / "README.txt").write_text("These are URLs.\n")
    (tmp_path / "urls.csv").write_text("url,id\nhttp://www.nu.nl/,1\n")
    told = run("-i", tmp_path, "-o", tmp_path / "all.parquet").stderr
    assert f"column 'id' is not in the rows before ({tmp_path / 'README.txt'}); write JSON lines" in told


def test_another_column_and_names_for_the_new_ones(run, tmp_path, tables):
    rows = [{"address": row["url"], "language": "xx"} for row in tables.rows]
    source = tables.write(tmp_path / "t.jsonl", rows)
    assert (
        "no column 'url'; choose one with --column: address, language"
        in run("-i", source, "-o", tmp_path / "o.csv").stderr
    )
    clash = run("-i", source, "--column", "address", "-o", tmp_path / "o.csv")
    assert (clash.exit_code, (tmp_path / "o.csv").exists()) == (1, False)
    assert "--prefix" in clash.stderr
    assert run("-i", source, "--column", "address", "--prefix", "by_url_", "-o", tmp_path / "o.jsonl").is_done
    row = tables.read(tmp_path / "o.jsonl")[0]
    assert (row["language"], row["by_url_language"]) == ("xx", "fr")


def test_columns_of_views_are_kept_in_a_file_a_language(run, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    notes = pa.array(["x", None, "z"])
    urls = ["http://a.nl/nieuws", "http://b.de/", "http://c.nl/"]
    table = pa.table(
        {"url": urls, "text": notes.cast(pa.string_view()), "bytes": notes.cast(pa.binary_view())}
    )
    pq.write_table(table, tmp_path / "t.parquet")
    assert run("-i", tmp_path / "t.parquet", "--split-by-language", tmp_path / "by").is_done
    kept = pq.read_table(tmp_path / "by" / "nl.parquet")
    assert kept["text"].to_pylist() == ["x", "z"]
    assert kept["bytes"].to_pylist() == [b"x", b"z"]


def test_one_file_a_language(run, tmp_path, tables):
    source = tables.write(tmp_path / "t.csv")
    assert run("-i", source, "--split-by-language", tmp_path / "by", "--format", "csv").is_done
    assert sorted(path.name for path in (tmp_path / "by").iterdir()) == [
        "de.csv",
        "fr.csv",
        "nl.csv",
        "und.csv",
    ]
    assert [row["id"] for row in tables.read(tmp_path / "by" / "und.csv")] == [2, 4]


def test_explanations_in_a_file(run, tmp_path, tables):
    run("-i", tables.write(tmp_path / "t.txt"), "--explain", "-o", tmp_path / "o.jsonl")
    rows = tables.read(tmp_path / "o.jsonl")
    assert rows[0]["explanation"]["languages"][0] == "fr"
    assert rows[1]["explanation"] is None


# --- the pipe -----------------------------------------------------------------------------------


def test_filter_answers_every_line_and_gives_back_what_came_with_it(run):
    lines = [
        "http://www.zeitung.de/politik",
        '{"id": 7, "url": "https://www.lemonde.fr/"}',
        '{"id": 8}',
        "{broken",
        '"http://b.nl/"',
        "mailto:x",
    ]
    result = run("--stream", stdin="\n".join(lines))
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["language"] for row in rows] == ["de", "fr", "und", "und", "nl", "und"]
    assert rows[1]["id"] == 7
    assert [row["problem"] for row in rows[2:4]] == ["no url field", "not JSON"]
    assert "3 could not be used" in result.stderr


def test_filter_answers_empty_lines_and_values_that_are_no_text(run):
    lines = ["", "http://www.zeitung.de/politik", '{"url": 3}', "  ", '{"url": null}', '{"id": 1}', ""]
    result = run("--stream", stdin="\n".join(lines) + "\n")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["problem"] for row in rows] == [
        "empty", None, "not text", "empty", "empty", "no url field", "empty",
    ]  # fmt: skip
    assert rows[2]["url"] == 3
    assert {row["language"] for row in rows if row["problem"]} == {"und"}


def streamed(run, *options, lines):
    result = run("--stream", *options, stdin="\n".join(lines))
    assert result.is_done, result.output
    return [json.loads(line, parse_constant=pytest.fail) for line in result.stdout.splitlines()]


def test_the_filter_takes_a_field_of_a_field(run):
    lines = [
        '{"page": {"url": "https://www.nu.nl/sport"}}', '{"page.url": "https://www.lemonde.fr/economie/"}',
        '{"page": 7}', '{"page": {"url": 7}}', "https://www.nu.nl/sport",
    ]  # fmt: skip
    rows = streamed(run, "--column", "page.url", lines=lines)
    assert [row["language"] for row in rows] == ["nl", "fr", "und", "und", "nl"]
    assert [row["problem"] for row in rows] == [None, None, "no url field", "not text", None]
    assert rows[0]["page"] == {"url": "https://www.nu.nl/sport"}


def test_the_filter_names_what_it_adds_as_it_is_told(run):
    (row,) = streamed(
        run, "--prefix", "our_", lines=['{"url": "https://www.nu.nl/sport", "language": "mine"}']
    )
    assert (row["language"], row["our_language"], row["our_problem"]) == ("mine", "nl", None)


def test_the_filter_writes_no_numbers_that_json_has_not(run):
    (row,) = streamed(run, lines=['{"url": "https://www.nu.nl/sport", "score": NaN}'])
    assert row["score"] is None


def test_probabilities_of_the_filter_are_the_same_whether_few_lines_wait_or_many(run):
    rows = streamed(run, lines=["https://www.nu.nl/sport"] * 5000)
    assert len({row["probability"] for row in rows}) == 1


def test_nothing_at_all_is_called_the_same_in_every_kind_of_file(run, tmp_path, tables):
    for kind in ("t.csv", "t.jsonl", "t.parquet", "t.txt"):
        source = tables.write(tmp_path / kind)
        rows = [json.loads(line) for line in run("-i", source).stdout.splitlines()]
        assert [row["problem"] for row in rows][3] == "empty", kind


def test_filter_answers_at_once(environment):
    command = [sys.executable, "-m", "linksight", "detect", "--stream"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        for url, language in (("http://www.zeitung.de/politik", "de"), ("https://www.lemonde.fr/", "fr")):
            process.stdin.write(url.encode() + b"\n")
            process.stdin.flush()
            # The pipe stays open: a filter that waited for more would never answer.
            assert json.loads(process.stdout.readline())["language"] == language
        process.stdin.close()
    assert process.returncode == 0


def test_one_detection_needs_no_heavy_package(environment):
    code = (
        "import sys; from linksight.cli import main\n"
        "try: main(['detect', 'https://www.lemonde.fr/'])\n"
        "except SystemExit: pass\n"
        "print(sorted({'pyarrow', 'rich', 'sklearn'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment, timeout=600
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_help_shows_examples(run):
    help_text = run("--help").stdout
    assert "linksight detect https://www.lemonde.fr/economie/" in help_text
    assert "--split-by-language" in help_text


def test_probabilities_have_the_same_digits_everywhere(run, tmp_path):
    (tmp_path / "urls.txt").write_text("https://www.lemonde.fr/\n")
    rows = [
        json.loads(run(*words, "--format", "jsonl", stdin=stdin).stdout)
        for words, stdin in (
            (["https://www.lemonde.fr/"], None),
            (["-i", tmp_path / "urls.txt"], None),
            (["--stream"], "https://www.lemonde.fr/\n"),
        )
    ]
    assert len({row["probability"] for row in rows}) == 1
    assert rows[0]["candidates"][0] == ["fr", rows[0]["probability"]]


def test_a_language_that_the_model_lacks_gives_the_error_alone(run):
    result = run("--languages", "klingon", "http://a.nl/")
    assert result.exit_code == 1
    assert (
        result.stderr
        == "Error: the model does not know Klingon (tlh), see `linksight languages`: 'klingon'\n"
    )
