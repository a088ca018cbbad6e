"""The workbench, on SQLite and on PostgreSQL."""

from __future__ import annotations

import pytest

from linksight.errors import BadData, StoreError
from linksight.sites.gathering.links import Link
from linksight.sites.patterns.pattern import PatternSet
from linksight.sites.workbench.workbench import Hub, Workbench


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def store(request, tmp_path):
    """An empty database of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "sites.db")
    return request.getfixturevalue("fresh_postgres")()


def hub(n: int, **more) -> Hub:
    links = [Link(f"http://a.org/p/{n}", f"page {n}"), Link("mailto:x@a.org", "mail", "scheme")]
    return Hub(f"http://a.org/s?q={n}", links, f"word{n}", f"Title {n}", body=b"<p>\0\xff</p>", **more)


def test_what_was_put_in_comes_out_after_closing(store):
    with Workbench(store) as bench:
        site = bench.open_site("a.org", "http://a.org/")
        bench.add_keywords(site, ["word1", "word2", "word1"])
        bench.add_hub(site, hub(1))
        bench.add_hub(site, hub(3, problem="empty"))
    with Workbench(store) as bench:
        assert bench.site_id("a.org") == bench.site_id() == site
        (only,) = bench.hubs(site, with_body=True)
        assert only.body == b"<p>\0\xff</p>"
        assert (only.urls, only.links[1].problem) == (["http://a.org/p/1"], "scheme")
        assert dict(bench.keywords(site)) == {"word1": "tried", "word2": "waiting", "word3": "tried"}
        assert bench.counts(site) == {"usable": 1, "empty": 1}
        assert bench.hubs(site)[0].body is None


def test_every_annotation_makes_a_version(store):
    with Workbench(store) as bench:
        site = bench.open_site("a.org", "http://a.org/")
        first = bench.save_patterns(site, PatternSet.from_texts(["http://a.org/p/*", "http://a.org/q/*"]))
        bench.annotate(site, "rename", lambda p: p.rename(0, "product"), id=0, name="product")
        merged = bench.annotate(site, "merge", lambda p: p.merge(0, 1), ids=[0, 1])
        assert len(merged) == 1
        assert bench.patterns(site) == merged
        assert len(bench.patterns(site, first)) == 2
        assert [row["action"] for row in bench.annotations(site)] == ["learn", "rename", "merge"]


def test_evaluations_are_kept(store):
    with Workbench(store) as bench:
        site = bench.open_site("a.org", "http://a.org/")
        bench.add_evaluation(site, "supervised", (1.0, 0.5, 0.66), {"n": 3})
        (row,) = bench.evaluations(site)
        assert (row["mode"], row["recall"], row["details"]) == ("supervised", 0.5, {"n": 3})


def test_a_site_can_be_forgotten_and_others_stay(store):
    with Workbench(store) as bench:
        one, other = bench.open_site("a", "http://a.org/"), bench.open_site("b", "http://b.org/")
        for site in (one, other):
            bench.add_hub(site, hub(1))
            bench.save_patterns(site, PatternSet.from_texts(["http://a.org/*"]))
        bench.forget_site(one)
        assert [row["name"] for row in bench.sites()] == ["b"]
        assert len(bench.hubs(other)) == 1


def test_text_that_databases_refuse_is_cleaned(store):
    with Workbench(store) as bench:
        site = bench.open_site("a", "http://a.org/")
        bench.add_hub(site, Hub("http://a.org/\0", [Link("http://a.org/\ud800", "a\0b")], "w\0", "t\ud800"))
        assert bench.hubs(site)[0].links[0].anchor == "ab"


def test_unknown_sites_and_missing_patterns_are_errors(bench):
    with pytest.raises(BadData, match="no site is in the workbench yet"):
        bench.site_id()
    site = bench.open_site("a", "http://a.org/")
    with pytest.raises(BadData, match="known: a"):
        bench.site_id("b")
    with pytest.raises(BadData, match="learnt"):
        bench.patterns(site)


def test_a_file_that_is_no_database_is_an_error(tmp_path):
    path = tmp_path / "x.db"
    path.write_bytes(b"this is no database at all, only text" * 100)
    with pytest.raises(StoreError, match=r"x\.db"):
        Workbench(path)


def test_names_survive_learning_again(bench):
    from linksight.sites.gathering.gather import learn_site

    site = bench.open_site("a", "http://a.org/")
    for n in range(12):
        bench.add_hub(
            site, Hub("http://a.org/s", [Link(f"http://a.org/p/{n}{i}") for i in range(3)], f"w{n}")
        )
    learn_site(bench, site)
    bench.annotate(site, "rename", lambda p: p.rename(0, "product"))
    assert [p.name for p in learn_site(bench, site)] == ["product"]


def sections(scheme: str, end: str) -> list[Link]:
    names = ("faq", "help", "p", "tag")
    return [Link(f"{scheme}://a.org/{name}/{n}/{name}{end}") for name in names for n in range(30)]


@pytest.fixture
def annotated(bench):
    """A site whose sections were renamed, merged and discarded."""
    from linksight.sites.gathering.gather import learn_site

    site = bench.open_site("a", "http://a.org/")
    bench.add_hub(site, Hub("http://a.org/", sections("http", "")))
    learn_site(bench, site)
    bench.annotate(site, "rename", lambda p: p.rename("p", "product"))
    bench.annotate(site, "merge", lambda p: p.merge("faq", "help", name="support"))
    bench.annotate(site, "discard", lambda p: p.discard("tag"))
    return site


def test_what_people_made_of_patterns_survives_learning_again_after_a_move_to_https(bench, annotated):
    from linksight.sites.gathering.gather import learn_site

    bench.drop_hubs(annotated)
    bench.add_hub(annotated, Hub("https://a.org/", sections("https", "/")))
    for _ in range(2):  # the third time as the second
        again = learn_site(bench, annotated)
        assert [p.name for p in again] == ["support", "product"]
        assert again["support"].text == "https://a.org/faq/*/faq/ | https://a.org/help/*/help/"
        assert again.learnt["as_before"] == "merged 2 patterns and discarded 1"


def test_merging_and_discarding_as_before_is_a_step_that_can_be_undone(bench, annotated):
    from linksight.sites.gathering.gather import learn_site

    learn_site(bench, annotated)
    assert [p.name for p in bench.undo(annotated)] == ["faq", "help", "product", "tag"]
    assert [p.name for p in learn_site(bench, annotated)] == ["faq", "help", "product", "tag"]


def test_who_has_discarded_everything_begins_anew_by_learning_again(bench, annotated):
    from linksight.sites.gathering.gather import learn_site

    bench.annotate(annotated, "discard", lambda p: p.discard(*(pattern.id for pattern in p)))
    assert len(learn_site(bench, annotated)) == 4
