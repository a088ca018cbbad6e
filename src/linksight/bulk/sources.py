"""Where tables of URLs come from: files, folders, globs and standard input."""

from __future__ import annotations

import glob
import io
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from linksight.bulk.formats.text_encoding import UTF_16_MARKS, Utf8Text
from linksight.bulk.remote_files import RemoteFile, download, find_files, is_remote
from linksight.errors import BadData
from linksight.system.atomic_write import is_device

KINDS = ("text", "csv", "tsv", "jsonl", "parquet", "arrow")
_ENDINGS = {
    ".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".tsv": "tsv", ".tab": "tsv",
    ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow", ".arrows": "arrow", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".txt": "text", ".urls": "text", ".lst": "text",
}  # fmt: skip
PACKERS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}
# Text may begin like bzip2: the header of the first block, or of the end of an empty stream, distinguishes them.
_MAGIC = {rb"\x1f\x8b": "gzip", rb"\x28\xb5\x2f\xfd": "zstd", rb"BZh[1-9](1AY&SY|\x17rE8P\x90)": "bz2"}
# Files that are not text: how they begin, and what to do with them.
_NOT_TEXT = (
    ({
        b"PK\x03\x04": "a spreadsheet or zip archive", b"\xd0\xcf\x11\xe0": "a spreadsheet of an old Excel",
        b"%PDF-": "a PDF document", b"SQLite format 3\0": "an SQLite database", b"7z\xbc\xaf": "a 7z archive",
        b"\xfd7zXZ\0": "xz data", b"\x89PNG": "an image",
    }, "save it as CSV"),
    ({b"FEA1": "an old Feather file", b"ORC\x03": "an ORC file", b"Obj\x01": "an Avro file"}, "save it as Parquet"),
    ({b"ARROW1\0": "an Arrow file", b"\xff\xff\xff\xff": "an Arrow stream"}, "give --from arrow"),
    ({b"PAR1": "Parquet"}, "give --from parquet"),
)  # fmt: skip
_SNIFFED_BYTES = 4096
_CONTROLS = bytes((*range(9), *range(14, 27), *range(28, 32)))  #: hardly any of these occur in text
# bzip2 and zstd decompress complete blocks only.
_SNIFFED_COMPRESSED_BYTES = 1 << 20
_JSON = re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:\{|\[\s*[]{"])')


def kind_of(name: str) -> str | None:
    """The kind of table that a file's name promises, packed or not.

    >>> kind_of("a/urls.csv.gz"), kind_of("x.PARQUET"), kind_of("notes")
    ('csv', 'parquet', None)
    """
    path = Path(name.lower())
    ending = Path(path.stem).suffix if path.suffix in PACKERS else path.suffix
    return _ENDINGS.get(ending)


@dataclass(frozen=True)
class Source:
    """One file of rows, or standard input (spooled only where its kind needs to be sought in)."""

    name: str  #: as it is shown; ``-`` is standard input
    kind: str
    size: int  #: bytes on disk, 0 where unknown
    stream: IO[bytes] | None = None  #: standard input, a pipe, or a web resource
    remote: RemoteFile | None = None  #: a file elsewhere
    encoding: str | None = "utf-8"  #: of text; None: detected
    #: partition values from folders named ``key=value``
    folders: dict[str, str | None] = field(default_factory=dict, compare=False)

    @property
    def path(self) -> Path:
        """The file; only for local files."""
        return Path(self.name)

    @property
    def is_local(self) -> bool:
        """Whether it is a file of this machine."""
        return self.stream is None and self.remote is None

    def open_raw(self) -> Any:
        """The bytes as they are stored; a stream can be read once."""
        return self.stream or (self.remote.open() if self.remote else _open(self.path))

    @property
    def packer(self) -> str | None:
        """The compression, if it is known without reading a pipe."""
        if self.stream is not None:
            return None
        with self.open_raw() as raw:
            return _packer(_head(raw))

    @contextmanager
    def open(self) -> Iterator[tuple[IO[bytes], Utf8Text]]:
        """The raw file (its position is the progress) and its text, decompressed, as UTF-8."""
        import pyarrow as pa

        raw = self.open_raw()
        head = _head(raw)
        packer = _packer(head)
        source = raw if isinstance(raw, pa.NativeFile) else pa.PythonFile(raw, mode="r")
        try:
            if self.encoding == "utf-8" or not head.startswith(UTF_16_MARKS):
                check_text(self.name, head)
            text = pa.CompressedInputStream(source, packer) if packer else source
            yield raw, Utf8Text(text, self.encoding)
        finally:
            if self.stream is None:
                raw.close()

    def fingerprint(self) -> list[str | int]:
        """A fingerprint of the file's version: a finished part is valid for this version only."""
        if self.remote is not None:
            return [self.remote.url, self.remote.size, self.remote.modified]
        found = self.path.stat()
        return [str(self.path.absolute()), found.st_size, found.st_mtime_ns]


def given_urls(urls: Iterable[str]) -> Source:
    """URLs from the command line as a source."""
    lines = "\n".join(url.replace("\n", " ") for url in urls)
    return Source("the command line", "text", 0, io.BytesIO(lines.encode("utf-8", "replace")))


def find_sources(inputs: Iterable[str], kind: str | None = None) -> list[Source]:
    """The files of the inputs, in order; a folder yields the tables in it."""
    sources = [source for pattern in inputs for source in _found(pattern, kind)]
    if not sources:
        raise BadData("no input")
    if sum(source.name == "-" for source in sources) > 1:
        raise BadData("-: standard input can be read once only")
    return sources


def _found(pattern: str, kind: str | None) -> list[Source]:
    if pattern == "-":
        return [_standard_input(kind)]
    if is_remote(pattern):
        return _found_remote(pattern, kind)
    if Path(pattern).is_dir():
        names = _tables_in(Path(pattern), kind)
    elif is_device(
        pattern
    ):  # such as the pipe that a shell makes of <(zcat urls.txt.gz): it can be read once
        return [_piped(pattern, _open(Path(pattern)), kind)]
    elif Path(pattern).exists():
        names = [pattern]
    elif names := sorted(glob.glob(pattern, recursive=True)):  # noqa: PTH207 (it takes absolute patterns)
        names = [name for name in names if Path(name).is_file()]
    if not names:
        raise BadData(f"{pattern}: {_why_nothing(pattern)}")
    found = [Source(name, kind or _kind(name), Path(name).stat().st_size) for name in names]
    return found if names == [pattern] else _with_folders(found, Path(pattern))


def _found_remote(url: str, kind: str | None) -> list[Source]:
    if url.lower().startswith(("http://", "https://")):
        promised = kind_of(urlsplit(url).path)
        spool = download(url)
        head = spool.read(_SNIFFED_COMPRESSED_BYTES)
        size = spool.seek(0, os.SEEK_END)
        spool.seek(0)
        kind = kind or (_kind_by_content(head) if promised in (None, "text") else promised)
        return [Source(url, kind, size, spool)]
    files = find_files(url)
    if len(files) > 1 and kind is None:
        files = [file for file in files if kind_of(file.path)] or files
    return [Source(file.url, kind or _kind(file.path, file.open), file.size, remote=file) for file in files]


def _with_folders(sources: list[Source], pattern: Path) -> list[Source]:
    """The files of a folder or pattern with their partition values; all files get the same columns."""
    folder_columns = [
        folder_values(os.path.relpath(source.name, pattern) if pattern.is_dir() else source.name)
        for source in sources
    ]
    keys = dict.fromkeys(key for values in folder_columns for key in values)
    return [
        replace(source, folders={key: values.get(key) for key in keys})
        for source, values in zip(sources, folder_columns, strict=True)
    ]


def folder_values(name: str) -> dict[str, str | None]:
    """The partition values of a path, in the style of Hive and Spark.

    >>> folder_values("crawl/lang=nl/day=__HIVE_DEFAULT_PARTITION__/city=Den%20Haag/part-0.parquet")
    {'lang': 'nl', 'day': None, 'city': 'Den Haag'}
    """
    from urllib.parse import unquote

    parts = [folder.partition("=") for folder in Path(name).parts[:-1]]
    return {
        unquote(key): None if value == "__HIVE_DEFAULT_PARTITION__" else unquote(value)
        for key, sign, value in parts
        if key and sign
    }


def _why_nothing(pattern: str) -> str:
    """The error message for an input that matches no file."""
    return "no file matches" if glob.has_magic(pattern) else "no such file or folder"


def _tables_in(folder: Path, kind: str | None) -> list[str]:
    """The files of a folder that are named as tables; of one without such, where their kind is given, all."""
    # As Spark and Hive do: names that begin with a dot or an underscore are not data.
    files = [
        path
        for path in sorted(folder.rglob("*"))
        if not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts) and path.is_file()
    ]
    recognised = [path for path in files if kind_of(path.name) is not None]
    if not recognised and (kind is None or not files):
        # Hadoop's names, such as part-00000, have no extension.
        hint = f"; for files such as {files[0].name} give their kind, such as --from text" if files else ""
        raise BadData(f"{folder}: no table (.parquet, .arrow, .csv, .tsv, .jsonl, .txt) in this folder{hint}")
    return [str(path) for path in recognised or files]


def _standard_input(kind: str | None) -> Source:
    stream = os.fdopen(os.dup(sys.stdin.fileno()), "rb") if _has_descriptor() else sys.stdin.buffer
    return _piped("-", stream, kind)


def _piped(name: str, stream: IO[bytes], kind: str | None) -> Source:
    """A streamed source; its first bytes show the format."""
    if kind is None and _packer(_head(stream)):
        head = stream.read(_SNIFFED_COMPRESSED_BYTES)
        kind = _kind_by_content(head)
        stream = io.BufferedReader(Rejoined(head, stream))
    kind = kind or _kind_by_content(_head(stream))
    if kind in ("parquet", "arrow"):  # readers seek in them
        spool = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as the source)
        while piece := stream.read(1 << 20):
            spool.write(piece)
        size = spool.tell()
        spool.seek(0)
        return Source(name, kind, size, spool)
    return Source(name, kind, 0, stream)


class Rejoined(io.RawIOBase):
    """A stream of which the beginning has been read, from its beginning."""

    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self._head, self._rest = io.BytesIO(head), rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._head.read(len(buffer)) or self._rest.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


def _has_descriptor() -> bool:
    try:
        sys.stdin.fileno()
    except (OSError, AttributeError, ValueError):
        return False
    return True


def _open(path: Path) -> IO[bytes]:
    try:
        return path.open("rb")
    except OSError as error:
        raise BadData(f"{path}: {error.strerror or error}") from error


def _kind(name: str, open_file: Callable[[], Any] | None = None) -> str:
    """By its name, and by its content where the name promises text or nothing."""
    promised = kind_of(name)
    if promised not in (None, "text"):
        return promised
    with open_file() if open_file else _open(Path(name)) as stream:
        head = _head(stream)
        return _kind_by_content(stream.read(_SNIFFED_COMPRESSED_BYTES) if _packer(head) else head)


def _head(stream: IO[bytes]) -> bytes:
    """The first bytes, not consumed."""
    if hasattr(stream, "peek"):
        head: bytes = stream.peek(_SNIFFED_BYTES)[:_SNIFFED_BYTES]
        return head
    if not stream.seekable():
        return b""
    head = stream.read(_SNIFFED_BYTES)
    stream.seek(0)
    return head


def _kind_by_content(head: bytes) -> str:
    """Detects the format: Parquet, JSON, a header with a column ``url``; anything else is one URL a line.

    >>> _kind_by_content(b'{"url": "http://www.nu.nl/"}'), _kind_by_content(b"id;URL\\n7;http://www.nu.nl/\\n")
    ('jsonl', 'csv')
    >>> _kind_by_content(b'"url"\\nhttp://www.nu.nl/\\n')
    'csv'
    >>> _kind_by_content(b"http://www.nu.nl/search?a=b,url\\n")
    'text'
    """
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"ARROW1\0", b"\xff\xff\xff\xff")):
        return "arrow"
    if packer := _packer(head):
        head = _unpacked(head, packer)
    if head.startswith(UTF_16_MARKS):
        head = head.decode("utf-16", "replace").encode()
    if _JSON.match(head):
        return "jsonl"
    header = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].lower()
    columns = [field.strip(b" \"'\r") for field in re.split(rb"[,;\t|]", header)]
    return "csv" if b"url" in columns and b"://" not in header else "text"


def _unpacked(head: bytes, packer: str) -> bytes:
    """The first line of packed text as far as it is there."""
    import pyarrow as pa

    text = b""
    with suppress(OSError), pa.CompressedInputStream(pa.BufferReader(head), packer) as stream:
        while b"\n" not in text and len(text) < _SNIFFED_BYTES and (piece := stream.read(64)):
            text += piece
    return text


def not_utf8(name: str) -> str:
    """The error message for text with undecodable bytes."""
    return (
        f"{name}: not all of it is UTF-8, and what could not be read became \ufffd; make it UTF-8 first, such as"
        f" with: iconv -f windows-1252 -t utf-8 {name}"
    )


def check_text(name: str, head: bytes) -> None:
    """Refuse binary data by its first bytes."""
    for kinds, advice in _NOT_TEXT:
        if kind := next((kind for magic, kind in kinds.items() if head.startswith(magic)), None):
            raise BadData(f"{name}: not a text file but {kind}; {advice}")
    if head.startswith(UTF_16_MARKS) and head.count(b"\0") > len(head) // 4:
        raise BadData(f"{name}: text in UTF-16; save it in UTF-8, such as Excel's 'CSV UTF-8'")
    if _packer(head) is None and len(head) - len(head.translate(None, _CONTROLS)) > len(head) // 20:
        raise BadData(f"{name}: binary data, not a text file; check that it is the file you meant")


def _packer(head: bytes) -> str | None:
    return next((name for magic, name in _MAGIC.items() if re.match(magic, head)), None)
