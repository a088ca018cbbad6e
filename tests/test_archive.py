"""Model files that were changed or cut are refused, and small ones cannot take much memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from linksight.errors import ModelFormatError
from linksight.system.model_file import read_model, write_model


def test_members_that_share_their_bytes_are_refused(tmp_path: Path) -> None:
    # Each claims all of them: a file with many such members would take its size many times over.
    path = tmp_path / "m"
    write_model(path, "test-model", 1, {}, {"a": np.zeros(2_000, np.uint8), "b": np.zeros(0, np.uint8)})
    data = bytearray(path.read_bytes())
    second = data.rindex(b"PK\x01\x02")
    first = data.rindex(b"PK\x01\x02", 0, second)
    data[second + 16 : second + 28] = data[first + 16 : first + 28]  # checksum and sizes
    data[second + 42 : second + 46] = data[first + 42 : first + 46]  # place
    path.write_bytes(data)
    with pytest.raises(ModelFormatError, match="larger than the file"):
        read_model(path, "test-model", 1)


def test_any_flipped_byte_or_cut_is_an_error_or_the_same_array(tmp_path: Path) -> None:
    path, bad = tmp_path / "m", tmp_path / "bad"
    write_model(path, "test-model", 1, {}, {"w": np.arange(4)})
    whole = path.read_bytes()
    for at in range(len(whole)):
        for damaged in (whole[:at], whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1 :]):
            bad.write_bytes(damaged)
            try:
                _, arrays = read_model(bad, "test-model", 1)
            except ModelFormatError:
                continue
            assert arrays["w"].tolist() == [0, 1, 2, 3]


def test_a_manifest_that_was_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m"
    write_model(path, "test-model", 1, {"doubt": 0.25}, {"w": np.arange(4)})
    data = path.read_bytes()
    assert data.count(b"0.25") == 1
    path.write_bytes(data.replace(b"0.25", b"0.75"))
    with pytest.raises(ModelFormatError, match=r"(?i)bad crc"):
        read_model(path, "test-model", 1)
