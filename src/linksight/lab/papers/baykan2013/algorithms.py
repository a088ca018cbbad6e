"""Words and custom features with every algorithm: Tables IX and XII of 2013."""

from __future__ import annotations

from linksight.features.dictionaries import without_dictionary
from linksight.lab.papers import published
from linksight.lab.papers.baykan2013.classifier_specs import CUSTOM, SHIPPED, WORDS
from linksight.lab.papers.report_tables import caveat, comparison, macro
from linksight.lab.papers.results import Section
from linksight.lab.papers.runner import Trials
from linksight.languages.registry import name as name_of

PAPER = "Baykan, Henzinger, Weber 2013"


def table_ix(trials: Trials) -> Section:
    """Words with five algorithms."""
    table = comparison(
        trials, {**WORDS, **SHIPPED}, lambda language, label: published.TABLE_IX.get(language, {}).get(label.lower()),
        caption="Table IX: words as features",
    )  # fmt: skip
    worst = min(WORDS, key=lambda label: macro(trials, WORDS[label]))
    best = max(WORDS, key=lambda label: macro(trials, WORDS[label]))
    return Section(
        "table-ix", "Words as features", PAPER, [caveat(trials)], [table],
        agreements=[("rank order is the weakest on words", worst == "ROS"), ("SVM or RE is the best on words", best in ("SVM", "RE"))],
    )  # fmt: skip


def table_xii(trials: Trials) -> Section:
    """Custom features with five algorithms."""
    table = comparison(
        trials, {**CUSTOM, **SHIPPED}, lambda language, label: published.TABLE_XII.get(language, {}).get(label.lower()),
        caption="Table XII: custom features",
    )  # fmt: skip
    best = max(CUSTOM, key=lambda label: macro(trials, CUSTOM[label]))
    text = [caveat(trials)]
    if trials.corpus.hosting is None:
        text.append(
            "The feature “hosted where the language is spoken” is 0 here, as no hosting countries are known."
        )
    if lacking := without_dictionary(trials.languages):
        names = ", ".join(map(name_of, lacking))
        text.append(f"There is no dictionary here of {names}: those features are 0. A hunspell file helps.")
    return Section(
        "table-xii", "Custom features", PAPER, text, [table], agreements=[("the decision tree is the best on custom features", best == "DT")]
    )  # fmt: skip
