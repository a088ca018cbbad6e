"""The learner on the URL schemes of many kinds of sites: F1 of at least .95, also where hubs are sparse."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from linksight.sites.evaluation.metrics import evaluate

_spec = importlib.util.spec_from_file_location("sites_schemes", Path(__file__).with_name("schemes.py"))
assert _spec is not None
assert _spec.loader is not None
schemes = importlib.util.module_from_spec(_spec)
sys.modules["sites_schemes"] = schemes
_spec.loader.exec_module(schemes)


@pytest.mark.parametrize("keep", [1.0, 0.4])
@pytest.mark.parametrize("mode", ["supervised", "unsupervised"])
@pytest.mark.parametrize("scheme", schemes.SCHEMES)
def test_patterns_separate_the_classes_and_keep_them_whole(scheme, mode, keep):
    hubs, labels = schemes.hubs_of(scheme, 60, seed=5, keep=keep)
    result = evaluate(hubs, labels, mode)
    assert result.f1 >= 0.95, (result, keep)


def test_the_papers_algorithm_alone_loses_sections_of_sparse_hubs():
    """What refinement is for; if this fails, it can go."""
    hubs, labels = schemes.hubs_of("old_shop", 60, seed=5, keep=0.4)
    assert evaluate(hubs, labels, refine=False).f1 < 0.8 < evaluate(hubs, labels).f1
