"""Words and custom features with every algorithm: Tables IX and XII of 2013."""

from __future__ import annotations

from linksight.features.dictionaries import without_dictionary
from linksight.lab.evaluation.cross_validation import SPLITS
from linksight.lab.papers import published
from linksight.lab.papers.baykan2013.classifier_specs import CUSTOM, SHIPPED, WORDS
from linksight.lab.papers.report.report_tables import by_split, caveat, comparison, winners
from linksight.lab.papers.report.results import Section
from linksight.lab.papers.runner import Trials
from linksight.languages.registry import name as name_of

PAPER = "Baykan, Henzinger, Weber 2013"


def table_ix(trials: Trials) -> Section:
    """Words with five algorithms."""
    table = comparison(
        trials, {**WORDS, **SHIPPED}, lambda language, label: published.TABLE_IX.get(language, {}).get(label.lower()),
        caption="Table IX: words as features",
    )  # fmt: skip
    best = {split: winners(trials, WORDS, split) for split in SPLITS}

    def wins(name: str, *languages: str) -> dict[str, float | None]:
        return by_split(lambda split: sum(best[split].get(one) == name for one in languages))

    statistics = {"words-svm": wins("SVM", "en", "fr", "es"), "words-re": wins("RE", "de", "it")}
    return Section("table-ix", "Words as features", PAPER, [caveat(trials)], [table], statistics=statistics)


def table_xii(trials: Trials) -> Section:
    """Custom features with five algorithms."""
    table = comparison(
        trials, {**CUSTOM, **SHIPPED}, lambda language, label: published.TABLE_XII.get(language, {}).get(label.lower()),
        caption="Table XII: custom features",
    )  # fmt: skip
    text = [caveat(trials)]
    if trials.corpus.hosting is None:
        text.append(
            "The feature “hosted where the language is spoken” is 0 here, as no hosting countries are known."
        )
    if lacking := without_dictionary(trials.languages):
        names = ", ".join(map(name_of, lacking))
        text.append(f"There is no dictionary here of {names}: those features are 0. A hunspell file helps.")
    best = by_split(lambda split: sum(one == "DT" for one in winners(trials, CUSTOM, split).values()))
    return Section("table-xii", "Custom features", PAPER, text, [table], statistics={"custom-tree": best})
