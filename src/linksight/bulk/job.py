"""From a table of URLs to the same table with languages: read ahead, score, write behind.

A job writes parts beside the output, each atomically, with the number of
rows it covers. At the end they replace the output atomically. After a kill,
``resume`` continues after the finished parts.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linksight.bulk.annotate import Labels, Summary, counted
from linksight.bulk.folder_lock import alone_in
from linksight.bulk.partitioned_writer import Files, join_bytes
from linksight.bulk.read_ahead import ahead, behind, mapped
from linksight.bulk.readers import Reader
from linksight.bulk.writers import ARROW_FORMS, Labelled, Writer, join_tables, make_writer, packer_of
from linksight.errors import BadConfig, BadData
from linksight.system import plural
from linksight.system.atomic_write import check_place, is_device, sync_folder, whole_file

if TYPE_CHECKING:
    import pyarrow as pa

    from linksight.bulk.sources import Source
    from linksight.url_model.model import UrlLanguageModel

PART_ROWS = 1 << 20  #: a kill costs at most the work on this many rows
SPLIT_PART_ROWS = 1 << 22  #: more, where a part has a file for each language: they should not be tiny
_BY_LANGUAGE = re.compile(r"[a-z]{2,3}(-\w+)*\.(parquet|arrow|csv|jsonl)(\.(gz|zst|bz2))?")


@dataclass(kw_only=True)
class Job:
    """A table to label and where it goes: a file, or a folder with one file a language."""

    reader: Reader
    labels: Labels
    form: str
    output: Path
    by_language: bool = False
    part_rows: int = 0  #: by itself as many as suit the output
    on_rows: Callable[[int], None] = lambda n_rows: None

    def __post_init__(self) -> None:
        self.part_rows = self.part_rows or (SPLIT_PART_ROWS if self.by_language else PART_ROWS)

    @property
    def parts(self) -> Path:
        """The folder of finished parts; its leading dot hides it from globs."""
        return self._target.with_name(f".{self._target.name}.parts")

    @property
    def _target(self) -> Path:
        """The file that is replaced at the end: the target of a link, not the link."""
        return Path(os.path.realpath(self.output))

    def run(self, *, resume: bool = False, overwrite: bool = False) -> Summary:
        """Run the job and write the output atomically; a device or a pipe gets rows as they are scored."""
        if is_device(self.output) and not self.by_language:
            return self._streamed()
        self._check_output(overwrite)
        with alone_in(self.parts, self.output):
            return self._done(resume, overwrite)

    def _done(self, resume: bool, overwrite: bool) -> Summary:
        summary, n_done = self._prepared(resume, overwrite)
        try:
            with closing(mapped(self.labels.of, ahead(self.reader.blocks(summary.n_rows)))) as labelled:
                for part in self._new_parts(labelled, summary.n_rows, n_done):
                    summary.add(part)
            self._finish()
        except BaseException:
            if not self.finished_rows() or any(source.stream for source in self.reader.sources):
                shutil.rmtree(self.parts, ignore_errors=True)
            raise
        return summary

    def _streamed(self) -> Summary:
        with whole_file(self.output) as file:
            writer = make_writer(self.form, file, packer_of(self.output.name), first=True, schema=None)
            return label_stream(self.reader, self.labels, writer, self.on_rows)

    def finished_rows(self) -> int:
        """Rows in parts that a later run can go on behind."""
        notes = self.parts.glob("part-*/part.json")
        return sum(int(json.loads(note.read_text(encoding="utf-8"))["rows"]) for note in notes)

    @property
    def is_finished(self) -> bool:
        """Whether the output is there, of the right kind, and nothing is left beside it to go on with."""
        mine = {source.path.resolve() for source in self.reader.sources if source.is_local}
        fits = self.output.is_dir() and self._has_files() if self.by_language else self.output.is_file()
        return fits and self.output.resolve() not in mine and not any(self.parts.glob("part-*"))

    # --- parts ----------------------------------------------------------------------------------

    def _new_parts(self, labelled: Iterator[Labelled], skip: int, number: int) -> Iterator[Summary]:
        """Write part after part, each atomically."""
        import pyarrow as pa

        schema = self._schema()
        pair = next(labelled, None)
        while pair is not None:
            unfinished = self.parts / "unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir()
            part, files = Summary(), self._files(unfinished, number == 0, schema)
            with behind(files.write) as put:
                while pair is not None and part.n_rows < self.part_rows:
                    put(pair)
                    part.add(counted(pair[1], pair[0].where))
                    self.on_rows(skip + part.n_rows)
                    pair = next(labelled, None)
            schema = files.close()
            if schema is not None:
                (self.parts / "columns").write_bytes(schema.serialize())
            note = {
                "rows": part.n_rows, "languages": part.languages, "problems": part.problems, "files": part.files,
            }  # fmt: skip
            (unfinished / "part.json").write_text(json.dumps(note), encoding="utf-8")
            sync_folder(unfinished)  # a part that a later run finds is complete, also after a power failure
            unfinished.replace(self.parts / f"part-{number:06}")
            number, skip = number + 1, skip + part.n_rows
            pa.default_memory_pool().release_unused()  # else the pool keeps the largest it ever held
            yield part

    def _files(self, folder: Path, first: bool, schema: pa.Schema | None) -> Files:
        """The files of one part; a file that is met for the first time begins with its header."""
        return Files(
            folder=folder, form=self.form, packer=packer_of(self.output.name), schema=schema,
            split_by=self.labels.prefix + "language" if self.by_language else "",
            is_new=lambda name: first if not self.by_language else not any(self.parts.glob(f"part-*/{name}")),
        )  # fmt: skip

    def _prepared(self, resume: bool, overwrite: bool) -> tuple[Summary, int]:
        """Open the folder of parts and find the finished ones."""
        note, plan = self.parts / "job.json", self._plan()
        summary = Summary()
        done = sorted(self.parts.glob("part-*"))  # a run that was stopped before its first has left nothing
        if done and resume:
            if not note.exists() or json.loads(note.read_text(encoding="utf-8")) != plan:
                raise BadConfig(
                    f"{self.output}: cannot go on: the input, the model or the options are others than in the"
                    " unfinished run; give --overwrite to start again"
                )
            for part in done:
                values = json.loads((part / "part.json").read_text(encoding="utf-8"))
                tallies = Counter(values["languages"]), Counter(values["problems"])
                summary.add(Summary(values["rows"], *tallies, values.get("files", {})))
            return summary, len(done)
        if done and not overwrite:
            raise BadConfig(
                f"{self.output}: an earlier run was not finished, {plural.counted(self.finished_rows(), 'row is', 'rows are')}"
                f" done and kept in {self.parts}; go on with --resume, or start again with --overwrite"
            )
        for left in self.parts.iterdir():
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        try:
            note.write_text(json.dumps(plan), encoding="utf-8")
        except OSError:  # not even that much room
            shutil.rmtree(self.parts, ignore_errors=True)
            raise
        return summary, 0

    def _plan(self) -> dict[str, Any]:
        """The settings that a resumed run must share with its finished parts."""
        labels = self.labels
        plan: dict[str, Any] = {
            "form": self.form, "by_language": self.by_language, "column": labels.column, "prefix": labels.prefix,
            "languages": labels.languages, "header": self.reader.has_header, "delimiter": self.reader.delimiter,
            "encodings": [source.encoding for source in self.reader.sources], "model": fingerprint(labels.scorer),
            "explain": labels.explain, "top": labels.top,
            "input": [source.fingerprint() for source in self.reader.sources if source.stream is None],
        }  # fmt: skip
        return dict(json.loads(json.dumps(plan)))

    def _schema(self) -> pa.Schema | None:
        """The columns of the first finished part, which all others must have."""
        import pyarrow as pa

        note = self.parts / "columns"
        return pa.ipc.read_schema(pa.py_buffer(note.read_bytes())) if note.exists() else None

    # --- the output -----------------------------------------------------------------------------

    def _check_output(self, overwrite: bool) -> None:
        check_place(self.output)
        check_apart(self.output, self.reader.sources)
        if self.by_language and self.output.is_dir():
            self._check_folder()
        if not overwrite and (self._has_files() if self.by_language else self.output.exists()):
            raise BadConfig(f"{self.output}: is there already; give --overwrite to replace it")
        if self.output.exists() and self.output.is_dir() != self.by_language:
            raise BadConfig(f"{self.output}: is a {'file' if self.by_language else 'folder'}")

    def _has_files(self) -> bool:
        """Whether something is where the files by language go; an empty folder may be filled."""
        return self.output.exists() and (not self.output.is_dir() or any(self.output.iterdir()))

    def _check_folder(self) -> None:
        """Refuse to replace a folder with files of other origin."""
        other = sorted(path.name for path in self.output.iterdir() if not _BY_LANGUAGE.fullmatch(path.name))
        if other:
            raise BadConfig(
                f"{self.output}: holds more than files by language, such as {other[0]!r}, and would be replaced;"
                " choose a separate folder"
            )

    def _finish(self) -> None:
        """Join the parts beside the output, then put them into its place."""
        done = sorted(self.parts.glob("part-*"))
        keys = sorted({path.name for part in done for path in part.iterdir() if path.name != "part.json"})
        if not keys:
            raise BadData("no rows in the input")
        ready = self.parts / "ready"
        shutil.rmtree(ready, ignore_errors=True)
        ready.mkdir()
        for key in keys:
            pieces = [part / key for part in done if (part / key).exists()]
            if len(pieces) > 1 or not _linked(pieces[0], ready / key):
                (join_tables if self.form in ARROW_FORMS else join_bytes)(pieces, ready / key, self.form)
        sync_folder(ready)
        if self.by_language and self._target.exists():
            shutil.rmtree(self._target)
        (ready if self.by_language else ready / keys[0]).replace(self._target)
        shutil.rmtree(self.parts)


def check_apart(output: Path, sources: Iterable[Source]) -> None:
    """Refuse an output that is also an input, or a folder of inputs."""
    mine = {source.path.resolve() for source in sources if source.is_local}
    if output.resolve() in mine or any(output.resolve() in path.parents for path in mine):
        raise BadConfig(f"{output}: is an input file; choose another output")


def _linked(path: Path, other: Path) -> bool:
    """One part needs no copy, where the file system has links."""
    try:
        os.link(path, other)
    except OSError:
        return False
    return True


def fingerprint(scorer: UrlLanguageModel) -> str:
    """A digest of the model file, which determines all answers."""
    from linksight.url_model.model_io import describe

    values, arrays = describe(scorer)
    digest = hashlib.blake2b(json.dumps(values, sort_keys=True, default=str).encode())
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def label_stream(reader: Reader, labels: Labels, writer: Writer, on_rows: Callable[[int], None]) -> Summary:
    """Label all rows and write them to one stream."""
    summary = Summary()

    def write(item: Labelled) -> None:
        writer.write([item])

    with closing(mapped(labels.of, ahead(reader.blocks()))) as labelled, behind(write) as put:
        for block, found in labelled:
            put((block, found))
            summary.add(counted(found, block.where))
            on_rows(summary.n_rows)
    writer.close()
    return summary
