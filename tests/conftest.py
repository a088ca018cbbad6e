"""Fixtures that several test modules share, and the rule that CI skips nothing."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import sys
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

#: Settings of a terminal, a network or linksight that tests must not depend on; child processes get none of them.
_OF_THE_PLACE = re.compile(
    r"(?i)(all|ftp|https?|no)_proxy|COLUMNS|LINES|(NO|FORCE)_COLOR|CLICOLOR(_FORCE)?|TTY_\w+|LINKSIGHT_(PAGES|SITES|TOKEN)"
    r"|PYTHON(WARNINGS|IOENCODING|OPTIMIZE)|_LINKSIGHT_COMPLETE"
)
for _name in [name for name in os.environ if _OF_THE_PLACE.fullmatch(name)]:
    del os.environ[_name]

os.environ["LINKSIGHT_CONTACT"] = "tests@linksight.example"  # every crawl needs a contact

# By default examples are few, derived from the test alone, and may take any time.
# --hypothesis-profile=search looks for new ones, and for more of them.
_PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("linksight", max_examples=25, derandomize=True, **_PATIENT)
settings.register_profile("search", max_examples=200, print_blob=True, **_PATIENT)
settings.load_profile("linksight")


def pytest_sessionstart() -> None:
    """Handle SIGINT in the tests and their programs, even in the background of a shell that ignores it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


#: The slow tiers, slowest first.
_SLOW = ("packaging", "spark", "data", "browser", "docs", "apps", "crawls", "faults", "postgres")
#: Tiers by folder of tests, by file, and by fixture.
_FOLDERS = {"docs": "docs", "faults": "faults"}
_FILES = {"test_wheel.py": "packaging", "test_crawl_kill.py": "faults"}
_FIXTURES = {
    "data": "data",
    "local_web": "crawls",
    "chromium": "browser",
    "postgres": "postgres",
    "fresh_postgres": "postgres",
    "spark": "spark",
    "roundup": "apps",
    "trac": "apps",
    "wagtail": "apps",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of the slow tiers, which ``scripts/test`` runs with ``--all`` only, and start their files first.

    A long file that starts last would leave the other cores idle.
    """
    here = Path(__file__).parent
    ranks: dict[Path, int] = {}
    for item in items:
        parts = item.path.relative_to(here).parts if item.path.is_relative_to(here) else ("", "")
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        tiers = {_FIXTURES.get(name) for name in getattr(item, "fixturenames", ()) if name not in parameters}
        tiers |= {_FOLDERS.get(parts[0]), _FILES.get(parts[-1]), *(mark.name for mark in item.iter_markers())}
        for tier in (name for name in _SLOW if name in tiers):
            item.add_marker(tier)
            item.add_marker("slow")
            ranks[item.path] = min(_SLOW.index(tier), ranks.get(item.path, len(_SLOW)))
    items.sort(key=lambda item: ranks.get(item.path, len(_SLOW)))


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Names bytes that are no text by their argument: gzip writes the second into them, and workers that collect
    in different seconds would disagree on what the tests are called.
    """
    return argname if isinstance(val, bytes) and not val.isascii() else None


#: What pytest and libraries set for the process: scikit-learn and Polars when imported, Spark when it begins.
_OF_LIBRARIES = re.compile(r"PYTEST_CURRENT_TEST|KMP_\w+|_RJEM_MALLOC_CONF|SPARK_\w+")


def watch_environment() -> Iterator[None]:
    """Restore the environment and the working directory after a test, and fail if it changed them."""
    before, folder = dict(os.environ), Path.cwd()
    yield
    now, moved = dict(os.environ), _folder_now() != folder
    changed = sorted(
        name
        for name in before.keys() | now.keys()
        if before.get(name) != now.get(name) and not _OF_LIBRARIES.fullmatch(name)
    )
    for name in changed:
        if name in before:
            os.environ[name] = before[name]
        else:
            del os.environ[name]
    os.chdir(folder)
    assert not changed, f"left changed in the environment: {', '.join(changed)}; set it with monkeypatch"
    assert not moved, "left another working directory; go there with monkeypatch.chdir"


def _folder_now() -> Path | None:
    try:
        return Path.cwd()
    except FileNotFoundError:  # the folder was removed
        return None


# Set up before all other fixtures of their scope and so torn down last: changes by fixtures are seen, too.
_guard_of_tests = pytest.fixture(autouse=True, name="guard_of_tests")(watch_environment)
_guard_of_modules = pytest.fixture(autouse=True, scope="module", name="guard_of_modules")(watch_environment)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of labelled URLs, pages and texts."""
    where = os.environ.get("LINKSIGHT_DATA")
    if not where or not Path(where).is_dir():
        pytest.skip("LINKSIGHT_DATA is not set")
    return Path(where)


@pytest.fixture(scope="session")
def script() -> Callable[[str], ModuleType]:
    """Loads a module that is part of no package, once, by its path: ``script("benchmarks/local_web.py")``."""

    def load(path: str) -> ModuleType:
        where = Path(__file__).parents[1] / path
        name = where.stem
        if name not in sys.modules:
            spec = importlib.util.spec_from_file_location(name, where)
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            sys.modules[name] = module  # where its own dataclasses look for it
            with pytest.MonkeyPatch.context() as patch:
                patch.syspath_prepend(str(where.parent))  # as when it is run
                spec.loader.exec_module(module)
        return sys.modules[name]

    return load


@pytest.fixture(scope="session")
def local_web(script: Callable[[str], ModuleType]) -> Any:
    """The class of local webs, on real sockets."""
    return script("benchmarks/local_web.py").LocalWeb


@pytest.fixture(scope="session")
def stored() -> Callable[[Path], Counter[str]]:
    """Pages in a crawl's WARC files, by URL, each read to its end with its digests checked."""

    def read(folder: Path) -> Counter[str]:
        from warcio.archiveiterator import ArchiveIterator

        found: Counter[str] = Counter()
        for path in sorted((folder / "warc").glob("*.warc.gz")):
            with path.open("rb") as file:
                for record in ArchiveIterator(file, check_digests="raise"):
                    record.content_stream().read()
                    if record.rec_type in ("response", "revisit"):
                        found[record.rec_headers.get_header("WARC-Target-URI")] += 1
        return Counter({url: n for url, n in found.items() if not url.endswith("/robots.txt")})

    return read


@pytest.fixture(scope="session")
def postgres(script: Callable[[str], ModuleType]) -> Iterator[Any]:
    """A throw-away PostgreSQL server, gone when the tests end; it may be stopped and started."""
    module = script("benchmarks/local_postgres.py")
    if module.programs() is None:
        pytest.skip("PostgreSQL is not installed")
    with module.LocalPostgres("-c fsync=off -c max_connections=60 -c shared_buffers=32MB") as server:
        yield server


@pytest.fixture
def fresh_postgres(postgres: Any) -> Iterator[Callable[[], str]]:
    """Makes new, empty PostgreSQL databases; each call answers the URL of one."""
    import psycopg

    made: list[str] = []

    def make() -> str:
        name = f"t{uuid.uuid4().hex[:12]}"
        with psycopg.connect(postgres.url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        made.append(name)
        return postgres.url.replace("@/postgres?", f"@/{name}?")

    yield make
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        for name in made:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    """With LINKSIGHT_NO_SKIPS a skipped test fails, so that CI notices missing programs."""
    outcome = yield
    report = outcome.get_result()
    if report.skipped and os.environ.get("LINKSIGHT_NO_SKIPS") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, but LINKSIGHT_NO_SKIPS is set: {report.longrepr}"
