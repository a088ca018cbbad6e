"""The report: every figure escaped and in place, CSV and JSON the same, and the command around it."""

import csv
import io
import json
import re

import pytest
from click.testing import CliRunner

from linksight.cli import main
from linksight.lab.evaluation.significance_tests import Spread
from linksight.lab.papers import published
from linksight.lab.papers.claims import judge
from linksight.lab.papers.registry import EXPERIMENTS, chosen
from linksight.lab.papers.report import svg_plots
from linksight.lab.papers.report.html_report import csv_of, html_of, write_report
from linksight.lab.papers.report.report_tables import BUNDLED, star_of
from linksight.lab.papers.report.results import Cell, Section, Table

ABOUT = {"facts": {"data": "a <b> & c"}}
TABLE = Table(
    "F1 <by> language",
    ["language", "F1"],
    [["German", Cell(96.04, 0.25, 97.2, best=True)], ["none", Cell(None)]],
)


def test_the_page_shows_ours_deviation_star_and_published_and_escapes_the_rest():
    page = html_of([Section("x", "A <title>", "paper", ["5 < 6"], [TABLE], missing="no DNS")], ABOUT)
    assert '<span class="best">96.0*</span>' in page
    assert "±0.2" in page
    assert "paper 97.2" in page
    assert "A &lt;title&gt;" in page
    assert "5 &lt; 6" in page
    assert "a &lt;b&gt; &amp; c" in page
    assert "no DNS" in page


def test_the_page_asks_nobody_for_anything(tmp_path):
    picture = svg_plots.lines({"a": [(1, 90, 1), (10, 95, 0.5)]}, "URLs", "F1", log=True)
    page = html_of([Section("x", "t", "p", figures=[("caption", picture)])], ABOUT)
    assert "<svg" in page
    assert not re.search(r'(?:src|href)="(?!#)', page)
    assert "<script" not in page
    assert "@import" not in page


def test_two_figures_in_one_page_share_no_names():
    one = svg_plots.bars(["de"], {"svm": [(90, 1)]}, "F1")
    other = svg_plots.bars(["fr"], {"svm": [(80, 1)]}, "F1")
    names = [re.findall(r' id="([^"]+)"', picture) for picture in (one, other)]
    assert names[0]
    assert not set(names[0]) & set(names[1])
    for picture, own in zip((one, other), names, strict=True):
        assert set(re.findall(r'href="#([^"]+)"', picture)) <= set(own)


def test_csv_has_ours_deviation_mark_and_published():
    rows = list(csv.reader(io.StringIO(csv_of(TABLE))))
    assert rows[0] == ["language", "F1", "F1 sd", "F1 significant", "F1 published"]
    assert rows[1] == ["German", "96.04", "0.25", "1", "97.2"]
    assert rows[2] == ["none", "", "", "0", ""]


def test_files_are_written_whole(tmp_path):
    page = write_report(tmp_path, [Section("x", "t", "p", tables=[TABLE])], ABOUT)
    assert page.read_text(encoding="utf-8").endswith("</html>\n")
    assert (
        json.loads((tmp_path / "report.json").read_text())["sections"][0]["tables"][0]["rows"][0][1][
            "published"
        ]
        == 97.2
    )
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == [
        "report.html",
        "report.json",
        "x-1.csv",
    ]


def test_published_figures_hold_together():
    """P and F1 follow from R and p(-|-), so a slip of the pen in a table of the paper shows."""
    tables = [published.TABLE_IX, published.TABLE_XII, published.TABLE_XIV, published.TABLE_XVI]
    for table in tables:
        assert set(table) == {"en", "de", "fr", "es", "it"}
        for language, rows in table.items():
            for name, (p, r, _, f1) in rows.items():
                assert f1 == pytest.approx(2 * p * r / (p + r), abs=0.12), (language, name)
    assert len(published.TABLE_XI) == 17
    assert len(published.SITES_2016) == 22


def test_the_menu_knows_its_names_and_helps_with_others():
    assert list(chosen([])) == list(EXPERIMENTS)
    result = CliRunner().invoke(main, ["reproduce", "table-ixx"])
    assert result.exit_code == 1
    assert "did you mean 'table-ix'" in result.stderr
    assert list(chosen(["figure-1", "Table VIII", "figure_7"])) == ["table-vii", "table-xvii"]


def test_two_sizes_at_once_are_refused(tmp_path):
    result = CliRunner().invoke(
        main, ["reproduce", "table-v", "--quick", "--full", "--out", str(tmp_path / "r")]
    )
    assert result.exit_code == 2
    assert "give one of them" in result.stderr
    assert not (tmp_path / "r").exists()


def test_the_list_names_every_experiment():
    result = CliRunner().invoke(main, ["reproduce", "--list"])
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == list(EXPERIMENTS)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Table 9", "'table-ix' or '2008-combinations' or 'pages'"),
        ("table11", "'table-xi'"),
        ("XI", "'table-xi'"),
        ("table 18", "'table-xvii'"),
        ("Table 3", "'data-sets' or '2008-humans' or 'sites'"),
    ],
)
def test_a_table_by_another_number_is_told_by_which_names_it_may_go(name, meant):
    result = CliRunner().invoke(main, ["reproduce", name])
    assert result.exit_code == 1
    assert f"did you mean {meant}?" in result.stderr


def test_a_name_server_that_nobody_would_ask_is_refused():
    result = CliRunner().invoke(main, ["reproduce", "table-v", "--nameserver", "9.9.9.9"])
    assert result.exit_code == 2
    assert "--nameserver goes with --hosting" in result.stderr


def test_no_data_is_said(monkeypatch, tmp_path):
    monkeypatch.delenv("LINKSIGHT_DATA", raising=False)
    result = CliRunner().invoke(main, ["reproduce", "table-v", "--out", str(tmp_path / "r")])
    assert result.exit_code == 1
    assert "LINKSIGHT_DATA" in result.stderr
    assert not (tmp_path / "r").exists()


def test_a_users_own_urls(tmp_path):
    lines = ["url,language"]
    for i in range(80):
        lines.append(f"http://www.krant{i % 20}.nl/nieuws/artikel{i},nl")
        lines.append(f"http://www.zeitung{i % 20}.de/nachrichten/artikel{i},German")
    own = tmp_path / "own.csv"
    lines += ["http://a.example/,", "http://b.example/,Quenya?", "nothing,nl"]
    own.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = "reproduce table-v table-ix table-xvi needs dutch --quick".split()
    command += ["--data", str(own), "--out", str(tmp_path / "r")]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    found = json.loads((tmp_path / "r" / "report.json").read_text())
    assert found["about"]["urls"] == {"de": 80, "nl": 80}
    assert found["about"]["facts"]["left out"] == "1 (no language), 1 (unknown language), 1 (no web address)"
    svm = next(row for row in found["sections"][1]["tables"][0]["rows"] if row[:2] == ["Dutch", "SVM"])
    assert svm[2]["value"] == 100.0
    assert svm[2]["published"] is None
    again = CliRunner().invoke(main, command)
    assert again.exit_code == 1
    assert "--resume" in again.stderr
    assert CliRunner().invoke(main, [*command, "--resume"]).exit_code == 0


def sections_of(tmp_path, lines, tables):
    """The sections of a report on a user's own rows, by name, and what it says about itself."""
    own = tmp_path / "own.csv"
    own.write_text("\n".join(["url,language", *lines]) + "\n", encoding="utf-8")
    command = ["reproduce", *tables.split(), "--quick", "--data", str(own), "--out", str(tmp_path / "r")]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    found = json.loads((tmp_path / "r" / "report.json").read_text())
    return {section["key"]: section for section in found["sections"]}, found["about"]


def test_a_url_that_stands_in_the_file_again_is_not_in_training_and_test_at_once(tmp_path):
    lines = [f"http://www.{kind}{i}.com/,{kind}" for i in range(60) for kind in ("nl", "de")] * 2
    sections, about = sections_of(tmp_path, lines, "section-4.3.1")
    assert about["urls"] == {"de": 60, "nl": 60}
    assert about["facts"]["left out"] == "120 (the same URL again)"
    assert [row[1]["value"] for row in sections["section-4.3.1"]["tables"][0]["rows"]] == [0, 0]


@pytest.mark.filterwarnings("error")
def test_languages_of_one_domain_each_are_measured_at_random_alone(tmp_path):
    lines = [f"http://www.{kind}.com/{kind}/{i},{kind}" for i in range(60) for kind in ("nl", "de")]
    sections, _ = sections_of(tmp_path, lines, "table-ix 2008-combinations 2008-domains needs")
    bayes = sections["table-ix"]["tables"][0]["rows"][0]
    assert [bayes[1], bayes[2]["value"], bayes[3]["value"]] == ["NB", 100.0, None]
    by_domain = [row for row in sections["2008-combinations"]["tables"][0]["rows"] if row[1] == "site"]
    assert [row[3]["value"] for row in by_domain] == [None, None]
    assert sections["needs"]["tables"][0]["rows"][0][2]["value"] is None


def test_few_urls_are_said_to_be_a_reason_for_what_differs():
    verdicts = judge([Section("section-4.3.1", "t", "paper", statistics={"domains-help": {"random": 2.0}})])
    assert "With 300 URLs of a language some" in html_of(
        [], {**ABOUT, "urls": {"de": 400, "nl": 300}}, verdicts
    )
    assert "are chance" not in html_of([], {**ABOUT, "urls": {"de": 40_000, "nl": 30_000}}, verdicts)


def test_a_stopped_run_says_how_to_go_on(monkeypatch, tmp_path):
    def stopped(_plan, _step):
        raise KeyboardInterrupt

    monkeypatch.setattr("linksight.lab.papers.reproduce.reproduce", stopped)
    result = CliRunner().invoke(main, ["reproduce", "table-v", "--out", str(tmp_path / "r")])
    assert result.exit_code == 1
    assert "--resume" in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("empty.csv", "", "empty file"),
        ("head.csv", "url,language\n", "no rows with a URL and a language"),
        ("names.csv", "address,lang\nhttp://a.nl/,nl\n", "no column 'url'; there are: address, lang"),
        ("bad.parquet", "PAR1", "not a Parquet file, or cut short"),
        ("odd.xlsx", "x", "cannot tell the kind of table"),
        ("one.csv", "url,language\n" + "http://a.nl/,nl\nnothing,nl\n" * 70, "there are: nl 1; 70 left out: no web address; 69 left out: the same URL again"),
    ],
)  # fmt: skip
def test_a_users_file_that_cannot_serve_says_why(tmp_path, name, text, reason):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    out = tmp_path / "r"
    result = CliRunner().invoke(main, ["reproduce", "table-v", "--data", str(path), "--out", str(out)])
    assert result.exit_code == 1
    assert reason in result.stderr
    assert name in result.stderr
    assert not out.exists()


def test_so_far_of_nothing_is_an_error_and_makes_nothing(tmp_path):
    result = CliRunner().invoke(
        main, ["reproduce", "table-v", "--quick", "--so-far", "--out", str(tmp_path / "r")]
    )
    assert result.exit_code == 1
    assert "no folds of an earlier run" in result.output
    assert not (tmp_path / "r").exists()


def test_so_far_runs_nothing_and_says_what_is_left(tmp_path):
    lines = ["url,language"]
    for i in range(80):
        lines += [f"http://www.krant{i}.nl/nieuws,nl", f"http://www.zeitung{i}.de/nachrichten,de"]
    own = tmp_path / "own.csv"
    own.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = ["reproduce", "--quick", "--data", str(own), "--out", str(tmp_path / "r")]
    assert CliRunner().invoke(main, [*command, "table-v"]).exit_code == 0
    kept = sorted(path.name for path in (tmp_path / "r" / "folds").iterdir())
    result = CliRunner().invoke(main, [*command, "table-v", "table-ix", "figure-2", "--so-far"])
    assert result.exit_code == 0, result.output
    sections = json.loads((tmp_path / "r" / "report.json").read_text())["sections"]
    assert [section["missing"] for section in sections] == [
        "", "Not finished: 30 folds are left to run.", "Not finished: it has not been run.",
    ]  # fmt: skip
    assert sorted(path.name for path in (tmp_path / "r" / "folds").iterdir()) == kept


def test_without_a_name_a_users_own_urls_get_what_says_something_about_them():
    assert "needs" in chosen((), own=True)
    assert not {"dutch", "sites", "pages", "2008-humans"} & set(chosen((), own=True))
    assert list(chosen((), own=False)) == list(EXPERIMENTS)
    assert list(chosen(["dutch"], own=True)) == ["dutch"]


def test_a_language_without_a_dictionary_does_not_end_the_run(tmp_path):
    pytest.importorskip("wordfreq")
    lines = ["url,language"]
    for i in range(80):
        lines += [f"http://www.hewal{i}.krd/nuce{i},ckb", f"http://www.zeitung{i}.de/nachrichten{i},de"]
    own = tmp_path / "own.csv"
    own.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = "reproduce table-xii 2008-selection --quick".split()
    command += ["--data", str(own), "--out", str(tmp_path / "r")]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    custom, selection = json.loads((tmp_path / "r" / "report.json").read_text())["sections"]
    assert any("no dictionary here of Central Kurdish" in text for text in custom["text"])
    assert custom["tables"][0]["rows"][0][2]["value"] > 50
    assert "no dictionary of Central Kurdish" in selection["missing"]


@pytest.mark.filterwarnings("error")
def test_sizes_of_training_that_hardly_differ_foretell_nothing(tmp_path):
    lines = [f"http://www.{kind}{i}.com/{kind}{i % 7},{kind}" for i in range(75) for kind in ("nl", "de")]
    sections, _ = sections_of(tmp_path, lines, "needs")
    row = sections["needs"]["tables"][0]["rows"][0]
    assert row[2]["value"] is not None
    assert row[3]["value"] is None


def test_names_below_many_bars_do_not_stand_over_each_other(monkeypatch):
    monkeypatch.setattr(svg_plots, "_svg", lambda figure: figure)
    names = ["Indonesian", "Portuguese", "Vietnamese"] * 4
    figure = svg_plots.bars(names, {"svm": [(90, 1)] * 12}, "F1")
    figure.draw_without_rendering()
    assert {label.get_rotation() for label in figure.axes[0].get_xticklabels()} == {45}


def test_bars_begin_at_nought(monkeypatch):
    """Bars are read by their lengths: cut off at the foot, 98 looks like twice 95."""
    monkeypatch.setattr(svg_plots, "_svg", lambda figure: figure)
    for value in (25.0, 98.0):
        figure = svg_plots.bars(["de"], {"svm": [(value, 1)]}, "F1", {"svm": [95.0]})
        assert figure.axes[0].get_ylim()[0] == 0


def test_what_never_differs_has_no_deviation():
    """The mean of equal figures is off by the last bit, and nought point nought stood beside some of them."""
    assert Spread((94.2, 94.2, 94.2)).sd == Spread((0.1 + 0.2, 0.3, 0.3)).sd == 0.0
    assert Spread((94.2, 94.3)).sd > 0


def test_no_star_below_a_better_one():
    """The bundled model is a rival too, wherever it has a figure."""
    rivals = {"SVM": Spread((83.2, 83.3, 83.4)), "ccTLD": Spread((27.0, 27.1, 27.2))}
    assert star_of({**rivals, BUNDLED: None}) == "SVM"
    assert star_of({**rivals, BUNDLED: Spread((94.2, 94.2, 94.2))}) == BUNDLED
