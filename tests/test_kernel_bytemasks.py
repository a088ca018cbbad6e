"""Stretches of bytes asked by masks of 64: the same answers as byte by byte, before and behind the edge of a mask."""

from __future__ import annotations

import numpy as np
import pytest

from linksight.native.byte_masks import (
    are_digits,
    are_letters,
    count_byte,
    count_characters,
    find_byte,
    find_last_byte,
)

SIZES = [0, 1, 63, 64, 65, 127, 128, 129, 200]
SLASH = np.uint8(47)


def stretch(text: bytes, behind: bytes) -> tuple[np.ndarray, int, int]:
    """A buffer in which the text stands between others, or at the very end."""
    return np.frombuffer(b"/1a" + text + behind, np.uint8), 3, 3 + len(text)


@pytest.mark.parametrize("behind", [b"", b"/" * 100])
@pytest.mark.parametrize("size", SIZES)
def test_a_byte_is_found_and_counted_inside_the_stretch_only(size: int, behind: bytes) -> None:
    for places in ([], [0], [size - 1], [size // 2], [0, size // 2, size - 1]):
        text = bytearray(b"x" * size)
        for place in places:
            if 0 <= place < size:
                text[place] = 47
        data, start, stop = stretch(bytes(text), behind)
        first = bytes(text).find(b"/")
        assert find_byte(data, start, stop, SLASH) == (stop if first < 0 else start + first)
        assert find_last_byte(data, start, stop, SLASH) == start + bytes(text).rfind(b"/")
        assert count_byte(data, start, stop, SLASH) == text.count(b"/")


@pytest.mark.parametrize("behind", [b"", b"-" * 100])
@pytest.mark.parametrize("size", SIZES)
def test_letters_and_digits_are_told_from_the_rest(size: int, behind: bytes) -> None:
    for kind, ask in ((b"aZ", are_letters), (b"09", are_digits)):
        text = (kind * size)[:size]
        assert ask(*stretch(text, behind))
        for odd in (b"-", b"@", b"[", b"`", b"{", b"/", b":", b"\xc3"):
            for place in {0, size // 2, size}:
                assert not ask(*stretch(text[:place] + odd + text[place:], behind))


@pytest.mark.parametrize("text", ["", "a" * 70, "é" * 32, "é" * 33, "x" + "é" * 32, "語" * 50, "😀a" * 40])
def test_characters_are_counted_not_bytes(text: str) -> None:
    for behind in (b"", b"x" * 100):
        assert count_characters(*stretch(text.encode(), behind)) == len(text)
