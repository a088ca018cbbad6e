"""Rules for classes of links, as strangers write them: XPath and expressions that never end, or take all there is."""

from __future__ import annotations

import resource
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.datastructures import FormData

from linksight.cli import main
from linksight.errors import BadConfig, BadData
from linksight.sites.evaluation import class_rules, sandbox
from linksight.sites.evaluation.class_rules import ClassRule, read_rules
from linksight.sites.evaluation.sandbox import MIB, Limits, label_apart
from linksight.sites.gathering.links import Link
from linksight.sites.workbench.workbench import Hub, Workbench
from linksight.studio.config import Settings
from linksight.studio.jobs import Cancelled, Job
from linksight.studio.services.workbench.learning_tasks import evaluate, evaluation_task
from linksight.system.processes import child_environment

#: A step for every three elements of a page: of a page with 600 links twenty seconds of a processor. A tree of twenty
#: thousand links would take a week, but then a test that fails would not end either.
SLOW = "//*[count(//*[count(//*)>0])>0]"
LINKS = [f"http://a.org/{kind}/{n}" for n in range(300) for kind in "pq"]
PAGE = "".join(f"<p><a href='{url}'>a page</a></p>" for url in LINKS).encode()
WORD = "a" * 29 + "!"  # a text of Python's worst: a minute for "(a+)+$"
HUB = Hub("http://a.org/", [Link(url) for url in LINKS], content_type="text/html", body=PAGE)


@pytest.fixture
def tight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "LIMITS", Limits(seconds=1, memory=256 * MIB))


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """A workbench with a site of two hubs."""
    made = Workbench(str(tmp_path / "sites.db"))
    site = made.open_site("a.org", "http://a.org/")
    for word in ("one", "two"):
        made.add_hub(site, Hub(f"http://a.org/?q={word}", HUB.links, content_type="text/html", body=PAGE))
    return made


def evaluation_job(rules: str) -> Job:
    """The job that a visitor's form with rules submits."""
    task = evaluation_task(1, FormData({"rules": rules}), Settings(), Path())
    return Job("evaluate", "a.org", task=task)


@pytest.mark.parametrize(("kind", "expression"), [("xpath", SLOW), ("regex", "(a+)+$")])
@pytest.mark.usefixtures("tight")
def test_a_rule_that_never_ends_is_ended(kind: str, expression: str) -> None:
    words = Hub("http://a.org/words", [Link(f"http://a.org/{WORD}")], content_type="text/html", body=PAGE)
    rules = [ClassRule("fine", "xpath", "//a"), ClassRule("slow", kind, expression)]
    with pytest.raises(BadConfig, match=rf"'slow': the {kind} .* more than the 1 s of processor time .* at http://a\.org/words"):  # fmt: skip
        label_apart([words], rules)


def test_a_rule_that_takes_all_memory_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "LIMITS", Limits(seconds=300, memory=128 * MIB))
    page = b"<p>" + b"word " * MIB + b"</p><a href=/x>x</a>"  # forty times that is two hundred megabytes
    rule = ClassRule("large", "xpath", f"//a[contains(concat({','.join(['string(/)'] * 40)}), 'nowhere')]")
    with pytest.raises(BadConfig, match=r"'large'.*memory"):
        label_apart([Hub("http://a.org/", [], content_type="text/html", body=page)], [rule])


@pytest.mark.usefixtures("tight")
def test_a_visitor_holds_the_studio_no_longer_than_allowed(bench: Workbench) -> None:
    with pytest.raises(BadConfig, match="'slow': the xpath"):
        evaluate(bench, evaluation_job(f"[classes]\nslow = {{ xpath = '{SLOW}' }}"))
    good = evaluation_job("[classes]\np = { xpath = '//a' }")
    assert evaluate(bench, good) == "/sites/1?tab=evaluation"


def test_expressions_of_visitors_are_read_in_linear_time(bench: Workbench) -> None:
    """RE2 has no way to look back, so it refuses what only Python's expressions can say."""
    job = evaluation_job("[classes]\np = { regex = '(p)/\\1' }")
    with pytest.raises(BadConfig, match="class 'p': bad regex"):
        evaluate(bench, job)
    assert ClassRule("p", "regex", r"(p)/\1").matching(["http://a.org/p/p"]) == ["http://a.org/p/p"]


def test_a_visitor_can_cancel_rules_at_once(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "LIMITS", Limits(seconds=20))
    job, came = evaluation_job(f"[classes]\nslow = {{ xpath = '{SLOW}' }}"), []

    def run() -> None:
        try:
            evaluate(bench, job)
        except Cancelled:
            came.append("cancelled")

    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    thread = threading.Thread(target=run)
    thread.start()
    while job.on_cancel is None and thread.is_alive():
        thread.join(0.01)
    job.cancel()
    thread.join()
    assert came == ["cancelled"]
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 10


@pytest.mark.usefixtures("tight")
def test_a_file_of_rules_holds_the_command_no_longer_than_allowed(bench: Workbench, tmp_path: Path) -> None:
    store, rules = str(tmp_path / "sites.db"), tmp_path / "classes.toml"
    rules.write_text(f"[classes]\nslow = {{ xpath = '{SLOW}' }}\n")
    asked: list[Any] = ["site", "evaluate", str(rules), "--store", store, "--name", "a.org"]
    ended = CliRunner().invoke(main, asked)
    assert (ended.exit_code, "'slow': the xpath" in ended.stderr) == (1, True), ended.output
    rules.write_text("[classes]\np = { xpath = '//a' }\n")
    assert CliRunner().invoke(main, asked).exit_code == 0


def test_rules_that_are_too_long_are_refused(bench: Workbench, tmp_path: Path) -> None:
    key = ".".join(
        "a" * class_rules.MAX_LINE_CHARS
    )  # TOML looks at the first part of it once for every other
    for text in (f"{key} = 1", "a = 'x'\n" * class_rules.MAX_RULES_CHARS):
        for name in ("classes.toml", "classes.json"):
            path = tmp_path / name
            path.write_text(text)
            with pytest.raises(BadData, match=r"longer than .*characters"):
                read_rules(path)
        with pytest.raises(BadData, match=r"longer than .*characters"):
            evaluation_job(text)


def test_limits_that_the_system_has_set_already_are_kept(tmp_path: Path) -> None:
    script = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30)); resource.setrlimit(resource.RLIMIT_CPU, (40, 40))\n"
        "from linksight.sites.evaluation.sandbox import *\n"
        "hub = Hub('http://a.org/', [], content_type='text/html', body=b'<a href=/x>x</a>')\n"
        "print(label_apart([hub], [ClassRule('x', 'xpath', '//a')]))\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], env=child_environment(), capture_output=True, text=True, check=False)  # fmt: skip
    assert ended.stdout == "{'http://a.org/x': 'x'}\n", ended.stderr
