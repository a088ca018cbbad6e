"""The account of a crawl: ledger, report, labels, why, index, and the command that shows them."""

import json
import re

import pytest
from click.testing import CliRunner
from warcio.archiveiterator import ArchiveIterator

from linksight.cli import main
from linksight.crawl.archive.cdxj import urlkey, write_index
from linksight.crawl.archive.warc_records import page_of_metadata
from linksight.crawl.report.crawl_queries import Ledger, running, windowed, windows
from linksight.crawl.report.explain import why
from linksight.crawl.report.html_report import html_report, write_report
from linksight.crawl.report.training_data import label_rows, read_labels, write_labels
from linksight.errors import BadData, BadUrl


@pytest.fixture(scope="module")
def crawled(tmp_path_factory, local_web):
    """A finished crawl of a web where half the hosts are Dutch, and that web's pages."""
    from linksight.crawl.run.config import CrawlConfig
    from linksight.crawl.run.worker import Worker
    from linksight.crawl.scoring.model_protocols import CountryModel
    from linksight.pages import identify

    folder = tmp_path_factory.mktemp("ledger") / "crawl"
    folder.mkdir()
    with local_web(hosts=8, pages=15, mix=("nl", "fr")) as web:
        config = CrawlConfig(
            language="nl",
            seeds=(web.url(0, 0),),
            delay=0.0,
            allow_private=True,
            explore=0.0,
            sample=20,
            robots=False,
        )
        config.save(folder)
        Worker(folder, config, CountryModel(["nl", "fr"]), identify).run()
        yield folder, web


@pytest.fixture
def ledger(crawled):
    with Ledger.open(crawled[0]) as opened:
        yield opened


def invoke(*arguments: object):
    return CliRunner().invoke(main, ["crawl", *map(str, arguments)])


def test_the_figures_of_the_ledger_agree_with_each_other(ledger, crawled):
    totals = ledger.totals()
    assert totals["hits"] == 60
    assert sum(ledger.languages().values()) == totals["pages"] == len(ledger.timeline())
    assert sum(ledger.timeline()) == totals["hits"]
    assert sum(host["pages"] for host in ledger.hosts(100)) == totals["pages"]
    assert sum(n for reasons in ledger.reasons().values() for n in reasons.values()) == sum(
        ledger.states().values()
    )


def test_what_was_fetched_as_a_sample_is_told_apart_from_what_was_wanted(ledger):
    """It stood among the pages that were fetched, with a reason that speaks against it."""
    reasons, missed = ledger.reasons(), ledger.missed()
    assert sum(reasons["sampled"].values()) == missed.sample
    assert reasons["sampled"].keys().isdisjoint(reasons["done"])
    told = html_report(ledger, ledger.as_dict())
    assert "<td>rejected, fetched as a sample</td><td>looks-wrong</td>" in told


def test_a_curve_of_many_pages_has_few_points_and_ends_at_the_last():
    points = running([True, False] * 50_001)
    assert len(points) < 5_000
    assert (points[0], points[-1]) == ((0.0, 0.0), (100_002.0, 50_001.0))


def test_the_missed_share_comes_from_the_sample(ledger):
    missed = ledger.missed()
    assert missed.sample > 0
    assert missed.hits == 0
    assert missed.population >= missed.sample
    assert ledger.savings()["requests_saved"] >= 0


def test_the_report_is_one_file_that_needs_nothing_else(ledger, tmp_path):
    page, figures = write_report(ledger, tmp_path)
    text = page.read_text()
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", text)
    assert "<script" not in text
    assert text.count("<svg") == 3
    for words in ("What was missed", "Tables XVII to XIX", "Table 2", "Figure 7", "60"):
        assert words in text
    assert json.loads(figures.read_text())["totals"]["hits"] == 60


def test_what_a_page_is_named_cannot_break_the_report(ledger):
    told = ledger.as_dict()
    told["hosts"][0]["host"] = "<script>alert(1)</script>"
    assert "<script>" not in html_report(ledger, told)


def test_why_tells_of_every_kind_of_url(ledger, crawled):
    _, web = crawled
    seed = why(ledger, web.url(0, 0))
    assert seed["answer"] == "fetched, because it is a seed; the page is in Dutch"
    assert seed["page"]["warc"].endswith(".warc.gz")
    assert why(ledger, web.url(0, 3))["found_on"].startswith("http://127.0.")
    assert why(ledger, "http://elsewhere.nl/")["answer"].startswith(
        "no page that was fetched links to it, as far as the first 2,000 links"
    )
    assert "media" in why(ledger, "http://a.nl/x.jpg")["reason"]
    near = why(ledger, web.url(0, 0).replace("http:", "https:") + "/")
    assert near["answer"].endswith(f"; but the crawl has met {web.url(0, 0)}")
    with pytest.raises(BadUrl):
        why(ledger, "mailto:x@y.nl")


def test_labels_are_ready_for_training(ledger, tmp_path):
    rows = list(label_rows(ledger.engine, per_site=5))
    assert max(sum(row["domain"] == other["domain"] for other in rows) for row in rows) == 5
    for name in ("l.parquet", "l.csv", "l.jsonl"):
        assert write_labels(rows, tmp_path / name) == len(rows)
        urls, languages = read_labels(tmp_path / name)
        assert (urls, languages) == ([r["url"] for r in rows], [r["language"] for r in rows])
    with pytest.raises(BadData, match=r"labels are written as"):
        write_labels(rows, tmp_path / "l.xyz")
    with pytest.raises(BadData, match=r"missing\.csv"):
        read_labels(tmp_path / "missing.csv")


def test_the_index_leads_to_every_record(ledger, crawled, tmp_path):
    folder, _ = crawled
    count = write_index(ledger.engine, tmp_path, max_lines=7)  # in parts that are merged
    lines = (tmp_path / "index.cdxj").read_text().splitlines()
    assert len(lines) == count > 60
    assert lines == sorted(lines)
    for line in lines[:20]:
        about = json.loads(line.split(" ", 2)[2])
        with (folder / "warc" / about["filename"]).open("rb") as file:
            file.seek(int(about["offset"]))
            record = next(iter(ArchiveIterator(file)))
            assert record.rec_headers.get_header("WARC-Target-URI") == about["url"]
            assert record.rec_headers.get_header("WARC-Payload-Digest") == about["digest"]


def test_every_page_has_a_metadata_record_with_prediction_and_label(crawled):
    folder, web = crawled
    told, info = {}, ""
    for path in (folder / "warc").glob("*.gz"):
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_type == "metadata":
                    uri = record.rec_headers.get_header("WARC-Target-URI")
                    told[page_of_metadata(uri)] = json.loads(record.content_stream().read())
                elif record.rec_type == "warcinfo":
                    info = record.content_stream().read().decode()
    assert '"language": "nl"' in info
    page = told[web.url(0, 1)]
    assert (page["language"], page["script"], page["encoding"].lower()) == ("nl", "Latn", "ascii")
    assert page["prediction"]["evidence"]
    assert page["prediction"]["reason"]


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://www.a.nl/", "nl,a)/"),
        ("https://b.a.co.uk/X?c=1&b=2", "uk,co,a,b)/x?b=2&c=1"),
        ("http://127.0.0.1:99/", "1,0,0,127:99)/"),
    ],
)
def test_keys_sort_by_domain(url, key):
    assert urlkey(url) == key


def test_windows_are_those_of_figure_seven():
    assert windows([True] * 200 + [False] * 200 + [True]) == [1.0, 0.0]
    assert windows([]) == []


def test_a_last_window_that_is_not_full_ends_where_the_pages_end():
    assert windowed([True] * 10 + [False] * 6, 10) == [(10, 1.0), (16, 0.0)]
    assert windowed([True] * 10 + [False] * 2, 10) == [(10, 1.0)]


def test_the_command_tells_what_it_knows(crawled, tmp_path):
    folder, web = crawled
    assert "60 in Dutch" in invoke("report", folder).stdout
    assert json.loads(invoke("report", folder, "--format", "json").stdout)["language"] == "nl"
    assert "it is a seed" in invoke("why", folder, web.url(0, 0)).stdout
    written = invoke("labels", folder, "-o", tmp_path / "l.csv")
    assert written.exit_code == 0
    assert "at most 5 a site (--per-site)" in written.stderr
    told = {kind: invoke("labels", folder, *more) for kind, more in
            (("jsonl", ()), ("csv", ("--format", "csv")), ("tsv", ("--format", "tsv")))}  # fmt: skip
    assert [json.loads(line)["language"] for line in told["jsonl"].stdout.splitlines()].count("nl") > 0
    assert told["csv"].stdout == (tmp_path / "l.csv").read_text() == told["tsv"].stdout.replace("\t", ",")
    assert all(one.exit_code == 0 and one.stderr.endswith("(--confidence)\n") for one in told.values())
    assert "--format is for stdout" in invoke("labels", folder, "-o", "x.csv", "--format", "csv").stderr
    assert "done, not running here" in invoke("status", folder).stdout
    assert "no worker runs here" in invoke("stop", folder).stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["report", "nowhere"], "no crawl here"),
        (["resume", "nowhere"], "no crawl here"),
        (["run", "http://a.nl/", "-l", "Klingonish", "-o", "x"], "unknown language"),
        (["run", "-l", "nl", "-o", "x"], "at least one address"),
        (["run", "http://a.nl/", "-l", "nl", "-o", "x", "-s", "nonsense"], "strategy"),
        (["run", "http://a.nl/", "-l", "nl", "-o", "x", "--delay", "-3"], "must not be negative"),
        (["run", "mailto:me@a.nl", "-l", "nl", "-o", "x", "--model", "cctld"], "not a web address"),
    ],
)
def test_a_mistake_is_one_line_on_stderr(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = invoke(*arguments)
    assert result.exit_code == 1
    assert message in result.stderr
    assert "Traceback" not in result.output


def test_a_folder_with_a_crawl_is_not_begun_again(crawled):
    result = invoke("run", "http://a.nl/", "-l", "nl", "-o", crawled[0])
    assert result.exit_code == 1
    assert "resume" in result.stderr


def test_the_loop_closes_labels_train_the_model_of_the_next_crawl(crawled, tmp_path):
    from linksight.crawl.run.config import CrawlConfig
    from linksight.crawl.scoring.model_protocols import load_model

    labels, model = tmp_path / "labels.parquet", tmp_path / "better.linksight"
    assert invoke("labels", crawled[0], "-o", labels, "--per-site", 15).exit_code == 0
    trained = CliRunner().invoke(main, ["train", str(labels), "--extend", "-q", "-o", str(model)])
    assert trained.exit_code == 0, trained.output
    better = load_model(CrawlConfig(language="nl", model=str(model)))
    assert better.predict_proba(["http://www.fiets.nl/"]).shape == (1, len(better.languages))


def test_a_crawl_that_fetched_nothing_says_why_and_fails(tmp_path):
    result = invoke(
        "run", "http://no-such-host.invalid/", "-l", "nl", "-o", tmp_path / "c", "--retries", 0, "-q"
    )
    assert result.exit_code == 1
    assert "nothing was fetched: its host's name could not be resolved (1 URL); ask" in result.output
    assert f"crawl why {tmp_path / 'c'}" in result.output
