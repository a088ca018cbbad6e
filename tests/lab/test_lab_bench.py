"""linksight bench: the measures are right, what is missing is named, and nothing is hidden."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from linksight.cli import main
from linksight.errors import BadData
from linksight.lab.compare import (
    accuracy_intervals,
    benchmark,
    comparison_rules,
    comparison_tables,
    memory_usage,
    peers,
    quality_plot,
)
from linksight.lab.compare.sample_rows import draw_pages, draw_urls
from linksight.lab.evaluation.labelled_urls import LabelledUrls

URLS = LabelledUrls.of(
    ["https://www.lemonde.fr/economie/", "https://www.spiegel.de/politik/", "https://www.elpais.es/deportes/",
     "https://www.corriere.it/cronache/", "https://www.bbc.co.uk/news/"],
    ["fr", "de", "es", "it", "en"],
)  # fmt: skip
NONE = LabelledUrls((), ())


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    path = tmp_path / "labelled.csv"
    rows = [f"{url},{language}" for url, language in zip(URLS.urls, URLS.languages, strict=True)]
    path.write_text("url,language\n" + "\n".join(rows) + "\n")
    return path


def _only(monkeypatch: pytest.MonkeyPatch, *chosen: peers.Peer) -> None:
    """Stand-ins for the peers, so that the test asks what the contest does and not what they know."""
    monkeypatch.setattr(benchmark, "on_urls", lambda: chosen)


def test_a_peer_that_is_missing_or_broken_is_named_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> peers.Ask:
        raise ImportError("nope")

    def damaged() -> peers.Ask:
        raise OSError("its model is\nnot there")

    def breaks(_: object) -> list[str]:
        raise ValueError("too short")

    _only(
        monkeypatch,
        peers.Peer("A", "a-peer", missing, peers.ON_WORDS),
        peers.Peer("B", "b-peer", damaged, peers.ON_WORDS),
        peers.Peer("C", "c-peer", lambda: breaks, peers.ON_WORDS),
    )
    found = benchmark.bench_urls(URLS, NONE)
    assert found.missing["A"] == "not installed (pip install a-peer)"
    assert found.missing["B"] == "installed, but cannot run: its model is not there"
    assert found.missing["C"] == "failed on these rows: ValueError: too short"
    assert found.missing["scikit-learn: n-grams, naive Bayes"] == "no labelled URLs to train on were given"
    for name in "ABC":
        assert f"- not compared: {name}: " in comparison_tables.as_table(found)


def test_a_peer_gets_what_its_rule_says_and_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def half_right(texts: object) -> list[str]:
        asked.extend(texts)  # type: ignore[arg-type]
        return ["fr" if "lemonde" in text else "und" for text in texts]  # type: ignore[attr-defined]

    _only(monkeypatch, peers.Peer("French only", "pytest", lambda: half_right, peers.ON_WORDS))
    found = benchmark.bench_urls(URLS, NONE)
    score = next(score for score in found.scores if score.name == "French only")
    assert "lemonde fr economie" in asked
    assert score.measures["accuracy"] == pytest.approx(0.2)
    assert score.measures["five"] == pytest.approx(0.2)
    assert score.measures["per_second"] > 0
    assert score.version


def test_linksight_is_asked_both_ways_about_the_same_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    _only(monkeypatch)
    scores = {score.name: score for score in benchmark.bench_urls(URLS, NONE).scores}
    assert scores["linksight, many at a time"].measures["accuracy"] == 1.0
    assert scores["linksight, one at a time"].measures["accuracy"] == 1.0


def test_shares_have_intervals_that_narrow_with_rows() -> None:
    few = accuracy_intervals.shares([True, False] * 10, ["de"] * 20)
    many = accuracy_intervals.shares([True, False] * 500, ["de"] * 1000)
    for found in (few, many):
        low, high = found["accuracy_interval"]
        assert low < 0.5 < high
    assert many["accuracy_interval"][1] - many["accuracy_interval"][0] < 0.4 * (
        few["accuracy_interval"][1] - few["accuracy_interval"][0]
    )
    assert few["groups"] == {"de": [20, 0.5]}
    assert accuracy_intervals.shares([True] * 12, ["de"] * 9 + ["nl"] * 3)["groups"] == {}


def test_rows_of_one_domain_count_as_one_sample() -> None:
    hits = [True] * 50 + [False] * 50
    alone = accuracy_intervals.shares(hits, ["de"] * 100)["accuracy_interval"]
    together = accuracy_intervals.shares(hits, ["de"] * 100, [f"d{n // 10}" for n in range(100)])
    assert alone[1] - alone[0] < 0.25 < together["accuracy_interval"][1] - together["accuracy_interval"][0]


def test_a_mean_lies_within_its_interval() -> None:
    """Most languages have a row or two, and those are the ones that go wrong."""
    truth = [*(f"big{n % 20}" for n in range(2000)), *(f"rare{n}" for n in range(60))]
    found = accuracy_intervals.shares(
        [own.startswith("big") and n % 11 > 0 for n, own in enumerate(truth)], truth
    )
    low, high = found["mean_interval"]
    assert low < found["mean"] < high < 0.3
    one_each = accuracy_intervals.shares([True, False] * 10, [str(n) for n in range(20)])["mean_interval"]
    assert one_each[0] < 0.4 < 0.6 < one_each[1]


def test_memory_is_that_of_the_system_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    ballast = bytearray(200 << 20)  # what this process takes must not count
    taken = memory_usage.peak_memory("urls", "linksight, one at a time", list(URLS.urls))
    assert ballast[0] == 0
    assert taken is not None
    assert 5e6 < taken < 190e6
    assert memory_usage.peak_memory("urls", "no such system", list(URLS.urls)) is None


def test_where_a_peer_wins_is_said_column_by_column_and_language_by_language() -> None:
    ours = benchmark.Score(
        "linksight",
        "1",
        "",
        {
            "accuracy": 0.9,
            "mean": 0.9,
            "per_second": 10.0,
            "memory": 50e6,
            "groups": {"de": [12, 0.9], "nl": [30, 0.5]},
        },
    )
    theirs = benchmark.Score(
        "peer",
        "2",
        "",
        {
            "accuracy": 0.5,
            "mean": 0.95,
            "per_second": 20.0,
            "memory": 9e6,
            "groups": {"de": [12, 0.8], "nl": [30, 0.7]},
        },
    )
    told = comparison_tables.wins(benchmark.Contest("encodings", 42, [ours, theirs]))
    assert told == [
        "- mean over encodings: peer 0.950; linksight 0.900",
        "- pages/s: peer 20; linksight 10",
        "- memory, MB: peer 9; linksight 50",
        "- right more often, of those with ten rows or more:\n    - nl (30 rows): peer 0.70, linksight 0.50",
    ]
    page = comparison_tables.as_page(
        [benchmark.Contest("encodings", 42, [ours, theirs])],
        {"command": "x", "linksight": "1", "python": "3"},
    )
    assert "Where a peer is better:" in page


DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_made_from_the_figures_beside_it() -> None:
    contests, about = comparison_tables.from_json((DOCS / "comparison.json").read_text())
    assert (
        comparison_tables.as_page(contests, about, "pictures/comparison.svg")
        == (DOCS / "comparison.md").read_text()
    )
    assert comparison_tables.as_json(contests, about) == (DOCS / "comparison.json").read_text()
    named = {score.name for contest in contests for score in contest.scores} | {
        name for c in contests for name in c.missing
    }
    assert {
        peer.name for peer in (*peers.on_urls(), *peers.on_pages(), *peers.on_bytes(), peers.courlan())
    } <= named


def test_of_the_figures_of_an_earlier_run_the_tasks_that_are_named_are_shown(tmp_path: Path) -> None:
    figures = tmp_path / "urls.json"
    words = ["bench", "urls", "--figures", str(DOCS / "comparison.json"), "--json", str(figures)]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert "urls: " in done.stdout
    assert "encodings: " not in done.stdout
    done = CliRunner().invoke(main, ["bench", "pages", "--figures", str(figures)])
    assert done.exit_code == 1
    assert "no figures of pages; there are: urls" in done.stderr


@pytest.mark.parametrize(
    "option", ["--urls 10", "--seed 3", "--url-data FIGURES", "--no-memory", "--train 0"]
)
def test_options_of_measuring_are_refused_where_nothing_is_measured(option: str) -> None:
    figures = str(DOCS / "comparison.json")
    words = option.replace("FIGURES", figures).split()
    done = CliRunner().invoke(main, ["bench", "--figures", figures, *words])
    assert done.exit_code == 2
    assert "does not go with --figures, which measures nothing" in done.stderr


def test_figures_of_an_earlier_run_make_the_page_again(tmp_path: Path) -> None:
    words = ["bench", "--figures", str(DOCS / "comparison.json"), "--docs", str(tmp_path)]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert (tmp_path / "comparison.md").read_text() == (DOCS / "comparison.md").read_text()
    assert (tmp_path / "pictures" / "comparison.svg").exists()
    (tmp_path / "bad.json").write_text('{"contests": 3}')
    done = CliRunner().invoke(main, ["bench", "--figures", str(tmp_path / "bad.json")])
    assert done.exit_code == 1
    assert "not the figures of a comparison" in done.output


def test_courlan_that_is_missing_is_named_like_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    _only(monkeypatch)
    monkeypatch.setitem(sys.modules, "courlan", None)
    monkeypatch.setitem(sys.modules, "courlan.filters", None)
    assert benchmark.bench_urls(URLS, NONE).missing["courlan"] == "not installed (pip install courlan)"


def test_the_best_of_a_column_is_marked_whoever_it_is() -> None:
    ours = benchmark.Score("linksight", "1", "", {"accuracy": 0.5, "mean": 0.5, "per_second": 10.0})
    theirs = benchmark.Score(
        "peer", "2.0.1.dev4", "", {"accuracy": 0.75, "mean": 0.25, "per_second": 12345.0}
    )
    table = comparison_tables.as_table(benchmark.Contest("encodings", 4, [ours, theirs]))
    assert "| linksight | 0.500 | **0.500** | 10 |  |" in table
    assert "| peer 2.0.1 | **0.750** | 0.250 | **12,000** |  |" in table


def test_command_writes_table_json_and_plot(
    labelled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _only(monkeypatch)
    page, figures, plot = (tmp_path / f"out.{ending}" for ending in ("md", "json", "svg"))
    words = ["bench", "urls", "--url-data", labelled, "--format", "markdown", "--no-memory"]
    words += ["-o", page, "--json", figures, "--plot", plot]
    done = CliRunner(env={"LINKSIGHT_DATA": ""}).invoke(main, [*map(str, words)])
    assert done.exit_code == 0, done.output
    text, told = page.read_text(), json.loads(figures.read_text())
    assert "## The rules" in text
    assert "5 rows" in text
    assert told["contests"][0]["rows"] == 5
    assert told["rules"] == comparison_rules.RULES
    assert plot.read_bytes().lstrip().startswith(b"<?xml")


@pytest.mark.parametrize("task", ["urls", "pages", "encodings"])
def test_without_data_the_command_says_what_it_needs(task: str) -> None:
    done = CliRunner(env={"LINKSIGHT_DATA": ""}).invoke(main, ["bench", task])
    assert done.exit_code == 1
    assert "LINKSIGHT_DATA" in done.output


def test_nothing_to_compare_on_is_an_error(tmp_path: Path) -> None:
    for ask in (
        lambda: benchmark.bench_urls(NONE, NONE),
        lambda: benchmark.bench_pages([]),
        lambda: benchmark.bench_encodings([]),
    ):
        with pytest.raises(BadData, match="no "):
            ask()
    bad = tmp_path / "pages.parquet"
    bad.write_bytes(b"PAR1 no table")
    with pytest.raises(BadData, match="not a file of labelled pages"):
        draw_pages(bad, 5, ("web",))


def test_draws_are_the_same_for_the_same_seed(labelled: Path) -> None:
    assert draw_urls(labelled, 3, seed=1).urls == draw_urls(labelled, 3, seed=1).urls
    assert len(draw_urls(labelled, 3)) == 3
    assert len(draw_urls(labelled, 0)) == 5


@pytest.mark.data
def test_pages_are_spread_over_languages(data: Path) -> None:
    pages = draw_pages(data / "pages/dev.parquet", 40, ("web",))
    assert len(pages) == 40
    assert len({page.language for page in pages}) == 40


@pytest.mark.data
def test_pages_and_encodings_beside_whatever_is_installed(data: Path) -> None:
    file = data / "pages/dev.parquet"
    languages = benchmark.bench_pages(draw_pages(file, 12, ("web",)))
    names = {score.name for score in languages.scores} | set(languages.missing)
    assert {peer.name for peer in (*peers.on_pages(), *peers.on_texts())} <= names, (
        "a peer was left out in silence"
    )
    assert languages.scores[0].measures["accuracy"] > 0.8
    charsets = benchmark.bench_encodings(draw_pages(file, 12, ("encodings",), by="encoding"))
    assert {peer.name for peer in peers.on_bytes()} <= {s.name for s in charsets.scores} | set(
        charsets.missing
    )


def test_rows_of_ones_own_are_named_and_those_left_out_counted(
    labelled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _only(monkeypatch)
    with labelled.open("a") as file:
        file.write("http://a.nl/,klingonese\n,nl\n")
    words = ["bench", "urls", "--url-data", str(labelled), "--urls", "3", "--train", "0", "--no-memory"]
    done = CliRunner(env={"LINKSIGHT_DATA": ""}).invoke(main, [*words, "--format", "json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["about"]["command"].startswith(
        "linksight bench urls --url-data labelled.csv --urls 3"
    )
    assert f"{labelled}: rows left out: 1 " in done.stderr
    done = CliRunner(env={"LINKSIGHT_DATA": ""}).invoke(main, [*words, "--quiet", "--urls", "1"])
    assert done.stdout.startswith("urls: 1 row\n")
    assert done.stderr == ""


def test_the_plot_has_a_row_for_each_system(monkeypatch) -> None:
    from matplotlib.figure import Figure

    contests, _ = comparison_tables.from_json((DOCS / "comparison.json").read_text())
    figures = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: figures.append(figure))
    quality_plot.as_plot(contests)
    for axes, contest in zip(figures[0].axes[::3], contests, strict=True):
        names = [label.get_text() for label in axes.get_yticklabels()]
        assert sorted(names) == sorted(one.name for one in contest.scores if "accuracy" in one.measures)
    for axes in figures[0].axes:
        labels = [label.get_window_extent() for label in axes.get_xticklabels() if label.get_text()]
        frame = axes.get_window_extent()
        shown = [box for box in labels if frame.x0 <= (box.x0 + box.x1) / 2 <= frame.x1]
        assert [a.x1 < b.x0 for a, b in itertools.pairwise(shown)] == [True] * (len(shown) - 1)
