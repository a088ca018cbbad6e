"""The gate: quality on pages/dev.parquet must not fall."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest

from linksight.pages import encodings, identify

FLOORS = {"web": 0.98, "docs": 0.97, "encodings": 0.96}
TRUSTED = {"source", "valid", "declared", "bom", "ascii"}


@pytest.fixture(scope="module")
def labelled(data):
    rows = pq.read_table(data / "pages/dev.parquet").to_pylist()
    return [(row, identify(row["body"])) for row in rows if row["section"] != "mixed"]


def code_of(tag: str) -> str:
    return {"nb": "no", "nn": "no"}.get(tag, tag.partition("-")[0])


@pytest.mark.parametrize("section", FLOORS)
def test_languages_are_right(labelled, section):
    hits = [
        label.language == code_of(row["language"]) for row, label in labelled if row["section"] == section
    ]
    assert sum(hits) / len(hits) >= FLOORS[section]


def test_mean_over_languages_is_high(labelled):
    by_language: dict[str, list[bool]] = {}
    for row, label in labelled:
        if row["section"] == "web":
            by_language.setdefault(code_of(row["language"]), []).append(
                label.language == code_of(row["language"])
            )
    assert sum(sum(hits) / len(hits) for hits in by_language.values()) / len(by_language) >= 0.965


def test_encodings_are_right_or_decode_alike(labelled):
    def alike(body: bytes, one: str, other: str) -> bool:
        try:
            return encodings.decode(body, encodings.find(one) or one) == encodings.decode(body, other)
        except LookupError:
            return one == other

    hits = [
        alike(row["body"], row["encoding"], label.encoding)
        for row, label in labelled
        if row["encoding_basis"] in TRUSTED
    ]
    assert sum(hits) / len(hits) >= 0.99
