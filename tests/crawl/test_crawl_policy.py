"""Strategies: total, pure, and each faithful to what it is named after."""

import math
import textwrap
from dataclasses import replace

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight.cli import main
from linksight.crawl.report.explain import REASONS
from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.scoring.strategies import STRATEGIES, Adaptive, Filter, Link, make_policy, tlds_of
from linksight.errors import BadConfig
from linksight.lab.simulation.experiment import strategy_names
from linksight.results import Decision

evidence = st.floats(-8, 8)
links = st.builds(
    Link, url=st.just("http://a.nl/"), tld=st.sampled_from(["nl", "be", "com", ""]), depth=st.integers(0, 50),
    order=st.integers(0, 10**8), chance=st.floats(0, 1), model=evidence,
    referrer=st.none() | st.floats(0, 1), same_site=st.booleans(), others=st.integers(0, 4), anchor=evidence,
    hreflang=st.none() | st.booleans(), memory=evidence, prefix=evidence, pattern=evidence,
)  # fmt: skip


@pytest.mark.parametrize("name", STRATEGIES)
@given(link=links)
@settings(max_examples=60, deadline=None)
def test_every_link_gets_a_decision_with_a_known_reason(name, link):
    policy = make_policy(CrawlConfig(language="nl", strategy=name))
    decision = policy.decide(link)
    assert isinstance(decision, Decision)
    assert decision.reason in REASONS
    assert not math.isnan(decision.priority)
    assert policy.decide(link) == decision


@given(link=links)
@settings(max_examples=100, deadline=None)
def test_no_voice_for_the_language_ever_turns_a_fetch_into_a_rejection(link):
    policy = Adaptive("nl")
    before = policy.decide(link)
    for name in ("model", "anchor", "memory", "prefix", "pattern", "others"):
        after = policy.decide(replace(link, **{name: getattr(link, name) + 1}))
        assert after.priority >= before.priority
        assert after.fetch >= before.fetch


@pytest.mark.parametrize(
    ("link", "reason"),
    [
        (Link("u", depth=1, model=2.0, neutral=-4.0, referrer=0.1), "looks-right"),
        (Link("u", depth=1, model=-4.5, neutral=-4.0, referrer=0.99), "right-neighbour"),
        (Link("u", depth=1, referrer=0.3, hreflang=True), "declared"),
        (Link("u", depth=1, model=-1.0, referrer=0.1, memory=6.0), "right-site"),
        (Link("u", depth=1, referrer=0.5, prefix=5.0), "right-folder"),
        (Link("u", depth=1, model=-6.0, referrer=0.0), "looks-wrong"),
        (Link("u", depth=1, model=0.5, referrer=0.3, chance=0.0), "exploring"),
        (Link("u"), "seed"),
    ],
)
def test_the_default_strategy_says_which_voice_was_loudest(link, reason):
    assert Adaptive("nl").decide(link).reason == reason


def test_breadth_first_goes_by_depth_then_by_turn():
    policy = make_policy(CrawlConfig(language="nl", strategy="breadth-first"))
    near, later, far = (policy.decide(Link("u", depth=d, order=o)) for d, o in [(1, 5), (1, 10**8), (2, 1)])
    assert near.priority > later.priority > far.priority


def test_the_country_domains_of_the_paper_are_used():
    policy = make_policy(CrawlConfig(language="de", strategy="cctld"))
    assert policy.decide(Link("u", tld="at")).fetch
    assert not policy.decide(Link("u", tld="com")).fetch


def test_the_filter_stops_behind_a_page_of_another_language():
    policy = Filter("nl")
    behind = policy.decide(Link("u", tld="nl", referrer=0.1))
    assert (behind.reason, behind.evidence["referrer"] < -2) == ("behind-other-language", True)  # in log-odds
    assert policy.decide(Link("u", tld="nl", referrer=0.9)).reason == "right-tld"
    assert policy.decide(Link("u", tld="be", model=1.0, referrer=0.9)).reason == "looks-right"
    assert not policy.decide(Link("u", tld="be", model=-1.0, referrer=0.9)).fetch


def test_only_the_dutch_domain_counts_for_the_dutch_filter():
    assert Filter("nl").tlds == {"nl"}
    assert {"nl", "be"} <= tlds_of("nl")


def test_a_strategy_of_ones_own_is_twenty_lines(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        textwrap.dedent("""
        from __future__ import annotations
        from dataclasses import dataclass
        from linksight.results import Decision

        @dataclass(frozen=True)
        class DeepFirst:
            language: str

            def decide(self, link):
                return Decision(link.depth < 9, link.depth, "deep")
        """)
    )
    policy = make_policy(CrawlConfig(language="nl", strategy=f"{path}:DeepFirst"))
    assert policy.decide(Link("u", depth=3)) == Decision(True, 3, "deep")


@pytest.mark.parametrize("name", ["nonsense", "nowhere.py:Mine", "x:y"])
def test_an_unknown_strategy_is_an_error_that_says_what_is_known(name):
    with pytest.raises(BadConfig, match="strategy"):
        make_policy(CrawlConfig(language="nl", strategy=name))


def test_settings_are_checked_when_they_are_made():
    with pytest.raises(BadConfig, match="keep"):
        CrawlConfig(keep="some")
    with pytest.raises(BadConfig, match="unknown setting 'speed'"):
        CrawlConfig.from_values({"speed": 3}, "here")
    with pytest.raises(BadConfig, match="max_pages: needs int"):
        CrawlConfig.from_values({"max_pages": "many"}, "here")


def test_settings_come_back_as_they_were_saved(tmp_path):
    config = CrawlConfig(language="Frisian", seeds=("http://a.frl/",), delay=2, robots=False)
    config.save(tmp_path)
    assert CrawlConfig.load(tmp_path) == config


def test_a_password_stays_in_the_owners_file(tmp_path):
    config = CrawlConfig(language="nl", store="postgresql://me:s3cret@db/crawl")
    config.save(tmp_path)
    assert CrawlConfig.load(tmp_path) == config
    assert (tmp_path / "crawl.json").stat().st_mode & 0o077 == 0
    assert "s3cret" not in str(config.shown())


def test_the_default_strategy_may_be_called_so():
    assert make_policy(CrawlConfig(language="nl", strategy="default")).language == "nl"
    assert CrawlConfig(strategy="default") == CrawlConfig()
    assert strategy_names("default, random", CrawlConfig(language="nl")) == ["adaptive", "random"]


def test_a_file_of_seeds_given_as_a_seed_is_told_how_it_is_given(tmp_path):
    (tmp_path / "seeds.txt").write_text("https://www.nu.nl/\n")
    words = ["crawl", "run", str(tmp_path / "seeds.txt"), "-l", "nl", "-o", str(tmp_path / "out")]
    refused = CliRunner().invoke(main, words)
    assert (refused.exit_code, (tmp_path / "out").exists()) == (2, False)
    assert "is a file, not a URL; give it with: -i" in refused.stderr
