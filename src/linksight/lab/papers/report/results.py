"""Results of an experiment: sections of tables and figures, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from linksight.lab.evaluation.significance_tests import Spread

UNFINISHED = "Not finished"  #: prefix of the reason for an experiment that a run did not reach
BEYOND = "beyond the papers"  #: source of a section that no paper has


@dataclass(frozen=True)
class Cell:
    """One figure, with its standard deviation and the published one beside it."""

    value: float | None
    sd: float | None = None
    published: float | None = None
    best: bool = False  #: significantly above all others it was compared with
    digits: int = 1

    @classmethod
    def of(cls, spread: Spread | None, published: float | None = None, best: bool = False) -> Cell:
        """From a figure over folds."""
        if spread is None:
            return cls(None, None, published)
        return cls(spread.mean, spread.sd, published, best)

    def shown(self) -> str:
        """The figure alone, as text."""
        if self.value is None:
            return "–"
        return f"{self.value:,.{self.digits}f}" + ("*" if self.best else "")


@dataclass(frozen=True)
class Table:
    """A table: a caption, the names of the columns, rows of texts and cells."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | Cell]]

    def flat(self) -> list[list[Any]]:
        """Rows for CSV: a cell becomes our figure, its deviation, the mark and the published figure."""
        width = [
            any(isinstance(row[i], Cell) for row in self.rows if i < len(row))
            for i in range(len(self.columns))
        ]
        head: list[Any] = []
        for name, wide in zip(self.columns, width, strict=True):
            head += [name, f"{name} sd", f"{name} significant", f"{name} published"] if wide else [name]
        lines = [head]
        for row in self.rows:
            line: list[Any] = []
            for value, wide in zip(row, width, strict=True):
                if isinstance(value, Cell):
                    line += [
                        _rounded(value.value),
                        _rounded(value.sd),
                        int(value.best),
                        _rounded(value.published),
                    ]
                else:
                    line += [value, "", "", ""] if wide else [value]
            lines.append(line)
        return lines

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        rows = [[vars(value) if isinstance(value, Cell) else value for value in row] for row in self.rows]
        return {"caption": self.caption, "columns": list(self.columns), "rows": rows}


@dataclass(frozen=True)
class Section:
    """One experiment in the report."""

    key: str
    title: str
    paper: str
    text: Sequence[str] = ()
    tables: Sequence[Table] = ()
    figures: Sequence[tuple[str, str]] = ()  #: caption and SVG
    missing: str = ""  #: why there is no figure
    #: claim of the paper (``claims.json``) -> split, or "" without a split -> its test statistic
    statistics: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)

    @property
    def unfinished(self) -> bool:
        """Whether the run ended before this experiment."""
        return self.missing.startswith(UNFINISHED)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; pictures are left to the page."""
        return {
            "key": self.key, "title": self.title, "paper": self.paper, "text": list(self.text),
            "missing": self.missing, "statistics": {claim: dict(values) for claim, values in self.statistics.items()},
            "tables": [table.as_dict() for table in self.tables],
        }  # fmt: skip


def _rounded(value: float | None) -> float | str:
    return "" if value is None else round(value, 4)
