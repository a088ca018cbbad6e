"""Wrong input, command by command: one line that names the input, says what is wrong and what to do next."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from linksight.cli import main
from linksight.sites.patterns.pattern import PatternSet

NOISE = bytes(range(128, 256)) * 20


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one of each kind of file that is not what was meant."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LINKSIGHT_DATA", raising=False)
    monkeypatch.delenv("LINKSIGHT_SITES", raising=False)
    for name in ("noise.txt", "noise.csv", "noise.dat"):
        (tmp_path / name).write_bytes(NOISE)
    (tmp_path / "random.txt").write_bytes(bytes(range(256)) * 20)
    (tmp_path / "lines.csv").write_bytes(b"a\rb\rc,d\ne\n")
    (tmp_path / "labelled.csv").write_text("url,language\nhttp://a.de/,de\nhttp://b.fr/,fr\n")
    (tmp_path / "urls.txt").write_text("http://a.de/x/1\nhttp://a.de/x/2\n")
    (tmp_path / "mixed.txt").write_text("http://a.de/x/1\nhttp://a.de/x/2\nmailto:me@a.de\n")
    (tmp_path / "nothing.txt").write_text("")
    (tmp_path / "wrong.toml").write_text("[crawl]\nmax_pagez = 3\n")
    (tmp_path / "dutch.toml").write_text('[crawl]\nlanguage = "nl"\n', encoding="utf-8-sig")
    (tmp_path / "flat.toml").write_text('language = "nl"\n')
    (tmp_path / "above.toml").write_text('max_pages = 3\n[crawl]\nlanguage = "nl"\n')
    (tmp_path / "folder").mkdir()
    PatternSet.from_texts(["http://a.de/x/*"]).save(tmp_path / "patterns.json")
    return tmp_path


WRONG = {
    "detect -i random.txt": "random.txt: binary data, not a text file; check that it is the file you meant",
    "detect urls.txt": "urls.txt is a file, not a URL; give it with: -i urls.txt",
    "detect http://a.de/ -i urls.txt": "one of them",
    "detect -i labelled.csv -o folder": "folder: a folder; to write into one give --split-by-language",
    "detect -i labelled.csv -o no/out.csv": "no such folder",
    "detect -i lines.csv": "lines.csv: cannot be read as csv",
    "detect http://a.de/ --model folder": "folder: a folder, where a file is needed",
    "identify folder": "folder: no file in this folder",
    "identify urls.txt -o no/out.csv": "no such folder",
    "train labelled.csv -o model --extend --words noise.txt -l de": "noise.txt: not a text file in UTF-8",
    "evaluate bundled labelled.csv -o no/x.json --format json": "no such folder",
    "crawl run -l nl -o new -i noise.txt": "noise.txt: not a text file in UTF-8",
    "crawl run http://a.nl/ -l nl -o new --config missing.toml": "missing.toml: No such file",
    "crawl run http://a.nl/ -l nl -o new --config wrong.toml": "'max_pagez', did you mean 'max_pages'?",
    "crawl run http://a.nl/ -l nl -o new --config flat.toml": "flat.toml: settings belong below a line [crawl]",
    "crawl run http://a.nl/ -l nl -o new --config above.toml": "'max_pages' is outside of it",
    "crawl run http://a.nl/ -o new": "which language? Give it with --language",
    "crawl run http://127.0.0.1/ -o new --config dutch.toml": "an address of a private network",
    "crawl run http://a.nl/ -l nl -o new --store nope://x": "postgresql://user@host/name",
    "crawl status folder": "begin one with: linksight crawl run",
    "site learn urls.txt -o no/patterns.json": "no such folder",
    "site learn folder --from urls": "folder: a folder, where files are needed",
    "site learn nothing": "nothing: neither a file nor an address",
    "site show --store missing.db": "No workbench here (missing.db)",
    "serve --store nope://x": "postgresql://user@host/name",
    "bench --figures noise.dat": "noise.dat: not a text file in UTF-8",
    "bench --figures labelled.csv": "labelled.csv: not the figures of a comparison",
    "bench pages --data folder": "no such file; is that the folder of labelled data?",
    # Options that would be ignored: whoever gives one means something by it.
    "detect http://a.de/ --resume": "--resume goes with -o or --split-by-language",
    "detect http://a.de/ -o out.csv --resume": "--resume needs files as input",
    "detect -i urls.txt --resume": "--resume goes with -o or --split-by-language",
    "detect -i urls.txt --overwrite": "--overwrite goes with -o or --split-by-language",
    "detect http://a.de/ --column x": "--column is for files",
    "detect http://a.de/ --no-header": "--no-header is for files",
    "detect http://a.de/ --from csv": "--from is for files",
    "detect http://a.de/ --prefix x": "--prefix is for files",
    "train labelled.csv -o model --words urls.txt": "--words goes with --extend",
    "train labelled.csv -o model --model bundled": "--model goes with --extend",
    "train labelled.csv -o model --extend -a svm": "--algorithm does not go with --extend",
    "train labelled.csv -o model --extend --folds 3": "--folds does not go with --extend",
    "site annotate patterns.json": "nothing to change",
    # Numbers that make no sense.
    "site learn http://a.de/ --threads 0": "0 is not in the range",
    "site learn http://a.de/ --hubs 0": "0 is not in the range",
    "site learn http://a.de/ --delay -1": "-1.0 is not in the range",
    "site learn urls.txt --alpha 2": "2.0 is not in the range",
    "site annotate patterns.json --discard \u00b2": "no pattern '\u00b2'",
    "crawl replay --pages -5": "-5 is not in the range",
    "crawl replay --share 7": "7.0 is not in the range",
    "crawl replay --budget -7": "-7 is not in the range",
    "crawl replay --seeds 0": "0 is not in the range",
    "crawl replay --repeat 0": "0 is not in the range",
    "crawl labels folder -o x.csv --per-site 0": "0 is not in the range",
    "crawl labels folder -o x.csv --confidence 2": "2.0 is not in the range",
    "serve --max-urls 0": "0 is not in the range",
    "serve --rate -1": "-1.0 is not in the range",
}


@pytest.mark.parametrize("command", WRONG)
def test_wrong_input_is_named_with_the_next_step(here: Path, command: str) -> None:
    done = CliRunner().invoke(main, command.split())
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code in (1, 2)
    assert WRONG[command] in done.stderr
    assert "Traceback" not in done.stderr


def test_a_look_at_a_workbench_that_is_not_there_makes_none(here: Path) -> None:
    CliRunner().invoke(main, ["site", "show", "--store", "missing.db"])
    assert not (here / "missing.db").exists()


def test_lines_that_are_no_addresses_are_counted_when_a_site_is_learnt(here: Path) -> None:
    done = CliRunner().invoke(main, ["site", "learn", "mixed.txt"])
    assert done.exit_code == 0
    assert "left out: not a web address" in done.stderr


def test_an_empty_list_has_no_rows(here: Path) -> None:
    done = CliRunner().invoke(main, ["detect", "-i", "nothing.txt"])
    assert (done.exit_code, done.stderr) == (0, "0 rows\n")
