"""Train a model from labelled URLs and measure it on those held out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from linksight.errors import BadConfig, BadData
from linksight.features.geo import HostingCountries
from linksight.lab.evaluation.classification_metrics import (
    Evaluation,
    bootstrap_intervals,
    evaluate_answers,
    evaluate_binary,
)
from linksight.lab.evaluation.labelled_urls import LabelledUrls
from linksight.models import make_classifier
from linksight.models.estimator import UrlClassifier
from linksight.results import UND
from linksight.system.atomic_write import check_place
from linksight.system.plural import counted
from linksight.urls.parser import site_of


@dataclass(frozen=True)
class Training:
    """The options of training."""

    algorithm: str = "me"
    features: str | None = None
    language: str | None = None
    split: str = "site"  #: held-out rows: ``site``, ``random`` or ``none``
    n_folds: int = 10
    hosting: str | Path | None = None
    nameservers: tuple[str, ...] = ()
    seed: int = 0

    def classifier(self) -> UrlClassifier:
        """A new classifier with these options."""
        options: dict[str, Any] = {"seed": self.seed}
        if self.hosting is not None:
            options["hosting"] = HostingCountries(self.hosting, nameservers=self.nameservers)
        return make_classifier(self.algorithm, self.features, self.language, **options)

    def check(self, output: str | Path) -> None:
        """Validate the options before any data are read."""
        self.classifier().check_parameters()
        check_place(output)
        if Path(output).is_dir():
            raise BadConfig(f"{output}: a folder, where a file is to be written")


def train_model(
    plan: Training, rows: LabelledUrls, step: Callable[[str], None] = lambda _: None
) -> tuple[UrlClassifier, Evaluation | None]:
    """The model trained on all rows, and the measures of one trained without the held-out rows."""
    found = None
    if plan.split != "none":
        test = rows.folds(plan.split, plan.n_folds, plan.seed) == 0
        if not test.any() or test.all():
            raise BadData(
                f"{counted(len(rows), 'row is', 'rows are')} too few to hold some out by {plan.split}: use --split none"
            )
        train, held_out = rows.take(~test), rows.take(test)
        step(f"training on {counted(len(train), 'URL')}, {len(held_out):,} held out")
        trial = plan.classifier().fit(train.urls, train.languages)
        step(f"measuring on {counted(len(held_out), 'URL')}")
        found = evaluate_model(trial, held_out)
    step(f"training on all {len(rows):,} URLs")
    return plan.classifier().fit(rows.urls, rows.languages), found


def evaluate_model(model: Any, rows: LabelledUrls, least: int = 1) -> Evaluation:
    """The measures of any model that predicts: a classifier or a scorer."""
    known = model.languages_ if isinstance(model, UrlClassifier) else model.languages
    languages = [language for language in known if language != UND]  # a binary scorer also has "und"
    answers = list(model.predict(rows.urls))
    if len(languages) == 1:
        return evaluate_binary({languages[0]: [answer == languages[0] for answer in answers]}, rows.languages)
    found = evaluate_answers(answers, rows.languages, languages, least)
    domains = rows.sites or tuple(map(site_of, rows.urls))
    return replace(found, intervals=bootstrap_intervals(answers, rows.languages, found.columns, domains))
