"""Real sites: Trac, Wagtail, Roundup and a shop with every difficulty; gathered, learnt and judged."""

from __future__ import annotations

import pytest

from linksight.lab.papers.other_papers.cala2016_local_sites import CLASSES
from linksight.sites.evaluation.class_rules import label_links, parse_rules
from linksight.sites.evaluation.metrics import evaluate
from linksight.sites.gathering.gather import Gathering, learn_site
from linksight.sites.workbench.workbench import Workbench


@pytest.fixture(scope="module")
def gathered(request, trac, wagtail, roundup, shop):
    """Every site with its hubs, gathered once."""
    from linksight.sites.gathering.fetcher import FetchOptions
    from linksight.sites.gathering.hub_crawler import HubOptions

    addresses = {"trac": trac, "wagtail": wagtail, "roundup": roundup, "shop": shop[0]}
    fetch = FetchOptions(delay_s=0, retries=0, allow_private=True)
    bench = Workbench("sqlite://")
    found = {}
    for name, url in addresses.items():
        gathering = Gathering(bench, url, name, fetch=fetch, hubs=HubOptions(n_hubs=50))
        found[name] = (gathering.run(), gathering)
    yield bench, found
    bench.close()


@pytest.mark.parametrize("site", CLASSES)
@pytest.mark.parametrize("mode", ["supervised", "unsupervised"])
def test_f1_is_at_least_95_percent(gathered, site, mode):
    bench, found = gathered
    hubs = bench.hubs(found[site][0], with_body=True)
    labels = label_links(hubs, parse_rules(CLASSES[site]))
    assert set(labels.values()) == set(CLASSES[site])
    result = evaluate([hub.urls for hub in hubs], labels, mode, seconds=[hub.seconds for hub in hubs])
    assert result.f1 >= 0.95, result
    assert result.unmatched <= 0.05


@pytest.mark.parametrize("site", CLASSES)
def test_the_search_form_is_found_and_leads_to_hubs(gathered, site):
    bench, found = gathered
    number, _ = found[site]
    assert bench.site(number)["source"] == "form"
    assert len(bench.hubs(number)) >= 40


def test_the_kinds_of_pages_of_the_shop_come_out_with_names(gathered):
    bench, found = gathered
    patterns = learn_site(bench, found["shop"][0])
    paths = {p.text.partition("127.0.0.1:")[2].partition("/")[2]: p.name for p in patterns}
    assert {"p/*", "marke/*", "nutzer/*/bewertungen", "magazin/*/*/*", "kategorie/*", "hilfe/*"} <= set(paths)
    assert paths["marke/*"] == "marke"
    assert paths["suche/treffer?begriff=*&seite=*"] == "suche treffer"


def test_links_that_lead_to_no_page_are_kept_apart(gathered):
    bench, found = gathered
    hub = bench.hubs(found["shop"][0])[0]
    apart = {link.problem: link.url for link in hub.links if link.problem}
    assert apart["scheme"].startswith(("mailto:", "javascript:"))
    assert apart["file"].endswith("katalog.pdf")
    assert apart["off-site"] == "https://extern.example/"
    assert apart["no-host"] == "http:///kaputt"
    assert any(link.anchor == "Warenkorb" for link in hub.links)


def test_what_failed_is_said_and_what_was_gathered_is_kept(gathered):
    bench, found = gathered
    number, gathering = found["shop"]
    counts = bench.counts(number)
    assert counts["usable"] >= 40
    assert counts["http-500"] >= 1
    assert counts["empty"] > 5
    assert any("status 500" in note for note in gathering.notes)


def test_no_forbidden_page_was_asked_for(gathered, shop):
    asked = {path for _, path in shop[1].requests}
    assert "/robots.txt" in asked
    assert not any(path.startswith("/intern/") for path in asked)
