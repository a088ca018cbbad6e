"""Language, script and encoding by sets of byte trigrams: Chew, Mikami and Nagano, IJCSI 2011.

A model is the set of the byte trigrams of one training text, without frequencies; a language has a model for
every script and encoding that it is written in. The R-value of a model is the share of the target's trigrams
(each as often as it occurs) that are in the set; the model with the largest one is the answer. Tags are
removed byte by byte and entities become UTF-8 bytes, so nothing is ever decoded.

Suzuki et al. (2002), from whom the paper has the algorithm, answer only if one language is above an upper
bound and all others are below a lower one: ``bounds=(0.95, 0.92)``, or ``method="suzuki2002"``.

>>> label = identify("<p>Alle Menschen sind frei und gleich an W&uuml;rde und Rechten geboren".encode())
>>> label.language, label.script
('de', 'Latn')
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from linksight.errors import ModelFormatError
from linksight.pages.charset import labels
from linksight.pages.html import declarations, scanner
from linksight.pages.input.unwrap import unwrap
from linksight.pages.langid import array_file
from linksight.pages.langid.decision import check_declarations
from linksight.results import UND, PageLabel
from linksight.system.atomic_write import write_whole
from linksight.system.resources import bytes_of

FORMAT = "linksight-trigrams 1"
SUZUKI = (0.95, 0.92)  #: upper and lower bound of Suzuki et al.


@dataclass(frozen=True)
class TrigramSets:
    """Models as sets: which trigrams are in which of them."""

    models: tuple[tuple[str, str, str, str], ...]  #: language, script, encoding, corpus (A or B)
    trigrams: Any  #: uint32, sorted: three bytes each
    starts: Any  #: where the members of each trigram begin, and one more
    members: Any  #: uint16: numbers of the models that have the trigram
    manifest: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def train(cls, texts: Iterable[tuple[str, str, str, str, bytes]]) -> TrigramSets:
        """Sets from (language, script, encoding, corpus, bytes) of the training texts.

        >>> TrigramSets.train([("en", "Latn", "ascii", "A", b"all the people")]).r_values(b"all")
        array([1.])
        """
        import numpy as np

        models, keys, numbers = [], [], []
        for number, (language, script, encoding, corpus, text) in enumerate(texts):
            models.append((language, script, encoding, corpus))
            unique = np.unique(trigrams_of(text))
            keys.append(unique)
            numbers.append(np.full(len(unique), number, np.uint16))
        key, number_of = np.concatenate(keys), np.concatenate(numbers)
        order = np.lexsort((number_of, key))
        found, first = np.unique(key[order], return_index=True)
        starts = np.append(first, len(key)).astype(np.int64)
        return cls(tuple(models), found.astype(np.uint32), starts, number_of[order])

    def r_values(self, text: bytes) -> Any:
        """The R-value of each model: equation (1) of the paper."""
        import numpy as np

        found, times = np.unique(trigrams_of(text), return_counts=True)
        values = np.zeros(len(self.models))
        if not len(found):
            return values
        place = np.minimum(np.searchsorted(self.trigrams, found), len(self.trigrams) - 1)
        hit = self.trigrams[place] == found
        place, weight = place[hit], times[hit]
        sizes = self.starts[place + 1] - self.starts[place]
        ends = np.cumsum(sizes)
        flat = (
            np.arange(ends[-1] if len(ends) else 0)
            - np.repeat(ends - sizes, sizes)
            + np.repeat(self.starts[place], sizes)
        )
        values += np.bincount(self.members[flat], np.repeat(weight, sizes), len(self.models))
        return values / times.sum()

    @cached_property
    def corpus_a(self) -> Any:
        """Which models were trained from the Declaration."""
        import numpy as np

        return np.array([model[3] == "A" for model in self.models])

    def save(self, path: str | os.PathLike[str], **more: Any) -> None:
        """Writes the trigram sets (atomically)."""
        import numpy as np

        arrays = {
            "steps": np.diff(self.trigrams, prepend=np.uint32(0)).astype(np.uint32),
            "sizes": np.diff(self.starts).astype(np.uint16),
            "members": self.members.astype(np.uint16),
        }
        write_whole(path, array_file.pack(FORMAT, more | {"models": self.models}, arrays))


def trigrams_of(text: bytes) -> Any:
    """The byte trigrams of a text as numbers, in order.

    >>> [hex(int(t)) for t in trigrams_of(bytes.fromhex("82B182F1"))]
    ['0x82b182', '0xb182f1']
    """
    import numpy as np

    byte = np.frombuffer(text, np.uint8).astype(np.uint32)
    if len(byte) < 3:
        return np.zeros(0, np.uint32)
    return byte[:-2] << 16 | byte[1:-1] << 8 | byte[2:]


@cache
def load(path: str | os.PathLike[str] | None = None) -> TrigramSets:
    """The bundled sets, or those at ``path``."""
    import numpy as np

    origin = path or "trigrams.model"
    data = Path(path).read_bytes() if path else bytes_of("trigrams.model")
    header, arrays = array_file.unpack(FORMAT, data, origin)
    try:
        models = tuple((str(a), str(b), str(c), str(d)) for a, b, c, d in header["models"])
        trigrams = np.cumsum(arrays["steps"], dtype=np.uint32)
        starts = np.concatenate(([0], np.cumsum(arrays["sizes"], dtype=np.int64)))
        members = arrays["members"]
    except (KeyError, TypeError, ValueError) as error:
        raise ModelFormatError(origin, f"damaged: {error}") from None
    if (
        len(starts) != len(trigrams) + 1
        or starts[-1] != len(members)
        or members.max(initial=0) >= len(models)
    ):
        raise ModelFormatError(origin, "the arrays do not fit together")
    return TrigramSets(models, trigrams, starts, members, header)


# ------------------------------------------------------------------ the two parsers


def bytes_text(body: bytes, *, converter: bool = True) -> bytes:
    """The text of a page by the byte-sequence parser (experiments three and four)."""
    return b" ".join(block.text for block in scanner.parse(body, entities=converter))


class _Characters(HTMLParser):
    """Text between tags, entities left alone."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.parts: list[str] = []
        self.skipping = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag in ("script", "style"):
            self.skipping = tag

    def handle_endtag(self, tag: str) -> None:
        if tag == self.skipping:
            self.skipping = ""

    def handle_data(self, data: str) -> None:
        if not self.skipping:
            self.parts.append(data)

    def handle_entityref(self, name: str) -> None:
        self.parts.append(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.parts.append(f"&#{name};")


def characters_text(body: bytes, content_type: str | None = None) -> bytes:
    """The text of a page by a character-sequence parser (experiments one and two).

    The encoding is the one declared, by HTTP, XML and meta in this order, else UTF-8, right or wrong.
    """
    names = declarations.encodings_of(declarations.scan(body, content_type))
    parser = _Characters()
    parser.feed(labels.decode(body, names[0] if names else "utf-8"))
    return re.sub(r"\s+", " ", " ".join(parser.parts)).encode("utf-8", "replace")


# ------------------------------------------------------------------ the answer


def identify(
    body: bytes,
    content_type: str | None = None,
    *,
    sets: TrigramSets | None = None,
    bounds: tuple[float, float] | None = None,
    corpora: str = "AB",
    parser: str = "bytes",
    converter: bool = True,
) -> PageLabel:
    """The label of a page by R-values; ``corpora``, ``parser`` and ``converter`` set up the experiments."""
    import numpy as np

    body, content_type, label = unwrap(body, content_type)
    if label:
        return label
    sets = sets or load()
    text = bytes_text(body, converter=converter) if parser == "bytes" else characters_text(body, content_type)
    values = sets.r_values(re.sub(rb"[\s\d]+", b" ", text))
    if corpora == "A":
        values = np.where(sets.corpus_a, values, 0.0)
    best: dict[str, tuple[float, int]] = {}
    for number in np.argsort(-values, kind="stable").tolist():
        best.setdefault(sets.models[number][0], (float(values[number]), number))
        if len(best) == 5:
            break
    ranked = tuple((code, round(value, 4)) for code, (value, _) in best.items())
    code, value = ranked[0]
    _, script, encoding, _ = sets.models[best[code][1]]
    reason = None
    if value == 0:
        code, script, encoding, reason = UND, "Zyyy", "ascii", "no trigram is known"
    elif bounds and not (value > bounds[0] and all(r < bounds[1] for _, r in ranked[1:])):
        code, reason = UND, "unable to detect"
    declared = declarations.scan(body, content_type)
    return PageLabel(
        code, script, encoding, value, ranked, (), check_declarations(declared, code, encoding), reason
    )
