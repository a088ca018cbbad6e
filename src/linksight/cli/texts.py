"""Text files that a user names: words, seeds, figures."""

from __future__ import annotations

from typing import IO

from linksight.errors import BadData


def text_of(file: IO[bytes]) -> str:
    """The text of a file that was opened as bytes; an error that names it where it is none.

    >>> import io
    >>> text_of(io.BytesIO(b"http://a.nl/"))
    'http://a.nl/'
    """
    try:
        return file.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        name = getattr(file, "name", "-")
        raise BadData(f"{name}: not a text file in UTF-8; was another file meant?") from None
