"""From the bytes of a page to its label, by the default method.

>>> identify("<p>Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti.".encode("cp1252")).language
'it'
"""

from __future__ import annotations

import codecs
import math
import re
import unicodedata
import zlib
from functools import cache, lru_cache
from typing import Any, NamedTuple

from linksight.errors import BadData
from linksight.pages.charset import byte_signatures, codepage_refinement, detector, labels, visual_hebrew
from linksight.pages.html import code_detection, declarations, fallback_readings, scanner, unescape
from linksight.pages.html.declarations import Said
from linksight.pages.input import content_decoding, mime_unwrap
from linksight.pages.langid import classifier, priors, scripts, segmentation
from linksight.pages.langid.model import PageModel, load
from linksight.pages.langid.rejection import LEAST_LETTERS, doubt, fit
from linksight.results import UND, ZXX, Declaration, PageLabel

Encodings = tuple[tuple[str, float], ...]  #: with their probabilities, best first

MOST = 2 << 20  #: bytes of a page that are looked at
LAYERS = 3  #: of packing and of messages that a page is taken out of
BINARY = "binary"  #: stands for the encoding of what is no text
HEBREW = frozenset(("windows-1255", "iso-8859-8", "ibm862"))  #: in these text can be stored in two orders
#: Each of these has all of those before, and is named for them.
CHINESE = frozenset(("gb2312", "gbk", "gb18030"))
FORMS = frozenset(("nb", "nn"))  #: of Norwegian
#: Of the logarithms of probabilities, in a text of so many features: TEMPER * (1 + features / TEMPER_FEATURES) ** TEMPER_POWER.
TEMPER, TEMPER_FEATURES, TEMPER_POWER = 0.5, 10.0, -0.6
HEAD = 1 << 16  #: bytes of a page in which its script is looked for where no letter was counted

_MAGIC = {
    b"%PDF-": "PDF", b"\x89PNG": "PNG image", b"\xff\xd8\xff": "JPEG image", b"GIF8": "GIF image", b"PK\x03\x04": "ZIP archive",
    b"\x7fELF": "program", b"MZ\x90": "program", b"RIFF": "media file", b"ID3": "audio", b"OggS": "media file", b"BZh": "bzip2 data",
    b"\xfd7zXZ": "xz data", b"\x28\xb5\x2f\xfd": "zstd data", b"wOFF": "font", b"wOF2": "font", b"\0\0\x01\0": "icon",
    b"\x1f\x9d": "compressed data", b"7z\xbc\xaf": "7z archive", b"Rar!": "RAR archive", b"\0asm": "program",
    b"%!PS": "PostScript", b"PAR1": "Parquet table",
}  # fmt: skip
_STARTS = tuple(_MAGIC)
#: Those that a text can begin with, a title or a word; in such files numbers follow, and some of their bytes are low.
_WORDS = (b"GIF8", b"RIFF", b"ID3", b"OggS", b"BZh", b"wOFF", b"wOF2", b"Rar!", b"PAR1")
_LOW = re.compile(rb"[\0-\x08\x0e-\x1a]")

_WIDE = ("utf-16", "utf-32")
_BLANK = b"\0 \t\r\n"


def identify(
    body: bytes,
    content_type: str | None = None,
    url: str | None = None,
    *,
    model: PageModel | None = None,
    languages: frozenset[str] = frozenset(),
    content_language: str | None = None,
    min_letters: int = 0,
) -> PageLabel:
    """The label of a page; an answer for every input, ``und`` with a reason where there is no better.

    ``languages`` restricts the answer; ``nb`` and ``nn`` in it tell the two forms of Norwegian apart. A text with
    fewer than ``min_letters`` letters is ``und``.
    """
    body, content_type, trouble = taken(body, content_type)
    if trouble:
        return trouble
    model = model or load()
    said = declarations.scan(body, content_type, content_language)
    encodings, text = in_utf8(body, said)
    encoding = encodings[0][0]
    if encoding.startswith(_WIDE):  # among whose NULs no tag could be read
        said = declarations.scan(text, content_type, content_language)
    if encoding == BINARY:
        declared = judged(said, ZXX, encoding)
        return PageLabel(
            ZXX, scripts.COMMON, BINARY, 0.0, declared=declared, reason="binary: control characters"
        )
    favour = priors.favour(said, url, model)
    if languages:
        favour = priors.restricted(favour, languages, model)
    reading, text, is_code = _read(text, model, favour)
    if is_code:
        fields = (ZXX, scripts.name_of_counts(reading.letters), encoding, 0.0, (), ())
        return PageLabel(*fields, judged(said, ZXX, encoding), "no language: code or data", encodings)
    code = model.codes[reading.best[0][0]]
    if codepage_refinement.has_kin(encoding, code) and not detector.has_signs_alone(
        data := scanner.run(body)[0]
    ):
        closer = codepage_refinement.likeliest(data, encoding, code, named(said), model)
        if closer != encoding:
            encodings = ((closer, encodings[0][1]), *(pair for pair in encodings if pair[0] != closer))
            decoded = labels.decode(body, closer).encode("utf-8", "replace")
            reading, text, _ = _read(decoded, model, favour)
    return label(reading, encodings, said, model, text, languages, min_letters)


def _read(text: bytes, model: PageModel, favour: Any) -> tuple[classifier.Reading, bytes, bool]:
    """The reading of a page in UTF-8, the text that it is of, and whether the page is a program or data."""
    text = code_detection.without_mark(unescape.unescaped(text))
    seen = code_detection.prose_of(text) or text
    reading = classifier.read(seen, model, favour)
    if fallback_readings.has_signs(reading) and (plain := code_detection.without_programs(seen)) is not seen:
        seen = plain
        reading = classifier.read(seen, model, favour)
        if sum(reading.letters.values()) < LEAST_LETTERS:
            return reading, text, True
    if reading.escaped > 2:
        # A feed: its descriptions are pages themselves, their tags written as entities.
        reading = classifier.read(reading.text, model, favour)
    if reading.loose:
        reading = classifier.read(_composed(seen), model, favour)
        text = _composed(text)
    return *fallback_readings.look(reading, text, model, favour), False


def _composed(text: bytes) -> bytes:
    """A text in UTF-8 with its letters in the spelling that nearly all texts have."""
    return unicodedata.normalize("NFKC", text.decode("utf-8", "replace")).encode("utf-8", "replace")


class Taken(NamedTuple):
    """What is looked at: the page, what it came with, or the label of what is no page."""

    body: bytes
    content_type: str | None = None
    label: PageLabel | None = None


def taken(body: bytes, content_type: str | None = None) -> Taken:
    """The bytes that are looked at, out of what they are wrapped in, or the label of what is no page."""
    if not isinstance(body, (bytes, bytearray, memoryview)):
        raise BadData(
            f"a page is bytes, not {type(body).__name__}; a text is given as text.encode(), a file as"
            " Path(name).read_bytes()"
        )
    if not isinstance(body, bytes) or len(body) > MOST:
        body = bytes(memoryview(body)[:MOST])
    for _ in range(LAYERS):
        try:
            inner = content_decoding.opened(body, MOST)
        except zlib.error:
            label = PageLabel(ZXX, scripts.COMMON, BINARY, 0.0, reason="gzip data, damaged")
            return Taken(b"", label=label)
        inner, own_type = mime_unwrap.opened(inner)
        if inner is body:
            break
        body, content_type = inner, own_type or content_type
    if body.startswith(_STARTS) and not (body.startswith(_WORDS) and not _LOW.search(body, 0, 64)):
        kind = next(name for magic, name in _MAGIC.items() if body.startswith(magic))
        return Taken(b"", label=PageLabel(ZXX, scripts.COMMON, BINARY, 0.0, reason=f"binary: {kind}"))
    if not body[:256].strip(_BLANK) and not body.strip(_BLANK):  # most need not be copied to see that
        return Taken(b"", label=PageLabel(UND, scripts.COMMON, "ascii", 0.0, reason="empty"))
    return Taken(body, content_type)


def in_utf8(body: bytes, said: list[Said]) -> tuple[Encodings, bytes]:
    """The encodings of a page with their probabilities, best first, and the page in UTF-8."""
    encoding = byte_signatures.by_mark(body)
    if encoding == "utf-8":
        body = body[len(codecs.BOM_UTF8) :]
        if byte_signatures.is_utf8(body):
            return certain(encoding), body
        encoding = byte_signatures.by_mark(body)  # the mark is of a file that the page includes
    encodings = certain(encoding) if encoding else ()
    if encoding is None:
        if body.isascii():
            encoding = seven_bits(body, said)
            if encoding == "ascii" and (encoding := byte_signatures.by_pairs(body)) is None:
                return certain("ascii"), body
            encodings = certain(encoding)
        elif byte_signatures.is_utf8(body, declared=named(said)[:1] == ["utf-8"]):
            return certain("utf-8"), body
        elif byte_signatures.is_binary(body):
            if (encoding := byte_signatures.by_pairs(body)) is None:
                return ((BINARY, 0.0),), b""
            encodings = certain(encoding)
        else:
            data, _, _ = scanner.run(body)
            # What is beyond ASCII can stand in scripts and attributes alone.
            data = byte_signatures.without_utf8(body if data.isascii() else data)
            encodings = detector.ranked(data, [name for name in named(said) if not name.startswith("utf-")])
    encoding = encodings[0][0]
    text = labels.decode(body, encoding).lstrip("\ufeff")
    if encoding in HEBREW:
        encoding, text = in_logical_order(encoding, text)
    encodings = ((labels.decodable(encoding, body), encodings[0][1]), *encodings[1:])
    return encodings, text.encode("utf-8", "replace")


@cache
def certain(encoding: str) -> Encodings:
    """An encoding that the bytes show: a mark, a signature, or nothing but valid characters."""
    return ((encoding, 1.0),)


def named(said: list[Said]) -> list[str]:
    """The encodings that a page names and that are known, the strongest first."""
    return [name for _, kind, value in said if kind == "encoding" and (name := labels.find(value))]


def seven_bits(body: bytes, said: list[Said]) -> str:
    """The encoding of bytes that are all ASCII; only where something looks like another one is it worth parsing."""
    head = body[: byte_signatures.SAMPLE]
    if not byte_signatures.SHIFTS.search(head):
        return "ascii"
    text, places, _ = scanner.run(head)
    # A run of UTF-7 ends with its block, which no sign in the text need say.
    blocks = [text[begin:end] for begin, end in zip(places[::4], places[1::4], strict=True)]
    return byte_signatures.by_seven_bits(b"\n".join(blocks), declared="utf-7" in named(said))


def in_logical_order(encoding: str, text: str) -> tuple[str, str]:
    """Hebrew as it is read, with the encoding that says in which order it is stored."""
    if visual_hebrew.is_visual(text):
        return "iso-8859-8" if encoding == "windows-1255" else encoding, visual_hebrew.turned(text)
    return "windows-1255" if encoding == "iso-8859-8" else encoding, text


def label(
    reading: classifier.Reading,
    encodings: Encodings,
    said: list[Said],
    model: PageModel,
    text: bytes,
    languages: frozenset[str] = frozenset(),
    min_letters: int = 0,
) -> PageLabel:
    """The label that a reading amounts to."""
    encoding, script = encodings[0][0], scripts.name_of_counts(reading.letters)
    if not reading.features or not reading.letters:  # marks above letters may stand alone
        if script == scripts.COMMON:  # of the letters beyond the basic plane, which the kernels do not count
            script = scripts.script_of_text(segmentation.text_of(text[:HEAD])[:5_000])
        strange = script not in (scripts.COMMON, "Latn")
        code, why = (UND, "no known language") if strange else (ZXX, "no letters")
        return PageLabel(code, script, encoding, 0.0, (), (), judged(said, code, encoding), why, encodings)
    candidates = probabilities(reading, model, languages)
    code, probability = candidates[0]
    kind = model.classes[reading.best[0][0]]
    reason: str | None = None
    if sum(reading.letters.values()) < min_letters:
        code, reason = UND, "too little text"
    elif doubted := doubt(reading, model):
        code, reason = doubted
    elif reason := code_detection.reason_of(text, fit(reading, model)):
        code = ZXX
    if kind in ("zh-Hans", "zh-Hant"):
        script = kind[3:]
    elif reason is None:
        script = model.scripts[reading.best[0][0]]  # which on a page in two can have fewer letters
    if code in (UND, ZXX):
        probability = 0.0
    spans = (
        segmentation.find(text, model) if reading.elsewhere > segmentation.SHARE * reading.features else ()
    )
    declared = judged(said, code, encoding)
    return PageLabel(code, script, encoding, probability, candidates, spans, declared, reason, encodings)


def probabilities(
    reading: classifier.Reading, model: PageModel, languages: frozenset[str] = frozenset()
) -> tuple[tuple[str, float], ...]:
    """Languages with probabilities: features of one text are far from independent, so scores are tempered.

    The constants are fitted on held-out words, sentences and pages (``benchmarks/judge_texts.py``).
    """
    temper = TEMPER * (1.0 + reading.features / TEMPER_FEATURES) ** TEMPER_POWER
    number, top = reading.best[0]
    if (top - reading.best[1][1]) * temper > 12.0:
        return ((_code(number, model, languages), 1.0),)
    powers: dict[str, float] = {}
    for number, total in reading.best:
        power = math.exp(max(-60.0, (total - top) * temper))
        if total < classifier.RULED_OUT <= top:
            continue
        code = _code(number, model, languages)
        powers[code] = max(power, powers.get(code, 0.0))
    whole = sum(powers.values())
    pairs = [(code, round(power / whole, 4)) for code, power in powers.items()]
    return tuple(pair for pair in pairs[:5] if pair[1] > 0.0005) or (pairs[0],)


def _code(number: int, model: PageModel, languages: frozenset[str]) -> str:
    """The language of a class; one of the two forms of Norwegian where these are asked for."""
    name = model.classes[number]
    return name if name in FORMS and name in languages else model.codes[number]


def judged(said: list[Said], code: str, encoding: str) -> tuple[Declaration, ...]:
    """The declarations with whether the bytes bear them out."""
    return tuple(
        [
            _twin(one) if one[0] == "hreflang" else Declaration(*one, _agrees(one, code, encoding))
            for one in said
        ]
    )


@lru_cache(512)
def _twin(said: Said) -> Declaration:
    """What a page says of another one, which its own bytes cannot bear out; pages name the same few languages."""
    return Declaration(*said)


def _agrees(said: Said, code: str, encoding: str) -> bool | None:
    _, kind, value = said
    if kind == "encoding":
        name = labels.find(value)
        if name is None:  # what nobody knows is neither borne out nor not
            return None
        if encoding == "ascii":  # which is read alike by all that keep one byte a letter
            return not name.startswith(_WIDE)
        if encoding in _WIDE or name in _WIDE:  # the order of the bytes is told by their mark, or found
            return name[:6] == encoding[:6]
        return name in (encoding, labels.find(encoding)) or (name in CHINESE and encoding in CHINESE)
    if code in (UND, ZXX):
        return None
    return priors.code_of(value) == code
