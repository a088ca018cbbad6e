"""One kind of page written in several ways: echoes, searches, return addresses, depths, later pages."""

from __future__ import annotations

from collections import Counter

import pytest

from linksight import learn_patterns

WORDS = [f"{a}{b}" for a in ("river", "stone", "cloud", "amber") for b in "abcdefgh"]


def paths(patterns):
    return {tuple(str(form).partition("a.org")[2] for form in p.forms) for p in patterns}


def matched(patterns, *urls):
    return {patterns.match(f"http://a.org{url}") for url in urls}


def test_variants_of_a_search_are_one_kind():
    hubs = [
        [
            f"http://a.org/find?q={word}&sort=date",
            f"http://a.org/find?q={word}&kind=book",
            f"http://a.org/find?q={word}&page=2",
            *(f"http://a.org/item/{(17 * n + i) % 150}" for i in range(9)),
        ]
        for n, word in enumerate(WORDS)
    ]
    patterns = learn_patterns(hubs)
    found = matched(patterns, "/find?q=x&sort=date", "/find?q=y&page=9", "/find?q=z&kind=book")
    assert len(found) == 1
    assert len(patterns) == 2
    assert len(learn_patterns(hubs, refine=False)) > 2, "the paper's own algorithm keeps them apart"


def test_a_number_of_a_thing_is_no_search():
    hubs = [
        [f"http://a.org/view?id={(31 * n + i) % 977}" for i in range(10)]
        + [f"http://a.org/view?id={(31 * n + i) % 977}&tab=reviews" for i in range(10)]
        for n in range(40)
    ]
    assert len(learn_patterns(hubs)) == 2


@pytest.mark.parametrize(
    "echo", [lambda word, n: word, lambda word, n: f"{n * 7919:032x}"], ids=["word", "session"]
)
def test_an_echo_in_every_link_does_not_hide_the_pages(echo):
    hubs = [
        [f"http://a.org/doc?id={w}&hl={echo(word, n)}" for w in (WORDS * 2)[5 * n % 32 :][:12]]
        + [f"http://a.org/who?id={(5 * n + i) % 60}&hl={echo(word, n)}" for i in range(6)]
        for n, word in enumerate(WORDS)
    ]
    patterns = learn_patterns(hubs)
    assert paths(patterns) == {("/doc?id=*",), ("/who?id=*",)}
    assert len(matched(patterns, "/doc?id=new", "/doc?id=new&hl=other")) == 1


def test_a_return_address_says_nothing_about_the_page():
    hubs = [
        ["http://a.org/login", f"http://a.org/login?next=/item/{n}"]
        + [f"http://a.org/item/{n + i}" for i in range(9)]
        for n in range(30)
    ]
    patterns = learn_patterns(hubs)
    found = matched(patterns, "/login", "/login?next=/item/5", "/login?next=/a/b/c")
    assert len(found) == 1
    assert len(patterns) == 2


def test_names_with_namespaces_are_names():
    spaces = ["", "", "team:", "team:old:", "recipes:"]
    hubs = [
        [f"http://a.org/doc?id={spaces[(n + i) % 5]}{WORDS[(3 * n + i) % 32]}" for i in range(12)]
        for n in range(30)
    ]
    assert paths(learn_patterns(hubs)) == {("/doc?id=*",)}
    assert learn_patterns(hubs).match("http://a.org/doc?id=team:new:old:x=1/2") is not None


def test_a_tree_of_pages_is_one_kind_and_categories_are_another():
    tree = [f"/{word}" for word in WORDS] + [f"/{WORDS[i % 9]}/{w}" for i, w in enumerate(WORDS[9:])]
    shop = [f"/{word}" for word in WORDS] + [f"/{WORDS[i % 32]}/{w}" for i, w in enumerate(WORDS * 4)]

    def learnt(urls):
        hubs = [[f"http://a.org{urls[(7 * n + i) % len(urls)]}" for i in range(12)] for n in range(40)]
        return learn_patterns(hubs)

    assert paths(learnt(tree)) == {("/**",)}
    assert paths(learnt(shop)) == {("/*",), ("/*/*",)}


def test_a_page_with_many_options_is_one_kind():
    ways = ["", "?n=50", "?y=ci&n=50", "?y=t", "?a=2024&n=9", "?b=2023", "?unhide", "?u=ana&y=ci", "?r=trunk"]
    hubs = [
        [f"http://a.org/timeline{ways[(n + i) % 9]}" for i in range(3)]
        + [f"http://a.org/item?id={n + i}" for i in range(8)]
        for n in range(30)
    ]
    patterns = learn_patterns(hubs)
    assert len(patterns) == 2
    assert len(matched(patterns, "/timeline", "/timeline?n=7", "/timeline?u=bob&y=ci")) == 1


def test_later_pages_belong_to_their_first():
    hubs = [
        [f"http://a.org/forum/{WORDS[(n + i) % 32]}" for i in range(8)]
        + [f"http://a.org/forum/{WORDS[n]}?page={i}" for i in (2, 3)]
        + [f"http://a.org/forum/{WORDS[n]}?action=edit"]
        for n in range(32)
    ]
    found = paths(learn_patterns(hubs))
    assert found == {("/forum/*",), ("/forum/*?action=edit",)}
    assert learn_patterns(hubs).match("http://a.org/forum/x?page=7").text.endswith("/forum/*")


def test_patterns_of_several_forms_are_saved_and_loaded(tmp_path):
    from linksight import load_patterns

    hubs = [[f"http://a.org/login?next=/item/{n}", f"http://a.org/item/{n}"] for n in range(30)]
    patterns = learn_patterns(hubs)
    patterns.save(tmp_path / "p.json")
    again = load_patterns(tmp_path / "p.json")
    assert [p.forms for p in again] == [p.forms for p in patterns]


def test_a_menu_of_all_pages_is_one_kind_and_a_few_single_pages_are_not():
    many = [f"http://a.org/{word}" for word in WORDS]
    few = [f"http://a.org/{word}" for word in ("about", "contact", "login")]
    hubs = [[*few, *(f"http://a.org/item/{n + i}" for i in range(9))] for n in range(30)]
    assert len(learn_patterns(hubs)) == 4
    assert len(learn_patterns([[*hub, *many] for hub in hubs])) == 2


@pytest.mark.parametrize("folder", ["", "/news"])
def test_years_and_months_are_values_however_many_pages_they_have(folder):
    dated = [f"http://a.org{folder}/{2015 + n % 10}/{1 + n // 10 % 12:02}/title-{n}" for n in range(6000)]
    others = [f"http://a.org/tag/{word}" for word in WORDS]
    assert paths(learn_patterns(dated + others)) == {(f"{folder}/*/*/*",), ("/tag/*",)}


def test_a_pattern_that_would_never_match_is_none():
    """Of all its pages /*/2026/03/*/* is the more specific one."""
    words = [f"/{chr(97 + n % 26)}x{n}" for n in range(104)]
    urls = [f"http://a.org{word}/2026/03/{n % 28}/story-{n}" for n, word in enumerate(words)]
    urls += [f"http://a.org/abroad/2026/03/{n % 28}/far-{n}" for n in range(42)]
    patterns = learn_patterns(urls)
    won = Counter(found.id for found in patterns.match_all(urls))
    assert {pattern.id: pattern.n_urls for pattern in patterns} == won


def test_repositories_at_any_depth_are_one_variable():
    sections = ("log", "refs", "tree/src/a.c", "commit", "tree/docs/b/c.txt", "tree/x.h")
    hubs = [
        [f"http://a.org/{repository}/{section}?id={n * 7919:040x}" for section in sections]
        for n in range(12)
        for repository in ("alpha", "tools/beta", "libs/core/gamma")
    ]
    patterns = learn_patterns(hubs)
    assert {form for several in paths(patterns) for form in several} >= {"/**/log?id=*", "/**/tree/**"}
    (tree,) = matched(patterns, "/new/tree/x", "/a/b/c/tree/some/file.py")
    (log,) = matched(patterns, "/new/log?id=7", "/a/b/c/log?id=8")
    assert tree is not log


def test_actions_on_records_do_not_hide_what_the_records_are():
    """``/posts/7/edit`` and ``/users/7/edit`` share their actions, but are no two repositories."""
    hubs = [
        [
            f"http://a.org/{kind}/{17 * n + i}{action}"
            for kind in ("posts", "users", "teams")
            for i, action in enumerate(("", "/edit", "/history", "/delete", "/raw"))
        ]
        for n in range(20)
    ]
    patterns = learn_patterns(hubs)
    for action in ("", "/edit", "/history"):
        assert len(matched(patterns, f"/posts/1{action}", f"/users/1{action}", f"/teams/1{action}")) == 3


def test_languages_are_no_repositories():
    sections = ("shop/cart", "shop/list", "shop/help", "news/7", "news/8", "about")
    hubs = [
        [f"http://a.org/{language}{section}-{n}" for section in sections]
        for n in range(12)
        for language in ("", "fr/", "de/")
    ]
    assert not any("**" in form for several in paths(learn_patterns(hubs)) for form in several)


def test_a_filter_of_a_list_is_no_kind():
    hubs = [
        [f"http://a.org/shop/orders/{n * 9 + i}" for i in range(9)]
        + [f"http://a.org/shop/orders?product={n * 5 + i}" for i in range(5)]
        + ["http://a.org/shop/orders"]
        for n in range(15)
    ]
    assert len(matched(learn_patterns(hubs), "/shop/orders", "/shop/orders?product=9999")) == 1
