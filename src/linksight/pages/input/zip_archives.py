"""Zips of pages: WACZ, which is how browsers and crawlers of today hand WARC files on, and zips of files.

Documents of offices and books are zips too; what is in those is left alone.

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
#: What a member that is damaged, packed in a strange way or locked is told by.
DAMAGES = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)
_WARCS = (".warc", ".warc.gz")


def pages_of(names: list[str], of: str) -> list[str]:
    """The members that pages are in: the WARC files of a WACZ, all files of a zip, none of anything else."""
    warcs = [name for name in names if name.startswith("archive/") and name.lower().endswith(_WARCS)]
    if warcs or not of.lower().endswith(".zip"):
        return warcs
    return [name for name in names if not name.endswith("/") and not name.startswith("__MACOSX/")]


def is_meant(name: str) -> bool:
    """Whether a file of such a name is given for what is in it, so that there is something to tell where that is not to be had."""
    return name.lower().endswith((".wacz", ".zip"))


def members(stream: BinaryIO, name: str) -> Iterator[tuple[str, IO[bytes] | str]]:
    """The members of a zip that pages are in, opened one after the other, or what is wrong with one."""
    with zipfile.ZipFile(stream) as archive:
        for member in pages_of(archive.namelist(), name):
            try:
                part = archive.open(member)
            except DAMAGES as error:
                yield member, str(error)
                continue
            with part:
                yield member, part
