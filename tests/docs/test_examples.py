"""Every example of the documentation is run, and shows what the page says."""

from __future__ import annotations

import doctest
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from doc_blocks import KINDS, PAGES, ROOT, Step, blocks, commands, steps
from doc_sandbox import fill, fill_clone, installing, programs, substituted
from doc_shell import FLAGS, check, lacking

from linksight.cli import main
from linksight.lab.papers.other_papers.cala2016_local_sites import free_port


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_has_a_kind_that_says_how_it_is_checked(page: Path) -> None:
    unknown = [f"{block}: {block.kind!r}" for block in blocks(page) if block.kind not in KINDS]
    assert not unknown
    unseen = [str(block) for block in blocks(page) if block.kind == "console" and block.text[:2] != "$ "]
    assert not unseen, "text before the first command"
    assert page.read_text().count("```") == 2 * len(blocks(page)), "a block that is not closed, or not seen"


def test_a_command_cannot_hide_in_a_block_that_is_not_run() -> None:
    kept = [
        block for page in PAGES for block in blocks(page) if block.kind in ("diagram", "help", "synopsis")
    ]
    assert {block.page.name for block in kept if block.kind == "help"} == {"commands.md"}
    drawn = [block for block in kept if block.kind == "diagram"]
    assert not [
        str(block) for block in drawn if re.search(r"^\s*(\$|linksight|python3?|pip|curl) ", block.text, re.M)
    ]
    named = [line for block in kept if block.kind == "synopsis" for line in block.text.splitlines()]
    assert all(line.startswith("linksight ") for line in named)  # tests/cli/test_doorway.py looks them up


#: Pages whose commands fetch from the web or ask a database; elsewhere an address is only looked at.
FETCHING = ("crawl.md", "pages.md", "settings.md", "scale.md", "sites.md", "archivist.md", "--help")

#: Pages that begin with an installation from a clone.
INSTALLING = ("README.md",)


@pytest.fixture
def ports() -> dict[str, str]:
    """Ports that examples listen at, by free ones: two runs of the tests must not meet."""
    port = str(free_port())
    return {
        "127.0.0.1:8765": f"127.0.0.1:{port}",
        "linksight serve": f"linksight serve --port {port}",
        "127.0.1.1:8791": f"127.0.1.1:{port}",
        "--port 8791": f"--port {port}",
        "--port 9000": f"--port {free_port()}",
        "--port 9443": f"--port {free_port()}",
    }


@pytest.fixture
def hosts(example_web: Any, fresh_postgres: Callable[[], str]) -> dict[str, str]:
    """The one substitution: hosts of the world, by what stands in for them on this machine.

    A private address is fetched from only where --allow-private says so, and our own sites need no pauses.
    """
    here = "--allow-private --delay 0"
    sites = {"www.nu.nl": 0, "www.nieuwsblad.be": 4, "example.com": 1, "example.org": 1}
    return {
        **{f"https://{name}/": f"{example_web.origin(n)}/" for name, n in sites.items()},
        "https://shop.example/": f"{example_web.shop}/",
        "--name shop.example": f"--name {example_web.shop.removeprefix('http://')}",
        "block=www.nu.nl": f"block={example_web.origin(0).removeprefix('http://')}",
        "linksight crawl run": f"linksight crawl run {here}",
        "linksight site learn http": f"linksight site learn {here} http",
        "--page http": "--allow-private --page http",
        "s3a://commoncrawl/cc-index/table/cc-main/warc/": "index/",
        **{
            f"postgresql://{name}": fresh_postgres()
            for name in ("crawler@db/crawl", "crawler@db/dutch", "me@db/sites")
        },
    }


@pytest.fixture
def places(tmp_path: Path, example_data: Path, loaded: Path) -> dict[str, str]:
    """The environment of the examples."""
    own = {"LINKSIGHT_DATA": str(example_data), "CRAWL_OPTIONS": "--allow-private --delay 0"}
    return {**programs(tmp_path / "bin", loaded), **own}


def take(taken: list[Step], folder: Path, places: dict[str, str], instead: dict[str, str]) -> None:
    """Takes steps in one shell; those for which the machine lacks a program are left out, and said to be."""
    (folder / "seeds.txt").write_text(f"{instead.get('https://www.nu.nl/', '')}\n")
    (folder / "sites.csv").write_text(f"name,homepage\nnu,{instead.get('https://www.nu.nl/', '')}\n")
    here = [substituted(step, instead) for step in taken]
    cannot = lacking(here)
    check([step for step in here if step not in cannot], folder, places)
    if cannot:
        pytest.skip(f"not run: {', '.join(f'{step.where} for {tool}' for step, tool in cannot.items())}")


@pytest.mark.parametrize("page", [page for page in PAGES if steps(page)], ids=lambda page: page.name)
def test_commands_give_what_the_page_shows(
    page: Path, tmp_path: Path, places: dict[str, str], ports: dict[str, str], request: pytest.FixtureRequest
) -> None:
    folder = tmp_path / "folder"
    fill(folder)
    if page.name in INSTALLING:
        fill_clone(folder)
        places |= installing(tmp_path)
    instead = ports | (request.getfixturevalue("hosts") if page.name in FETCHING else {})
    for block in blocks(page):
        if block.file:
            (folder / block.file).write_text(substituted(Step("", block.text, None), instead).command)
    take(steps(page), folder, places, instead)


def in_help(command: click.Command, path: str) -> Iterator[Step]:
    """The examples of a command's ``--help`` and of those below it: the lines that are not folded."""
    for part in (command.help or "").split("\n\n"):
        if part.lstrip().startswith("\b"):
            yield from commands(part.lstrip().removeprefix("\b").splitlines(), f"{path} --help")
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from in_help(below, f"{path} {name}")


#: What stands on a page too was run there, but others need what these leave behind.
NEEDED = {
    "linksight train labelled.parquet -o model",
    "linksight site learn https://shop.example/ -o shop.json",
    "linksight serve",
}


def test_examples_of_help_run(
    tmp_path: Path, places: dict[str, str], ports: dict[str, str], hosts: dict[str, str]
) -> None:
    """All in one shell, each once."""
    known = {step.command.partition("  #")[0].strip() for page in PAGES for step in steps(page)}
    todo = {step.command: step for step in in_help(main, "linksight") if step.command not in known - NEEDED}
    assert len(todo) > 40
    fill(tmp_path / "folder", hosts["https://shop.example/"].rstrip("/"))
    for block in (block for page in PAGES for block in blocks(page) if block.file == "mine.py"):
        (tmp_path / "folder" / block.file).write_text(block.text)
    take(list(todo.values()), tmp_path / "folder", places, ports | hosts)


#: Pages whose sessions make what they read: who follows them needs no file that he does not have.
WHOLE = {"lists-of-urls.md"}
#: What the sessions of a page need beside the files: fixtures, each of which says what to put in place of what.
NEEDS = {"classifiers.md": "hosting_places", "scale.md": "spark_places"}


@pytest.fixture
def hosting_places(database: Path, dns_server: Any, tmp_path: Path) -> dict[str, str]:
    """A database of countries, and a name server of this machine."""
    shutil.copy(database, tmp_path / "folder")
    return {"9.9.9.9": dns_server.address}


@pytest.fixture
def spark_places(spark: Any, tmp_path: Path) -> dict[str, str]:
    """A local Spark, whose working folder is not ours to change."""
    return {"urls.parquet": str(tmp_path / "folder" / "urls.parquet")}


#: As in tests/scale: what Spark leaves open, and says of pandas, is not ours.
SPARK = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
    pytest.mark.filterwarnings("ignore:distutils Version classes are deprecated"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def sessions(page: Path) -> str:
    return "".join(block.text for block in blocks(page) if block.kind == "python" and not block.file)


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=SPARK if page.name == "scale.md" else [], id=page.name)
        for page in PAGES
        if sessions(page)
    ],
)
def test_python_answers_what_the_page_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if page.name in WHOLE:
        (tmp_path / "folder").mkdir()
    else:
        fill(tmp_path / "folder")
    monkeypatch.chdir(tmp_path / "folder")
    instead = request.getfixturevalue(NEEDS[page.name]) if page.name in NEEDS else {}
    text = substituted(Step("", sessions(page), None), instead).command
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    told: list[str] = []
    runner.run(test, out=told.append)
    assert not runner.failures, "".join(told)


def test_python_that_is_no_file_is_a_session_and_other_programs_are_files() -> None:
    unnamed = [block for page in PAGES for block in blocks(page) if not block.file]
    assert not [str(block) for block in unnamed if block.kind in ("java", "toml")]
    others = [block for block in unnamed if block.kind == "python"]
    assert not [str(block) for block in others if not block.text.startswith(">>> ")]


def test_a_named_block_is_a_file_that_a_command_uses() -> None:
    for page in PAGES:
        typed = " ".join(step.command for step in steps(page))
        assert not [str(block) for block in blocks(page) if block.file and block.file not in typed]


@pytest.mark.parametrize(
    "page",
    [*PAGES, ROOT / "recipes" / "url_model" / "README.md"],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_every_program_that_a_page_names_is_there(page: Path) -> None:
    """Recipes that take hours or other servers are named between the lines, and not run."""
    named = set(re.findall(r"\b(?:recipes|benchmarks|scripts|deploy)/[\w/-]+\.(?:py|sh)", page.read_text()))
    assert not [name for name in sorted(named) if not (ROOT / name).is_file()]
