"""The paper's Table 3 (CALA, 2016) on sites that anyone can run: Trac, Wagtail, and the shop of the tests.

    python recipes/cala_table3.py

Starts the sites on loopback, gathers hubs through their search forms with the paper's constants, learns
from half of the hubs and tests on the links of the other half; once with the paper's algorithm alone and
once with refinement. Then the same for the URL schemes of the tests, where classes are on 40 % of the
hubs only. About two minutes.
"""

from __future__ import annotations

import importlib.util
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

from linksight.sites.evaluation import Evaluation, evaluate
from linksight.sites.fetch import FetchOptions
from linksight.sites.gathering import Gathering
from linksight.sites.labels import label_links, parse_rules
from linksight.sites.workbench import Workbench

TESTS = Path(__file__).resolve().parent.parent / "tests" / "sites"
CLASSES: dict[str, dict[str, Any]] = {
    "trac": {"ticket": r"/ticket/\d+", "wiki": "/wiki/", "milestone": "/milestone/", "search": r"/search\?"},
    "wagtail": {
        "blog": {"xpath": "//a[@class='blog-page']"},
        "recipe": {"css": "a.recipe-page"},
        "person": {"css": "a.person-page"},
        "event": r"/events/[^/?]+/$",
        "search": r"/search/\?",
    },
    "shop": {
        "product": {"xpath": "//li[@class='hit']/a[@class='product']/@href"},
        "brand": {"css": "a.brand"},
        "user": {"css": "a.user"},
        "article": {"css": "a.article"},
        "category": r"/kategorie/[^?]+$",
        "help": "/hilfe/",
        "search": "/suche/treffer",
    },
}


@contextmanager
def running(name: str, folder: Path) -> Iterator[str]:
    """The address of a site, which runs as long as the block does."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    script = str(TESTS / "apps" / f"{name}_app.py")
    where = [port] if name == "shop" else [str(folder / name), port]
    with (folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen([sys.executable, script, *where], stdout=log, stderr=log, cwd=folder)
    url = f"http://127.0.0.1:{port}/"
    try:
        for _ in range(360):
            try:
                urllib.request.urlopen(url, timeout=20).close()
                break
            except OSError:
                time.sleep(0.5)
        yield url
    finally:
        process.kill()
        process.wait()


def schemes() -> Any:
    spec = importlib.util.spec_from_file_location("schemes", TESTS / "schemes.py")
    if spec is None or spec.loader is None:
        raise SystemExit(f"{TESTS} is not there: run this from a checkout")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def show(site: str, way: str, one: Evaluation, other: Evaluation) -> None:
    print(
        f"{site:12} {way:8} {one.n_urls:6} {one.tokens_per_url:6.2f}  "
        f"{one.precision:5.2f} {one.recall:5.2f} {one.f1:5.2f}   {other.precision:5.2f} {other.recall:5.2f} {other.f1:5.2f}   "
        f"{one.learning_s:5.2f} {one.download_s:6.2f} {one.classify_s:8.1e} {one.page_s:6.3f}",
        flush=True,
    )


def real_sites() -> None:
    with tempfile.TemporaryDirectory() as folder, Workbench("sqlite://") as bench:
        for name, rules in CLASSES.items():
            with running(name, Path(folder)) as url:
                fetch = FetchOptions(delay_s=0, retries=0, allow_private=True)
                site = Gathering(bench, url, name, fetch=fetch).run()
            hubs = bench.hubs(site, with_body=True)
            labels = label_links(hubs, parse_rules(rules))
            links, seconds = [hub.urls for hub in hubs], [hub.seconds for hub in hubs]
            for way, refine in (("paper", False), ("refined", True)):
                results = [
                    evaluate(links, labels, mode, seconds=seconds, refine=refine)
                    for mode in ("supervised", "unsupervised")
                ]
                show(name, way, *results)


def sparse_schemes() -> None:
    module, scores = schemes(), {False: [], True: []}  # type: ignore[var-annotated]
    for name, seed in product(module.SCHEMES, range(101, 106)):
        hubs, labels = module.hubs_of(name, 60, seed=seed, keep=0.4)
        for refine, kept in scores.items():
            kept.append([evaluate(hubs, labels, m, refine=refine).f1 for m in ("supervised", "unsupervised")])
    for refine, kept in scores.items():
        means = [statistics.fmean(column) for column in zip(*kept, strict=True)]
        worst = [min(column) for column in zip(*kept, strict=True)]
        print(
            f"{len(module.SCHEMES)} schemes, 5 times, classes on 40% of the hubs, {'refined' if refine else 'paper'}: "
            f"mean F1 {means[0]:.3f} supervised, {means[1]:.3f} unsupervised; worst {worst[0]:.3f}, {worst[1]:.3f}"
        )


def main() -> None:
    print(f"{'':34}  supervised          unsupervised        seconds")
    print(
        f"{'site':12} {'learner':8} {'URLs':>6} {'tok/URL':>6}  {'P':>5} {'R':>5} {'F1':>5}   {'P':>5} {'R':>5} {'F1':>5}   "
        f"{'LT':>5} {'HDT':>6} {'MCT':>8} {'MDT':>6}"
    )
    real_sites()
    sparse_schemes()


if __name__ == "__main__":
    main()
