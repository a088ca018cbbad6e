"""The stage for strategies: a stored web, what the URL model says of it, and the seeds, the same for all."""

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
    """A web with the URL model's answers for it; building it takes longer than a run on it."""

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
        """Run strategies from the same seeds, ``repeat`` times from other ones."""
        language, seed = self.config.language, self.config.seed
        names = named(strategies, self.config)
        budget = budget or len(self.web.of(language))
        out = Comparison(language, len(self.web), self.web.share(language), budget)
        out.locality, out.web = self.locality.as_dict(), portrait(self.web, language)
        with _Progress(show_progress, budget * len(names) * repeat) as advance:
            for turn in range(repeat):
                starts = self.seeds(n_seeds, n_others, random.Random(seed * 1000 + turn))
                for name in names:
                    mine = self.config.but(strategy=name, seed=seed + turn)
                    run = replay(self.web, mine, self.scores, starts, budget, sample=sample, on_page=advance)
                    out.runs.setdefault(name, []).append(run)
        return out

    def seeds(self, yes: int, no: int, draw: random.Random) -> list[int]:
        """Seeds as of a general list: a few pages in the language, the others not."""
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
    """The web of WARC files, or one built from the labelled URLs in the folder ``data``, with its URL model.

    A web that is built has up to ``pages`` pages of the table ``urls``, the language at a given ``share``; its links
    lead where those of real pages did, or, ``measured``, where those of the pages in ``data`` do.
    """
    config = CrawlConfig(language=language, model=model, seed=seed, max_pages_per_host=max_pages_per_host)
    locality = _measured(data) if measured else Locality()
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
    named(strategies, CrawlConfig(language=options.get("language", "nl")))
    return set_stage(measured=measure, **options).compare(
        strategies,
        budget=budget,
        n_seeds=n_seeds,
        n_others=n_others,
        repeat=repeat,
        show_progress=show_progress,
    )


def named(strategies: str, config: CrawlConfig) -> list[str]:
    """The names in a list, each checked before anything is built."""
    chosen = [config.but(strategy=name.strip()) for name in strategies.split(",") if name.strip()]
    for one in chosen:
        make_policy(one)
    return [one.strategy for one in chosen]


def portrait(web: StoredWeb, language: str) -> dict[str, float]:
    """What the language's pages are like: how much their addresses give away, beside the others."""
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


def _measured(data: Path | None) -> Locality:
    if data is None:
        raise BadConfig("measure: needs the folder of labelled data (--data or LINKSIGHT_DATA)")
    return measure(data)


def _files(warcs: Sequence[Path]) -> list[Path]:
    """The WARC files that are named, and those in the folders that are."""
    return [file for path in warcs for file in ([path] if path.is_file() else sorted(path.rglob("*.warc*")))]


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
