"""Strategies side by side on one stored web: the tables and figures of the papers, from a replay."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from linksight import languages
from linksight.crawl.builtweb import build_web, unseen_rows
from linksight.crawl.charts import line_chart
from linksight.crawl.config import CrawlConfig
from linksight.crawl.estimate import Ratio
from linksight.crawl.judge import BinaryModel, UrlModel, load_model, load_reader
from linksight.crawl.ledger import WINDOW, windows
from linksight.crawl.locality import Locality, measure
from linksight.crawl.replay import Run, TableModel, replay
from linksight.crawl.report import document, table
from linksight.crawl.webs import StoredWeb, web_from_warcs
from linksight.errors import BadConfig, BadData
from linksight.wholefile import write_whole


@dataclass
class Comparison:
    """The runs of several strategies on one web, from the same seeds."""

    language: str
    pages: int
    share: float
    budget: int
    runs: dict[str, list[Run]] = field(default_factory=dict)  #: by strategy, one for each set of seeds
    locality: dict[str, Any] | None = None

    def found(self, strategy: str) -> float:
        """Pages of the language that a strategy found, the mean over the sets of seeds."""
        runs = self.runs.get(strategy, [])
        return sum(run.found for run in runs) / len(runs) if runs else 0.0

    def precision(self, strategy: str) -> float:
        """The share of the language among a strategy's downloads."""
        runs = self.runs.get(strategy, [])
        downloads = sum(len(run.order) for run in runs)
        return sum(run.found for run in runs) / downloads if downloads else 0.0

    def covered(self, strategy: str) -> tuple[int, int]:
        """In how many runs the interval for the missed share covers the truth, and of how many."""
        asked = [run for run in self.runs.get(strategy, []) if run.missed and run.missed.sample]
        return sum(run.missed.low <= run.missed_truth <= run.missed.high for run in asked if run.missed), len(
            asked
        )

    def ratios(self) -> dict[str, Ratio]:
        """What the default strategy finds beside the others, draw by draw of the seeds."""
        found = {name: [run.found for run in runs] for name, runs in self.runs.items()}
        if not any(found.get("adaptive", ())):
            return {}
        out = {}
        if any(found.get("breadth-first", ())):
            out["adaptive / breadth-first"] = Ratio.of(found["adaptive"], found["breadth-first"])
        better = max(("cctld", "classifier"), key=lambda name: sum(found.get(name, ())))
        if any(found.get(better, ())):
            out["adaptive / better of cctld, classifier"] = Ratio.of(found["adaptive"], found[better])
        return out

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        found = {name: self.found(name) for name in self.runs}
        ratios = self.ratios()
        return {
            "language": self.language,
            "pages": self.pages,
            "share": self.share,
            "budget": self.budget,
            "locality": self.locality,
            "ratios": {name: round(ratio.value, 3) for name, ratio in ratios.items()},
            "intervals": {name: ratio.as_dict() for name, ratio in ratios.items()},
            "strategies": {
                name: {
                    "found": found[name],
                    "precision": round(self.precision(name), 4),
                    "interval_covers": self.covered(name),
                    "runs": [run.as_dict() for run in runs],
                }
                for name, runs in self.runs.items()
            },
        }

    def rows(self) -> list[list[Any]]:
        """One row a strategy: the columns of :data:`COLUMNS`."""
        rows = []
        for name, runs in self.runs.items():
            downloads = sum(len(run.order) for run in runs) / len(runs)
            hosts = sum(run.hosts for run in runs) / len(runs)
            unread = sum(run.unlabelled for run in runs) / max(sum(len(run.order) for run in runs), 1)
            missed = runs[0].missed
            told = (
                f"{missed.value:.2%} ({missed.low:.2%}–{missed.high:.2%})"
                if missed and missed.sample
                else "–"
            )
            rows.append(
                [name, round(downloads), round(self.found(name)), f"{self.precision(name):.1%}", round(hosts),
                 f"{unread:.1%}", told, f"{runs[0].missed_truth:.2%}" if missed and missed.sample else "–"]
            )  # fmt: skip
        return rows

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Write ``replay.html`` and ``replay.json``."""
        folder.mkdir(parents=True, exist_ok=True)
        page, figures = folder / "replay.html", folder / "replay.json"
        write_whole(figures, json.dumps(self.as_dict(), indent=1, ensure_ascii=False) + "\n")
        write_whole(page, self.html())
        return page, figures

    def charts(self) -> dict[str, str]:
        """The pictures: pages found, and precision over time (Figure 7)."""
        name = languages.name(self.language)
        return {
            "found": line_chart(
                f"Pages in {name} found",
                {key: _running(runs[0]) for key, runs in self.runs.items()}, "downloads", "pages",
            ),
            "precision": line_chart(
                f"Precision over time (Figure 7, windows of {WINDOW} downloads)",
                {key: _windowed(runs[0]) for key, runs in self.runs.items()}, "downloads", "share", percent=True,
            ),
        }  # fmt: skip

    def html(self) -> str:
        """The comparison as one HTML page."""
        told = self.as_dict()
        intro = (
            f"<p>A stored web of {self.pages:,} pages, {self.share:.1%} of them in {languages.name(self.language)}; "
            f"{self.budget:,} downloads for each strategy, from the same seeds.</p>"
        )
        charts = self.charts()
        sections = [
            intro + table(COLUMNS, self.rows()),
            table(["ratio of pages found", "value"], told["ratios"].items()) if told["ratios"] else "",
            charts["found"] + charts["precision"],
        ]
        return document(f"Replay: strategies for {languages.name(self.language)}", sections)


COLUMNS = ["strategy", "downloads", "found", "precision (XIX)", "hosts (XVII)", "no label (XVIII)",
           "target among rejected (Table 1)", "truth"]  # fmt: skip


def compare(
    *,
    warcs: Sequence[Path] = (),
    language: str = "nl",
    strategies: str = "adaptive,breadth-first,random,cctld,classifier,filter",
    data: Path | None = None,
    pages: int = 100_000,
    share: float = 0.02,
    urls: str = "train",
    budget: int = 0,
    n_seeds: int = 2,
    n_others: int = 8,
    repeat: int = 1,
    seed: int = 1,
    max_pages_per_host: int = 0,
    model: str = "",
    measure: bool = False,
    show_progress: bool = False,
) -> Comparison:
    """Run strategies on a stored web; see ``linksight crawl replay``."""
    config = CrawlConfig(language=language, model=model, seed=seed, max_pages_per_host=max_pages_per_host)
    names = [name.strip() for name in strategies.split(",") if name.strip()]
    for name in names:
        _check(config, name)
    locality = _measured(data) if measure else Locality()
    web = _web(warcs, data, config.language, pages, share, seed, locality, urls)
    targets = web.of(config.language)
    if not targets:
        raise BadData(f"the stored web holds no page in {language!r}")
    budget = budget or len(targets)
    scores = TableModel(_model(config, web, None if warcs else data, urls), web.urls, config.language)
    out = Comparison(
        config.language, len(web), web.share(config.language), budget, locality=locality.as_dict()
    )
    with _Progress(show_progress, budget * len(names) * repeat) as advance:
        for turn in range(repeat):
            starts = _starts(web, config.language, n_seeds, n_others, random.Random(seed * 1000 + turn))
            for name in names:
                mine = config.but(strategy=name, seed=seed + turn)
                run = replay(web, mine, scores, starts, budget, on_page=advance)
                out.runs.setdefault(name, []).append(run)
    return out


def _starts(web: StoredWeb, language: str, yes: int, no: int, draw: random.Random) -> list[int]:
    """Seeds as of a general list: a few pages in the language, the others not."""
    targets = web.of(language)
    others = [page for page, code in enumerate(web.languages) if code != language]
    return draw.sample(targets, min(yes, len(targets))) + draw.sample(others, min(no, len(others)))


def _model(config: CrawlConfig, web: StoredWeb, data: Path | None, urls: str) -> UrlModel:
    """The URL model for a replay.

    The bundled one has been trained on the labelled URLs, so on a web built from them it would be
    judged on what it knows by heart. There a classifier of the paper's kind (all-grams) is
    trained instead, on the labelled URLs of sites that the web does not hold.
    """
    if data is None or config.model or urls != "train":
        return load_model(config.but(model="" if config.model == "bundled" else config.model))
    from linksight.models import make_classifier

    rows = unseen_rows(data / "urls" / "train.parquet", web, config.language, random.Random(config.seed))
    classifier = make_classifier("me", features="allgrams-from-word", language=config.language)
    classifier.fit([url for url, _ in rows], [code for _, code in rows])
    return BinaryModel(classifier, config.language)


def _check(config: CrawlConfig, name: str) -> None:
    from linksight.crawl.policy import make_policy

    make_policy(config.but(strategy=name))


def _measured(data: Path | None) -> Locality:
    if data is None:
        raise BadConfig("measure: needs the folder of labelled data (--data or LINKSIGHT_DATA)")
    return measure(data)


def _web(
    warcs: Sequence[Path], data: Path | None, language: str, pages: int, share: float, seed: int,
    locality: Locality, urls: str,
) -> StoredWeb:  # fmt: skip
    if warcs:
        files = [
            file for path in warcs for file in ([path] if path.is_file() else sorted(path.rglob("*.warc*")))
        ]
        return web_from_warcs(files, load_reader())
    if data is None:
        raise BadConfig("replay needs WARC files, or LINKSIGHT_DATA to build a web from")
    return build_web(
        data,
        language,
        pages=pages,
        share=share,
        seed=seed,
        locality=locality,
        reader=load_reader(),
        urls=urls,
    )


def _running(run: Run) -> list[tuple[float, float]]:
    points, total = [(0.0, 0.0)], 0
    for number, hit in enumerate(run.hits, 1):
        total += hit
        points.append((float(number), float(total)))
    return points


def _windowed(run: Run) -> list[tuple[float, float]]:
    return [((number + 1) * WINDOW, share) for number, share in enumerate(windows(run.hits))]


class _Progress:
    """A progress bar on stderr, or nothing."""

    def __init__(self, shown: bool, total: int) -> None:
        self._shown, self._total = shown, total

    def __enter__(self) -> Any:
        if not self._shown:
            return None
        from rich.console import Console
        from rich.progress import Progress

        self._bar = Progress(console=Console(stderr=True))
        self._bar.start()
        task = self._bar.add_task("replay", total=self._total)
        return lambda: self._bar.advance(task)

    def __exit__(self, *_: object) -> None:
        if self._shown:
            self._bar.stop()


def print_comparison(comparison: Comparison) -> None:
    """The table on standard output."""
    from rich.console import Console
    from rich.table import Table

    head = ["strategy", "downloads", "found", "precision", "hosts", "no label", "missed (95 %)", "truth"]
    shown = Table(*head, box=None)
    for row in comparison.rows():
        shown.add_row(*(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row))
    console = Console(width=110)
    console.print(shown)
    for name, ratio in comparison.ratios().items():
        span = f" (95 %: {ratio.low:.2f} to {ratio.high:.2f})" if ratio.low and ratio.high else ""
        console.print(f"{name}: {ratio.value:.3f}{span}")
    for name, runs in comparison.runs.items():
        if len(runs) > 1 and comparison.covered(name)[1]:
            console.print(
                f"{name}: the interval for the missed share covers the truth in {comparison.covered(name)[0]} of {comparison.covered(name)[1]} runs"
            )
