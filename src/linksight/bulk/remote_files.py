"""Files at URLs: ``https://`` by the standard library, ``s3://``, ``gs://`` and others by Arrow or fsspec."""

from __future__ import annotations

import fnmatch
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from linksight.errors import BadData

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_TIMEOUT_SECONDS = 60


@dataclass(frozen=True)
class RemoteFile:
    """A file that Arrow can open and seek in."""

    url: str
    filesystem: Any
    path: str
    size: int
    modified: str

    def open(self) -> Any:
        """The file as a binary stream."""
        return self.filesystem.open_input_file(self.path)


def is_remote(name: str) -> bool:
    """Whether a name is a URL.

    >>> is_remote("s3://bucket/urls.parquet"), is_remote("C:/urls.txt")
    (True, False)
    """
    return _SCHEME.match(name) is not None


def download(url: str) -> IO[bytes]:
    """The body of a web resource as a temporary file."""
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    try:
        request = Request(url, headers={"User-Agent": "linksight"})
        with urlopen(request, timeout=_TIMEOUT_SECONDS) as answer:
            spool = tempfile.TemporaryFile()  # noqa: SIM115 (the reader closes it)
            shutil.copyfileobj(answer, spool, 1 << 20)
    except (OSError, ValueError) as error:
        if isinstance(error, HTTPError):
            error.close()
        raise BadData(f"{url}: {error}") from error
    spool.seek(0)
    return spool


def filesystem_of(url: str) -> tuple[Any, str]:
    """The Arrow file system of a URL, and the path in it."""
    import pyarrow as pa
    from pyarrow import fs

    try:
        found: tuple[Any, str] = fs.FileSystem.from_uri(url)
        return found
    except (pa.ArrowException, OSError, ValueError):  # Arrow does not support the scheme
        pass
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise BadData(
            f"{url}: {url.partition(':')[0]}:// needs the package fsspec: pip install fsspec"
        ) from None
    try:
        other, path = url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise BadData(f"{url}: {error}") from error
    return fs.PyFileSystem(fs.FSSpecHandler(other)), path


def find_files(url: str) -> list[RemoteFile]:
    """The files behind a URL: a file, a folder or a glob."""
    from pyarrow import fs

    filesystem, path = filesystem_of(url)
    base, is_glob = path, any(sign in path for sign in "*?[")
    if is_glob:
        parts = PurePosixPath(path).parts
        fixed = next(i for i, part in enumerate(parts) if any(sign in part for sign in "*?["))
        base = str(PurePosixPath(*parts[:fixed]))
    try:
        infos = [filesystem.get_file_info(base)]
        if infos[0].type == fs.FileType.Directory:
            infos = filesystem.get_file_info(fs.FileSelector(base, recursive=True))
    except Exception as error:  # each service has its own
        raise BadData(f"{url}: {(str(error).splitlines() or [type(error).__name__])[0]}") from error
    files = sorted((info for info in infos if info.type == fs.FileType.File), key=lambda info: str(info.path))
    if is_glob:
        files = [info for info in files if fnmatch.fnmatch(info.path, path)]
    if not files:
        raise BadData(f"{url}: no such file or folder")
    scheme = url.partition("://")[0]
    return [
        RemoteFile(
            url if len(files) == 1 and not is_glob else f"{scheme}://{info.path}",
            filesystem, info.path, info.size or 0, str(info.mtime),
        )
        for info in files
    ]  # fmt: skip


def upload(file: Path, url: str) -> None:
    """Copy a finished local file to a URL."""
    from pyarrow import fs

    filesystem, path = filesystem_of(url)
    try:
        fs.copy_files(
            str(file), path, source_filesystem=fs.LocalFileSystem(), destination_filesystem=filesystem
        )
    except Exception as error:  # each service has its own
        raise BadData(
            f"{url}: cannot be written ({(str(error).splitlines() or [type(error).__name__])[0]})"
        ) from error
