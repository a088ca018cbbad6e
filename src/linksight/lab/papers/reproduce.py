"""Run a selection of experiments and write the report."""

from __future__ import annotations

import platform
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from linksight.errors import BadConfig, BadData, BadLanguage, MissingExtra
from linksight.lab.evaluation.labelled_urls import LabelledUrls
from linksight.lab.papers.claims import judge, verdict_line
from linksight.lab.papers.data_check import data_digest, file_digest
from linksight.lab.papers.experiment_corpus import Corpus
from linksight.lab.papers.fold_cache import Ledger, environment_digest, source_digest
from linksight.lab.papers.host_countries import look_up, open_hosting, write_hosts
from linksight.lab.papers.registry import Experiment, all_runs, chosen
from linksight.lab.papers.report.html_report import write_report
from linksight.lab.papers.report.results import UNFINISHED, Section
from linksight.lab.papers.runner import SCALES, Scale, Trials, Unfinished, cost_of
from linksight.lab.papers.url_sources import own_urls, paper_urls

Step = Callable[[float, float, str], None]  # cost done, total cost, text


@dataclass(frozen=True, kw_only=True)
class Reproduction:
    """The options of a rerun."""

    names: tuple[str, ...] = ()
    scale: str = "middle"
    out: Path = Path("reproduction")
    data: Path | None = None  #: a user's own labelled URLs
    folder: Path | None = None  #: the shared data
    resume: bool = False
    hosting: Path | None = None
    nameservers: tuple[str, ...] = ()
    seed: int = 0
    size: int | None = None  #: instead of the scale's
    n_folds: int | None = None
    so_far: bool = False  #: no training: a report of the stored results

    def settings(self) -> Scale:
        """The scale, with the sizes that the user chose."""
        from dataclasses import replace

        scale = SCALES[self.scale]
        return replace(scale, size=self.size or scale.size, n_folds=self.n_folds or scale.n_folds)


def reproduce(plan: Reproduction, step: Step = lambda _done, _total, _text: None) -> tuple[Path, str]:
    """Run the experiments, keep every finished fold and write the report: its path and the line of verdicts."""
    menu = chosen(plan.names, own=plan.data is not None)
    _check_packages()
    if plan.so_far and not (plan.out / "folds").is_dir():
        raise BadConfig(f"{plan.out}: no folds of an earlier run are there")
    scale = plan.settings()
    began, busy = time.perf_counter(), time.process_time()
    step(0, 0, "reading")
    rows, extras = _urls(plan, scale)
    urls = [url for part in (rows, *extras.values()) for url in part.urls]
    hosting, why_not = open_hosting(plan.hosting, plan.nameservers, urls)
    corpus = Corpus(rows, extras, bits=scale.bits, seed=plan.seed, hosting=hosting)
    settings = _settings(plan, scale, rows, hosted=hosting is not None)
    ledger = Ledger(plan.out, settings, resume=plan.resume or plan.so_far)
    if hosting is not None:
        look_up(hosting, urls, ledger, step)
        write_hosts(plan.out / "hosts.csv", hosting, urls)
    folder = plan.folder if plan.data is None else None
    trials = Trials(scale, corpus, ledger, folder=folder, so_far=plan.so_far, no_hosting=why_not)
    sections = _run(trials, menu, step)
    seconds = (time.perf_counter() - began, time.process_time() - busy)
    verdicts = [] if trials.own else judge(sections)
    page = write_report(plan.out, sections, _about(plan, trials, seconds), verdicts)
    if trials.own:
        return page, "no verdicts: the claims of the papers are checked on LINKSIGHT_DATA, not on --data"
    return page, verdict_line(verdicts)


def _run(trials: Trials, menu: dict[str, Experiment], step: Step) -> list[Section]:
    runs = all_runs(menu.values(), trials.corpus.hosting is not None, trials.scale)
    left = sum(cost_of(fold, some, trials.scale) for fold, some in trials.missing(runs))
    total = left + sum(experiment.cost_at(trials.scale) for experiment in menu.values())
    done = 0.0

    def advance(cost: float, text: str) -> None:
        nonlocal done
        done += cost
        step(min(done, total), total, text)

    trials.step = advance
    if not trials.so_far:
        trials.complete(runs)
    trials.step = lambda _cost, text: step(done, total, text)
    sections = []
    for name, experiment in menu.items():
        step(done, total, name)
        sections.append(_section(name, experiment, trials))
        advance(experiment.cost_at(trials.scale), name)
    return sections


def _section(name: str, experiment: Experiment, trials: Trials) -> Section:
    """The section; a missing requirement is reported in it and does not end a run of hours."""
    try:
        return experiment.show(trials)
    except (MissingExtra, BadLanguage, BadData) as error:
        return Section(name, experiment.line, "", missing=f"Not run: {error}")
    except Unfinished as error:
        runs = experiment.runs(trials.corpus.hosting is not None, trials.scale)
        n_left = sum(len(left) for _, left in trials.missing(runs))
        why = f"{n_left:,} folds are left to run" if n_left else str(error)
        return Section(name, experiment.line, "", missing=f"{UNFINISHED}: {why}.")


def _urls(plan: Reproduction, scale: Scale) -> tuple[LabelledUrls, dict[str, LabelledUrls]]:
    if plan.data is not None:
        return own_urls(plan.data, scale.size, plan.seed)
    if plan.folder is None:
        raise BadConfig("no data: set LINKSIGHT_DATA to the folder of labelled data, or give --data FILE")
    return paper_urls(plan.folder, scale.size, plan.seed)


def _settings(plan: Reproduction, scale: Scale, rows: LabelledUrls, *, hosted: bool) -> dict[str, Any]:
    """All settings that the results of folds depend on; stored folds are reused only if they are equal."""
    digest = 0
    for url, language in zip(rows.urls, rows.languages, strict=True):
        digest = zlib.crc32(f"{url}\t{language}\n".encode("utf-8", "replace"), digest)
    return {
        "version": _version(), "scale": vars(scale), "seed": plan.seed, "urls": len(rows), "digest": f"{digest:08x}",
        "hosting": file_digest(plan.hosting) if plan.hosting and hosted else None, "sources": source_digest(),
        "data": data_digest(plan.folder) if plan.data is None else None, "machine": environment_digest(rows.languages),
    }  # fmt: skip


def _about(plan: Reproduction, trials: Trials, seconds: tuple[float, float]) -> dict[str, Any]:
    about = trials.about()
    sizes: dict[str, int] = about["urls"]
    facts = {
        "command": _command(plan),
        "data": str(plan.data.name) if plan.data else f"LINKSIGHT_DATA, digest {data_digest(plan.folder)}",
        "URLs": ", ".join(f"{language} {n:,}" for language, n in sizes.items()),
        "left out": ", ".join(f"{n:,} ({reason})" for reason, n in trials.corpus.rows.dropped.items())
        or "nothing",
        "folds": f"{trials.scale.n_folds}, at random and by registered domain (scale “{trials.scale.name}”)",
        "features": f"hashed to 2^{trials.scale.bits} columns",
        "this run took": f"{seconds[0] / 60:.1f} minutes, {seconds[1] / 60:.1f} of processor time; folds kept from an earlier run are not counted",
        "made by": f"linksight {_version()}, Python {platform.python_version()}",
    }
    return {
        **about,
        "facts": facts,
        "seconds": round(seconds[0], 1),
        "processor_seconds": round(seconds[1], 1),
    }


def _command(plan: Reproduction) -> str:
    """The command line that repeats the run."""
    words = ["linksight reproduce", *plan.names]
    words += [f"--{plan.scale}"] if plan.scale != "middle" else []
    words += [f"--data {plan.data.name}"] if plan.data else []
    words += [f"--hosting {plan.hosting.name}"] if plan.hosting else []
    words += [f"--size {plan.size}"] if plan.size else []
    words += [f"--folds {plan.n_folds}"] if plan.n_folds else []
    return " ".join([*words, f"--seed {plan.seed}"] if plan.seed else words)


def _check_packages() -> None:
    """Check for packages before hours of work."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtra("matplotlib", "lab", "rerunning the papers") from None


def _version() -> str:
    try:
        return version("linksight")
    except PackageNotFoundError:
        return "from source"


def listed() -> Sequence[tuple[str, str]]:
    """The names and one line each."""
    return [(name, experiment.line) for name, experiment in chosen(()).items()]
