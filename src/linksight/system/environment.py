"""The environment variables that linksight reads, declared once for the reference; a test holds it to the code."""

from __future__ import annotations

VARIABLES = {
    "LINKSIGHT_DATA": "Folder of labelled URLs, pages and texts; for `bench`, `reproduce`, `crawl replay` and recipes.",
    "LINKSIGHT_SITES": "The workbench of `site` and `serve`: a SQLite file or a `postgresql://` URL (`--store`).",
    "LINKSIGHT_TOKEN": "The token that `serve` demands of visitors (`--token`).",
    "CHROMIUM": "The browser of `site learn --render`, where it is not found by itself.",
    "NUMBA_CACHE_DIR": "Where compiled code is kept, if the package's folder is read-only.",
    "PYTHONPATH": "Handed on to the processes that a crawl starts.",
}

#: Variables of others that matter here.
OTHERS = {
    "NO_COLOR": "No colours in tables on a terminal.",
    "COLUMNS": "Width of tables, where the terminal does not tell.",
}
