"""The pictures and figures of docs/crawl.md and docs/research/crawl-figures.md, each from a crawl or a replay made here.

    LINKSIGHT_DATA=... python recipes/crawl_pictures.py             all of it, about twenty minutes of one processor
    LINKSIGHT_DATA=... python recipes/crawl_pictures.py report      the crawl of a small local web
    LINKSIGHT_DATA=... python recipes/crawl_pictures.py replay      strategies side by side, three languages
    LINKSIGHT_DATA=... python recipes/crawl_pictures.py coverage    the interval for what was missed, a hundred times

Writes docs/pictures/crawl-*.svg, crawl-report.png where a Chromium is installed, and the figures of the
replays into docs/crawl.json and the tables of docs/research/crawl-figures.md.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "src")]

LANGUAGES = ("nl", "fr", "pt")
DRAWS = 10  #: of seeds
ALONE = f"{ROOT / 'recipes' / 'crawl_one_referrer.py'}:OneReferrer"


def crawl_pictures() -> None:
    """The report of a crawl of the local web: 60 hosts, a quarter of them Dutch."""
    from local_web import LocalWeb

    from linksight.crawl.run.api import start_crawl
    from linksight.crawl.run.config import CrawlConfig

    with tempfile.TemporaryDirectory() as where, LocalWeb(hosts=60, pages=40) as web:
        folder = Path(where) / "dutch"
        config = CrawlConfig(
            language="nl", seeds=(web.url(0, 0),), delay=0.0, allow_private=True, robots=False
        )
        tally = start_crawl(folder, config)
        print(f"local web: {tally.pages} pages, {tally.hits} in Dutch")
        report = (folder / "report.html").read_text()
        for name, svg in zip(
            ("harvest", "figure7", "languages"), re.findall(r"<svg.*?</svg>", report, re.S), strict=True
        ):
            (PICTURES / f"crawl-{name}.svg").write_text(svg + "\n")
        photograph(folder / "report.html", PICTURES / "crawl-report.png")


def photograph(page: Path, picture: Path) -> None:
    """A picture of a page by a real browser, where there is one."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("no Chromium: crawl-report.png is left as it is")
        return
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}",
                   "--window-size=1000,1400", f"--screenshot={picture}", page.as_uri()]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True, timeout=120)


def replay_pictures(data: Path, *, draws: int = DRAWS) -> None:
    """All strategies on the webs built from the labelled URLs, from ten draws of seeds."""
    from crawl_figures import keep

    from linksight.lab.simulation.experiment import ALL, set_stage

    told = {}
    for language in LANGUAGES:
        outcome = set_stage(language=language, data=data).compare(f"{ALL},{ALONE}", repeat=draws)
        alone = outcome.runs.pop(ALONE)
        if language == "nl":
            for name, svg in outcome.charts().items():
                (PICTURES / f"replay-{name}.svg").write_text(svg + "\n")
        told[language] = plain(outcome.as_dict())
        told[language]["one_referrer"] = sum(run.found for run in alone) / len(alone)
        told[language]["web"]["own_tlds_labelled"] = own_tlds_labelled(data, language)
        print(f"{language}: {told[language]['intervals']}", flush=True)
        if len(told) == len(LANGUAGES):
            keep("replay", told)


def coverage(data: Path) -> None:
    """Whether the interval for the missed share covers the truth, a hundred times."""
    from crawl_figures import keep

    from linksight.lab.simulation.experiment import set_stage

    covered, runs = set_stage(language="nl", data=data).compare("adaptive", repeat=100).covered("adaptive")
    print(f"the interval covers the truth in {covered} of {runs}")
    keep("coverage", {"covered": covered, "runs": runs})


def own_tlds_labelled(data: Path, language: str) -> float:
    """How many of all labelled URLs of a language are under its top-level domains."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    from linksight.crawl.scoring.strategies import tlds_of

    table = pq.read_table(data / "urls" / "train.parquet", columns=["domain", "language", "trust"])
    rows = table.filter(pc.and_(pc.equal(table["language"], language), pc.less_equal(table["trust"], 2)))
    tlds, domains = tlds_of(language), rows["domain"].to_pylist()
    return round(sum((domain or "").rpartition(".")[2] in tlds for domain in domains) / len(domains), 4)


def plain(told: dict[str, Any]) -> dict[str, Any]:
    """The figures without the single runs."""
    kept = {name: told[name] for name in ("pages", "share", "budget", "intervals", "web")}
    names = ("found", "precision", "interval_covers")
    return kept | {
        "strategies": {
            strategy: {name: row[name] for name in names} for strategy, row in told["strategies"].items()
        }
    }


def main() -> None:
    """What is named, or all of it."""
    wanted = sys.argv[1:] or ["report", "replay", "coverage"]
    PICTURES.mkdir(parents=True, exist_ok=True)
    if "report" in wanted:
        crawl_pictures()
    data = os.environ.get("LINKSIGHT_DATA")
    if data and "replay" in wanted:
        replay_pictures(Path(data))
    if data and "coverage" in wanted:
        coverage(Path(data))


if __name__ == "__main__":
    main()
