"""The experiments that need name look-ups: with a name server they have figures, without one a reason."""

import json

import pytest
from click.testing import CliRunner

from linksight.cli import main


@pytest.fixture
def own(tmp_path):
    lines = ["url,language"]
    for i in range(90):
        lines += [f"http://www.zeitung{i}.{'com' if i % 2 else 'de'}/seite{i},de", f"http://www.journal{i}.fr/page{i},fr"]  # fmt: skip
    path = tmp_path / "own.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def run(own, database, server, out, *more):
    names = ["table-vii", "table-xiv", "table-xii"]
    options = ["--quick", "--data", own, "--hosting", database, "--nameserver", server.address, "--out", out]
    result = CliRunner().invoke(main, ["reproduce", *names, *map(str, options), *more])
    assert result.exit_code == 0, result.output
    return {one["key"]: one for one in json.loads((out / "report.json").read_text())["sections"]}


def test_with_a_name_server_the_country_of_the_server_is_measured(own, database, dns_server, tmp_path):
    found = run(own, database, dns_server, tmp_path / "r")
    assert found["table-vii"]["missing"] == found["table-xiv"]["missing"] == ""
    rows = {tuple(row[:2]): row[2]["value"] for row in found["table-xiv"]["tables"][0]["rows"]}
    assert rows["German", "IP"] == 100.0  # .com is hosted in Germany
    assert rows["German", "ccTLD"] < 80
    assert ("French", "SVM all-grams + IP") in rows


def test_hosts_are_not_asked_for_again_on_resuming(own, database, serve_dns, tmp_path):
    server = serve_dns(lambda host: "10.1.0.1" if host.startswith("www.z") else "10.4.0.1")
    run(own, database, server, tmp_path / "r")
    before = len(server.asked)
    run(own, database, server, tmp_path / "r", "--resume")
    assert before >= 180
    assert len(server.asked) - before <= 40  # the probe alone


def test_without_an_answer_the_report_gives_the_reason_and_no_number(own, database, serve_dns, tmp_path):
    server = serve_dns(lambda host: None)
    found = run(own, database, server, tmp_path / "r")
    for key in ("table-vii", "table-xiv"):
        assert "of 40 hosts not one could be looked up (no such host: 40)" in found[key]["missing"]
    assert not any(isinstance(cell, dict) for row in found["table-vii"]["tables"][0]["rows"] for cell in row)
    assert not any(row[1] == "IP" for row in found["table-xiv"]["tables"][0]["rows"])
    assert any("is 0 here" in text for text in found["table-xii"]["text"])
