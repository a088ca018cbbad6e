"""Comparison of strategies on one stored web: tables and figures of the papers, from replays."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from linksight.crawl.report.crawl_queries import WINDOW, running, windowed
from linksight.crawl.report.html_report import document, table
from linksight.crawl.report.sampling_statistics import Ratio
from linksight.crawl.report.svg_charts import line_chart
from linksight.lab.simulation.replay import Run
from linksight.languages import registry
from linksight.system.atomic_write import write_whole


@dataclass
class Comparison:
    """The runs of several strategies on one web, from the same seeds."""

    language: str
    pages: int
    share: float
    budget: int
    runs: dict[str, list[Run]] = field(default_factory=dict)  #: by strategy, one for each set of seeds
    locality: dict[str, Any] | None = None
    #: statistics of the language's pages, and of the others
    web: dict[str, float] = field(default_factory=dict)

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
        """Number of runs whose interval for the missed share covers the truth, and number of runs."""
        sampled = [run for run in self.runs.get(strategy, []) if run.missed and run.missed.sample]
        return sum(
            run.missed.low <= run.missed_truth <= run.missed.high for run in sampled if run.missed
        ), len(sampled)

    def ratios(self) -> dict[str, Ratio]:
        """Pages found by the default strategy relative to others, paired by draw of the seeds."""
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
            "web": self.web,
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
        """One row per strategy, with the columns :data:`COLUMNS`."""
        rows = []
        for name, runs in self.runs.items():
            downloads = sum(len(run.order) for run in runs) / len(runs)
            hosts = sum(run.hosts for run in runs) / len(runs)
            unread = sum(run.unlabelled for run in runs) / max(sum(len(run.order) for run in runs), 1)
            missed = runs[0].missed
            interval = (
                f"{missed.value:.2%} ({missed.low:.2%}–{missed.high:.2%})"
                if missed and missed.sample
                else "–"
            )
            rows.append(
                [name, round(downloads), round(self.found(name)), f"{self.precision(name):.1%}", round(hosts),
                 f"{unread:.1%}", interval, f"{runs[0].missed_truth:.2%}" if missed and missed.sample else "–"]
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
        """The charts: pages found, and precision over time (Figure 7)."""
        name = registry.name(self.language)
        return {
            "found": line_chart(
                f"Pages in {name} found",
                {key: running(runs[0].hits) for key, runs in self.runs.items()}, "downloads", "pages",
            ),
            "precision": line_chart(
                f"Precision over time (Figure 7, windows of {WINDOW} downloads)",
                {key: windowed(runs[0].hits) for key, runs in self.runs.items()}, "downloads", "share", percent=True,
            ),
        }  # fmt: skip

    def html(self) -> str:
        """The comparison as one HTML page."""
        ratios = self.as_dict()["ratios"]
        intro = (
            f"<p>A stored web of {self.pages:,} pages, {self.share:.1%} of them in {registry.name(self.language)}; "
            f"{self.budget:,} downloads for each strategy, from the same seeds.</p>"
        )
        charts = self.charts()
        sections = [
            intro + table(COLUMNS, self.rows()),
            table(["ratio of pages found", "value"], ratios.items()) if ratios else "",
            charts["found"] + charts["precision"],
        ]
        return document(f"Replay: strategies for {registry.name(self.language)}", sections)


COLUMNS = ["strategy", "downloads", "found", "precision (XIX)", "hosts (XVII)", "no label (XVIII)",
           "target among rejected (Table 1)", "truth"]  # fmt: skip
