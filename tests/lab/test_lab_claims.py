"""Every claim is quoted, has a statistic and a threshold, and decides the verdict on its table."""

import pytest

from linksight.lab.papers.claims import judge, paper_tables, verdict_line
from linksight.lab.papers.registry import EXPERIMENTS, chosen
from linksight.lab.papers.report.html_report import html_of
from linksight.lab.papers.report.results import Section


def section(key, statistics, missing=""):
    return Section(key, "t", "p", missing=missing, statistics=statistics)


def test_every_claim_is_complete_and_every_table_without_one_has_a_reason():
    tables = paper_tables()
    claims = [claim for table in tables for claim in table.claims]
    assert len({claim.id for claim in claims}) == len(claims) > 50
    for claim in claims:
        assert len(claim.quote) > 15
        assert claim.section
        assert claim.statistic
        assert claim.relation in ("at least", "at most", "above")
    assert not [table.table for table in tables if not table.claims and not table.reason]
    assert {table.experiment for table in tables} - {""} <= set(EXPERIMENTS)


@pytest.mark.data
def test_quotes_are_sentences_of_the_papers(data):
    papers = sorted((data.parent / "papers").glob("*.txt"))
    plain = " ".join(path.read_text(encoding="utf-8") for path in papers).replace("$", "").replace("*", "")
    text = " ".join(plain.split()).lower()
    wrong = [
        claim.quote
        for table in paper_tables()
        for claim in table.claims
        if claim.quote.replace("*", "").lower() not in text
    ]
    assert not (papers and wrong)


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ({"cctld-precision": {"random": 97.0, "site": 96.0}, "cctld-extremes": {"random": 2, "site": 2}, "cctld-recall": {"random": 20, "site": 20}}, "reproduced"),
        ({"cctld-precision": {"random": 97.0, "site": 90.0}, "cctld-extremes": {"random": 2, "site": 2}, "cctld-recall": {"random": 20, "site": 20}}, "partly"),
        ({"cctld-precision": {"random": 97.0}}, "partly"),
        ({"cctld-precision": {"random": 80.0}, "cctld-extremes": {"random": 1}, "cctld-recall": {"random": 30}}, "not reproduced"),
        ({"cctld-precision": {"random": None}}, "not comparable"),
    ],
)  # fmt: skip
def test_the_verdict_follows_from_the_claims_on_both_splits(values, verdict):
    found = judge([section("table-v", values)])
    assert [one.verdict for one in found] == [verdict]
    assert verdict == "reproduced" or found[0].reason


def test_what_was_not_run_has_no_verdict_and_a_complete_run_has_all():
    assert [one.table.table for one in judge([section("dutch", {})])] == ["Section 4.1"]
    everything = judge([section(name, {}) for name in EXPERIMENTS])
    assert len(everything) == len(paper_tables())
    assert {one.verdict for one in everything} == {"not comparable"}


def test_the_reason_of_a_section_that_could_not_run_is_given():
    (verdict, *_) = judge([section("table-vii", {}, missing="no look-ups here")])
    assert (verdict.verdict, verdict.reason) == ("not comparable", "no look-ups here")


def test_an_experiment_that_a_run_did_not_reach_is_not_run():
    (verdict,) = judge([section("dutch", {}, missing="Not finished: 3 folds are left to run.")])
    assert verdict.verdict == "not run"
    assert "1 not run" in verdict_line([verdict])


def test_the_line_counts_tables_and_claims():
    found = judge([section("dutch", {"dutch-f": {"random": 92.0, "site": 90.0}})])
    line = verdict_line(found)
    assert line.startswith("1 tables and figures: 0 reproduced, 1 partly, ")
    assert line.endswith("claims that hold: 1 of 1 as in the papers, 0 of 1 by domain")


def test_a_claim_that_was_not_measured_is_named():
    (verdict,) = judge([section("dutch-crawls", {"filter-yield": {"": 5.0}})][:1])[1:]
    assert verdict.verdict == "partly"
    assert verdict.reason == "not measured: gain from mixed seeds above the gain from Dutch seeds, points"


def test_the_page_shows_the_sentence_the_statistic_and_the_threshold():
    page = html_of([], {"facts": {}}, judge([section("dutch", {"dutch-f": {"random": 92.0}})]))
    assert "“The F-measure result achieved by our URL classifier is .918.”" in page
    assert "at least 91.8" in page
    assert "92.00" in page


def test_tables_of_the_papers_lead_to_their_experiments():
    assert list(chosen(["Table II", "Table XV", "figure-15"])) == ["data-sets", "sites"]
