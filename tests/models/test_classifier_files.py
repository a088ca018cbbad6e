"""Classifier files: damaged, truncated, foreign and future ones are refused with the reason."""

import contextlib
import errno
import json
import zipfile

import numpy as np
import pytest

import linksight
from linksight.errors import LinksightError, ModelFormatError
from linksight.models import load, make_classifier


@pytest.fixture
def path(corpus, tmp_path):
    path = tmp_path / "ranks.model"
    make_classifier("ros", "words", bits=12).fit(*corpus).save(path)
    return path


def rewrite(path, change):
    """The file with some of its entries changed."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    change(entries)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)


def edit_manifest(path, **changes):
    def change(entries):
        entries["manifest.json"] = json.dumps(json.loads(entries["manifest.json"]) | changes).encode()

    rewrite(path, change)


def test_the_format_is_pinned(path):
    with zipfile.ZipFile(path) as archive:
        assert sorted(archive.namelist()) == ["learnt.bin", "manifest.json", "profiles.bin"]
        manifest = json.loads(archive.read("manifest.json"))
    assert manifest["format"] == "linksight-classifier"
    assert manifest["version"] == 1
    assert manifest["algorithm"] == "ros"
    assert manifest["languages"] == ["de", "en", "es", "fr", "it"]
    assert manifest["parameters"] == {
        "features": "words",
        "language": None,
        "n_ranks": 400,
        "bits": 12,
        "seed": 0,
    }


def test_a_later_version_is_refused(path):
    edit_manifest(path, version=2)
    with pytest.raises(ModelFormatError, match="later linksight"):
        load(path)


def test_an_unknown_algorithm_is_refused(path):
    edit_manifest(path, algorithm="oracle")
    with pytest.raises(LinksightError, match="unknown algorithm 'oracle'"):
        load(path)


def test_a_changed_array_is_refused(path):
    def change(entries):
        entries["profiles.bin"] = bytes([entries["profiles.bin"][0] ^ 1]) + entries["profiles.bin"][1:]

    rewrite(path, change)
    with pytest.raises(ModelFormatError, match="digest does not match"):
        load(path)


def test_a_missing_array_is_refused(path):
    rewrite(path, lambda entries: entries.pop("profiles.bin"))
    with pytest.raises(ModelFormatError, match="damaged"):
        load(path)


@pytest.mark.parametrize("field", ["parameters", "languages", "features", "state", "arrays"])
def test_a_manifest_without_a_field_is_refused(path, field):
    rewrite(
        path, lambda entries: entries.update({"manifest.json": _without(entries["manifest.json"], field)})
    )
    with pytest.raises(ModelFormatError, match="damaged"):
        load(path)


def _without(manifest, field):
    values = json.loads(manifest)
    del values[field]
    return json.dumps(values).encode()


def test_any_cut_or_flipped_byte_is_an_error_or_the_same_model(path, corpus):
    data = path.read_bytes()
    before = load(path).predict(corpus[0][:20]).tolist()
    rng = np.random.default_rng(0)
    for _ in range(60):
        damaged = bytearray(data)
        at = int(rng.integers(len(data)))
        if rng.random() < 0.5:
            damaged = damaged[:at]
        else:
            damaged[at] ^= 1 << int(rng.integers(8))
        path.write_bytes(bytes(damaged))
        with contextlib.suppress(LinksightError):
            assert load(path).predict(corpus[0][:20]).tolist() == before


def test_nothing_is_left_behind_when_writing_fails(corpus, tmp_path, monkeypatch):
    classifier = make_classifier("ros", "words", bits=12).fit(*corpus)
    monkeypatch.setattr(zipfile.ZipFile, "writestr", _fail)
    with pytest.raises(ModelFormatError, match="disk full"):
        classifier.save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_the_old_model_stays_until_the_new_one_is_whole(corpus, tmp_path, monkeypatch):
    classifier, path = make_classifier("ros", "words", bits=12).fit(*corpus), tmp_path / "model"
    path.write_bytes(b"old")
    write, seen = zipfile.ZipFile.writestr, []

    def watched(*words):
        write(*words)
        seen.append(path.read_bytes())

    monkeypatch.setattr(zipfile.ZipFile, "writestr", watched)
    classifier.save(path)
    assert seen == [b"old"] * 3
    saved = path.read_bytes()
    monkeypatch.setattr(zipfile.ZipFile, "writestr", _fail)
    with pytest.raises(ModelFormatError, match="disk full"):
        classifier.save(path)
    assert path.read_bytes() == saved
    assert list(tmp_path.iterdir()) == [path]


def _fail(*_, **__):
    raise OSError(errno.ENOSPC, "disk full")


def test_who_cannot_read_a_classifier_says_who_can(corpus, tmp_path):
    make_classifier("ros", "words", bits=14).fit(*corpus).save(tmp_path / "model")
    with pytest.raises(ModelFormatError, match=r"linksight evaluate and linksight\.models\.load read it"):
        linksight.load(tmp_path / "model")
