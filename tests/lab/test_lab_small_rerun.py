"""Experiments at the smallest scale on the real data: every table has its rows, and every claim its statistic."""

import pytest

from linksight.lab.papers.baykan2013.data_sets import data_sets
from linksight.lab.papers.claims import paper_tables
from linksight.lab.papers.experiment_corpus import Corpus
from linksight.lab.papers.fold_cache import Ledger
from linksight.lab.papers.other_papers.baykan2008_combinations import combinations
from linksight.lab.papers.other_papers.chew2011_pages import pages
from linksight.lab.papers.other_papers.hogewind2020_crawls import dutch_crawls
from linksight.lab.papers.report.results import Cell
from linksight.lab.papers.runner import Scale, Trials
from linksight.lab.papers.url_sources import paper_urls

pytestmark = pytest.mark.data
SMALL = Scale("quick", 150, 3, 14, 30, 1_000, 1, 3, 1_500, 80)


@pytest.fixture(scope="module")
def trials(data, tmp_path_factory):
    rows, extras = paper_urls(data, SMALL.size)
    return Trials(
        SMALL,
        Corpus(rows, extras, bits=SMALL.bits),
        Ledger(tmp_path_factory.mktemp("small"), {}),
        folder=data,
    )


def cells(table):
    return {row[0]: row[1:] for row in table.rows}


def claims_of(section):
    return {claim.id for table in paper_tables() if table.experiment == section.key for claim in table.claims}


def test_the_data_of_2013_stand_next_to_ours(trials):
    section = data_sets(trials)
    _, dictionaries, stop_words, query_words, media = section.tables
    assert cells(dictionaries)["German"][2].published == 5009
    assert cells(stop_words)["Italian"] == ["non di che per sono ho ma ha ti cosa"]
    assert cells(query_words)["German"][0].value > 40
    assert cells(media)["English"][0].published == 2400


def crawl(found, **more):
    return {
        "downloads": 400,
        "found": found,
        "precision": found / 400,
        "rejected": 900,
        "missed_truth": 0.05,
        **more,
    }


def test_crawls_with_and_without_a_filter_stand_next_to_the_published_ones(trials):
    missed = {"value": 0.06, "low": 0.04, "high": 0.08, "sample": 500}
    runs = {
        "mixed": {"breadth-first": crawl(40, missed=None), "filter": crawl(200, missed=missed)},
        "Dutch": {"breadth-first": crawl(200, missed=None), "filter": crawl(240, missed=missed)},
    }
    trials.ledger.keep("dutch_crawls", runs)
    section = dutch_crawls(trials)
    rejected, crawls = section.tables
    assert set(section.statistics) == claims_of(section)
    assert section.statistics["rejected"][""] == pytest.approx(45)
    assert section.statistics["filter-mixed"][""] == pytest.approx(30)
    assert 2 < section.statistics["filter-yield"][""] < 4
    assert (crawls.rows[1][4].value, crawls.rows[1][4].published) == (50, 33.6)
    assert rejected.rows[0][1:3] == [Cell(6.0, None, 6.4), "4.0 to 8.0"]


def test_pages_have_attributes_corpora_and_four_experiments(trials):
    section = pages(trials)
    assert set(section.statistics) == claims_of(section)
    attribute, corpora, experiments = section.tables[:3]
    assert attribute.rows[1][2] == "30"
    assert int(corpora.rows[0][1]) > int(corpora.rows[0][2]) > 0
    assert len(experiments.rows) == 5


def test_the_best_combination_is_asked_about_three_test_sets(trials):
    fold = {
        "single": "NB words",
        "single_f1": 80.0,
        "pair": "NB words or ccTLD",
        "pair_f1": 84.0,
        "pages": 78.0,
        "dev": 81.0,
    }
    for language in trials.languages:
        for split in ("random", "site"):
            for number in range(SMALL.n_folds):
                trials.ledger.keep(f"2008-combinations_{language}_{split}_{number}", fold)
    section = combinations(trials)
    row = section.tables[0].rows[0]
    assert [cell.value for cell in row[5:]] == [84.0, 78.0, 81.0, 81.0]
    assert [cell.published for cell in row[5:]] == [87.0, 88.0, 95.0, 91.0]
    assert section.statistics["combinations"] == {"random": 81.0, "site": 81.0}
