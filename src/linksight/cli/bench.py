"""``linksight bench``: quality and speed beside the peers that are installed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from linksight.lab.bench import Contest

TASKS = ("urls", "pages", "encodings")
_FORMATS = ("table", "json", "markdown")


@click.command()
@click.argument("tasks", nargs=-1, type=click.Choice(TASKS), metavar="[urls|pages|encodings]...")
@click.option(
    "--data",
    "folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    envvar="LINKSIGHT_DATA",
    help="The folder of labelled data (also the variable LINKSIGHT_DATA).",
)
@click.option(
    "--url-data",
    type=click.Path(path_type=Path, exists=True),
    help="Your own labelled URLs, a table with columns url and language.",
)
@click.option(
    "--urls", default=1000, show_default=True, type=click.IntRange(min=0), help="URLs to ask about; 0: all."
)
@click.option(
    "--pages", default=100, show_default=True, type=click.IntRange(min=0), help="Pages to ask about; 0: all."
)
@click.option(
    "--train",
    default=12_000,
    show_default=True,
    type=click.IntRange(min=0),
    help="URLs that the scikit-learn pipelines are trained on; 0: leave them out.",
)
@click.option("--seed", default=0, show_default=True, help="Which rows are drawn.")
@click.option("--format", "form", type=click.Choice(_FORMATS), default="table", show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to this file, not to stdout.")
@click.option(
    "--json", "json_path", type=click.Path(path_type=Path), help="Write all figures to this file besides."
)
@click.option(
    "--plot", "plot_path", type=click.Path(path_type=Path), help="Draw quality against speed, as SVG."
)
@click.option(
    "--docs",
    "docs_path",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Write comparison.md, comparison.json and pictures/comparison.svg into this folder.",
)
@click.option(
    "--memory/--no-memory",
    default=True,
    show_default=True,
    help="Measure memory, in a process for each system.",
)
@click.option(
    "--figures",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Ask nobody: take the figures from this JSON file of an earlier run.",
)
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def bench(
    tasks: tuple[str, ...], folder: Path | None, url_data: Path | None, urls: int, pages: int, train: int, seed: int,
    form: str, output: Path | None, json_path: Path | None, plot_path: Path | None, docs_path: Path | None,
    memory: bool, figures: Path | None, quiet: bool,
) -> None:  # fmt: skip
    """Quality, speed and memory beside every peer that is installed, on the same rows in one run.

    Peers that are missing are named. What each was given, and the other rules, are in the JSON and in
    the Markdown. Without a task all three are run; urls needs --url-data or --data, the others --data.

    \b
    linksight bench
    linksight bench urls --url-data labelled.csv
    linksight bench --urls 0 --pages 0 --docs docs
    linksight bench --figures docs/comparison.json --docs docs
    """
    import os

    os.environ.setdefault("LINKSIGHT_PAGES", "compiled")  # read when the pages are first imported
    from linksight.cli.progress import working
    from linksight.cli.texts import text_of
    from linksight.lab import bench_tables
    from linksight.wholefile import write_whole

    if figures is not None:
        with figures.open("rb") as file:
            contests, about = bench_tables.from_json(text_of(file), str(figures))
    else:
        sizes = {"urls": urls, "pages": pages, "train": train, "seed": seed}
        with working("reading", quiet) as say:
            contests = [
                _contest(task, folder, url_data, sizes, say, memory) for task in dict.fromkeys(tasks or TASKS)
            ]
        about = _about(tasks, urls, pages, train, seed)
    if docs_path is not None:
        (docs_path / "pictures").mkdir(exist_ok=True)
        write_whole(docs_path / "comparison.json", bench_tables.as_json(contests, about))
        write_whole(docs_path / "pictures" / "comparison.svg", bench_tables.as_plot(contests))
        write_whole(
            docs_path / "comparison.md", bench_tables.as_page(contests, about, "pictures/comparison.svg")
        )
    if json_path is not None:
        write_whole(json_path, bench_tables.as_json(contests, about))
    if plot_path is not None:
        write_whole(plot_path, bench_tables.as_plot(contests))
    if form == "json":
        text = bench_tables.as_json(contests, about)
    elif form == "markdown":
        picture = os.path.relpath(plot_path, output.parent) if plot_path and output else ""
        text = bench_tables.as_page(contests, about, picture)
    else:
        text = "\n".join(
            f"{contest.task}: {contest.rows:,} rows\n\n{bench_tables.as_table(contest)}"
            for contest in contests
        )
    if output is not None:
        write_whole(output, text)
    elif docs_path is None or form != "table":
        click.echo(text, nl=False)


def _contest(
    task: str, folder: Path | None, url_data: Path | None, sizes: dict[str, int], say: object, memory: bool
) -> Contest:
    from linksight.errors import BadConfig
    from linksight.lab.bench import bench_encodings, bench_pages, bench_urls
    from linksight.lab.bench_data import draw_pages, draw_training, draw_urls

    assert callable(say)
    say(f"{task}: reading")
    if task == "urls" and url_data is not None:
        training = (
            draw_training(folder / "urls/train.parquet", sizes["train"])
            if folder
            else draw_training(Path("-"), 0)
        )
        return bench_urls(draw_urls(url_data, sizes["urls"], sizes["seed"]), training, say, memory)
    if folder is None:
        wanted = "--url-data or --data" if task == "urls" else "--data"
        raise BadConfig(f"bench {task} needs labelled rows: {wanted}, or the variable LINKSIGHT_DATA")
    if task == "urls":
        rows = draw_urls(folder / "urls/dev.parquet", sizes["urls"], sizes["seed"])
        return bench_urls(rows, draw_training(folder / "urls/train.parquet", sizes["train"]), say, memory)
    file = folder / "pages/dev.parquet"
    if task == "pages":
        return bench_pages(draw_pages(file, sizes["pages"], ("web",), sizes["seed"]), say, memory)
    return bench_encodings(
        draw_pages(file, sizes["pages"], ("web", "docs", "encodings"), sizes["seed"], "encoding"), say, memory
    )


def _about(tasks: tuple[str, ...], urls: int, pages: int, train: int, seed: int) -> dict[str, object]:
    import os
    import platform

    from linksight import __version__

    command = " ".join(
        ["linksight bench", *tasks, f"--urls {urls} --pages {pages} --train {train} --seed {seed}"]
    )
    python = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    return {"command": command, "linksight": __version__, "python": python, "cores": os.cpu_count()}
