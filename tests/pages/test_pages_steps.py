"""Steps of 64 bytes give what the steps of one byte give, wherever a stretch begins and ends."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight.pages.jit.byte_steps import copy, seek

#: Mostly letters, so that what is looked for is often more than 64 bytes away.
TEXTS = st.lists(
    st.sampled_from([b"letters" * 9, b"x", b" ", b"  ", b"\n", b"&", b"<", b"=", b">", b"\xe9", b"\0"]),
    max_size=30,
).map(b"".join)


@settings(max_examples=150, deadline=None)
@given(
    TEXTS, st.integers(0, 80), st.integers(0, 400), st.sampled_from([(60, 60), (33, 255), (61, 62), (0, 31)])
)
def test_the_same_place_is_found(text, at, size, sought):
    size = min(size, len(text))
    body = np.frombuffer(text, np.uint8)
    assert seek.compiled(body, at, size, *sought) == seek.plain(text, at, size, *sought)


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.integers(0, 80), st.integers(0, 400), st.integers(0, 90), st.sampled_from(b" e"))
def test_the_same_text_is_copied_and_nothing_is_written_behind_the_room(text, at, stop, room, before):
    stop = min(stop, len(text))
    out = bytearray([before]) + bytearray(max(0, stop - at) + room)
    array = np.frombuffer(bytes(out) + b"fence" * 20, np.uint8).copy()
    end = len(out)
    found = copy.compiled(np.frombuffer(text, np.uint8), at, stop, array[:end], 1)
    assert found == copy.plain(text, at, stop, out, 1)
    assert array[: found[1]].tobytes() == out[: found[1]]
    assert array[end:].tobytes() == b"fence" * 20
