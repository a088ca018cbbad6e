"""Model files from strangers: refused with the reason; they cannot run code, take memory or read files."""

from __future__ import annotations

import contextlib
import hashlib
import json
import pickle
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import linksight
from linksight.errors import LinksightError, ModelFormatError
from linksight.system.model_file import kind_of, read_model, write_model

KIND, VERSION = "test-model", 1
GOOD = np.arange(12, dtype=np.float32)


def _entry(data: bytes, kind: str = "float32", shape: Any = (12,)) -> dict[str, Any]:
    return {"type": kind, "shape": list(shape), "sha256": hashlib.sha256(data).hexdigest()}


def _file(path: Path, manifest: Any, members: dict[str, bytes], packed: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", packed) as archive:
        archive.writestr("manifest.json", manifest if isinstance(manifest, str) else json.dumps(manifest))
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def _manifest(arrays: Any) -> dict[str, Any]:
    return {"format": KIND, "version": VERSION, "arrays": arrays}


class _Runs:
    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (Path("ran"),))


@pytest.mark.parametrize("kind", ["object", "O", "|O", "V8", "datetime64", "str", "complex128", "no such"])
def test_only_plain_numbers_are_read_so_nothing_runs(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bomb = pickle.dumps(_Runs())
    path = _file(tmp_path / "m", _manifest({"w": _entry(bomb, kind, (1,))}), {"w.bin": bomb})
    with pytest.raises(ModelFormatError, match="not allowed"):
        read_model(path, KIND, VERSION)
    assert not (tmp_path / "ran").exists()


def test_a_pickle_is_no_model_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "model.pkl"
    path.write_bytes(pickle.dumps(_Runs()))
    for load in (linksight.load, linksight.load_patterns):
        with pytest.raises(LinksightError):
            load(path)
    assert not (tmp_path / "ran").exists()


def test_a_small_file_cannot_ask_for_much_memory(tmp_path: Path) -> None:
    zeros = bytes(64 * 2**20)
    path = _file(
        tmp_path / "m",
        _manifest({"w": _entry(zeros, "uint8", (len(zeros),))}),
        {"w.bin": zeros},
        zipfile.ZIP_DEFLATED,
    )
    assert path.stat().st_size < 2**18
    tracemalloc.start()
    with pytest.raises(ModelFormatError, match="packed in a way that is not allowed"):
        read_model(path, KIND, VERSION)
    assert tracemalloc.get_traced_memory()[1] < 4 * 2**20
    tracemalloc.stop()


def test_a_manifest_that_unpacks_to_much_is_not_unpacked(tmp_path: Path) -> None:
    path = _file(tmp_path / "m", " " * (2**24 + 1), {}, zipfile.ZIP_DEFLATED)
    with pytest.raises(ModelFormatError, match="larger than 16 MB"):
        read_model(path, KIND, VERSION)


@pytest.mark.parametrize("shape", [[2**62], [2**62, 2**62], [-2], [13], ["a"], None, [1.5], {"a": 1}])
def test_a_shape_that_the_bytes_do_not_fill_is_refused(tmp_path: Path, shape: Any) -> None:
    data = GOOD.tobytes()
    entry = {**_entry(data), "shape": shape}
    with pytest.raises(ModelFormatError):
        read_model(_file(tmp_path / "m", _manifest({"w": entry}), {"w.bin": data}), KIND, VERSION)


@pytest.mark.parametrize("name", ["../../../../etc/hostname", "/etc/hostname", "..\\x", "a\0b"])
def test_names_of_arrays_lead_to_no_other_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(ModelFormatError):
        read_model(_file(tmp_path / "m", _manifest({name: _entry(b"")}), {}), KIND, VERSION)


@pytest.mark.parametrize("form", ["{}", "secret", "../inner/secret"])
def test_a_file_that_is_there_with_a_true_digest_is_not_read(tmp_path: Path, form: str) -> None:
    folder = tmp_path / "inner"
    folder.mkdir()
    (folder / "secret.bin").write_bytes(GOOD.tobytes())
    name = form.format(folder / "secret")
    path = _file(folder / "m", _manifest({name: _entry(GOOD.tobytes())}), {})
    with pytest.raises(ModelFormatError):
        read_model(path, KIND, VERSION)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 50_000, "NaN", "[]", "null", "", "\ufeff{}", '{"format": 3}']
)
def test_a_manifest_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    path = _file(tmp_path / "m", text, {})
    with pytest.raises(ModelFormatError):
        read_model(path, KIND, VERSION)
    assert kind_of(path) is None


@pytest.mark.parametrize("name", ["manifest.json", "w.bin"])
def test_two_members_with_one_name_are_refused(tmp_path: Path, name: str) -> None:
    write_model(tmp_path / "m", KIND, VERSION, {}, {"w": GOOD})
    with zipfile.ZipFile(tmp_path / "m", "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr(name, b"{}")
    with pytest.raises(ModelFormatError, match="two members with one name"):
        read_model(tmp_path / "m", KIND, VERSION)


@pytest.mark.parametrize(
    "member", ["../outside.bin", "/outside.bin", "..\\outside.bin", "a/../../outside.bin"]
)
def test_members_with_paths_are_never_unpacked_to_the_disk(tmp_path: Path, member: str) -> None:
    data = GOOD.tobytes()
    (tmp_path / "inner").mkdir()
    path = _file(
        tmp_path / "inner" / "m", _manifest({"w": _entry(data)}), {"w.bin": data, member: b"planted"}
    )
    read_model(path, KIND, VERSION)
    assert [entry.name for entry in tmp_path.rglob("*")] == ["inner", "m"]


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_weights_that_are_no_numbers_are_refused(tmp_path: Path, kind: str, value: float) -> None:
    weights = np.ones(12, dtype=kind)
    weights[7] = value
    write_model(tmp_path / "m", KIND, VERSION, {}, {"w": weights})
    with pytest.raises(ModelFormatError, match="not finite"):
        read_model(tmp_path / "m", KIND, VERSION)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "[1, NaN]"])
def test_a_manifest_with_values_that_are_no_numbers_is_refused(tmp_path: Path, value: str) -> None:
    text = json.dumps(_manifest({}))[:-1] + f', "smoothing": {value}}}'
    with pytest.raises(ModelFormatError, match="is not a number"):
        read_model(_file(tmp_path / "m", text, {}), KIND, VERSION)


def test_encrypted_and_strangely_packed_members_are_refused(tmp_path: Path) -> None:
    write_model(tmp_path / "good", KIND, VERSION, {}, {"w": GOOD})
    data = (tmp_path / "good").read_bytes()
    for at, value in ((6, 1), (8, 99)):  # the flag for encryption, the method of packing; in both directories
        changed = bytearray(data)
        for mark, shift in ((b"PK\x03\x04", 0), (b"PK\x01\x02", 2)):
            start = -1
            while (start := data.find(mark, start + 1)) >= 0:
                changed[start + at + shift] = value
        (tmp_path / "bad").write_bytes(changed)
        with pytest.raises(ModelFormatError):
            read_model(tmp_path / "bad", KIND, VERSION)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(manifest=JSON | st.fixed_dictionaries({"format": st.just(KIND), "version": JSON, "arrays": JSON}))
def test_any_manifest_is_refused_or_read(tmp_path: Path, manifest: Any) -> None:
    path = _file(tmp_path / "m", manifest, {"w.bin": GOOD.tobytes()})
    with contextlib.suppress(ModelFormatError):
        read_model(path, KIND, VERSION)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, 10**6), value=st.integers(0, 255), cut=st.booleans())
def test_any_change_or_cut_is_refused_or_the_same_arrays(
    tmp_path: Path, at: int, value: int, cut: bool
) -> None:
    write_model(tmp_path / "good", KIND, VERSION, {}, {"w": GOOD})
    data = bytearray((tmp_path / "good").read_bytes())
    at %= len(data)
    data[at:] = b"" if cut else bytes([value]) + bytes(data[at + 1 :])
    (tmp_path / "bad").write_bytes(data)
    try:
        arrays = read_model(tmp_path / "bad", KIND, VERSION)[1]
    except ModelFormatError:
        return
    for array in arrays.values():
        assert array.tobytes() == GOOD.tobytes()
