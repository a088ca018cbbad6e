"""The lines of an explanation add up."""

import re

import pytest
from click.testing import CliRunner

import linksight
from linksight.cli import main
from linksight.cli.detect.terminal_table import reason_lines

URL = "https://www.lemonde.fr/economie/article/2024/la-croissance-francaise-ralentit.html"


@pytest.mark.parametrize("most", [0, 3, 12, 1_000])
def test_reasons_bias_and_others_are_the_log_odds_of_the_best_two(most):
    explanation = linksight.load().explain(URL)
    *lines, (total, kind, _) = reason_lines(explanation, most)
    first, second = explanation.order[:2]
    assert kind == "sum"
    assert sum(weight for weight, _, _ in lines) == pytest.approx(total)
    assert total == pytest.approx(float(explanation.scores[first] - explanation.scores[second]), abs=1e-3)


def test_the_command_prints_them():
    shown = CliRunner().invoke(main, ["detect", "--explain", "--format", "table", URL]).stdout
    weights = [float(found) for found in re.findall(r"^  ([ +-]+\d+\.\d\d)  ", shown, re.MULTILINE)]
    assert sum(weights[:-1]) == pytest.approx(weights[-1], abs=0.1)
    assert "bias of the model" in shown
    assert "all others" in shown
