"""The compiled kernels give what their source gives as plain Python."""

from __future__ import annotations

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight.native import pages
from linksight.native.pages import byte_bigrams, html_scanner, line_scores, ngrams, text_selection
from linksight.pages.charset import byte_bigrams as sums
from linksight.pages.charset import detector
from linksight.pages.html import scanner
from linksight.pages.langid import classifier, model, scripts
from linksight.pages.langid import ngrams as features

TAGS = [b"<", b">", b"&", b"#", b"x41;", b"amp;", b"a", b" ", b"</p>", b"<script", b"<title>", b"<meta name=description content=", b"'", b'"', b"=", b"<!--", b"-->", b"\xe9", b"letters " * 9, "слово ".encode()]  # fmt: skip
PAGES = st.binary(max_size=400) | st.lists(st.sampled_from(TAGS), max_size=60).map(b"".join)
#: Words with and without bytes beyond ASCII, some of them long, and all kinds of white space.
WORDS = st.lists(
    st.sampled_from([b"word", b"\xe9t\xe9", b"na\xefve", b"\xcc\xee\xf1\xea\xe2\xe0", b"x" * 500, b"\xff" * 450, b" ", b"\t\n", b"\x0b", b"1"]),
    max_size=40,
).map(b"".join)  # fmt: skip


def uncompiled(name: str) -> ModuleType:
    """One module, run from its source."""
    path = Path(pages.__file__).parent / f"{name}.py"
    loader = SourceFileLoader(f"uncompiled_{name}", str(path))
    spec = spec_from_loader(loader.name, loader)
    assert spec
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def plain():
    names = ("html_scanner", "text_selection", "ngrams", "line_scores", "byte_bigrams")
    return {name: uncompiled(name) for name in names}


def scanned(module, page: bytes, entities: bool, metas: bool):
    out, marks = bytearray(len(page) * 3 // 2 + 16), memoryview(bytearray(4_000)).cast("i")
    found = module.scan(page, out, marks, entities, metas, 10**6, scanner.tables())
    end = marks[4 * found[0] - 3] if found[0] else 0
    return found, out[:end], marks[: 4 * found[0]].tolist()


@settings(max_examples=150, deadline=None)
@given(PAGES, st.booleans(), st.booleans())
def test_scanners_agree(plain, page, entities, metas):
    assert scanned(html_scanner, page, entities, metas) == scanned(
        plain["html_scanner"], page, entities, metas
    )


def selected(module, page: bytes):
    out, marks = bytearray(len(page) * 3 // 2 + 16), memoryview(bytearray(4_000)).cast("i")
    blocks, *_ = html_scanner.scan(page, out, marks, True, True, 10**6, scanner.tables())
    points = memoryview(bytearray(40_000)).cast("I")
    tally, words = memoryview(bytearray(4 * len(scripts.NAMES))).cast("i"), memoryview(bytearray(8)).cast("i")
    count, prose, loose = module.select(
        out, marks, blocks, 3_000, classifier.lower_table(), scripts.table(), points, tally, words
    )
    return count, prose, bool(loose), points[:count].tolist(), tally.tolist(), words.tolist()


@settings(max_examples=100, deadline=None)
@given(PAGES | st.text(max_size=300).map(lambda text: text.encode("utf-8", "replace")))
def test_selections_of_text_agree(plain, page):
    assert selected(text_selection, page) == selected(plain["text_selection"], page)


def scored(walk, add, text: str):
    bundled = model.load()
    points = features.points_of(text.lower())
    keys = memoryview(bytearray(4 * (4 * len(points) + 16))).cast("I")
    count = walk(points, 0, len(points), features.kinds(), keys)
    found, scores = keys[:count].tolist(), memoryview(bytearray(4 * len(bundled.classes))).cast("i")
    known = add(keys, count, bundled.arrays.slots, bundled.arrays.pairs, scores)
    return found, known, scores.tolist()


@settings(max_examples=100, deadline=None)
@given(
    st.text(max_size=200)
    | st.sampled_from(["alle mensen worden vrij geboren", "люди рождаются", "人人生而自由"])
)
def test_features_and_their_weights_agree(plain, text):
    own = plain["ngrams"]
    assert scored(ngrams.walk, ngrams.add, text) == scored(own.walk, own.add, text)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.text(max_size=80), max_size=12).map(
        lambda parts: "<p>".join(parts).encode("utf-8", "replace")
    )
)
def test_readings_agree(plain, page):
    bundled = model.load()
    fast = classifier.read(page, bundled)
    with pytest.MonkeyPatch.context() as patched:
        for name, module in (
            ("html_scanner", html_scanner),
            ("text_selection", text_selection),
            ("line_scores", line_scores),
        ):
            assert getattr(classifier, name) is module
            patched.setattr(classifier, name, plain[name])
        slow = classifier.read(page, bundled)
    assert (fast.features, fast.known, fast.letters) == (slow.features, slow.known, slow.letters)
    assert [value for _, value in fast.best[:3]] == pytest.approx(
        [value for _, value in slow.best[:3]], rel=1e-3, abs=0.1
    )


@settings(max_examples=100, deadline=None)
@given(WORDS)
def test_sums_over_pairs_of_bytes_agree(plain, data):
    found = detector._fits(detector.folded(detector.high_parts(data)), "koi8-r")
    with pytest.MonkeyPatch.context() as patched:
        assert sums.byte_bigrams is byte_bigrams
        patched.setattr(sums, "byte_bigrams", plain["byte_bigrams"])
        assert detector._fits(detector.folded(detector.high_parts(data)), "koi8-r") == found


@settings(max_examples=100, deadline=None)
@given(WORDS, st.integers(0, 80))
def test_text_is_copied_up_to_markup_and_spaces(plain, data, start):
    page = b"x" * start + data
    assert scanned(html_scanner, page, False, False) == scanned(plain["html_scanner"], page, False, False)


class _Watched(bytes):
    """Bytes that count how often one of them is read."""

    reads = 0

    def __getitem__(self, place):
        type(self).reads += 1
        return super().__getitem__(place)


@pytest.mark.parametrize(
    "piece",
    [b"<", b"<a ", b"<!--", b"&", b"&#", b"<script>", b'<a b="', b"</", b"&#x1F600;", b"<b><i>", b"<!--->", b"<!-- >", b"<![CDATA["],
)  # fmt: skip
def test_a_megabyte_of_one_thing_takes_linear_time(plain, piece):
    """Four times the bytes are read about four times as often."""

    def reads(size: int) -> int:
        _Watched.reads = 0
        page = _Watched(piece * (size // len(piece)))
        marks = memoryview(bytearray(16 * len(page) + 64)).cast("i")
        plain["html_scanner"].scan(
            page, bytearray(2 * len(page) + 16), marks, True, True, 10**9, scanner.tables()
        )
        return _Watched.reads

    assert reads(16_000) < 5 * reads(4_000) + 1_000
    scanner.run(piece * (1_000_000 // len(piece)), entities=True)


def test_sums_are_exact():
    """Three words, each cheap in one column of three: one further column must be worth its price."""
    costs = np.full((3, 3), 100, np.uint8) - 90 * np.eye(3, dtype=np.uint8)
    each, ones = np.arange(3, dtype=np.int32), np.ones(3, np.int32)
    pairs = sums.Pairs(each, ones, ones, each, each)
    for price, cost in ((10, 30 + 2 * 10), (80, 30 + 2 * 80), (95, 210), (89, 30 + 2 * 89)):
        [(found, _)] = sums.explained(costs, [[0, 1, 2]], pairs, 3, price)
        assert found == cost
    costs[2] = (90, 10, 10)
    assert sums.explained(costs, [[0, 1], [2]], pairs, 3, 1_000) == [(120, 1), (210, 0)]
