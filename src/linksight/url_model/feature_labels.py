"""Human-readable labels of feature names: ``d:nl/1`` is the top-level domain ``.nl`` of a URL with a path."""

from __future__ import annotations

from linksight.system.plural import counted

#: The kind of feature by the mark before its name.
KINDS = {
    "t": "top-level domain", "s": "site, or ending of many", "d": "top-level domain", "b": "subdomain", "c": "part of the path",
    "r": "region in the path", "q": "query", "l": "language in the query", "e": "file ending", "f": "end of the file name",
    "x": "script", "n": "number", "m": "length of a number", "y": "hyphens in the host", "j": "length of the host",
    "h": "hyphens in the path", "z": "shape of the path", "k": "kind of address", "w": "word of the host",
    "g": "letters of the host", "v": "word of the path", "p": "letters of the path", "u": "letters of the URL",
    "a": "name cut into words",
}  # fmt: skip
#: Counts are clipped: the last one means "or more" (see ``native.urls.extract``).
_MAX_COUNT = {"y": 3, "h": 6, "m": 6}
#: The same for classifiers of the papers, which do not separate host and path.
_OF_PAPERS = {
    "w": "word", "g": "letters of a word", "u": "letters of the URL", "t": "top-level domain", "x": "letters before another",
    "y": "letters before another", "c": "custom feature",
}  # fmt: skip
_ADDRESSES = {"0": "a host alone", "1": "with a path"}
_SEGMENTS = {"a": "letters", "m": "mixed", "e": "nothing"}


def kind_of(feature: str, of_papers: bool = False) -> str:
    """The kind of a feature, of the bundled model or of a classifier of the papers.

    >>> kind_of("t:nl"), kind_of("d:nl/1"), kind_of("w:nu"), kind_of("w:nu", of_papers=True)
    ('top-level domain', 'top-level domain, with a path', 'word of the host', 'word')
    """
    if of_papers:
        return _OF_PAPERS.get(feature[0], "feature")
    kind = KINDS.get(feature[0], "feature")
    return f"{kind}, {_ADDRESSES.get(feature[-1], '')}" if feature.startswith("d:") else kind


def value_of(feature: str) -> str:
    """The value of a feature, without internal codes.

    >>> [value_of(name) for name in ("t:nl", "d:nl/1", "k:0", "y:0", "h:6", "m:1", "w:nu")]
    ['.nl', '.nl', 'a host alone', 'none', '6 or more', '1 digit', 'nu']
    >>> [value_of(name) for name in ("j:1", "j:12", "z:a/d4/m", "x:8")]
    ['2 or 3 characters', '24 characters or more', 'letters/4 digits/mixed', 'letters such as Ѐ']
    """
    mark, _, value = feature.partition(":")
    if mark in ("t", "d"):
        return f".{value.rpartition('/')[0] if mark == 'd' else value}"
    if mark == "k":
        return _ADDRESSES.get(value, value)
    if mark == "z":
        return "/".join(map(_segment, value.split("/")))
    if mark in "yhmjx" and value.isdecimal():
        return _number(mark, int(value))
    return value or feature


def _number(mark: str, n: int) -> str:
    if mark == "j":
        return f"{2 * n} or {2 * n + 1} characters" if n < 12 else "24 characters or more"
    if mark == "x":
        first = next((chr(k) for k in range(n << 7, (n + 1) << 7) if chr(k).isalpha()), "")
        return f"letters such as {first}" if first else f"U+{n << 7:04X} and on"
    more = " or more" if n == _MAX_COUNT[mark] else ""
    if mark == "m":
        return counted(n, "digit") + more
    return f"{n}{more}" if n else "none"


def _segment(shape: str) -> str:
    if shape[:1] == "d" and shape[1:].isdecimal():
        return counted(int(shape[1:]), "digit") + (" or more" if shape == "d8" else "")
    return _SEGMENTS.get(shape, shape)
