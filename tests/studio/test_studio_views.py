"""The pages, as a program reads them."""

from __future__ import annotations

import codecs
import csv
import gzip
import html
import io
import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROWS = [
    "https://www.lemonde.fr/economie/",
    "http://www.zeitung.de/politik",
    "mailto:a@b.nl",
    "http://www.nu.nl/sport",
]


def run_of(visitor, **more):
    """A run of four URLs; its path."""
    answer = visitor.submit("/inspector", {"urls": "\n".join(ROWS), **more})
    assert "/runs/" in str(answer.url), answer.text
    return answer.url.path


def test_one_url_leads_to_its_page(visitor):
    answer = visitor.submit("/inspector", {"urls": ROWS[0]})
    assert answer.url.path == "/inspect"
    assert "French" in answer.text
    assert 'class="for-5"' in answer.text


def test_what_if_restricts_the_candidates(visitor):
    text = visitor.get("/inspect", params={"url": ROWS[0], "languages": "nl,de"}).text
    assert "Dutch" in text
    assert "<span>French</span>" not in text


def test_a_wrong_what_if_is_told_on_the_page(visitor):
    answer = visitor.get("/inspect", params={"url": ROWS[0], "rates": "nl=much"})
    assert answer.status_code == 422
    assert "nl=much" in answer.text


def test_a_run_is_filtered_and_sorted(visitor):
    path = run_of(visitor)
    assert "1 of 4 rows" in visitor.get(path, params={"language": "fr"}).text
    assert "1 of 4 rows" in visitor.get(path, params={"language": "problem"}).text
    assert "1 of 4 rows" in visitor.get(path, params={"text": "SPORT"}).text
    text = visitor.get(path, params={"sort": "url", "way": "down"}).text
    table = text[text.index("<tbody>") :]
    assert table.index("mailto") < table.index("lemonde") < table.index("zeitung")
    assert visitor.get(path, params={"page": "99999", "least": "x", "sort": "drop table"}).status_code == 200


def test_rows_without_a_url_are_shown_with_the_reason(visitor):
    """A gap in a column of Parquet, or a broken line of JSON, once was a bug of ours in the visitor's eyes."""
    files = {"file": ("a.jsonl", b'{"url": "http://www.nu.nl/"}\n{broken\n{"url": null}\n')}
    run = visitor.submit("/inspector", {}, files=files)
    assert run.status_code == 200
    assert "2 × empty" in run.text
    assert visitor.get(f"{run.url}?sort=url&text=nu").status_code == 200


def test_a_row_leads_to_its_url_under_the_same_what_if(visitor):
    sent = {
        "urls": "http://www.example.com/kantoor\nhttp://www.nu.nl/",
        "languages": "nl,fr",
        "rates": "nl=0.3",
    }
    run = visitor.submit("/inspector", sent)
    row = re.search(r'href="(/inspect[?][^"]*)"', run.text)
    assert row
    assert "rates=nl%3D0.3" in row[1]
    assert "languages=nl%2Cfr" in row[1]


@pytest.mark.parametrize("field", ["languages", "rates"])
def test_what_to_do_about_a_wrong_what_if_is_not_said_of_the_address(visitor, field):
    told = visitor.get("/inspect", params={"url": "http://www.nu.nl/", field: "klingon=2"})
    assert told.status_code == 422
    assert "An address looks like" not in told.text
    assert "An address looks like" in visitor.get("/inspect", params={"url": "x:y"}).text


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_a_download_holds_the_rows_that_are_shown(visitor, form):
    answer = visitor.get(f"{run_of(visitor)}/download", params={"form": form, "language": "de"})
    if form == "parquet":
        rows = pq.read_table(pa.BufferReader(answer.content)).to_pylist()
        assert [row["url"] for row in rows] == [ROWS[1]]
    else:
        assert ROWS[1] in answer.text
        assert ROWS[0] not in answer.text


def downloaded(visitor, name, body, form, **asked):
    """The rows of a download of an uploaded file, as a table of text or of values."""
    answer = visitor.submit("/inspector", {"urls": ""}, files={"file": (name, body)})
    got = visitor.get(f"{answer.url.path}/download", params={"form": form, **asked})
    assert got.status_code == 200, got.text
    if form == "parquet":
        return pq.read_table(pa.BufferReader(got.content)).to_pylist()
    if form == "jsonl":
        return [json.loads(line) for line in got.text.splitlines()]
    return list(csv.DictReader(io.StringIO(got.text)))


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_a_download_keeps_the_other_columns_of_the_file(visitor, form):
    body = "id;Link;note\n" + "".join(f"{n};{url};é{n}\n" for n, url in enumerate(ROWS))
    rows = downloaded(visitor, "a.csv", body.encode(), form, sort="url", way="down")
    assert list(rows[0]) == ["row", "id", "Link", "note", "language", "probability", "problem"]
    assert [row["Link"] for row in rows] == sorted(ROWS, reverse=True)
    assert [(row["id"], row["note"]) for row in rows] == [
        (str(n), f"é{n}") for n in sorted(range(4), key=lambda n: ROWS[n], reverse=True)
    ]
    german = downloaded(visitor, "a.csv", body.encode(), form, language="de")
    assert [(str(row["row"]), row["id"], row["language"]) for row in german] == [("2", "1", "de")]
    assert downloaded(visitor, "a.csv", body.encode(), form, text="nowhere") == []


def test_columns_of_the_file_keep_their_names_before_ours(visitor):
    body = "".join(
        json.dumps({"url": url, "language": n, "more": {"a": [n]}}) + "\n" for n, url in enumerate(ROWS)
    )
    rows = downloaded(visitor, "a.jsonl", body.encode(), "jsonl")
    assert [row["language"] for row in rows] == [0, 1, 2, 3]
    assert [row["more"] for row in rows] == [{"a": [n]} for n in range(4)]
    assert [row["detected_language"] for row in rows][:2] == ["fr", "de"]
    assert downloaded(visitor, "a.jsonl", body.encode(), "csv")[1]["more"] == '{"a": [1]}'


def test_json_lines_come_back_as_they_were(visitor):
    """By columns a field that one row has was null in all others, and values of several kinds became text."""
    given = ['{"url": "http://www.nu.nl/", "n": {"a": [1, null]}, "x": 1.0}', '{"z":1,"url": "http://www.zeit.de/"}',
             "{broken", '{"url": null, "n": "text"}']  # fmt: skip
    rows = downloaded(visitor, "a.jsonl", "\n".join(given).encode(), "jsonl")
    ours = ("language", "probability", "problem", "row")
    kept = [{name: value for name, value in row.items() if name not in ours} for row in rows]
    assert kept == [json.loads(given[0]), json.loads(given[1]), {"line": "{broken"}, json.loads(given[3])]
    assert [row["language"] for row in rows] == ["nl", "de", "und", "und"]
    assert [row["row"] for row in rows] == [1, 2, 3, 4]
    german = downloaded(visitor, "a.jsonl", "\n".join(given).encode(), "jsonl", language="de")
    assert [(row["row"], row["z"]) for row in german] == [(2, 1)]
    assert downloaded(visitor, "a.jsonl", "\n".join(given).encode(), "jsonl", text="nowhere") == []


def test_rows_that_each_have_columns_of_their_own_do_not_become_a_table(visitor):
    body = "".join(json.dumps({"url": ROWS[0], f"c{n}": n}) + "\n" for n in range(300))
    answer = visitor.submit("/inspector", {"urls": ""}, files={"file": ("a.jsonl", body.encode())})
    assert "The other columns of the file are not included: there are more than 200." in answer.text
    rows = downloaded(visitor, "a.jsonl", body.encode(), "jsonl")
    assert set(rows[0]) == {"row", "url", "language", "probability", "problem"}


def test_formulas_in_other_columns_are_disarmed_in_csv_and_numbers_are_not(visitor):
    body = f"url,=x,n\n{ROWS[0]},=1+1,-2.5\n{ROWS[1]},@a,+7\n"
    rows = downloaded(visitor, "a.csv", body.encode(), "csv")
    assert [(row["'=x"], row["n"]) for row in rows] == [("'=1+1", "-2.5"), ("'@a", "+7")]


def test_what_was_uploaded_is_forgotten_with_its_run(studio, visitor):
    body = f"id,url\n1,{ROWS[0]}\n2,{ROWS[1]}\n".encode()
    path = visitor.submit("/inspector", {"urls": ""}, files={"file": ("a.csv", body)}).url.path
    kept = list(Path(studio.app.state.settings.data_dir).rglob(f"{path.rpartition('/')[2]}.*"))
    assert len(kept) == 3
    visitor.submit(f"{path}/forget", {}, page=path)
    assert not any(file.exists() for file in kept)


def test_formulas_in_urls_are_disarmed_in_csv(visitor):
    answer = visitor.submit("/inspector", {"urls": "=cmd|'/c calc'!A1\nhttp://a.nl/"})
    text = visitor.get(f"{answer.url.path}/download", params={"form": "csv"}).text
    assert "\"'=cmd" in text


def test_a_csv_for_excel_says_that_it_is_utf8(visitor):
    """Excel takes it for another encoding otherwise; programs would take the mark for a part of the first name."""
    body = "url,title\nhttp://a.nl/,café\n".encode()
    answer = visitor.submit("/inspector", {"urls": ""}, files={"file": ("a.csv", body)})
    offered = html.unescape(re.search(r'href="([^"]*)">for Excel<', answer.text)[1])
    plain = visitor.get(f"{answer.url.path}/download", params={"form": "csv"}).content
    marked = visitor.get(offered).content
    assert marked == codecs.BOM_UTF8 + plain
    again = visitor.submit("/inspector", {"urls": ""}, files={"file": ("again.csv", marked)})
    assert "1 of 1 row." in again.text


def test_a_forgotten_run_is_gone(visitor):
    path = run_of(visitor)
    visitor.submit(f"{path}/forget", {}, page=path)
    assert visitor.get(path).status_code == 404


def _files():
    table = pa.table({"id": range(4), "url": ROWS})
    parquet = io.BytesIO()
    pq.write_table(table, parquet)
    lines = "\n".join(ROWS)
    yield "urls.txt", lines.encode()
    yield "urls.txt.gz", gzip.compress(lines.encode())
    yield "urls.csv", ("id,url\n" + "\n".join(f"{n},{url}" for n, url in enumerate(ROWS))).encode()
    yield "urls.jsonl", "\n".join(json.dumps({"url": url}) for url in ROWS).encode()
    yield "urls.parquet", parquet.getvalue()


@pytest.mark.parametrize(
    ("name", "body"), list(_files()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_files_of_every_kind_are_read(visitor, name, body):
    answer = visitor.submit("/inspector", {"urls": ""}, files={"file": (name, body)})
    assert "4 URLs" in answer.text
    assert "not a web address" in answer.text


@pytest.mark.parametrize(("name", "body"), [
    ("broken.parquet", b"PAR1 no"), ("broken.gz", b"\x1f\x8b no"), ("empty.txt", b""), ("numbers.csv", b"a,b\n1,2\n"),
    ("broken.jsonl", b"{"),
])  # fmt: skip
def test_files_that_cannot_be_read_are_named(visitor, name, body):
    answer = visitor.submit("/inspector", {"urls": ""}, files={"file": (name, body)})
    assert answer.status_code == 422
    assert name.removesuffix(".gz") in answer.text or "the text" in answer.text


def test_many_rows_are_worked_through_in_the_background(visitor):
    urls = "\n".join(f"https://www.site{n}.nl/pagina/{n}" for n in range(3_000))
    answer = visitor.submit("/inspector", {"urls": urls})
    assert any("/jobs/" in str(one.url) for one in (*answer.history, answer))
    answer = visitor.outcome(answer)
    assert "3,000 of 3,000 rows" in answer.text
    assert "Page 1 of 30" in answer.text


def test_a_page_is_identified_and_its_declarations_are_judged(visitor):
    page = '<html lang="de"><p>Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati.</p>'
    text = visitor.submit("/pages", {"html": page}, page="/pages").text
    assert "Italian" in text
    assert '<td data-label="Correct?">no</td>' in text


def test_links_of_search_results_are_grouped_by_language(visitor):
    data = {"list": "Le Monde https://www.lemonde.fr/economie/\nZeitung http://www.zeitung.de/politik."}
    text = visitor.submit("/links", data, page="/links").text
    assert 'data-group="fr"' in text
    assert 'data-group="de"' in text


def test_html_among_search_results_is_read_as_html(visitor):
    """The box for a text is the one in sight: of its source the addresses alone were taken, with tags for names."""
    pasted = '<base href="https://www.nu.nl/"><a href="/sport">Voetbal</a> <a href="//www.zeit.de/politik">Zeit</a>'
    told = visitor.submit("/links", {"list": pasted}, page="/links").text
    assert ">Voetbal<" in told
    assert "https://www.nu.nl/sport" in told
    assert "2 links" in told


def test_reports_are_listed_shown_and_nothing_else(make_studio, tmp_path):
    folder = tmp_path / "reports"
    (folder / "tables").mkdir(parents=True)
    (folder / "tables" / "two.md").write_text(
        "# Table *2*\n\n<script>alert(1)</script>\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    )
    (folder / "report.html").write_text("<h1>hello</h1><script>alert(1)</script>")
    (tmp_path / "secret.md").write_text("secret")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    with make_studio(reports=folder).visitor() as visitor:
        assert "tables/two.md" in visitor.get("/reports").text
        text = visitor.get("/reports/show/tables/two.md").text
        assert "<td>1</td>" in text
        assert "<script>alert" not in text
        assert 'sandbox=""' in visitor.get("/reports/show/report.html").text
        assert (
            visitor.get("/reports/raw/report.html").headers["content-security-policy"].startswith("sandbox")
        )
        for name in ("../secret.md", "..%2fsecret.md", "link.md", "%2fetc%2fpasswd"):
            assert visitor.get(f"/reports/raw/{name}").status_code == 404


def test_the_model_tells_its_languages(visitor):
    text = visitor.get("/model").text
    assert "Dutch" in text
    assert 'src="data:image/svg+xml;base64,' in text  # the diagram of its own card


def test_a_text_has_the_pictures_of_its_folder_and_no_others(tmp_path):
    from linksight.studio.routes.web.reports import markdown

    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / "a.svg").write_text("<svg/>")
    (tmp_path / "b.svg").write_text("<svg/>")
    drawn = markdown('![A "plot"](pictures/a.svg)', folder)
    assert '<img class="drawn" alt="A &#34;plot&#34;" src="data:image/svg+xml;base64,' in drawn
    for source in ("pictures/../b.svg", "b.svg", "http://elsewhere.example/a.svg"):
        assert "<img" not in markdown(f"![A]({source})", folder)
    assert markdown("![A](pictures/a.svg)") == "<p><em>[A]</em></p>\n"


def test_a_script_has_its_name(visitor):
    text = visitor.submit(
        "/pages", {"html": "<p>Все люди рождаются свободными и равными."}, page="/pages"
    ).text
    assert "Cyrillic <small>Cyrl</small>" in text


def test_crawls_take_only_strategies_of_the_list_and_names_that_are_names(visitor):
    good = {"seeds": "http://a.nl/", "contact": "crawls@library.example", "language": "nl"}
    for wrong in (
        {"strategy": "evil.py:Run"},
        {"name": "../x"},
        {"language": "klingonese"},
        {"seeds": " "},
        {"max_pages": "x"},
    ):
        answer = visitor.submit("/crawls", good | wrong, page="/crawls")
        assert answer.status_code == 422, wrong
    assert visitor.get("/crawls/..%2f..").status_code in (404, 405, 422)
    assert visitor.get("/crawls/none").status_code == 404


def test_a_page_without_a_charset_is_shown_in_the_encoding_of_its_bytes(visitor):
    text = "Économie, société, élections : toute l’actualité en français <a href='http://www.lemonde.fr/é'>été</a>"
    for encoding in ("utf-8", "cp1252"):
        page = f"<p>{text}</p>".encode(encoding)
        shown = visitor.submit("/links", {}, page="/links", files={"file": ("a.html", page)}).text
        preview = visitor.get(re.search(r"/preview/[\w-]+", shown)[0]).text
        assert "Économie, société" in preview, encoding
        assert ">été</a>" in preview or "été" in preview


def test_errors_have_titles_for_people(visitor):
    for path, title in (
        ("/runs/0000000000000000", "Not found"),
        ("/crawls/none", "Not found"),
    ):
        answer = visitor.get(path)
        assert (answer.status_code, f"<h1>{title}</h1>" in answer.text) == (404, True)
