"""ZIP archives of pages: WACZ, the package format of WARC files, and zips of files.

Office documents and e-books are zips too; their members are ignored.

>>> pages_of(["datapackage.json", "archive/data.warc.gz", "pages/pages.jsonl"], "crawl.wacz")
['archive/data.warc.gz']
>>> pages_of(["site/", "site/a.html", "__MACOSX/site/._a.html"], "site.zip"), pages_of(["word/document.xml"], "a.docx")
(['site/a.html'], [])
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, BinaryIO

MAGIC = b"PK\x03\x04"
#: Exceptions of members that are damaged, encrypted or in an unsupported compression.
DAMAGES = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)
_WARCS = (".warc", ".warc.gz")


def pages_of(names: list[str], of: str) -> list[str]:
    """The members with pages: the WARC files of a WACZ, all files of a zip, else an empty list."""
    warcs = [name for name in names if name.startswith("archive/") and name.lower().endswith(_WARCS)]
    if warcs or not of.lower().endswith(".zip"):
        return warcs
    return [name for name in names if not name.endswith("/") and not name.startswith("__MACOSX/")]


def is_archive_name(name: str) -> bool:
    """Whether the extension declares an archive of pages, so that an unreadable one is an error."""
    return name.lower().endswith((".wacz", ".zip"))


def members(stream: BinaryIO, name: str) -> Iterator[tuple[str, IO[bytes] | str]]:
    """Opens the members of a zip that have pages one by one; yields the error message of an unreadable one."""
    with zipfile.ZipFile(stream) as archive:
        for member in pages_of(archive.namelist(), name):
            try:
                part = archive.open(member)
            except DAMAGES as error:
                yield member, str(error)
                continue
            with part:
                yield member, part
