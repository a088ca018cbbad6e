"""Experiments: stored web, URL model scores and seeds that all compared strategies share."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.scoring.model_protocols import BinaryModel, UrlModel, load_model, load_reader
from linksight.crawl.scoring.strategies import make_policy, tlds_of
from linksight.errors import BadConfig, BadData
from linksight.lab.simulation.language_locality import Locality, measure
from linksight.lab.simulation.replay import TableModel, replay
from linksight.lab.simulation.strategy_comparison import Comparison
from linksight.lab.simulation.synthetic_web import build_web, front_share, unseen_rows
from linksight.lab.simulation.warc_web import StoredWeb, web_from_warcs
from linksight.urls.parser import Url

ALL = "adaptive,breadth-first,random,cctld,classifier,filter"


@dataclass(frozen=True)
class Stage:
    """A web with precomputed URL model scores; building it takes longer than a run."""

    config: CrawlConfig
    web: StoredWeb
    scores: TableModel
    locality: Locality

    def compare(
        self,
        strategies: str = ALL,
        *,
        budget: int = 0,
        n_seeds: int = 2,
        n_others: int = 8,
        repeat: int = 1,
        sample: int = 0,
        show_progress: bool = False,
    ) -> Comparison:
        """Run all strategies from the same seeds; repeat with ``repeat`` different draws of seeds."""
        language, seed = self.config.language, self.config.seed
        names = strategy_names(strategies, self.config)
        budget = budget or len(self.web.of(language))
        out = Comparison(language, len(self.web), self.web.share(language), budget)
        out.locality, out.web = self.locality.as_dict(), portrait(self.web, language)
        with _Progress(show_progress, budget * len(names) * repeat) as advance:
            for turn in range(repeat):
                starts = self.seeds(n_seeds, n_others, random.Random(seed * 1000 + turn))
                for name in names:
                    config = self.config.but(strategy=name, seed=seed + turn)
                    run = replay(
                        self.web, config, self.scores, starts, budget, sample=sample, on_page=advance
                    )
                    out.runs.setdefault(name, []).append(run)
        return out

    def seeds(self, yes: int, no: int, draw: random.Random) -> list[int]:
        """Draw seeds: ``yes`` pages in the language and ``no`` others."""
        targets = self.web.of(self.config.language)
        others = [page for page, code in enumerate(self.web.languages) if code != self.config.language]
        return draw.sample(targets, min(yes, len(targets))) + draw.sample(others, min(no, len(others)))


def set_stage(
    *,
    warcs: Sequence[Path] = (),
    language: str = "nl",
    data: Path | None = None,
    pages: int = 100_000,
    share: float = 0.02,
    urls: str = "train",
    seed: int = 1,
    max_pages_per_host: int = 0,
    model: str = "",
    measured: bool = False,
) -> Stage:
    """Load a web from WARC files, or build one from the labelled URLs in the folder ``data``.

    A built web has up to ``pages`` pages of the table ``urls``, a ``share`` of them in the language. Its links
    follow the published locality, or with ``measured`` that of the pages in ``data``.
    """
    config = CrawlConfig(language=language, model=model, seed=seed, max_pages_per_host=max_pages_per_host)
    locality = _measured_locality(data) if measured else Locality()
    if warcs:
        web = web_from_warcs(_files(warcs), load_reader())
    elif data is None:
        raise BadConfig("replay needs WARC files, or LINKSIGHT_DATA to build a web from")
    else:
        web = build_web(
            data, config.language, pages=pages, share=share, seed=seed, locality=locality,
            reader=load_reader(), urls=urls,
        )  # fmt: skip
    if config.language not in web.languages:
        raise BadData(f"the stored web holds no page in {language!r}")
    scores = TableModel(_model(config, web, None if warcs else data, urls), web.urls, config.language)
    return Stage(config, web, scores, locality)


def compare(
    *,
    strategies: str = ALL,
    budget: int = 0,
    n_seeds: int = 2,
    n_others: int = 8,
    repeat: int = 1,
    measure: bool = False,
    show_progress: bool = False,
    **options: Any,
) -> Comparison:
    """Run strategies on a stored web (:func:`set_stage`); see ``linksight crawl replay``."""
    strategy_names(strategies, CrawlConfig(language=options.get("language", "nl")))
    return set_stage(measured=measure, **options).compare(
        strategies,
        budget=budget,
        n_seeds=n_seeds,
        n_others=n_others,
        repeat=repeat,
        show_progress=show_progress,
    )


def strategy_names(strategies: str, config: CrawlConfig) -> list[str]:
    """Parse a comma-separated list of strategies, and check each."""
    configs = [config.but(strategy=name.strip()) for name in strategies.split(",") if name.strip()]
    for one in configs:
        make_policy(one)
    return [one.strategy for one in configs]


def portrait(web: StoredWeb, language: str) -> dict[str, float]:
    """Statistics of a language's pages: shares of its top-level domains and of front pages."""
    targets = [(web.urls[page], language) for page in web.of(language)]
    others = [(url, code) for url, code in zip(web.urls, web.languages, strict=True) if code != language]
    tlds = tlds_of(language)
    own = sum(Url.parse(url).tld in tlds for url, _ in targets)
    return {
        "own_tlds": round(own / len(targets), 4) if targets else 0.0,
        "front": round(front_share(targets), 4),
        "front_others": round(front_share(others), 4),
    }


def _model(config: CrawlConfig, web: StoredWeb, data: Path | None, urls: str) -> UrlModel:
    """The URL model for a replay.

    The bundled model was trained on the labelled URLs, so a web built from them would measure it on
    training data. In this case an all-grams classifier, as in the paper, is trained on the labelled
    URLs of sites that are not in the web.
    """
    if data is None or config.model or urls != "train":
        return load_model(config.but(model="" if config.model == "bundled" else config.model))
    from linksight.models import make_classifier

    rows = unseen_rows(data / "urls" / "train.parquet", web, config.language, random.Random(config.seed))
    classifier = make_classifier("me", features="allgrams-from-word", language=config.language)
    classifier.fit([url for url, _ in rows], [code for _, code in rows])
    return BinaryModel(classifier, config.language)


def _measured_locality(data: Path | None) -> Locality:
    if data is None:
        raise BadConfig("measure: needs the folder of labelled data (--data or LINKSIGHT_DATA)")
    return measure(data)


def _files(warcs: Sequence[Path]) -> list[Path]:
    """The given WARC files, and those in the given folders."""
    return [file for path in warcs for file in ([path] if path.is_file() else sorted(path.rglob("*.warc*")))]


class _Progress:
    """An optional progress bar on stderr."""

    def __init__(self, is_shown: bool, total: int) -> None:
        self._is_shown, self._total = is_shown, total

    def __enter__(self) -> Any:
        if not self._is_shown:
            return None
        from rich.console import Console
        from rich.progress import Progress

        self._bar = Progress(console=Console(stderr=True))
        self._bar.start()
        task = self._bar.add_task("replay", total=self._total)
        return lambda: self._bar.advance(task)

    def __exit__(self, *_: object) -> None:
        if self._is_shown:
            self._bar.stop()
