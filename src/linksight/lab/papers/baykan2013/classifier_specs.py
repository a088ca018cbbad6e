"""The classifiers that the experiments compare, by the names that the report gives them."""

from __future__ import annotations

from linksight.lab.evaluation.cross_validation import Way
from linksight.lab.papers import published
from linksight.lab.papers.report.report_tables import BUNDLED
from linksight.lab.papers.runner import Trials

ALLGRAMS = "allgrams-from-word"
BASELINES = {"ccTLD": Way("cctld"), "ccTLD+": Way("cctld+")}
SHIPPED = {BUNDLED: Way("bundled")}
WORDS = {name.upper(): Way(name, "words") for name in ("nb", "me", "re", "ros", "svm")}
CUSTOM = {name.upper(): Way(name, "custom") for name in ("nb", "me", "re", "svm", "dt")}
GRAMS: tuple[str, ...] = tuple(name for name in published.TABLE_XI if name != "words")
#: The algorithms that meet every n-gram set: Table X shows the best of each.
NGRAMS = ("nb", "me", "svm", "re", "ros", "markov")
FEATURES = {name: Way("svm", name) for name in published.TABLE_XI}
THREE = {"words": Way("svm", "words"), "all-grams": Way("svm", ALLGRAMS), "custom": Way("svm", "custom")}
BEST = {
    "ccTLD": Way("cctld"),
    "SVM all-grams": Way("svm", ALLGRAMS),
    "DT custom": Way("dt", "custom"),
    "RE all-grams": Way("re", ALLGRAMS),
}
HOSTED = {"IP": Way("ip"), "SVM all-grams + IP": Way("svm+ip", ALLGRAMS)}
SHARES = (0.001, 0.01, 0.1, 1.0)
RIVALS = {**BEST, "SVM words": Way("svm", "words"), "ME all-grams": Way("me", ALLGRAMS), **SHIPPED}


def best_ways(trials: Trials) -> dict[str, Way]:
    """The classifiers of Table XIV; those that need hosting countries where these are known."""
    return {**BEST, **(HOSTED if trials.corpus.hosting is not None else {}), **SHIPPED}
