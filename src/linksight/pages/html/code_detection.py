"""Source code, tables and lists of addresses: text with words but hardly a sentence.

N-grams alone label a style sheet as English and a list of Italian URLs as Italian. Lines separate code from prose:
signs connect its words, and four words in a row are rare. Only text outside HTML and in ``pre`` is examined.

>>> look(b"const express = require('express');\\nconst app = express();\\n") == Look(code=1.0, addresses=0.0, prose=0.0)
True
>>> look(b"See http://a.org/: it has all that you need to know.").code
0.0
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from string import ascii_letters
from typing import NamedTuple

MAX_BYTES = 1 << 14  #: bytes of a text that are looked at
MIN_CODE_SHARE, MIN_ADDRESS_SHARE = 0.6, 0.5  #: of the visible characters, that make a text one of these
MAX_CODE_SHARE = 0.3  #: of the visible characters; a text with prose that has more is read without its code
MIN_PROSE_BYTES = 400  #: shorter prose is ignored, and the code itself is read
MIN_PROSE_SHARE = 0.2  #: of the visible characters, in rows of words; a text with more is prose
MAX_FOREIGN_SHARE = 0.1  #: of the visible bytes beyond ASCII; a text with more is in some language
#: Natural logarithms a feature: data whose words are likelier than that in a language are in it.
MIN_LOG_LIKELIHOOD = -0.25
MAX_LETTER_SHARE = 0.95  #: of the visible bytes; a text with more has too few signs for code
MIN_CHARACTERS_PER_TAG = 250  #: a text with fewer visible characters a tag is part of a page

MARK, END = b"<?php", b"?>"  #: around a program in PHP

_ASCII, _FOREIGN = ascii_letters.encode(), bytes(range(128, 256))
_PAGE = re.compile(rb"\s*<")
_TAG = re.compile(rb"</[A-Za-z][A-Za-z0-9]*\s*>|<(?:p|br|hr|li|td|tr|img|div|a)\b", re.IGNORECASE)
#: Four words or more with a space, or a comma and a space, between them; bounded, so that no text takes long.
_PROSE = re.compile(
    rb"(?<![\w\x80-\xff.'\-])(?:[A-Za-z\x80-\xff][A-Za-z\x80-\xff'\-]{0,40}[,;:]? ){3,60}[A-Za-z\x80-\xff]{1,40}(?![\w\x80-\xff=(])"
)
#: Preformatted elements, and the markup inside them.
_TYPED, _TYPED_END = (b"<pre", b"<PRE"), (b"</pre", b"</PRE")
_PRE = re.compile(rb"<(?:pre|PRE)\b[^<>]{0,400}>")
_MARKUP = re.compile(rb"<[^<>]{0,400}>")
_SIGNS = {b"&lt;": b"<", b"&gt;": b">", b"&quot;": b'"', b"&#39;": b"'", b"&amp;": b"&"}
MAX_PROGRAMS = 200  #: that are looked for in a page
_BREAK = re.compile(rb"""[\s"'<>,;]+""")  # between addresses, and around them
#: Signs that prose has no use for, or not there: between letters, or at the end of a line.
_GLUE = re.compile(
    rb"""[{}\\<>|=_$^~`\[\]]|;\s*$|\w\(|\w\.[A-Za-z]|[A-Za-z]/[A-Za-z]|[A-Za-z]:[\w'"]|["']\s*:|::|->|/\*|\*/|[\s"'(=]/\w"""
)


class Look(NamedTuple):
    """Shares of the visible characters by kind; a character may count in several."""

    code: float  #: in lines of a program, or of data
    addresses: float
    prose: float  #: in rows of four words or more


def reason_of(text: bytes, fit: float) -> str | None:
    """The reason to reject a text whose words fit a language by ``fit`` (natural logarithms a feature), or None.

    >>> reason_of(b".menu a { color: #333; }\\n.menu b { display: none; }\\n", -0.9)
    'no language: code or data'
    """
    if not is_bare(text):
        return None
    found = look(text)
    if found.prose > MIN_PROSE_SHARE:
        return None
    if found.addresses > MIN_ADDRESS_SHARE:
        return "no language: code or addresses"
    return "no language: code or data" if found.code > MIN_CODE_SHARE and fit < MIN_LOG_LIKELIHOOD else None


def is_bare(text: bytes) -> bool:
    """Whether a text may be code: not HTML, nearly all ASCII, with signs among its letters.

    >>> is_bare(b"body { margin: 0 }"), is_bare(b"<p>Hello { }"), is_bare(b"Hello<br>you"), is_bare(b"Hello all of you")
    (True, False, False, False)
    """
    if _PAGE.match(text):
        return False
    head = text[:MAX_BYTES]
    visible = _visible(head)
    foreign = len(head) - len(head.translate(None, _FOREIGN))
    letters = foreign + len(head) - len(head.translate(None, _ASCII))
    if foreign > MAX_FOREIGN_SHARE * visible or letters > MAX_LETTER_SHARE * visible:
        return False
    return len(_TAG.findall(head)) * MIN_CHARACTERS_PER_TAG <= visible


def prose_of(text: bytes) -> bytes | None:
    """The prose of a program, such as its comments, without identifiers; None if the text is not such a program.

    >>> prose_of(b"# Counts how many there are of them.\\nn_items=len(items[:k])\\n" * 20).splitlines()[0]
    b'Counts how many there are of them'
    """
    if not is_bare(text):
        return None
    found = look(text)
    if found.prose <= MIN_PROSE_SHARE or found.code <= MAX_CODE_SHARE:
        return None
    rows = b"\n".join(row for line in text[:MAX_BYTES].splitlines() for row in _rows(line))
    return rows if len(rows) >= MIN_PROSE_BYTES else None


def without_programs(page: bytes) -> bytes:
    """Removes programs in ``pre`` elements, which many manuals use without ``code``; other pages are unchanged.

    >>> without_programs(b"<p>Zo:<pre>x = f(a.b)\\nprint(x)</pre><p>Klaar")
    b'<p>Zo:<pre></pre><p>Klaar'
    >>> without_programs(b"<pre>Dit is een gedicht van vier regels,\\nen hier begint er nog een.</pre>")[:20]
    b'<pre>Dit is een gedi'
    """
    if not any(name in page for name in _TYPED):
        return page
    parts: list[bytes] = []
    end = 0
    for begun in islice(_PRE.finditer(page), MAX_PROGRAMS):
        if begun.end() < end:  # one within another
            continue
        stop = min((at for name in _TYPED_END if (at := page.find(name, begun.end())) >= 0), default=-1)
        if stop < 0:
            break
        if _is_program(page[begun.end() : stop][:MAX_BYTES]):
            parts.append(page[end : begun.end()])
            end = stop
    return b"".join([*parts, page[end:]]) if parts else page


def _is_program(typed: bytes) -> bool:
    plain = _MARKUP.sub(b"", typed)
    for name, sign in _SIGNS.items():
        plain = plain.replace(name, sign)
    found = look(plain)
    return found.code > MIN_CODE_SHARE and found.prose <= MIN_PROSE_SHARE


def without_mark(text: bytes) -> bytes:
    """Removes the opening mark of a PHP program, which would make it one tag; other text is unchanged.

    >>> without_mark(b"<?php echo 1; ?>"), without_mark(b"<?php echo 1; ?><p>one")
    (b' echo 1; ', b'<?php echo 1; ?><p>one')
    """
    if not text.startswith(MARK):
        return text
    program, _, page = text[len(MARK) :].partition(END)
    return text if page.strip() else program


def look(text: bytes) -> Look:
    """How much of the beginning of a text is code, addresses and prose."""
    return _look(text[:MAX_BYTES])


@lru_cache(maxsize=1)  # a page is looked at before and after it is read
def _look(head: bytes) -> Look:
    code = addresses = prose = n_visible = 0
    for line in head.splitlines():
        visible = _visible(line)
        n_visible += visible
        rows = sum(map(_visible, _rows(line)))
        prose += rows
        if rows * 3 >= visible:
            continue
        addresses += sum(len(part) for part in _BREAK.split(line) if _is_address(part))
        if _GLUE.search(line):
            code += visible
    n_visible = max(1, n_visible)
    return Look(code / n_visible, addresses / n_visible, prose / n_visible)


def _rows(line: bytes) -> list[bytes]:
    """Rows of words, except rows in capitals, such as SQL keywords."""
    return [row for row in _PROSE.findall(line) if not row.isupper()]


def _visible(text: bytes) -> int:
    return len(text.translate(None, b" \t\r\n\f\v"))


def _is_address(part: bytes) -> bool:
    r"""Whether a part of a line is an address, with or without its scheme, or escaped as JSON has it.

    >>> [_is_address(part) for part in (b"https://a.org/", b"www.a.org", b"a-b.org/c", b"http:\\/\\/a.org", b"1.5", b"a.b")]
    [True, True, True, True, False, False]
    """
    if b"://" in part or b":\\/\\/" in part:
        return True
    *labels, top = part.partition(b"/")[0].split(b".")
    return bool(labels) and all(labels) and len(top) > 1 and top.isalpha() and top.islower()
