"""Label columns for blocks of rows, and their summary counts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from linksight.bulk.formats.csv import WRONG_FIELDS
from linksight.bulk.row_block import Block
from linksight.errors import BadData, BadUrl
from linksight.reasons import UNCLOSED
from linksight.results import UND

if TYPE_CHECKING:
    import pyarrow as pa

    from linksight.url_model.model import UrlLanguageModel


@dataclass
class Summary:
    """The counts of a job: rows, languages, and unusable rows by reason."""

    n_rows: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    problems: Counter[str] = field(default_factory=Counter)
    files: dict[str, bool] = field(default_factory=dict)  #: whether a row of them could be used, by name

    def add(self, other: Summary) -> None:
        """Add the counts of another part."""
        self.n_rows += other.n_rows
        self.languages += other.languages
        self.problems += other.problems
        for name, is_used in other.files.items():
            self.files[name] = is_used or self.files.get(name, False)

    @property
    def unused(self) -> list[str]:
        """Files with rows but no usable URL: probably the wrong input."""
        return [name for name, is_used in self.files.items() if not is_used]


@dataclass(frozen=True, kw_only=True)
class Labels:
    """How a block of rows gets its languages."""

    scorer: UrlLanguageModel
    column: str | None = None  #: column with the URLs; default: ``url``, or the only column
    languages: str | tuple[str, ...] | None = None  #: consider only these
    prefix: str = ""  #: before the names of the columns that are added
    top: int = 1  #: candidates per URL; above 1 language and probability are lists
    explain: bool = False  #: with the explanation of each URL, as plain values
    #: partition values (``key=value`` folders) by file name
    folders: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)

    @property
    def folder_keys(self) -> tuple[str, ...]:
        """The partition columns, the same for all files."""
        return tuple(next(iter(self.folders.values()), ()))

    @property
    def schema(self) -> pa.Schema:
        """The columns that are added, explanations apart."""
        import pyarrow as pa

        kinds = {"language": pa.string(), "probability": pa.float32(), "problem": pa.string()}
        if self.top > 1:
            kinds |= {name: pa.list_(kinds[name]) for name in ("language", "probability")}
        added = [(self.prefix + name, kind) for name, kind in kinds.items()]
        return pa.schema([*added, *((key, pa.string()) for key in self.folder_keys)])

    def of(self, block: Block) -> pa.Table:
        """The columns to add to a block."""
        look = block.look(self.column)
        for added in ("language", "probability", "problem"):
            if self.prefix + added in (*look.names, *self.folder_keys):
                raise BadData(
                    f"{block.where}: there is a column {self.prefix + added!r} already;"
                    " name the new ones with --prefix, such as --prefix detected_"
                )
        options: dict[str, Any] = {"top_k": self.top} if self.top > 1 else {}
        found = self.scorer.predict_table(look.urls, languages=self.languages, **options)
        if look.problems:
            problems = found["problem"].to_pylist()
            for row, reason in look.problems.items():
                problems[row] = reason
            found = found.set_column(2, "problem", [problems])
        if self.explain:
            found = found.append_column("explanation", [self._explanations(look.urls)])
        found = found.rename_columns([self.prefix + name for name in found.column_names])
        return self._with_folders(found, block, look.names)

    def _with_folders(self, found: pa.Table, block: Block, names: list[str]) -> pa.Table:
        import pyarrow as pa

        for key, value in self.folders.get(block.where, {}).items():
            if key not in names:  # rows of JSON lines may have the column already
                found = found.append_column(key, pa.repeat(pa.scalar(value, pa.string()), len(found)))
        return found

    def _explanations(self, urls: Any) -> list[str | None]:
        found: list[str | None] = []
        for url in urls.to_pylist():
            try:
                found.append(
                    json.dumps(self.scorer.explain(url, self.languages).as_dict(), ensure_ascii=False)
                )
            except BadUrl:
                found.append(None)
        return found


def counted(found: pa.Table, where: str) -> Summary:
    """The summary of one labelled block."""
    import pyarrow as pa
    import pyarrow.compute as pc

    def count(column: Any) -> Counter[str]:
        return Counter(
            {row["values"]: row["counts"] for row in pc.value_counts(column.drop_null()).to_pylist()}
        )

    language, _, problem = found.columns[:3]
    if pa.types.is_list(language.type):  # the likeliest, as without --top
        language = pa.array([some[0] if some else UND for some in language.to_pylist()], pa.string())
    problems: Counter[str] = Counter()
    for reason, n in count(problem).items():  # the count drops the row number
        problems[next((one for one in (WRONG_FIELDS, UNCLOSED) if reason.startswith(one)), reason)] += n
    files = {where: problem.null_count > 0} if found.num_rows else {}
    return Summary(found.num_rows, count(language), problems, files)
