"""The reader of pages is compiled beside the crawl and taken up when it is there."""

import sys
import time

from linksight.crawl.run import warmup
from linksight.crawl.run.warmup import Warmup
from linksight.pages.jit import compile_on_demand
from linksight.pages.jit.compile_on_demand import Pace


def wait_for(looked: Warmup) -> None:
    until = time.monotonic() + 300
    while not looked.look(0) and time.monotonic() < until:
        time.sleep(0.05)


def test_code_that_another_process_made_is_taken_up(monkeypatch, tmp_path):
    made = tmp_path / "made"
    monkeypatch.setattr(compile_on_demand, "_on_disk", made.exists)
    # It is not done before the test has seen it at work.
    wait = f"import os, time\nwhile not os.path.exists({str(tmp_path / 'seen')!r}): time.sleep(0.02)\n"
    monkeypatch.setattr(warmup, "_COMPILE", f"{wait}open({str(made)!r}, 'w').close()")
    pace = Pace("auto")
    looked = Warmup(pace)
    looked.look(warmup.ENOUGH - 1)
    assert looked._process is None
    looked.look(warmup.ENOUGH)
    assert looked._process is not None
    assert not pace.compiled(1)
    (tmp_path / "seen").touch()
    wait_for(looked)
    assert pace.compiled(1)


def test_code_on_disk_is_used_from_the_first_page_and_nothing_is_started(monkeypatch):
    monkeypatch.setattr(compile_on_demand, "_on_disk", lambda: True)
    monkeypatch.setattr(warmup, "_COMPILE", "raise SystemExit")
    pace = Pace("auto")
    looked = Warmup(pace)
    looked.start()
    assert looked._process is None
    assert pace.compiled(1)


def test_a_wish_for_plain_python_is_heard():
    pace = Pace("python")
    Warmup(pace).start()
    assert not pace.compiled(10**9)


def test_a_crawl_that_ends_first_does_not_wait(monkeypatch):
    monkeypatch.setattr(compile_on_demand, "_on_disk", lambda: False)
    monkeypatch.setattr(warmup, "_COMPILE", "import time; time.sleep(600)")
    looked = Warmup(Pace("auto"))
    looked.start()
    process = looked._process
    looked.stop()
    assert process.returncode is not None
    assert sys.executable in process.args
