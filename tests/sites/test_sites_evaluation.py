"""Evaluation, by hand-made numbers, and the ways to say what belongs together."""

from __future__ import annotations

import json

import pytest

from linksight.errors import BadConfig, BadData
from linksight.sites.evaluation.class_rules import (
    label_links,
    parse_rules,
    read_mapping,
    read_rules,
    read_table,
)
from linksight.sites.evaluation.metrics import evaluate, split_hubs, supervised_scores, unsupervised_scores
from linksight.sites.evaluation.sandbox import read_labels
from linksight.sites.gathering.links import Link
from linksight.sites.workbench.workbench import Hub


def test_unsupervised_scores_by_hand():
    # Pattern 0: 3 of class a, 1 of b. Pattern 1: 2 of b. One of b matches nothing.
    precision, recall, f1 = unsupervised_scores([0, 0, 0, 0, 1, 1, -1], list("aaabbbb"))
    assert precision == pytest.approx((3 * 3 / 4 + 1 * 1 / 4 + 2 * 2 / 2) / 6)
    assert recall == pytest.approx((3 * 3 / 3 + 1 * 1 / 4 + 2 * 2 / 4) / 6)
    assert f1 == pytest.approx(2 * precision * recall / (precision + recall))


def test_nothing_matched_scores_nothing():
    assert unsupervised_scores([-1, -1], ["a", "b"]) == (0.0, 0.0, 0.0)


def test_supervised_scores_by_hand():
    a, b = supervised_scores(["a", "a", "a", "b", None], ["a", "a", "b", "b", "b"])
    assert (a.precision, a.recall) == (pytest.approx(2 / 3), 1.0)
    assert (b.precision, b.recall) == (1.0, pytest.approx(1 / 3))


def test_the_halves_are_disjoint_and_whole_and_the_seed_chooses():
    hubs = [[f"http://a.org/{n}"] for n in range(11)]
    train, test = split_hubs(hubs, seed=4)
    assert len(train) == 6
    assert sorted(train + test) == sorted(hubs)
    assert split_hubs(hubs, seed=4) == (train, test)
    assert split_hubs(hubs, seed=5) != (train, test)


HUBS = [[f"http://a.org/p/{10 * h + i}" for i in range(5)] + [f"http://a.org/u/n{h}"] for h in range(20)]
LABELS = {url: "product" if "/p/" in url else "user" for hub in HUBS for url in hub}


def test_the_row_of_table_3_is_complete():
    result = evaluate(HUBS, LABELS, "supervised", seconds=[0.5] * 20)
    assert (result.precision, result.recall, result.f1) == (1.0, 1.0, 1.0)
    assert (result.n_urls, result.n_tested, result.tokens_per_url) == (120, 60, 4.0)
    assert (result.download_s, result.page_s) == (10.0, 0.5)
    assert result.classify_s > 0
    assert {c.name: c.patterns for c in result.classes} == {
        "product": ("http://a.org/p/*",),
        "user": ("http://a.org/u/*",),
    }
    json.dumps(result.as_dict())


def test_a_given_mapping_counts_more_than_the_majority():
    wrong = evaluate(
        HUBS, LABELS, "supervised", mapping={"http://a.org/p/*": "user", "http://a.org/u/*": "product"}
    )
    assert wrong.f1 == 0.0


def test_no_labelled_link_is_an_error():
    with pytest.raises(BadData, match="class rules"):
        evaluate(HUBS, {})
    with pytest.raises(BadConfig, match="mode"):
        evaluate(HUBS, LABELS, "magic")


PAGE = b'<base href="/x/"><ul class=r><li><a href="1">a</a><a class=t href="2">b</a></ul><p><a href="3">c</a></p>'
HUB = Hub(
    "http://a.org/", [Link(f"http://a.org/x/{n}") for n in (1, 2, 3)], content_type="text/html", body=PAGE
)


@pytest.mark.parametrize(
    ("rule", "urls"),
    [
        ({"css": "ul.r a"}, {"1", "2"}),
        ({"css": "ul.r"}, {"1", "2"}),
        ({"xpath": "//a[@class='t']"}, {"2"}),
        ({"xpath": "//p/a/@href"}, {"3"}),
        ({"regex": "/[13]$"}, {"1", "3"}),
        ("/3$", {"3"}),
        ({"regex": ["/1$", "/2$"]}, {"1", "2"}),
    ],
)
def test_rules_of_each_kind_select_links(rule, urls):
    labels = label_links([HUB], parse_rules({"c": rule}))
    assert {url.rpartition("/")[2] for url in labels} == urls
    assert all(url.startswith("http://a.org/x/") for url in labels)


@pytest.mark.parametrize("rule", [{"css": "a["}, {"xpath": "//["}, {"regex": "("}, {"xpath": "count(//a)"}])
def test_a_bad_expression_is_an_error_that_names_the_class(rule):
    with pytest.raises(BadConfig, match="'c'"):
        label_links([HUB], parse_rules({"c": rule}))


@pytest.mark.parametrize("classes", [{}, [], {"c": {}}, {"c": {"jq": "."}}, {"c": 3}])
def test_classes_without_rules_are_errors(classes):
    with pytest.raises(BadData):
        parse_rules(classes)


def test_rules_and_tables_come_from_files(tmp_path):
    toml, table = tmp_path / "c.toml", tmp_path / "c.csv"
    toml.write_text("[classes]\none = '/1$'\ntwo = { css = 'a.t' }\n")
    assert read_labels(toml, [HUB]) == {"http://a.org/x/1": "one", "http://a.org/x/2": "two"}
    assert read_mapping(toml) == {}
    toml.write_text('[classes]\none = "/1$"\n[patterns]\n"http://a.org/*" = "one"\n')
    assert read_mapping(toml) == {"http://a.org/*": "one"}
    table.write_text("url,class\nhttp://a.org/x/1,one\nhttp://a.org/x/9,\n")
    assert read_labels(table, []) == {"http://a.org/x/1": "one"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.csv", "url;class\nhttp://a.org/1;one\n"),  # as a spreadsheet in Europe writes it
        ("c.csv", "URL, Class \n http://a.org/1 , one\n"),
        ("c.tsv", "class\tno\turl\none\t7\thttp://a.org/1\n"),
        ("c.jsonl", '{"class": "one", "url": "http://a.org/1"}\n{"url": null, "class": "two"}\n'),
    ],
)
def test_tables_of_classes_are_read_however_they_are_written(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert read_labels(tmp_path / name, []) == {"http://a.org/1": "one"}


def test_a_page_has_its_class_by_any_spelling_of_its_address():
    hubs = [[f"https://a.org/caf\u00e9/{kind}/{n}" for kind in "pq" for n in range(20)]]
    labels = {f"http://A.org/caf%C3%A9/{kind}/{n}/": kind for kind in "pq" for n in range(20)}
    assert evaluate(hubs, labels).n_tested == 20
    assert evaluate((iter(hub) for hub in hubs), labels).tokens_per_url > 4


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.toml", "= ="),
        ("a.json", "{"),
        ("b.csv", "a,b\n1,2\n"),
        ("c.csv", "url,class\n"),
        ("d.csv", "http://a.org/1\nhttp://a.org/2\n"),
    ],
)
def test_bad_files_are_errors_that_name_them(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(BadData, match=name.replace(".", r"\.")):
        read_table(path) if name.endswith("csv") else read_rules(path)
    with pytest.raises(BadData):
        read_rules(tmp_path / "none.toml")


def test_patterns_given_for_classes_are_told_apart(tmp_path):
    import linksight

    path = tmp_path / "patterns.json"
    linksight.learn_patterns([[f"http://a.example/x/{i}" for i in range(9)] for _ in range(3)]).save(path)
    with pytest.raises(BadData, match="these are patterns"):
        read_rules(path)


def test_transfer_is_measured_on_links_that_were_never_seen():
    from linksight.sites.evaluation.metrics import evaluate

    hubs = [[f"http://a.org/{kind}/{5 * n + i}" for i in range(5) for kind in ("p", "q")] for n in range(20)]
    hubs = [[*hub, "http://a.org/login"] for hub in hubs]
    labels = {url: url.split("/")[3] for hub in hubs for url in hub}
    result = evaluate(hubs, labels, "transfer")
    assert (result.f1, result.n_tested) == (1.0, 100)  # the link to log in is on every hub


def test_unmatched_urls_count_as_errors_beside_the_score_of_the_paper():
    from linksight.sites.evaluation.metrics import evaluate

    hubs = [[f"http://a.org/p/{5 * n + i}" for i in range(5)] for n in range(20)]
    hubs = [[*hub, f"http://a.org/x{n}/{n}/y/{n}/z{n}"] for n, hub in enumerate(hubs)]
    result = evaluate(hubs, {url: url.split("/")[3][0] for hub in hubs for url in hub}, "unsupervised")
    assert result.f1_of_all <= result.f1


def test_the_alarm_knows_what_share_of_new_urls_usually_matches_nothing():
    import linksight

    hubs = [
        [f"http://a.org/p/{n}-{i}" for i in range(5)] + [f"http://a.org/{n}/" + "x/" * (n % 9)]
        for n in range(30)
    ]
    learnt = linksight.learn_patterns(hubs)
    assert learnt.watch().usual == max(learnt.learnt["unmatched"], learnt.learnt["unmatched_held_out"])
