"""The members of a model file, which is a zip, by their names.

Models are zips of the plainest kind: nothing packed, no comment, less than 4 GB. ``StoredArchive`` reads
that kind, straight into arrays. All others, damaged ones among them, are left to ``zipfile``
(``ZippedArchive``), which takes longer to start than the bundled model takes to read.

    header name bytes   header name bytes   ...   entry name   entry name   ...   end
    \\_______________/                             \\________________________/
         a member                                         the directory
"""

from __future__ import annotations

import os
import struct
import zlib
from io import BufferedReader
from types import TracebackType

import numpy as np

_HEADER, _ENTRY = struct.Struct("<4s5H3I2H"), struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_LARGE = 0xFFFFFFFF  #: the true number stands elsewhere

_Place = tuple[int, int, int]  # of a member: where its header is, its size, its checksum


class StoredArchive:
    """A zip whose members stand in the file as they are."""

    def __init__(self, file: BufferedReader, places: dict[str, _Place]) -> None:
        self._file = file
        self._places = places

    @property
    def names(self) -> list[str]:
        return list(self._places)

    def size(self, name: str) -> int:
        """The bytes of a member; KeyError where there is none of that name."""
        return self._place(name)[1]

    def is_stored(self, name: str) -> bool:
        """Whether what a member claims to hold is there; KeyError where there is none of that name."""
        return bool(self._place(name))

    def read(self, name: str) -> bytes:
        """A member, checked by its checksum."""
        data = self.data(name).tobytes()
        if zlib.crc32(data) != self._place(name)[2]:
            raise ValueError(f"bad checksum of {name!r}")
        return data

    def data(self, name: str) -> memoryview:
        """A member in memory of its own, not checked: for those that have a digest."""
        at, size, _ = self._place(name)
        self._file.seek(at)
        header = _HEADER.unpack(self._file.read(_HEADER.size))
        n_name, n_extra = header[-2:]
        if header[0] != b"PK\x03\x04" or self._file.read(n_name) != name.encode():
            raise ValueError(f"{name!r} is not where the directory says")
        self._file.seek(n_extra, os.SEEK_CUR)
        data = np.empty(size, np.uint8)
        if self._file.readinto(data.data) != size:
            raise EOFError(f"{name!r} is cut off")
        return data.data.toreadonly()

    def _place(self, name: str) -> _Place:
        if name not in self._places:
            raise KeyError(f"There is no item named {name!r} in the archive")  # as zipfile says it
        return self._places[name]

    def __enter__(self) -> StoredArchive:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._file.close()


class ZippedArchive:
    """Any other zip."""

    def __init__(self, file: BufferedReader) -> None:
        import zipfile

        self._file = file
        self._archive = zipfile.ZipFile(file)

    @property
    def names(self) -> list[str]:
        return self._archive.namelist()

    def size(self, name: str) -> int:
        """The bytes of a member, unpacked; KeyError where there is none of that name."""
        return self._archive.getinfo(name).file_size

    def is_stored(self, name: str) -> bool:
        """Whether what a member claims to hold is there; KeyError where there is none of that name."""
        return self._archive.getinfo(name).compress_type == 0

    def read(self, name: str) -> bytes:
        """A member, unpacked and checked by its checksum."""
        return self._archive.read(name)

    data = read

    def __enter__(self) -> ZippedArchive:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._archive.close()
        self._file.close()


def open_archive(path: str | os.PathLike[str]) -> StoredArchive | ZippedArchive:
    """The archive at a path; what is none raises one of the errors in ``no_archive``."""
    file = open(path, "rb")  # noqa: PTH123, SIM115 (the archive closes it)
    try:
        places = _places(file)
        return ZippedArchive(file) if places is None else StoredArchive(file, places)
    except BaseException:
        file.close()
        raise


def no_archive() -> tuple[type[Exception], ...]:
    """What reading a file that is not what it seems raises; RuntimeError is an encrypted or strangely packed member."""
    import zipfile

    return zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError


def _places(file: BufferedReader) -> dict[str, _Place] | None:
    """Where the members are, by the directory at the end of the file; None if it is not of the plain kind."""
    whole = file.seek(0, os.SEEK_END)
    if whole < _END.size:
        return None
    file.seek(whole - _END.size)
    mark, disk, first_disk, here, n, size, start, comment = _END.unpack(file.read(_END.size))
    if (
        mark != b"PK\x05\x06"
        or disk
        or first_disk
        or comment
        or here != n
        or start + size + _END.size != whole
    ):
        return None
    file.seek(start)
    directory = file.read(size)
    found: dict[str, _Place] = {}
    at = 0
    for _ in range(n):
        if at + _ENTRY.size > size:
            return None
        name, place = _entry(directory, at)
        if place is None:
            return None
        found[name] = place
        at += _ENTRY.size + len(name)
    # As many members as names, and none that claims what is another's: no more memory than the file has bytes.
    fits = at == size and len(found) == n and sum(place[1] for place in found.values()) <= start
    return found if fits else None


def _entry(directory: bytes, at: int) -> tuple[str, _Place | None]:
    """The name of a member of the directory, and its place if it is of the plain kind."""
    (
        mark,
        _,
        _,
        flags,
        method,
        _,
        _,
        checksum,
        packed,
        size,
        n_name,
        n_extra,
        n_comment,
        disk,
        _,
        _,
        header,
    ) = _ENTRY.unpack_from(directory, at)
    name = directory[at + _ENTRY.size : at + _ENTRY.size + n_name]
    odd = flags or method or packed != size or n_extra or n_comment or disk or _LARGE in (size, header)
    if mark != b"PK\x01\x02" or odd or not name.isascii():
        return "", None
    return name.decode(), (header, size, checksum)
