"""Archives: the plain kind is read without zipfile, and says what zipfile would say."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linksight.archive import StoredArchive, ZippedArchive, no_archive, open_archive
from linksight.errors import ModelFormatError
from linksight.modelfile import read_model, write_model

MEMBERS = {"manifest.json": b"{}", "a.bin": b"\x00\x01\x02", "empty.bin": b""}


def _write(path: Path, members: dict[str, bytes], packed: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", packed) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def _read(path: Path) -> dict[str, bytes]:
    with open_archive(path) as archive:
        return {name: archive.read(name) for name in archive.names}


NAMES = st.text(st.characters(codec="ascii", exclude_characters="\0\\"), min_size=1, max_size=12)


@given(st.dictionaries(NAMES, st.binary(max_size=300), max_size=6))
@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_members_are_those_that_were_written(tmp_path: Path, members: dict[str, bytes]) -> None:
    path = _write(tmp_path / "plain.zip", members)
    with open_archive(path) as archive:
        assert isinstance(archive, StoredArchive)
        assert {name: archive.size(name) for name in archive.names} == {
            name: len(data) for name, data in members.items()
        }
    assert _read(path) == members


def test_a_member_is_memory_that_cannot_be_written_and_fits_any_number(tmp_path: Path) -> None:
    path = _write(tmp_path / "plain.zip", {"odd": bytes(80)})
    with open_archive(path) as archive:
        numbers = np.frombuffer(archive.data("odd"), np.float64)
    assert numbers.flags.aligned
    assert not numbers.flags.writeable


def _commented(path: Path) -> None:
    _write(path, MEMBERS)
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = b"a word about it"


def _behind_something(path: Path) -> None:
    _write(path, MEMBERS)
    path.write_bytes(b"#!/bin/sh\n" + path.read_bytes())


def _named_in_greek(path: Path) -> None:
    _write(path, {**MEMBERS, "βάρη.bin": b"1"})


def _large_by_its_entry(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in MEMBERS.items():
            info = zipfile.ZipInfo(name)
            info.extra = b"\x01\x00\x00\x00"  # where sizes beyond 4 GB stand
            archive.writestr(info, data)


@pytest.mark.parametrize(
    "make",
    [
        lambda path: _write(path, MEMBERS, zipfile.ZIP_DEFLATED),
        _commented,
        _behind_something,
        _named_in_greek,
        _large_by_its_entry,
    ],
    ids=["packed", "commented", "behind something", "named in Greek", "with more to say"],
)
def test_all_other_archives_are_left_to_zipfile(tmp_path: Path, make) -> None:
    make(tmp_path / "other.zip")
    with open_archive(tmp_path / "other.zip") as archive:
        assert isinstance(archive, ZippedArchive)
    assert MEMBERS.items() <= _read(tmp_path / "other.zip").items()


def test_a_member_that_is_not_there_is_named(tmp_path: Path) -> None:
    for packed in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with open_archive(_write(tmp_path / "a.zip", MEMBERS, packed)) as archive:
            for ask in (archive.size, archive.is_stored, archive.read, archive.data):
                with pytest.raises(KeyError, match=r"no item named 'b\.bin'"):
                    ask("b.bin")


def test_members_that_share_their_bytes_are_not_of_the_plain_kind(tmp_path: Path) -> None:
    # Each claims all of them: a file with many such members would take its size many times over.
    path = _write(tmp_path / "a.zip", {"a": bytes(2_000), "b": b""})
    data = bytearray(path.read_bytes())
    first, second = data.index(b"PK\x01\x02"), data.rindex(b"PK\x01\x02")
    data[second + 16 : second + 28] = data[first + 16 : first + 28]  # checksum and sizes
    data[second + 42 : second + 46] = data[first + 42 : first + 46]  # place
    path.write_bytes(data)
    with open_archive(path) as archive:
        assert isinstance(archive, ZippedArchive)


@pytest.mark.parametrize("mode", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_any_flipped_byte_or_cut_is_an_error_or_the_same_members(tmp_path: Path, mode: int) -> None:
    whole = _write(tmp_path / "a.zip", MEMBERS, mode).read_bytes()
    bad = tmp_path / "bad.zip"
    for at in range(len(whole)):
        for damaged in (whole[:at], whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1 :]):
            bad.write_bytes(damaged)
            try:
                found = _read(bad)
            except (*no_archive(), KeyError, ValueError, NotImplementedError):
                continue
            assert all(MEMBERS.get(name, data) == data for name, data in found.items())


def test_a_manifest_that_was_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m"
    write_model(path, "test-model", 1, {"doubt": 0.25}, {"w": np.arange(4)})
    data = path.read_bytes()
    assert data.count(b"0.25") == 1
    path.write_bytes(data.replace(b"0.25", b"0.75"))
    with pytest.raises(ModelFormatError, match="bad checksum"):
        read_model(path, "test-model", 1)
