"""``linksight demo`` crawls its small web, shows the report, and removes everything."""

from __future__ import annotations

import tempfile
import webbrowser
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from linksight.cli import main
from linksight.cli.demo import sites

pytest.importorskip("scrapy")


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the demo makes its own; nothing may stay in it."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_the_demo_finds_the_pages_of_the_language_and_removes_everything(temporary: Path) -> None:
    done = CliRunner().invoke(main, ["demo", "--no-browser"])
    assert done.exit_code == 0, done.output
    assert "39 of 39 pages in Dutch" in done.stdout
    assert f"report: {temporary}" in done.stdout
    assert not list(temporary.iterdir())


def test_the_demo_opens_the_report_while_it_exists(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda url: opened.append(url) is None and _exists(url))
    done = CliRunner().invoke(main, ["demo", "-l", "fr"])
    assert done.exit_code == 0, done.output
    assert [url.rpartition("/")[2] for url in opened] == ["report.html"]
    assert "report: " not in done.stdout
    assert not list(temporary.iterdir())


def _exists(url: str) -> bool:
    return Path(url.removeprefix("file://")).is_file()


def test_a_kept_demo_is_a_crawl_that_other_commands_read(tmp_path: Path) -> None:
    folder = tmp_path / "german"
    done = CliRunner().invoke(main, ["demo", "--no-browser", "-l", "de", "--keep", str(folder)])
    assert done.exit_code == 0, done.output
    report = CliRunner().invoke(main, ["crawl", "report", str(folder)])
    assert "39 in German" in report.stdout


def test_every_page_of_the_small_web_links_to_pages_that_exist() -> None:
    for site in range(len(sites.LANGUAGES)):
        for path in sites.paths(site):
            body = sites.page(site, path, lambda number: f"http://{number}.example")
            assert body is not None
            for link in body.decode().split('href="')[1:]:
                host, _, target = link.partition('"')[0].removeprefix("http://").partition(".example")
                assert target in sites.paths(int(host))
    assert sites.page(0, "/nothing.html", str) is None


def test_linksight_alone_shows_five_commands_and_where_to_go_next() -> None:
    done = CliRunner().invoke(main, [])
    assert done.exit_code == 0
    assert sum(line.startswith("  linksight ") for line in done.stdout.splitlines()) == 5
    assert "linksight --help" in done.stdout
    assert max(map(len, click.unstyle(done.stdout).splitlines())) <= 80
