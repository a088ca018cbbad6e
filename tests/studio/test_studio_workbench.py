"""The pattern workbench in the studio, alone and in company."""

from __future__ import annotations

import codecs
import threading
import time

import pytest

from linksight.sites.patterns.exports import FORMATS

pytestmark = pytest.mark.usefixtures("learning_in_process")
URLS = "\n".join(
    f"http://shop.example/{kind}/{n}" for n in range(40) for kind in ("product", "author", "nl/nieuws")
)


def learn(visitor, name="shop"):
    """Learn a small site from pasted URLs; its address in the studio."""
    data = {"source": "urls", "urls": URLS, "name": name}
    answer = visitor.outcome(visitor.submit("/sites/learn", data, page="/sites"))
    assert "/sites/" in str(answer.url), answer.text
    return answer.url.path


def names(app, site=1):
    return {pattern.name for pattern in app.state.workbench.open().patterns(site)}


def test_a_list_of_urls_becomes_patterns_and_every_tab_shows_them(make_studio):
    with make_studio().visitor() as visitor:
        site = learn(visitor)
        shown = visitor.get(site).text
        assert "http://shop.example/product/*" in shown
        assert "of a list, divided at random into" in shown
        tree = visitor.get(f"{site}?tab=tree").text
        assert "p 1.00" in tree
        assert "shop.example" in tree
        for tab in ("hubs", "evaluation", "export", "history"):
            assert visitor.get(f"{site}?tab={tab}").status_code == 200
        assert "product" in visitor.get(f"{site}/hubs/1").text


def test_rename_merge_discard_and_undo(make_studio):
    studio = make_studio()
    with studio.visitor() as visitor:
        site = learn(visitor)
        change = f"{site}/annotate"
        visitor.submit(change, {"action": "rename", "id": "0", "name": "writer"}, page=site)
        visitor.submit(change, {"action": "merge", "id": ["0", "1"], "name": "reading"}, page=site)
        assert names(studio.app) == {"reading", "product"}
        visitor.submit(change, {"action": "discard", "id": "2"}, page=site)
        assert names(studio.app) == {"reading"}
        for expected in (
            {"reading", "product"},
            {"writer", "nl nieuws", "product"},
            {"author", "nl nieuws", "product"},
        ):
            visitor.submit(change, {"action": "undo"}, page=site)
            assert names(studio.app) == expected
        assert visitor.submit(change, {"action": "undo"}, page=site).status_code == 409
        for expected in ({"writer", "nl nieuws", "product"}, {"reading", "product"}):
            visitor.submit(change, {"action": "redo"}, page=site)
            assert names(studio.app) == expected
        visitor.submit(change, {"action": "undo"}, page=site)
        visitor.submit(change, {"action": "rename", "id": "2", "name": "article"}, page=site)
        assert visitor.submit(change, {"action": "redo"}, page=site).status_code == 409
        assert names(studio.app) == {"writer", "nl nieuws", "article"}


def test_discarding_all_can_be_undone_from_the_page(make_studio):
    """The page said that there were no patterns yet, and had no button for the way back."""
    studio = make_studio()
    with studio.visitor() as visitor:
        site = learn(visitor)
        before = names(studio.app)
        visitor.submit(f"{site}/annotate", {"action": "discard", "id": ["0", "1", "2"]}, page=site)
        page = visitor.get(site).text
        assert "All patterns are discarded." in page
        assert 'value="undo"' in page
        visitor.submit(f"{site}/annotate", {"action": "undo"}, page=site)
        assert names(studio.app) == before


def test_invalid_rules_are_refused_with_the_reason(visitor):
    site = learn(visitor, "unruly")
    for rules, message in (
        ("product = /product/\njust words", "line 2, &#39;just words&#39;, is not of the form"),
        ('{"format": "linksight-patterns", "version": 1}', "these are patterns"),
        ('{"classes": {}}', "no classes"),
    ):
        told = visitor.submit(f"{site}/evaluate", {"rules": rules}, page=f"{site}?tab=evaluation")
        assert told.status_code == 422
        assert message in told.text


def test_rules_in_json_are_rules(make_studio):
    with make_studio().visitor() as visitor:
        site = learn(visitor)
        data = {"rules": '{"classes": {"product": "/product/", "author": {"regex": "/author/"}}}'}
        told = visitor.outcome(visitor.submit(f"{site}/evaluate", data, page=f"{site}?tab=evaluation"))
        assert "1.000" in told.text


def test_an_evaluation_is_kept_and_shown(make_studio):
    with make_studio().visitor() as visitor:
        site = learn(visitor)
        data = {"rules": "product = /product/\nauthor = /author/"}
        change = f"{site}/annotate"
        visitor.submit(change, {"action": "discard", "id": "2"}, page=site)
        told = visitor.outcome(visitor.submit(f"{site}/evaluate", data, page=f"{site}?tab=evaluation"))
        assert "unsupervised" in told.text
        assert "1.000" in told.text
        curated = told.text.partition(">curated patterns</td>")[2].partition("supervised")[0]
        assert "0.000" in curated, "the discarded pattern of the products is no longer found"
        data |= {"mapping": "author"}
        told = visitor.submit(f"{site}/evaluate", data, page=f"{site}?tab=evaluation")
        assert told.status_code == 422
        assert "not of the form: author = person" in told.text


def test_a_table_of_classes_is_read_by_its_name_and_called_by_it(make_studio):
    with make_studio().visitor() as visitor:
        site = learn(visitor)
        rows = "".join(f"http://shop.example/product/{n}/\tproduct\n" for n in range(40))
        said = {}
        for name, table in (("classes.tsv", f"URL\tClass\n{rows}"), ("mine.csv", "a,b\n1,2\n")):
            sent = visitor.submit(f"{site}/evaluate", {"rules": ""}, page=f"{site}?tab=evaluation",
                                  files={"file": (name, table.encode())})  # fmt: skip
            said[name] = visitor.outcome(sent).text
        assert "unsupervised" in said["classes.tsv"]
        assert "mine.csv: needs the columns url and class" in said["mine.csv"]


def test_every_export_is_offered_and_is_a_file(visitor):
    site = learn(visitor, "exported")
    for form in FORMATS:
        assert f"/export?form={form}" in visitor.get(f"{site}?tab=export").text
        answer = visitor.get(f"{site}/export", params={"form": form})
        assert answer.status_code == 200
        assert "attachment" in answer.headers["content-disposition"]
        assert "product" in answer.text
    assert "/export?form=csv&amp;mark=true" in visitor.get(f"{site}?tab=export").text
    plain, marked = (visitor.get(f"{site}/export?form=csv{more}").content for more in ("", "&mark=true"))
    assert marked == codecs.BOM_UTF8 + plain


def test_a_patterns_file_can_be_asked_through_the_interface(visitor):
    learn(visitor, "asked")
    told = visitor.post(
        "/v1/patterns/match",
        json={"site": "asked", "urls": ["http://shop.example/product/99", "http://b.org/"]},
    ).json()
    assert [told["patterns"][told["matches"][0]]["pattern"], told["matches"][1]] == [
        "http://shop.example/product/*",
        -1,
    ]


@pytest.mark.parametrize("data", [
    {"source": "urls", "urls": ""}, {"source": "nonsense", "home": "http://a.org/"}, {"source": "auto"},
    {"source": "auto", "home": "http://a.org/", "hubs": "many"}, {"source": "warc"},
])  # fmt: skip
def test_learning_from_nothing_is_told_so(visitor, data):
    assert visitor.submit("/sites/learn", data, page="/sites").status_code == 422


def test_a_site_on_a_private_network_is_not_learnt(make_studio):
    with make_studio().visitor() as visitor:
        data = {"source": "auto", "home": "http://127.0.0.1:9/"}
        told = visitor.outcome(visitor.submit("/sites/learn", data, page="/sites"))
        assert "private network" in told.text


def test_learning_can_be_cancelled(make_studio):
    studio = make_studio()
    with studio.visitor() as visitor:
        from linksight.studio.jobs import Job

        began = threading.Event()

        def work(job: Job) -> str:
            while True:
                began.set()
                job.progress(1, 10, "on and on")
                time.sleep(0.01)

        job = studio.app.state.jobs.start(Job("learn", "endless"), work)
        assert began.wait(300)
        answer = visitor.submit(f"/jobs/{job.id}/cancel", {}, page=f"/jobs/{job.id}")
        assert "Cancelled" in visitor.outcome(answer).text


def test_an_evaluation_that_is_cancelled_leaves_no_half_of_itself(make_studio, monkeypatch):
    """Cancelled while the first way of measuring is at work: neither that nor the second is kept."""
    from linksight.sites.evaluation import metrics

    began, cancelled = threading.Event(), threading.Event()
    measure = metrics.evaluate

    def watched(*given, **options):
        began.set()
        assert cancelled.wait(300)
        return measure(*given, **options)

    monkeypatch.setattr(metrics, "evaluate", watched)
    studio = make_studio()
    with studio.visitor() as visitor:
        site = learn(visitor)
        rules = {"rules": "product = /product/\nauthor = /author/"}
        answer = visitor.submit(f"{site}/evaluate", rules, page=f"{site}?tab=evaluation")
        assert began.wait(300)
        visitor.submit(f"{answer.url.path}/cancel", {}, page=answer.url.path)
        cancelled.set()
        assert "Cancelled" in visitor.outcome(answer).text
        assert studio.app.state.workbench.open().evaluations(1) == []


@pytest.mark.postgres
def test_two_people_on_one_postgresql_workbench_lose_nothing(make_studio, fresh_postgres):
    """Two studios, one database: both change other patterns at the same moment, again and again."""
    where = fresh_postgres()
    studios = [make_studio(store=where), make_studio(store=where)]
    with studios[0].visitor() as one, studios[1].visitor() as other:
        site = learn(one)
        problems: list[str] = []

        def work(visitor, number: int, names: list[str]) -> None:
            was = None
            for name in names:
                data = {"action": "rename", "id": str(number), "name": name}
                answer = visitor.submit(
                    f"{site}/annotate", data | ({f"was-{number}": was} if was else {}), page=site
                )
                if answer.status_code != 200:
                    problems.append(answer.text)
                was = name

        people = [
            threading.Thread(target=work, args=(person, number, [f"{who} {k}" for k in range(12)]))
            for person, number, who in ((one, 0, "ann"), (other, 1, "bob"))
        ]
        for person in people:
            person.start()
        for person in people:
            person.join(300)
        assert not problems
        assert names(studios[0].app) == names(studios[1].app) == {"ann 11", "bob 11", "product"}
        # Every one of the 24 changes is a version of its own, none was written over.
        log = studios[0].app.state.workbench.open().annotations(1)
        assert sum(row["action"] == "rename" for row in log) == 24


@pytest.mark.postgres
def test_a_change_of_what_a_colleague_has_changed_is_a_conflict_that_says_so(make_studio, fresh_postgres):
    where = fresh_postgres()
    studios = [make_studio(store=where), make_studio(store=where)]
    with studios[0].visitor() as one, studios[1].visitor() as other:
        site = learn(one)
        rename = {"action": "rename", "id": "0", "was-0": "author"}
        assert one.submit(f"{site}/annotate", rename | {"name": "writer"}, page=site).status_code == 200
        answer = other.submit(f"{site}/annotate", rename | {"name": "scribe"}, page=site)
        assert answer.status_code == 409
        assert "writer" in answer.text
        assert "A colleague edited" in other.get(f"{site}/changed", params={"version": 1}).text
        assert names(studios[1].app) >= {"writer"}


def listed(visitor, *urls, **more):
    """Learn a site from a list; its address in the studio."""
    data = {"source": "urls", "urls": "\n".join([*URLS.splitlines(), *urls]), "name": "list"} | more
    return visitor.outcome(visitor.submit("/sites/learn", data, page="/sites")).url.path


def test_a_list_is_shown_as_a_list_and_not_as_a_hub(make_studio):
    with make_studio().visitor() as visitor:
        site = listed(visitor, "mailto:a@b.nl", "hello world", "http://shop.example/product/1")
        shown = visitor.get(f"{site}?tab=hubs").text
        assert ">List</a>" in shown
        assert ">Hubs</a>" not in shown
        assert "120 URLs of the list were learnt from, 2 left out" in shown
        assert "1 URL is there a second time" in shown
        assert shown.count("left out: not a web address") == 2
        left = visitor.get(f"{site}?tab=hubs&pattern=left-out").text
        assert "hello world" in left
        assert "/inspect?" not in left
        assert "a list</td>" in visitor.get("/sites").text
        assert "12 hubs" not in visitor.get(site).text, "the hubs of a list mean nothing"


def test_the_list_is_shown_by_pattern_and_a_page_at_a_time(make_studio):
    studio = make_studio()
    with studio.visitor() as visitor:
        site = listed(visitor, *(f"http://shop.example/product/{n}" for n in range(40, 260)))
        pattern = next(p.id for p in studio.app.state.workbench.open().patterns(1) if p.name == "author")
        some = visitor.get(f"{site}?tab=hubs&pattern={pattern}").text
        assert some.count('<td class="url">') == 40
        assert some.count("/author/") >= 40
        assert "product%2F" not in some
        first, second = (visitor.get(f"{site}?tab=hubs&page={n}").text for n in (1, 2))
        assert [page.count('<td class="url">') for page in (first, second)] == [200, 140]
        for odd in ("page=0", "page=999999999999", "page=x", "pattern=x&page=-1"):
            assert visitor.get(f"{site}?tab=hubs&{odd}").status_code == 200


def test_links_of_another_site_are_left_out_of_the_list_with_the_reason(make_studio):
    with make_studio().visitor() as visitor:
        site = listed(visitor, "http://other.example/x", home="http://shop.example/")
        assert "left out: of another site" in visitor.get(f"{site}?tab=hubs&pattern=left-out").text


def test_the_second_list_that_is_pasted_leaves_the_first_alone(make_studio):
    """Both were called "pasted URLs", and the second took the place of the first with all that was named in it."""
    studio = make_studio()
    with studio.visitor() as visitor:
        first = listed(visitor, name="")
        visitor.submit(f"{first}/annotate", {"action": "rename", "id": "0", "name": "writer"}, page=first)
        second = listed(visitor, "http://shop.example/basket", name="")
        assert first != second
        assert "writer" in names(studio.app)
        assert "pasted URLs 2" in visitor.get("/sites").text


@pytest.mark.parametrize(
    ("home", "told"),
    [("http://shop.example/", "is gathered already"), ("http://other.example/", "(http://shop.example): choose another name"),
     ("", "(http://shop.example): choose another name")],
    ids=["again", "another", "list"],
)  # fmt: skip
def test_a_site_is_not_written_over_by_another_of_its_name(make_studio, home, told):
    """A list took the place of pages that had been fetched; another address was answered with the patterns of the first."""
    studio = make_studio()
    bench = studio.app.state.workbench.open()
    bench.update_site(bench.open_site("shop", "http://shop.example"), source="form", state="gathered")
    with studio.visitor() as visitor:
        source = "auto" if home else "urls"
        data = {"source": source, "home": home, "name": "shop", "urls": "" if home else URLS}
        answer = visitor.submit("/sites/learn", data, page="/sites")
    assert answer.status_code == 422
    assert told in answer.text


def test_a_list_is_learnt_anew_under_its_name_and_kept_where_the_new_one_cannot_be_read(make_studio):
    studio = make_studio()
    with studio.visitor() as visitor:
        site = learn(visitor)
        file = {"file": ("urls.xlsx", b"PK\x03\x04 no list of URLs")}
        data = {"source": "urls", "name": "shop"}
        failed = visitor.outcome(visitor.submit("/sites/learn", data, page="/sites", files=file))
        assert "save it as CSV" in failed.text
        assert "120 URLs of the list" in visitor.get(f"{site}?tab=hubs").text
        file = {"file": ("urls.txt", f"{URLS}\nhttp://shop.example/basket")}
        again = visitor.outcome(visitor.submit("/sites/learn", data, page="/sites", files=file))
        assert again.url.path == site
        assert "121 URLs of the list" in visitor.get(f"{site}?tab=hubs").text
