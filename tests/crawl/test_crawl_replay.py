"""Replay: strategies on stored webs, and the targets that the default one is held to."""

import random
import re
from math import comb
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from linksight.crawl.frontier import sql_schema
from linksight.crawl.frontier.frontier import Frontier
from linksight.crawl.frontier.records import Found
from linksight.crawl.report.sampling_statistics import Ratio, Share
from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.scoring.model_protocols import CountryModel
from linksight.crawl.scoring.strategies import STRATEGIES
from linksight.errors import BadConfig, BadData
from linksight.lab.simulation.experiment import compare, portrait
from linksight.lab.simulation.language_locality import Locality, measure
from linksight.lab.simulation.page_pool import Bodies
from linksight.lab.simulation.replay import MemoryQueue, TableModel, replay
from linksight.lab.simulation.synthetic_web import build_web
from linksight.lab.simulation.warc_web import StoredWeb, web_from_warcs
from linksight.results import Decision, PageLabel
from linksight.system.database import open_store
from linksight.urls.parser import site_of


@pytest.fixture(scope="module")
def small_web() -> StoredWeb:
    """300 sites of 5 pages; one in ten is Dutch, half of those under .nl; links keep to languages."""
    draw = random.Random(5)
    sites = [("nl" if n % 10 == 0 else draw.choice(["en", "fr", "de"]), n) for n in range(300)]
    urls, languages, of_site = [], [], []
    for code, n in sites:
        tld = {"nl": "nl" if n % 20 else "com", "en": "com", "fr": "fr", "de": "de"}[code]
        of_site.append(range(len(urls), len(urls) + 5))
        urls += [f"http://site{n}.{tld}/" + (f"p{page}.html" if page else "") for page in range(5)]
        languages += [code] * 5
    links = []
    for page, code in enumerate(languages):
        same = [n for n, (other, _) in enumerate(sites) if other == code]
        there = draw.sample(same, 3) + draw.sample(range(300), 1)
        links.append(sorted({*of_site[page // 5], *(of_site[n][0] for n in there)} - {page}))
    labels = [PageLabel(code, "Latn", "utf-8", 0.95) for code in languages]
    return StoredWeb(urls, languages, labels, links, [1000] * len(urls))


def run(web: StoredWeb, strategy: str, budget: int = 150, **settings):
    model = TableModel(CountryModel(["nl", "en", "fr", "de"]), web.urls, "nl")
    seeds = [web.of("nl")[0], web.of("fr")[0]]
    return replay(web, CrawlConfig(language="nl", strategy=strategy, **settings), model, seeds, budget)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_downloads_each_page_once_and_keeps_to_its_budget(small_web, strategy):
    result = run(small_web, strategy)
    assert len(result.order) == len(set(result.order)) <= 150
    assert set(result.order).isdisjoint(result.rejected)
    assert result.found == sum(small_web.languages[page] == "nl" for page in result.order)


def test_the_same_seed_gives_the_same_crawl(small_web):
    assert run(small_web, "adaptive").order == run(small_web, "adaptive").order
    assert run(small_web, "random", seed=1).order != run(small_web, "random", seed=2).order


def test_the_default_finds_what_the_top_level_domain_hides(small_web):
    default, cctld, blind = (run(small_web, name).found for name in ("adaptive", "cctld", "breadth-first"))
    assert default > 1.5 * cctld
    assert default > 1.5 * blind


def test_the_strategy_of_the_docs_runs_as_it_stands_there(small_web, tmp_path):
    """What a newcomer copies: twenty lines at most, from the page into a file, then --strategy."""
    page = (Path(__file__).parents[2] / "docs" / "crawl.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n# mine\.py\n(.*?)```", page, re.S)[1]
    assert len([line for line in code.splitlines() if line]) <= 20
    (tmp_path / "mine.py").write_text(code, encoding="utf-8")
    result = run(small_web, f"{tmp_path / 'mine.py'}:Homepages")
    assert {"front-page", "near-front-page", "looks-wrong"} <= result.reasons.keys()
    assert result.precision > 1.5 * run(small_web, "random").precision


def test_the_default_gains_by_what_further_sites_say(small_web):
    recipe = Path(__file__).parents[2] / "recipes" / "crawl_one_referrer.py"
    alone = run(small_web, f"{recipe}:OneReferrer")
    assert alone.order != run(small_web, "adaptive").order
    assert alone.found <= run(small_web, "adaptive").found


def test_the_cap_per_host_holds_in_replay(small_web):
    result = run(small_web, "breadth-first", max_pages_per_host=2)
    assert max(sum(page // 5 == site for page in result.order) for site in range(300)) == 2


def test_the_interval_for_the_missed_share_covers_the_truth(small_web):
    covered = 0
    for seed in range(40):
        result = run(small_web, "cctld", seed=seed, sample=40)
        covered += result.missed.low <= result.missed_truth <= result.missed.high
    assert covered >= 36


@given(
    st.lists(
        st.tuples(st.integers(0, 14), st.floats(-5, 5).map(lambda x: round(x, 3))), min_size=1, max_size=25
    ),
    st.dictionaries(st.integers(0, 2), st.floats(-4, 4).map(lambda x: round(x, 3))),
)
@settings(max_examples=30, deadline=None)
def test_the_queue_in_memory_keeps_the_order_of_the_one_in_sql(tmp_path_factory, pushes, bonuses):
    """Whatever is pushed and whatever a host's bonus becomes, both serve the same priorities."""
    frontier = Frontier(
        open_store(tmp_path_factory.mktemp("queue") / "q.db", sql_schema.metadata),
        CrawlConfig(language="nl", delay=0.0),
    )
    frontier.create()
    queue = MemoryQueue()
    best: dict[int, float] = {}
    for page, base in pushes:
        best.setdefault(page, base)
    for page, base in best.items():
        host = f"h{page % 3}.nl"
        queue.push(page, host, base)
        frontier.add([Found(f"http://{host}/{page}", 1, Decision(True, base, "looks-right"))])
    for number, bonus in bonuses.items():
        queue.set_bonus(f"h{number}.nl", bonus)
        with frontier.begin() as connection:
            h = sql_schema.hosts
            connection.execute(h.update().where(h.c.name == f"h{number}.nl").values(bonus=bonus))
            frontier.rank(connection, connection.execute(select(h.c.id)).scalars().all())
    served = []
    while job := frontier.claim(1):
        served.append(job[0].base + job[0].bonus)
    expected = []
    while head := queue.pop():
        expected.append(head[1] + queue.bonus[f"h{head[0] % 3}.nl"])
    frontier.engine.dispose()
    assert served == pytest.approx(expected)


def test_a_crawl_can_be_replayed_from_its_warc_files(local_web, crawl_with):
    from linksight.pages import identify

    with local_web(hosts=4, pages=10) as web:
        folder, _ = crawl_with(seeds=(web.url(0, 0),), strategy="breadth-first")
        truth = web.all_urls()
    stored = web_from_warcs(sorted((folder / "warc").glob("*.gz")), identify)
    assert dict(zip(stored.urls, stored.languages, strict=True)) == truth
    outcome = compare(
        warcs=[folder / "warc"], language="nl", strategies="adaptive,breadth-first", model="cctld"
    )
    assert outcome.found("breadth-first") > 0


@pytest.mark.parametrize("size", [60, 200, 1_000])
def test_the_interval_of_a_share_covers_rare_ones_too(size):
    """Of every share from nothing to one in ten, exactly: the chance that the interval holds it."""
    intervals = [Share.of(hits, size) for hits in range(size + 1)]
    for share in [rate / size for rate in (0.03, 0.1, 0.15, 0.17, 0.3, 0.5, 0.8, 1.5, 3.0, 0.1 * size)]:
        held = [hits for hits, told in enumerate(intervals) if told.low <= share <= told.high]
        chance = sum(comb(size, hits) * share**hits * (1 - share) ** (size - hits) for hits in held)
        assert chance > 0.92, share
    whole = [Share.of(size - hits, size) for hits in range(size + 1)]
    assert [1 - told.high for told in whole] == pytest.approx([told.low for told in intervals])


def test_a_share_of_everything_leaves_no_doubt():
    assert Share.of(3, 10, population=10).low == Share.of(3, 10, population=10).high == 0.3
    assert Share.of(0, 0, population=5).high == 1.0


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"strategies": "nonsense"}, BadConfig),
        ({"data": None}, BadConfig),
        ({"language": "Klingonish"}, LookupError),
    ],
)
def test_wrong_options_are_named(options, error):
    with pytest.raises(error):
        compare(**options)


@pytest.mark.data
def test_the_locality_that_webs_are_built_with_is_the_measured_one(data):
    measured, used = measure(data), Locality()
    for name in ("own_site", "same_english", "same_other", "other_to_english",
                 "text_same", "text_there", "text_here", "declaring"):  # fmt: skip
        assert getattr(measured, name) == pytest.approx(getattr(used, name), abs=0.02)


@pytest.fixture(scope="module")
def built(data) -> StoredWeb:
    """A web of 5,000 pages from the labelled URLs, 100 of them Dutch."""
    return build_web(data, "nl", pages=5_000, share=0.02, seed=2)


@pytest.mark.data
def test_a_built_web_is_what_was_asked_for(built):
    web = built
    assert len(web) == len(set(web.urls)) == 5_000
    assert web.share("nl") == 0.02
    assert set(range(5_000)) == {int(target) for targets in web.links for target in targets}
    across = [
        web.languages[target] == "nl"
        for page in web.of("nl")
        for target in web.links[page]
        if web.urls[target].split("/")[2] != web.urls[page].split("/")[2]
    ]
    assert sum(across) / len(across) > 0.5


@pytest.mark.data
def test_a_built_web_gives_away_no_more_than_the_real_one(built):
    """Texts and declared languages at the measured rates; front pages as often as in other languages."""
    web = built
    looks = portrait(web, "nl")
    assert looks["front"] == pytest.approx(looks["front_others"], abs=0.03)
    declared = [pair for pair, link in web.anchors.items() if link.hreflang]
    assert declared
    assert all(web.anchors[pair].hreflang == web.languages[pair[1]] for pair in declared)
    assert all(target in web.links[page] for page, target in web.anchors)
    texts = {pair: link.anchor for pair, link in web.anchors.items() if link.anchor}
    across = [
        (page, target)
        for page, targets in enumerate(web.links)
        for target in targets
        if site_of(web.urls[page]) != site_of(web.urls[target])
    ]
    same = [pair for pair in across if web.languages[pair[0]] == web.languages[pair[1]]]
    apart = [pair for pair in across if web.languages[pair[0]] != web.languages[pair[1]]]
    used, with_text = Locality(), len(texts.keys() & set(same)) / len(same)
    seldom = (used.text_there + used.text_here) / used.text_same
    assert len(texts.keys() & set(apart)) / len(apart) == pytest.approx(with_text * seldom, abs=0.15)


@pytest.mark.data
def test_a_page_of_a_built_web_has_as_many_links_as_its_body(data):
    bodies = Bodies.read(data / "pages" / "dev.parquet", None)
    drawn = [bodies.draw("nl", random.Random(n)) for n in range(200)]
    assert {body.label.language for body in drawn} == {"nl"}
    web = build_web(data, "nl", pages=5_000, share=0.02, seed=2, urls="dev")
    counts = [len(web.links[page]) for page in web.of("nl")]
    # Real pages differ widely: some link to nothing much, some to many places.
    assert min(counts) <= 2
    assert max(counts) >= 15


@pytest.mark.data
def test_a_language_with_few_labels_gets_a_smaller_web_with_the_same_share(data):
    web = build_web(data, "nl", pages=1_000_000, urls="dev")
    assert 100 < len(web) < 10_000
    assert web.share("nl") == pytest.approx(0.02, abs=0.002)


@pytest.mark.data
def test_a_language_with_hardly_any_labels_is_refused(data):
    with pytest.raises(BadData, match="too few for a web"):
        build_web(data, "gn", urls="dev")


def test_the_ratio_of_several_draws_comes_with_an_interval():
    told = Ratio.of([10, 12, 11, 13, 9], [5, 6, 5, 7, 4])
    assert told.value == pytest.approx(55 / 27)
    assert told.low < told.value < told.high
    assert (told.worst, told.draws) == (pytest.approx(13 / 7), 5)
    assert Ratio.of([4], [2]).as_dict() == {"value": 2.0, "low": None, "high": None, "worst": 2.0, "draws": 1}
