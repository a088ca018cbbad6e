"""Write files atomically: a temporary file, fsync, rename.

After a full disk, an exception or Ctrl-C the target is unchanged. A killed process may leave a hidden temporary
file, never a partial target.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from linksight.errors import BadConfig, BadData
from linksight.system.paths import path_text


@contextmanager
def whole_file(path: str | os.PathLike[str], mode: str = "wb", *, private: bool = False) -> Iterator[IO[Any]]:
    """Open a file that replaces ``path`` when the block ends without an exception.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "figures.txt"
    >>> with whole_file(target, "w") as file:
    ...     _ = file.write("1, 2, 3")
    >>> target.read_text(), len(list(target.parent.iterdir()))
    ('1, 2, 3', 1)

    Devices and pipes (``/dev/stdout``, ``/dev/null``) are opened directly; symbolic links are followed.
    A ``private`` file has mode 0600 from the start.
    """
    path = path_text(path)
    target = Path(os.path.realpath(path))
    if is_device(path):  # realpath of /dev/fd/N is not a file
        target = Path(path)
    # Lone surrogates (undecodable file names) are written as escapes, which JSON understands.
    style: dict[str, Any] = (
        {} if "b" in mode else {"encoding": "utf-8", "newline": "", "errors": "backslashreplace"}
    )
    try:
        if target.exists() and not target.is_file():
            with target.open(mode, **style) as file:
                yield file
            return
        with _beside(target, mode, style, private) as file:
            yield file
    except OSError as error:
        if not _ours(error, target):
            raise
        raise BadData(f"{path}: {_reason(error, target)}; nothing was written there") from error


@contextmanager
def _beside(target: Path, mode: str, style: dict[str, Any], private: bool) -> Iterator[IO[Any]]:
    """Write to a hidden temporary file; rename it after fsync, delete it on any exception."""
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    permissions = 0o600 if private else 0o666  # before the umask

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags, permissions)

    try:
        with open(beside, mode.replace("w", "x"), opener=opener, **style) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists() and not private:
            beside.chmod(stat.S_IMODE(target.stat().st_mode))
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def is_device(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a device or a pipe, which cannot be replaced.

    >>> is_device(os.devnull), is_device("."), is_device("no such file")
    (True, False, False)
    """
    target = Path(path)
    return target.exists() and not target.is_file() and not target.is_dir()


def _ours(error: OSError, target: Path) -> bool:
    """Whether the error concerns this file rather than other work in the block."""
    if error.filename is None:
        return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
    name = Path(os.fsdecode(error.filename)).name
    return name == target.name or name.startswith(f".{target.name}.")


def _reason(error: OSError, target: Path) -> str:
    lacking = error.errno == errno.ENOENT and not target.parent.is_dir()
    return _no_folder(target) if lacking else error.strerror or str(error)


def _no_folder(target: Path) -> str:
    return f"no such folder: {target.absolute().parent}"


def check_place(path: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str] | None] = ()) -> None:
    """Check an output path before the work: its folder exists, and it is not an input file."""
    target = Path(path)
    if not target.absolute().parent.is_dir():
        raise BadConfig(f"{path}: {_no_folder(target)}")
    if target.is_file() and any(_same(target, given) for given in inputs if given is not None):
        raise BadConfig(f"{path}: is an input file; choose another output")


def _same(target: Path, given: str | os.PathLike[str]) -> bool:
    try:
        return target.samefile(given)
    except (OSError, ValueError):  # a URL, or a missing file
        return False


def write_whole(path: str | os.PathLike[str], data: str | bytes, *, private: bool = False) -> None:
    """Write text (as UTF-8) or bytes to a file atomically."""
    with whole_file(path, private=private) as file:
        file.write(data.encode("utf-8") if isinstance(data, str) else data)


def sync_folder(folder: Path) -> None:
    """Force a folder and the files in it to the disk, so that they survive a power failure."""
    for path in [*folder.iterdir(), folder]:
        if path.is_dir() and sys.platform == "win32":  # which cannot open folders
            continue
        descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
