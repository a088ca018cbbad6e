"""Encodings of little text, and bytes without a meaning."""

from __future__ import annotations

import pytest

from linksight.pages.charset import detector


@pytest.mark.parametrize("data", [b"", b"plain", b"\xe9", b"\xe9" * 200_000])
def test_a_text_of_next_to_nothing_has_an_encoding(data):
    assert detector.guess(data) in detector._columns()


@pytest.mark.parametrize("name", sorted({name for name, _ in detector.load().names} - detector.WIDE))
def test_bytes_without_a_meaning_are_counted_as_their_characters_are(name):
    from linksight.pages.charset import labels

    every = bytes(range(256))
    text = labels.decode(every, name)
    assert len(text) == 256
    assert detector._errors(every, name) == len(detector._WRONG.findall(text))
