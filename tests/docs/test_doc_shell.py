"""The runner of the examples sees what is wrong: an example that fails, and one that shows something else."""

from __future__ import annotations

from pathlib import Path

import pytest
from doc_blocks import Block, Step, blocks, steps
from doc_sandbox import substituted
from doc_shell import check, lacking, typed


def _page(folder: Path, text: str) -> Path:
    page = folder / "page.md"
    page.write_text(text)
    return page


def test_a_page_is_read_as_a_reader_types_it(tmp_path: Path) -> None:
    page = _page(
        tmp_path,
        "# A\n\n```sh\necho a \\\n  b\n```\n\n- in a list\n\n  ```console\n  $ x\n  ```\n\n```console\n$ echo 1\n1\n$ true\n```\n",
    )
    assert [(block.line, block.kind) for block in blocks(page)] == [
        (3, "sh"),
        (10, "console"),
        (14, "console"),
    ]
    found = [(step.command, step.wanted) for step in steps(page) if step.where != "page.md:10"]
    assert found == [("echo a   b", None), ("echo 1", "1\n"), ("true", "")]


def test_a_block_is_the_file_that_its_first_line_names(tmp_path: Path) -> None:
    names = [
        Block(tmp_path, 1, kind, text).file
        for kind, text in (
            ("python", "# a.py\n1\n"),
            ("java", "// B.java\n"),
            ("python", ">>> 1\n"),
            ("sh", "# c.sh\n"),
        )
    ]
    assert names == ["a.py", "B.java", "", ""]


@pytest.mark.parametrize(
    ("command", "wanted", "complaint"),
    [
        ("false", None, "exit status 1"),
        ("echo 2", "1\n", "what it showed was:\n2"),
        ("echo 2", "", "what it showed was:\n2"),
        ("no-such-command", None, "exit status 127"),
        ("exit 0", None, "the shell ended at exit 0"),
        ("tail -f nothing-there", "not this\n", "exit status"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_seen(tmp_path: Path, command: str, wanted: str | None, complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check([Step("page.md:1", command, wanted), Step("page.md:2", "true", None)], tmp_path, {})


def test_dots_stand_for_what_differs_and_blanks_for_blanks(tmp_path: Path) -> None:
    check([Step("", "echo 'took 0.123 s,   3 rows'", "took ... s, 3 rows\n")], tmp_path, {})


def test_steps_share_a_shell_and_what_serves_ends_with_it(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("a line\n")
    taken = [
        Step("", line, None)
        for line in ("x=1; cd /", 'echo "$x $PWD"', f"tail -f {tmp_path}/log", "echo end")
    ]
    assert [(code, told.strip()) for code, told in typed(taken, tmp_path, {})] == [
        (0, ""), (0, "1 /"), (0, "a line"), (0, "end"),
    ]  # fmt: skip


def test_a_step_for_which_a_program_is_lacking_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("doc_shell._TOOLS", ("no-such-tool",))
    taken = [Step("", "cat x | no-such-tool -r .", None), Step("", "echo no-such-tool", None)]
    assert lacking(taken) == {taken[0]: "no-such-tool"}


def test_a_host_is_substituted_in_the_command_and_in_what_it_shows() -> None:
    step = substituted(
        Step("", "curl https://a.example/x", "of https://a.example/x\n"), {"https://a.example/": "http://b/"}
    )
    assert (step.command, step.wanted) == ("curl http://b/x", "of http://b/x\n")
