"""Evaluations as text tables, JSON, JSON lines, CSV or Parquet."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from linksight.errors import BadConfig
from linksight.lab.evaluation.classification_metrics import Evaluation
from linksight.languages import registry
from linksight.system.atomic_write import check_place, write_whole

_COLUMNS = (
    ("P plain", "plain_precision"),
    ("P bal.", "precision"),
    ("R", "recall"),
    ("p(-|-)", "negative_success"),
    ("F1", "f1"),
)
_MAX_MATRIX_COLUMNS = 12  # columns that fit beside the names on a screen
_MAX_CONFUSIONS = 15


def show_evaluation(found: Evaluation) -> str:
    """The measures by language, their means and the confusion, in percent, as text."""
    width = max(len(_display_name(measure.language)) for measure in found.measures)
    width = max(width, len("macro average"))
    head = f"{'language':{width}}  {'URLs':>8}" + "".join(f"{name:>8}" for name, _ in _COLUMNS)
    lines = [head, "-" * len(head)]
    for measure in found.measures:
        cells = "".join(f"{100 * getattr(measure, name):8.1f}" for _, name in _COLUMNS)
        lines.append(f"{_display_name(measure.language):{width}}  {measure.n_positive:8,}{cells}")
    means = "".join(f"{100 * found.macro(name):8.1f}" for _, name in _COLUMNS)
    lines += ["-" * len(head), f"{'macro average':{width}}  {found.n_urls:8,}{means}"]
    if found.accuracy is not None:
        lines.append(f"accuracy {100 * found.accuracy:.1f}")
    if found.intervals:
        ends = {name: f"{100 * low:.1f}–{100 * high:.1f}" for name, (low, high) in found.intervals.items()}
        lines.append(f"95 % intervals over domains: macro F1 {ends['f1']}, accuracy {ends['accuracy']}")
    lines.append(
        "P plain: precision on these rows; P bal. and F1: with as many URLs of the language as of others"
    )
    return "\n".join([*lines, "", *_confusion(found)])


def _confusion(found: Evaluation) -> list[str]:
    """The confusion matrix if it fits on a screen, else the largest confusions."""
    if len(found.columns) <= _MAX_MATRIX_COLUMNS and len(found.rows) <= 2 * _MAX_MATRIX_COLUMNS:
        lines = ["of the URLs in a language (row), the share that a classifier (column) took, in percent"]
        lines.append(" " * 6 + "".join(f"{column:>7}" for column in found.columns))
        for row, shares in zip(found.rows, found.confusion, strict=True):
            lines.append(f"{row:6}" + "".join(f"{100 * share:7.1f}" for share in shares))
        return lines
    wrong = sorted(
        (
            (share * size, share, row, column)
            for row, size, shares in zip(found.rows, found.sizes, found.confusion, strict=True)
            for column, share in zip(found.columns, shares, strict=True)
            if row != column and share > 0
        ),
        reverse=True,
    )[:_MAX_CONFUSIONS]
    lines = ["most frequent confusions"]
    return lines + [
        f"{n:7,.0f} {'URL: ' if round(n) == 1 else 'URLs:'} {100 * share:5.1f} % of {row} taken for {column}"
        for n, share, row, column in wrong
    ]


def write_evaluation(found: Evaluation, path: str | os.PathLike[str] | None, form: str) -> None:
    """Write the figures to a file (atomically) or to stdout."""
    data = _encode(found, form)
    if path is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    check_place(path)
    write_whole(path, _compressed(data, Path(path).suffix.lower()))


def _compressed(data: bytes, suffix: str) -> bytes:
    """The data, compressed if the file's name ends in .gz or .zst."""
    if suffix == ".gz":
        import gzip

        return gzip.compress(data, mtime=0)
    if suffix == ".zst":
        import pyarrow as pa

        packed: bytes = pa.compress(data, "zstd", asbytes=True)
        return packed
    return data


def _encode(found: Evaluation, form: str) -> bytes:
    if form == "table":
        return (show_evaluation(found) + "\n").encode()
    if form == "json":
        return (json.dumps(found.as_dict(), indent=1) + "\n").encode()
    rows = [measure.as_dict() for measure in found.measures]
    if form == "jsonl":
        return "".join(json.dumps(row) + "\n" for row in rows).encode()
    import pyarrow as pa

    table, sink = pa.Table.from_pylist(rows), pa.BufferOutputStream()
    if form == "csv":
        import pyarrow.csv

        pyarrow.csv.write_csv(table, sink)
    elif form == "parquet":
        import pyarrow.parquet

        pyarrow.parquet.write_table(table, sink)
    else:
        raise BadConfig(f"unknown format {form!r}; known: table, json, jsonl, csv, parquet")
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _display_name(language: str) -> str:
    return f"{language} {registry.name(language)}"
