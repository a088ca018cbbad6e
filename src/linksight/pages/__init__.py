"""Pages: language, script and encoding from raw bytes."""

from __future__ import annotations

import codecs

from linksight.errors import BadConfig, BadData
from linksight.results import PageLabel

METHODS = ("default", "chew2011", "suzuki2002")


def identify(
    body: bytes, content_type: str | bytes | None = None, url: str | None = None, method: str = "default"
) -> PageLabel:
    """Language, script and encoding of a page from its raw bytes.

    ``content_type`` is the HTTP header, ``url`` the page's address: both are hints that the bytes can
    overrule; a header may be bytes, as Scrapy has it. ``method`` is ``default``, ``chew2011``, that of Chew,
    Mikami and Nagano, or ``suzuki2002``, the one that theirs was made from.
    """
    content_type, url = _text(content_type, "content_type"), _text(url, "url")
    if method == "default":
        from linksight.pages.pipeline import identify as by_weights

        return by_weights(body, content_type, url)
    if method in ("chew2011", "suzuki2002"):
        from linksight.pages import chew2011

        return chew2011.identify(body, content_type, bounds=None if method == "chew2011" else chew2011.SUZUKI)
    raise BadConfig(f"no such method: {method!r}; known: {', '.join(METHODS)}")


def _text(value: object, what: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("latin-1")
    raise BadData(f"{what} is text, not {type(value).__name__}")


def _codec(name: str) -> codecs.CodecInfo | None:
    """Codecs that Python lacks, so that ``body.decode(label.encoding)`` works."""
    from linksight.pages.charset.labels import codec_info

    return codec_info(name)


codecs.register(_codec)
