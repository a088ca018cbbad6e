"""``linksight data check``, and experiments by hosting country from recorded look-ups."""

import json

import pyarrow as pa
import pyarrow.parquet
import pytest
from click.testing import CliRunner

from linksight.cli import main
from linksight.errors import BadData
from linksight.lab.papers.host_countries import open_hosting


def check(folder):
    return CliRunner().invoke(main, ["data", "check", str(folder)])


def test_an_empty_folder_lacks_everything_and_the_experiments_are_named(tmp_path):
    done = check(tmp_path)
    assert done.exit_code == 1
    assert "urls/dutch.parquet                 0  missing; needed by dutch\n" in done.stdout


def test_columns_rows_and_damage_are_checked(tmp_path):
    (tmp_path / "urls").mkdir()
    pyarrow.parquet.write_table(pa.table({"url": ["http://a.nl/"]}), tmp_path / "urls" / "dev.parquet")
    (tmp_path / "urls" / "dutch.parquet").write_bytes(b"PAR1")
    done = check(tmp_path)
    lines = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert "1  lacks the columns language" in lines["urls/dev.parquet"]
    assert "damaged" in lines["urls/dutch.parquet"]


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    done = check(tmp_path / "none")
    assert done.exit_code == 1
    assert "not a folder" in done.stderr


@pytest.mark.data
def test_the_published_data_are_recognised(data):
    done = check(data)
    assert done.exit_code == 0, done.output
    assert done.stdout.count("as published") == 7
    assert "digest: " in done.stdout


def test_recorded_look_ups_serve_the_experiments_by_country(tmp_path):
    lines = [f"http://www.{kind}{i}.com/{kind},{kind}" for i in range(70) for kind in ("nl", "de")]
    (tmp_path / "own.csv").write_text("\n".join(["url,language", *lines]) + "\n", encoding="utf-8")
    hosts = [f"www.{kind}{i}.com,{kind if i % 7 else 'us'}" for i in range(70) for kind in ("nl", "de")]
    (tmp_path / "hosts.csv").write_text("\n".join(["host,country", *hosts]) + "\n", encoding="utf-8")
    out = tmp_path / "r"
    command = ["reproduce", "table-vii", "--quick", "--data", str(tmp_path / "own.csv"), "--out", str(out)]
    done = CliRunner().invoke(main, [*command, "--hosting", str(tmp_path / "hosts.csv")])
    assert done.exit_code == 0, done.output
    (section,) = json.loads((out / "report.json").read_text())["sections"]
    recall = next(row for row in section["tables"][0]["rows"] if row[0] == "Dutch")[5]["value"]
    assert 80 < recall < 90
    assert (out / "hosts.csv").read_text().splitlines()[0] == "host,country"


def test_recorded_look_ups_of_other_hosts_and_other_columns_are_reported(tmp_path):
    lines = [f"http://www.{kind}{i}.com/{kind},{kind}" for i in range(70) for kind in ("nl", "de")]
    (tmp_path / "own.csv").write_text("\n".join(["url,language", *lines]) + "\n", encoding="utf-8")
    (tmp_path / "hosts.csv").write_text("host,country\nwww.else.com,nl\n", encoding="utf-8")
    (tmp_path / "bad.csv").write_text("name,land\n", encoding="utf-8")
    command = ["reproduce", "table-vii", "--quick", "--data", str(tmp_path / "own.csv"), "--out"]
    assert (
        CliRunner()
        .invoke(main, [*command, str(tmp_path / "a"), "--hosting", str(tmp_path / "hosts.csv")])
        .exit_code
        == 0
    )
    (section,) = json.loads((tmp_path / "a" / "report.json").read_text())["sections"]
    assert "hosts.csv has no country for any of 140 hosts" in section["missing"]
    done = CliRunner().invoke(main, [*command, str(tmp_path / "b"), "--hosting", str(tmp_path / "bad.csv")])
    assert done.exit_code == 1
    assert "need the columns host and country" in done.stderr


def test_recorded_look_ups_that_are_not_text_are_an_error(tmp_path):
    (tmp_path / "hosts.csv").write_bytes(b"\xff\xfe\x00host,country\n")
    with pytest.raises(BadData, match=r"hosts\.csv: cannot be read as recorded look-ups"):
        open_hosting(tmp_path / "hosts.csv", (), ["http://a.nl/"])
