"""Restriction and base class_priors: batches and single URLs against ``Calibration.probabilities``."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linksight
from linksight.url_model.block_scorer import BEST, BLOCK, ScoringPlan, block_scorer
from linksight.url_model.calibration import Calibration

MODEL = linksight.load()
WAYS = {
    "all": {},
    "some": {"languages": ["nl", "fy", "yo"]},
    "one": {"languages": ["nl"]},
    "base class_priors": {"priors": {"nl": 0.018, "yo": 0.3}},
    "base class_priors of zero": {"priors": {"en": 0.0, "nl": 0.5, "de": 0.5}},
    "one that can hardly be": {"languages": ["en"], "priors": {"en": 1e-20}},
    "some, of which one cannot be": {"languages": ["en", "sv"], "priors": {"en": 0.0}},
    "some with base class_priors": {"languages": ["de", "nl", "en"], "priors": {"nl": 0.9}},
}
URLS = [
    f"http://www.{host}.{ending}/{path}"
    for host in ("zeitung", "krant", "le-monde", "zq", "news24", "xn--e1afmkfd", "shop")
    for ending in ("nl", "com", "de", "fr", "org", "info", "ng", "ru")
    for path in ("", "2019/10/de-burgemeester", "index.php?lang=sv", "about", "новость", "a", "q/17", "wetter-morgen")
] + ["mailto:a@b.nl", "", "http://zq.com/"] * 40  # fmt: skip


def asked(way: str, model: linksight.url_model.model.UrlLanguageModel = MODEL):
    """The model's plan and the columns that it chooses among."""
    options = WAYS[way]
    if "priors" in options:
        model = model.with_priors(options["priors"])
    return model.plan, model.class_indices(options.get("languages"))


def answers(plan: ScoringPlan, columns: list[int] | None, logits: np.ndarray):
    """Probabilities of scores, and the likeliest column of each row."""
    block, (n, k) = block_scorer(plan.table), logits.shape
    block.scores = np.zeros((BLOCK, plan.output.shape[1]), np.float32)
    best = np.zeros(n, BEST)
    block.scores[:n, :k] = logits
    block.best(plan, columns, best, 0, n)
    block.scores[:n, :k] = logits
    return block.probabilities(plan, columns, n), best


def plan_of(calibration: Calibration) -> ScoringPlan:
    """A plan for scores alone: the bundled table with another output."""
    k = len(calibration.class_priors)
    table = replace(
        MODEL.table, output=np.zeros((MODEL.table.dim, k), np.float32), bias=np.zeros(k, np.float32)
    )
    table.__dict__["sums"] = MODEL.table.sums
    return ScoringPlan(table, tuple(map(str, range(k))), calibration, None)


def rows(spread: float, seed: int = 0) -> np.ndarray:
    return (np.random.default_rng(seed).normal(size=(BLOCK, len(MODEL.languages))) * spread).astype(
        np.float32
    )


@pytest.mark.parametrize("label_noise", [0.0, 1e-6, MODEL.calibration.label_noise])
@pytest.mark.parametrize("way", WAYS)
def test_a_block_is_answered_as_the_specification_does_it(way, label_noise):
    model = replace(MODEL, calibration=replace(MODEL.calibration, label_noise=label_noise))
    plan, columns = asked(way, model)
    for spread in (0.0, 1.0, 6.0, 80.0):  # the last: chances that no float holds
        logits = rows(spread)
        wanted = plan.calibration.probabilities(logits.astype(float), columns)
        found, best = answers(plan, columns, logits)
        np.testing.assert_allclose(found, wanted, rtol=5e-5 * max(1, spread / 10), atol=1e-30)
        assert not found[:, wanted.sum(axis=0) == 0].any()
        np.testing.assert_allclose(best["probability"], wanted.max(axis=1), rtol=2e-5)
        got = wanted[np.arange(BLOCK), best["column"]]
        np.testing.assert_allclose(got, wanted.max(axis=1), rtol=2e-5)


@pytest.mark.parametrize("way", WAYS)
def test_batches_and_single_urls_give_the_same_answers(way):
    options = WAYS[way]
    many = MODEL.predict_proba(URLS, **options)
    few = np.concatenate([MODEL.predict_proba(URLS[i : i + 50], **options) for i in range(0, len(URLS), 50)])
    np.testing.assert_allclose(many, few, rtol=2e-3, atol=1e-6)
    table = MODEL.predict_table(URLS * 5, **options).slice(0, len(URLS))
    names = MODEL.predict(URLS * 5, **options)[: len(URLS)]
    for url, language, chance, problem in zip(
        URLS, names, table["probability"].to_pylist(), table["problem"].to_pylist(), strict=True
    ):
        if problem:
            assert (language, chance) == ("und", 0)
            continue
        found = MODEL.detect(url, options.get("languages"), priors=options.get("priors"))
        assert chance == pytest.approx(found.probability, rel=1e-3)
        assert language == found.language


def test_one_language_alone_is_certain():
    table = MODEL.predict_table(URLS * 5, languages=["nl"])
    usable = np.array([problem is None for problem in table["problem"].to_pylist()])
    assert set(np.asarray(table["probability"])[usable]) == {1.0}


@pytest.mark.parametrize("n", [10, BLOCK])
def test_the_likeliest_is_the_column_with_the_largest_probability(n):
    """Not the one with the largest logit: what no URL could tell follows the base class_priors."""
    calibration = Calibration(
        np.ones(2, np.float32),
        np.zeros((2, 3), np.float32),
        np.array([0.1, 0.2, 0.7], np.float32),
        label_noise=0.2,
    )
    logits = np.tile(np.array([1.0, -1.0, 0.9], np.float32), (n, 1))
    found, best = answers(plan_of(calibration), None, logits)
    assert found.argmax(axis=1).tolist() == [2] * n
    assert best["column"].tolist() == [2] * n


@pytest.mark.parametrize("n", [10, BLOCK])
def test_of_equals_the_first_is_the_likeliest(n):
    _, found = answers(plan_of(Calibration.plain(5)), [3, 1, 4], np.zeros((n, 5), np.float32))
    assert found["column"].tolist() == [1] * n
    assert found["probability"] == pytest.approx(1 / 3, rel=1e-6)


@given(
    st.integers(1, 70),
    st.integers(0, 10_000),
    st.floats(0, 30),
    st.sampled_from([0.0, 0.01, 0.5]),
    st.data(),
)
@settings(max_examples=60, deadline=None)
def test_any_number_of_languages_and_any_choice_of_them(k, seed, spread, label_noise, data):
    random = np.random.default_rng(seed)
    class_priors = random.dirichlet(np.ones(k)).astype(np.float32)
    shift = None if seed % 2 else (random.normal(size=k) * 5).astype(np.float32)
    calibration = Calibration(
        np.ones(2, np.float32),
        np.zeros((2, k), np.float32),
        class_priors,
        label_noise=label_noise,
        shift=shift,
    )
    columns = data.draw(st.none() | st.lists(st.integers(0, k - 1), min_size=1, unique=True))
    logits = (random.normal(size=(BLOCK, k)) * spread).astype(np.float32)
    wanted = calibration.probabilities(logits.astype(float), columns)
    found, best = answers(plan_of(calibration), columns, logits)
    np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=1e-30)
    np.testing.assert_allclose(best["probability"], wanted.max(axis=1), rtol=2e-5)
    np.testing.assert_allclose(wanted[np.arange(BLOCK), best["column"]], wanted.max(axis=1), rtol=2e-5)
