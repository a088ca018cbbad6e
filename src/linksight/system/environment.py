"""Environment variables that linksight reads, with their descriptions for the reference."""

from __future__ import annotations

VARIABLES = {
    "LINKSIGHT_CONTACT": "Mail address or URL that crawls send with each request (`crawl run --contact`).",
    "LINKSIGHT_DATA": "Folder of labelled URLs, pages and texts; for `bench`, `reproduce`, `crawl replay` and recipes.",
    "LINKSIGHT_SITES": "The workbench of `site` and `serve`: a SQLite file or a `postgresql://` URL (`--store`).",
    "LINKSIGHT_TOKEN": "The token that `serve` requires (`--token`).",
    "CHROMIUM": "The browser of `site learn --render`, where it is not on the PATH.",
    "LINKSIGHT_THREADS": "Threads that score URLs; by default the cores of the process.",
    "LINKSIGHT_UNCOMPILED": "`1` runs the Python sources of the compiled core.",
    "PYTHONPATH": "Handed on to the processes that a crawl starts.",
}

#: Standard variables that linksight respects.
OTHERS = {
    "NO_COLOR": "No colours in tables on a terminal.",
    "COLUMNS": "Width of tables, where the terminal does not report its size.",
}
