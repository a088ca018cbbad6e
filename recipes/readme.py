"""Writes the comparison table of README.md, the leaderboard and the terminal picture: python recipes/readme.py [--table]

The table holds figures of docs/comparison.json alone. The picture docs/pictures/terminal.svg shows real output of
``linksight detect`` and ``linksight demo`` on a terminal of 100 columns. ``--table`` writes the tables alone.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))
from kept_figures import between  # noqa: E402

README = ROOT / "README.md"
PICTURE = ROOT / "docs" / "pictures" / "terminal.svg"
MARKS = "<!-- comparison: recipes/readme.py -->", "<!-- end of comparison -->"
BOARD = ROOT / "docs" / "research" / "leaderboard.md"
BOARD_MARKS = "<!-- figures: begin (recipes/readme.py) -->", "<!-- figures: end -->"
BOARDS = {"urls": "Curated URLs", "page-urls": "Real page URLs"}
#: The tools of the table: their name among URLs and among pages.
TOOLS = {
    "linksight": ("linksight, many at a time", "linksight"),
    "CLD2": ("CLD2", "CLD2 on HTML"),
    "CLD3": ("CLD3", "CLD3"),
    "fastText lid.176.ftz": ("fastText lid.176.ftz", "fastText lid.176.ftz"),
    "py3langid": ("py3langid", "py3langid"),
    "lingua": ("lingua", "lingua"),
    "resiliparse": ("resiliparse", "resiliparse"),
    "courlan (keep or drop)": ("courlan", ""),
}
#: Title, contest, measure and whether less is better.
COLUMNS = (
    ("URL: language right", "urls", "accuracy", False),
    ("URL: five languages, F1", "urls", "five", False),
    ("URLs/s", "urls", "per_second", False),
    ("page: language right", "pages", "accuracy", False),
    ("pages/s", "pages", "from_bytes", False),
    ("memory, MB", "urls", "memory", True),
)
COMMANDS = (
    ["detect", "https://www.lemonde.fr/economie/", "https://example.com/producten/fietsen-kopen",
     "http://luckyjob.eu/?lang=it", "https://youtu.be/dQw4w9WgXcQ"],
    ["demo", "--no-browser"],
)  # fmt: skip


def table(figures: dict[str, Any]) -> str:
    """The Markdown table, with the best value of each column in bold."""
    measures = {
        contest["task"]: {score["name"]: score["measures"] for score in contest["scores"]}
        for contest in figures["contests"]
    }
    rows = {
        tool: [measures[task].get(names[task == "pages"], {}).get(key) for _, task, key, _ in COLUMNS]
        for tool, names in TOOLS.items()
    }
    lines = [f"| | {' | '.join(title for title, *_ in COLUMNS)} |", f"|---|{'---:|' * len(COLUMNS)}"]
    best = [
        (min if less else max)(row[i] for row in rows.values() if row[i] is not None)
        for i, (*_, less) in enumerate(COLUMNS)
    ]
    for tool, row in rows.items():
        cells = [_cell(COLUMNS[i][2], value, value == best[i]) for i, value in enumerate(row)]
        lines.append(f"| {tool} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(key: str, value: float | None, is_best: bool) -> str:
    if value is None:
        return ""
    if key == "memory":
        value /= 1e6
    text = f"{value:.3f}" if key in ("accuracy", "five") else f"{int(float(f'{value:.2g}')):,}"
    return f"**{text}**" if is_best else text


def leaderboard(text: str) -> str:
    """docs/research/leaderboard.md with its table written again: systems by the share of right answers."""
    figures = json.loads((ROOT / "docs" / "comparison.json").read_text(encoding="utf-8"))
    lines = []
    for contest in figures["contests"]:
        if contest["task"] not in BOARDS:
            continue
        lines += [
            f"{BOARDS[contest['task']]}, {contest['rows']:,} rows:",
            "",
            "| system | right | mean over languages |",
            "|---|---:|---:|",
        ]
        known = [score for score in contest["scores"] if "accuracy" in score["measures"]]
        for score in sorted(known, key=lambda score: -score["measures"]["accuracy"]):
            one = score["measures"]
            cells = [
                f"{one[key]:.3f} ({one[f'{key}_interval'][0]:.3f}–{one[f'{key}_interval'][1]:.3f})"
                for key in ("accuracy", "mean")
            ]
            lines.append(f"| {score['name']} | {' | '.join(cells)} |")
        lines.append("")
    return between(text, BOARD_MARKS, "\n".join(lines))


def readme(text: str) -> str:
    """README.md with its table written again."""
    figures = json.loads((ROOT / "docs" / "comparison.json").read_text(encoding="utf-8"))
    return between(text, MARKS, table(figures))


def picture() -> str:
    """The output of the commands as SVG, without fonts from other servers."""
    from rich.console import Console
    from rich.text import Text

    console = Console(record=True, width=100, file=io.StringIO(), force_terminal=True)
    for words in COMMANDS:
        console.print(Text.from_markup(f"[bold green]$[/] linksight {' '.join(words)}"), soft_wrap=False)
        console.print(Text.from_ansi(_on_terminal(words)))
    svg = console.export_svg(title="linksight", unique_id="linksight")
    return re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)


def _on_terminal(words: list[str]) -> str:
    """What a command shows on a terminal; the path of a temporary folder is shortened."""
    import pty

    ours, theirs = pty.openpty()
    settings = {**os.environ, "COLUMNS": "100", "TERM": "xterm-256color", "PYTHONPATH": str(ROOT / "src")}
    with subprocess.Popen(
        [sys.executable, "-m", "linksight", *words], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
        env=settings,
    ):  # fmt: skip
        os.close(theirs)
        shown = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    return re.sub(r"/\S*/(linksight-demo-)\w+", r"/tmp/\1x", shown.decode().replace("\r\n", "\n"))


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # the other end was closed
        return b""


def main() -> None:
    """Write the table and, without --table, the picture."""
    README.write_text(readme(README.read_text(encoding="utf-8")), encoding="utf-8")
    BOARD.write_text(leaderboard(BOARD.read_text(encoding="utf-8")), encoding="utf-8")
    if "--table" not in sys.argv[1:]:
        PICTURE.write_text(picture(), encoding="utf-8")


if __name__ == "__main__":
    main()
