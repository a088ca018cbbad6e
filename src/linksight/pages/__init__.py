"""Pages: language, script and encoding from raw bytes.

pipeline, many    one page; many pages on all cores
input             files, WARC records, ZIP and MIME containers
charset           character encodings
html              the HTML parser and the choice of text
langid            language identification
chew2011          the method of Chew et al. 2011
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable

from linksight.errors import BadConfig, BadData, BadLanguage
from linksight.results import PageLabel

METHODS = ("default", "chew2011", "suzuki2002")


def identify(
    body: bytes,
    content_type: str | bytes | None = None,
    url: str | None = None,
    languages: Iterable[str] | str | None = None,
    *,
    content_language: str | bytes | None = None,
    min_letters: int = 0,
    method: str = "default",
) -> PageLabel:
    """Language, script and encoding of a page from its raw bytes.

    ``content_type`` and ``content_language`` are HTTP headers, ``url`` is the page's address: hints that the bytes
    can overrule. Headers may be bytes. ``languages`` restricts the answer; ``nb`` and ``nn`` in it tell the forms of
    Norwegian apart. A text with fewer than ``min_letters`` letters is ``und``. ``method`` is ``default``, or one of
    the papers': ``chew2011``, ``suzuki2002``.
    """
    content_type, url = _text(content_type, "content_type"), _text(url, "url")
    if not isinstance(min_letters, int):
        raise BadData(f"min_letters is a whole number, not {min_letters!r}")
    if method == "default":
        from linksight.pages.pipeline import identify as by_weights

        allowed = _allowed_languages(languages)
        spoken = _text(content_language, "content_language")
        return by_weights(
            body, content_type, url, languages=allowed, content_language=spoken, min_letters=min_letters
        )
    if method in ("chew2011", "suzuki2002"):
        from linksight.pages import chew2011

        return chew2011.identify(body, content_type, bounds=None if method == "chew2011" else chew2011.SUZUKI)
    raise BadConfig(f"no such method: {method!r}; known: {', '.join(METHODS)}")


def _allowed_languages(languages: Iterable[str] | str | None) -> frozenset[str]:
    """The codes of the languages that an answer is restricted to."""
    if languages is None:
        return frozenset()
    from linksight.languages import registry
    from linksight.pages.langid.model import load

    if isinstance(languages, str):
        languages = languages.split(",")
    names = list(languages) if isinstance(languages, Iterable) else []
    if not isinstance(languages, Iterable) or not all(isinstance(name, str) for name in names):
        raise BadData(f"languages are codes or names as text, not {languages!r}")
    forms = {"nb", "nn", "nob", "nno"}
    codes = {
        {"nob": "nb", "nno": "nn"}.get(name, name) if name in forms else registry.find(name)
        for name in (name.strip() for name in names)
    }
    unknown = sorted(codes - set(load().codes) - {"nb", "nn"})
    if not codes or unknown:
        raise BadLanguage(", ".join(unknown) or "no language", "the page model does not know it")
    return frozenset(codes)


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
