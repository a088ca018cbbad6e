"""From the bytes of a page to its label, by the default method.

>>> identify("<p>Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti.".encode("cp1252")).language
'it'
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass, replace
from functools import lru_cache

from linksight import languages
from linksight.errors import BadData, BadLanguage
from linksight.pages import declarations, encodings, entities, evidence, guess, markup, scripts
from linksight.pages.compiled import Pace
from linksight.pages.model import PageModel, load
from linksight.records import UND, ZXX, Declaration, PageLabel

MOST = 2 << 20  #: bytes of a page that are looked at
ENOUGH_TEXT = 3_000  #: bytes of text that settle most pages
LEAST_LETTERS = 40  #: with fewer, a page says nothing (Martins and Silva)

_MAGIC = {
    b"%PDF-": "PDF", b"\x89PNG": "PNG image", b"\xff\xd8\xff": "JPEG image", b"GIF8": "GIF image", b"PK\x03\x04": "ZIP archive",
    b"\x7fELF": "program", b"MZ\x90": "program", b"RIFF": "media file", b"ID3": "audio", b"OggS": "media file", b"BZh": "bzip2 data",
    b"\xfd7zXZ": "xz data", b"\x28\xb5\x2f\xfd": "zstd data", b"wOFF": "font", b"wOF2": "font", b"\0\0\x01\0": "icon",
    b"\x1f\x9d": "compressed data", b"7z\xbc\xaf": "7z archive", b"Rar!": "RAR archive", b"\0asm": "program",
}  # fmt: skip

_PACE = Pace()


@dataclass(frozen=True, slots=True)
class Text:
    """What was read from a page: its encoding and its text, the parts that tell most first."""

    encoding: str
    text: str


def identify(
    body: bytes, content_type: str | None = None, url: str | None = None, *, model: PageModel | None = None
) -> PageLabel:
    """The label of a page; an answer for every input, ``und`` with a reason where there is no better."""
    if not isinstance(body, (bytes, bytearray, memoryview)):
        raise BadData(f"a page is bytes, not {type(body).__name__}")
    body = bytes(memoryview(body)[:MOST])
    body, trouble = unpacked(body)
    if trouble:
        return PageLabel(
            UND if trouble == "empty" else ZXX,
            scripts.COMMON,
            "binary" if trouble != "empty" else "ascii",
            0.0,
            reason=trouble,
        )
    model = model or load()
    compiled = _PACE.compiled(len(body))
    said = declarations.read(body, content_type)
    text = read(body, said, model, compiled)
    return label(text, said, url, model, compiled)


def unpacked(body: bytes) -> tuple[bytes, str | None]:
    """The page with its compression undone, or why it is no page."""
    if not body.strip(b"\0 \t\r\n"):
        return b"", "empty"
    if body.startswith(b"\x1f\x8b"):
        try:
            body = zlib.decompressobj(31).decompress(body, MOST)
        except zlib.error:
            return b"", "gzip data, damaged"
        if not body:
            return b"", "gzip data, empty"
    for magic, name in _MAGIC.items():
        if body.startswith(magic):
            return b"", f"binary: {name}"
    return body, None


def read(body: bytes, said: list[Declaration], model: PageModel, compiled: bool) -> Text:
    """Encoding and text of a page."""
    encoding = encodings.by_mark(body)
    if encoding is not None and encoding != "utf-8":
        body = encodings.decode(body, encoding).lstrip("\ufeff").encode("utf-8", "replace")
        return Text(encoding, _text(body, compiled))
    if body.isascii():
        return Text("ascii", _text(body, compiled))
    if encoding == "utf-8" or _is_utf8(body):
        return Text("utf-8", _text(body, compiled))
    declared = [
        name
        for d in said
        if d.kind == "encoding"
        and (name := encodings.find(d.value))
        and name not in ("utf-8", "utf-16", "utf-16le", "utf-16be")
    ]
    data, marks, _ = markup.run(body, compiled=compiled)
    data = sample(data, marks, ENOUGH_TEXT * 2)
    if data.isascii():  # what is beyond ASCII stands in scripts and attributes
        data = body
    encoding = guess.guess(data, declared)
    text = encodings.decode(data, encoding).encode("utf-8", "replace")
    return Text(encoding, entities.convert(text).decode("utf-8", "replace"))


def _is_utf8(body: bytes) -> bool:
    """Whether bytes are UTF-8, but for a cut at the end or a few damaged characters."""
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start >= len(body) - 4:
            return True
        text = body.decode("utf-8", "replace")
        damaged = text.count("\ufffd")
        proper = len(body) - len(body.decode("ascii", "ignore")) - damaged
        return proper > 20 * damaged
    return True


def _text(body: bytes, compiled: bool) -> str:
    """The text of a page in UTF-8."""
    data, marks, converted = markup.run(body, entities=True, compiled=compiled)
    if converted and b"<" in data and _holds_markup(data):
        # A feed: its descriptions are pages themselves, their tags written as entities.
        data, marks, _ = markup.run(data, entities=True, compiled=compiled)
    return sample(data, marks, ENOUGH_TEXT).decode("utf-8", "replace")


def _holds_markup(data: bytes) -> bool:
    return any(tag in data for tag in (b"<p>", b"<br", b"<a ", b"</", b"<img", b"<div"))


def sample(data: bytes, marks: list[int], enough: int) -> bytes:
    """The text that tells most: title, largest block, running text, then the rest, up to ``enough`` bytes."""
    title, good, rest = [], [], []
    largest, largest_size = -1, 0
    for k in range(0, len(marks), 4):
        size = marks[k + 1] - marks[k]
        own = size - marks[k + 2]
        if marks[k + 3]:
            title.append(k)
        elif own >= 60 and own * 2 > size and data.find(b" ", marks[k], marks[k] + 60) >= 0:
            good.append(k)
            if own > largest_size:
                largest, largest_size = k, own
        else:
            rest.append(k)
    if largest >= 0:
        good = [largest, *spread(good, largest, len(marks))]
    parts, used = [], 0
    for k in title[:1] + good + rest:
        # A part of each block: a long one must not hide that the others are in another language.
        most = 900 if k == largest else 400
        part = data[marks[k] : min(marks[k + 1], marks[k] + min(most, enough - used))]
        parts.append(part)
        used += len(part) + 1
        if used >= enough:
            break
    return b"\n".join(parts)


def spread(blocks: list[int], but: int, length: int) -> list[int]:
    """The blocks in an order that soon has seen all parts of the page: every eighth, then those between."""
    others = [k for k in blocks if k != but]
    if len(others) <= 8:
        return others
    return [others[k] for first in (0, 4, 2, 6, 1, 5, 3, 7) for k in range(first, len(others), 8)]


def label(
    text: Text, said: list[Declaration], url: str | None, model: PageModel, compiled: bool
) -> PageLabel:
    """The label of a text that was read."""
    letters = evidence.letters_by_script(text.text)
    total = sum(letters.values())
    script = scripts.name_of_counts(letters)
    if total == 0:
        return PageLabel(
            ZXX, script, text.encoding, 0.0, declared=judged(said, ZXX, text.encoding), reason="no letters"
        )
    found = evidence.read(text.text, model, compiled=compiled)
    ranked = found.ranked(model.prior + evidence.allowed(letters, model))
    candidates = probabilities(ranked, found.features)
    code, probability = candidates[0]
    reason = doubt(found, ranked, total)
    kind = ranked[0][2]
    if kind in ("zh-Hans", "zh-Hant") and script == "Hani":
        script = kind[3:]
    if reason:
        code = UND
    return PageLabel(
        code, script, text.encoding, probability, candidates, (), judged(said, code, text.encoding), reason
    )


def probabilities(ranked: list[tuple[str, float, str]], features: int) -> tuple[tuple[str, float], ...]:
    """Languages with probabilities: features of one text are far from independent, so scores are tempered."""
    temper = 1.0 / (1.0 + features / 60)
    top = ranked[0][1]
    powers = [math.exp(max(-60.0, (total - top) * temper)) for _, total, _ in ranked]
    whole = sum(powers)
    pairs = [(code, round(power / whole, 4)) for (code, _, _), power in zip(ranked, powers, strict=True)]
    return tuple(pair for pair in pairs[:5] if pair[1] > 0.0005) or (pairs[0],)


def doubt(found: evidence.Evidence, ranked: list[tuple[str, float, str]], letters: int) -> str | None:
    """Why the best language is not sure enough to be named, if so."""
    if letters < LEAST_LETTERS and found.features < 3 * LEAST_LETTERS and ranked[0][1] < 10:
        return "too little text"
    return None


def judged(said: list[Declaration], code: str, encoding: str) -> tuple[Declaration, ...]:
    """The declarations with whether the bytes bear them out."""
    return tuple(replace(d, agrees=_agrees(d, code, encoding)) for d in said)


def _agrees(said: Declaration, code: str, encoding: str) -> bool | None:
    if said.source == "hreflang":
        return None  # it speaks of other pages
    if said.kind == "encoding":
        name = encodings.find(said.value)
        return (
            encoding == "ascii" or name == encoding or (name == "gbk" and encoding in ("gb2312", "gb18030"))
        )
    if code in (UND, ZXX):
        return None
    return _code(said.value) == code


@lru_cache(4096)
def _code(tag: str) -> str | None:
    try:
        return languages.find(tag)
    except BadLanguage:
        return None
