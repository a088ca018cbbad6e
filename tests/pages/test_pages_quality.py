"""The gate: quality on pages/dev.parquet must not fall below the floors of quality/floors.json."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from linksight.pages import identify
from linksight.pages.charset import labels

GATE = json.loads((Path(__file__).parents[2] / "quality/floors.json").read_text())
FLOORS, EPSILON = GATE["pages"], GATE["epsilon"]
TRUSTED = {"source", "valid", "declared", "bom", "ascii"}


@pytest.fixture(scope="module")
def labelled(data):
    rows = pq.read_table(data / "pages/dev.parquet").to_pylist()
    return [(row, identify(row["body"])) for row in rows if row["section"] != "mixed"]


def code_of(tag: str) -> str:
    return {"nb": "no", "nn": "no"}.get(tag, tag.partition("-")[0])


def hits(labelled, section: str) -> dict[str, list[bool]]:
    found: dict[str, list[bool]] = {}
    for row, label in labelled:
        if row["section"] == section:
            code = code_of(row["language"])
            found.setdefault(code, []).append(label.language == code)
    return found


@pytest.mark.parametrize("section", FLOORS["accuracy"])
def test_languages_are_right(labelled, section):
    every = [hit for own in hits(labelled, section).values() for hit in own]
    assert sum(every) / len(every) >= FLOORS["accuracy"][section] - EPSILON


@pytest.mark.parametrize("section", FLOORS["mean_over_languages"])
def test_mean_over_languages_is_high(labelled, section):
    means = [sum(own) / len(own) for own in hits(labelled, section).values()]
    assert sum(means) / len(means) >= FLOORS["mean_over_languages"][section] - EPSILON


def test_encodings_are_right_or_decode_alike(labelled):
    def alike(body: bytes, one: str, other: str) -> bool:
        try:
            return labels.decode(body, labels.find(one) or one) == labels.decode(body, other)
        except LookupError:
            return one == other

    right = [
        alike(row["body"], row["encoding"], label.encoding)
        for row, label in labelled
        if row["encoding_basis"] in TRUSTED
    ]
    assert sum(right) / len(right) >= FLOORS["encoding"] - EPSILON
