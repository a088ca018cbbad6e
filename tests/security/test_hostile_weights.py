"""Models that are well-formed and lie: arrays that do not fit together are refused before compiled code reads them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linksight.errors import BadConfig, BadData, LinksightError, ModelFormatError
from linksight.features import geo
from linksight.features.geo import HostingCountries
from linksight.models import classifier_files, load, make_classifier
from linksight.system.model_file import read_model, write_model
from linksight.url_model import model_io
from linksight.url_model.embeddings import QuantizedEmbeddings, ReplaySample
from linksight.url_model.model import UrlLanguageModel
from linksight.url_model.segmentation import WordList

Arrays = dict[str, Any]
K, DIM, BITS = 3, 4, 3
URLS = [
    f"http://{word}.{code}/{word}" for code in ("de", "fr") for word in ("haus", "maison", "wagen", "jour")
]
CODES = ["de"] * 4 + ["fr"] * 4


@pytest.fixture(scope="module")
def evidence() -> tuple[dict[str, Any], Arrays]:
    """A small model of the bundled kind, with all that such a model can hold."""
    rng = np.random.default_rng(0)
    table = QuantizedEmbeddings.build(
        np.arange(1, 11, dtype=np.uint64), rng.integers(0, 16, (10, DIM)).astype(np.uint8), np.ones(10, np.float32),
        np.linspace(-1, 1, 16).astype(np.float32), np.ones((DIM, K), np.float32), np.zeros(K, np.float32), 0.5, bits=BITS,
    )  # fmt: skip
    replay_sample = ReplaySample(np.ones((5, DIM), np.float16), np.zeros(5, np.int16), np.zeros(5, np.int8))
    scorer = UrlLanguageModel(
        table, ("de", "fr", "nl"), model_io.Calibration.plain(K), curves={"nl": np.ones((2, 3), np.float32)},
        replay_sample=replay_sample, words=WordList.build(("de", "nl"), {"haus": 1, "huis": 2, "garten": 1}),
    )  # fmt: skip
    return model_io.describe(scorer)


def _load(path: Path, values: dict[str, Any], arrays: Arrays) -> UrlLanguageModel:
    write_model(path, model_io.FORMAT, model_io.VERSION, values, arrays)
    return model_io.read_url_model(path)


def _moved(sizes: Any, n: int) -> Any:
    """The same runs in the first buckets."""
    return np.r_[sizes[sizes > 0], np.zeros(n - np.count_nonzero(sizes), np.uint8)]


def test_fingerprints_that_match_every_ngram_leave_the_room_for_sums_alone(
    tmp_path: Path, evidence: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """64 buckets of 255 fingerprints: by chance they match more n-grams than there is room for their sums."""
    values, arrays = evidence
    monkeypatch.setattr("linksight.url_model.embeddings._SPARE_ROWS", 0)  # so that few URLs fill it
    n = 64 * 255
    lie = {
        "sizes": np.full(64, 255, np.uint8), "prints": np.arange(n, dtype=np.uint16),
        "codes": np.full((n, DIM // 2), 0x77, np.uint8), "scales": np.zeros(n, np.uint8),
    }  # fmt: skip
    arrays = {name: array for name, array in arrays.items() if name != "half_sizes"} | lie
    scorer = _load(tmp_path / "matching.linksight", values, arrays)
    sums = scorer.table.sums
    letters = "abcdefghijklmnopqrstuvwxyz"
    names = [
        f"http://{a}{b}{c}{d}{a}.com/" for a in letters for b in letters for c in letters for d in "aeiou"
    ]
    scorer.predict(names)
    assert sums.end[0] <= len(sums.rows)
    assert sums.end[0] > len(sums.rows) - 64  # the room was used up
    chances = scorer.predict_proba(["http://abcde.com/"])
    assert np.isfinite(chances).all()


LIES: dict[str, Callable[[Arrays], Arrays]] = {
    "runs of rows that go back": lambda a: {"half_sizes": np.array([100, 0, -90, 0], np.int8)},
    "runs of rows in eight bytes": lambda a: {"half_sizes": a["half_sizes"].astype(np.int64)},
    "one bucket": lambda a: {"half_sizes": a["half_sizes"][:0], "sizes": np.array([10], np.uint8)},
    "runs of other rows": lambda a: {"half_sizes": a["half_sizes"] + np.uint8(1)},
    "a scale that is not there": lambda a: {"scale_kinds": a["scale_kinds"][:0]},
    "whole scales": lambda a: {"scale_kinds": np.ones(256, np.int64)},
    "words of four bytes": lambda a: {"word_entries": a["word_entries"].astype(np.uint32)},
    "words a column": lambda a: {"word_entries": a["word_entries"][:, None]},
    "more words than there are": lambda a: {"word_entries": np.repeat(a["word_entries"], 2)},
    "half of the buckets of words": lambda a: {"word_half_sizes": _moved(a["word_half_sizes"], 2**15)},
    "nine words in a bucket": lambda a: {
        "word_entries": np.zeros(9, np.uint16),
        "word_half_sizes": np.r_[np.uint8(9), np.zeros(2**16 - 1, np.uint8)],
    },
    "one slope": lambda a: {"slopes": a["slopes"][:1]},
    "no slope": lambda a: {"slopes": a["slopes"][:0]},
    "slopes a language": lambda a: {"slopes": np.ones((2, K), np.float32)},
    "whole slopes": lambda a: {"slopes": np.ones(2, np.int64)},
    "fingerprints of one byte": lambda a: {"prints": a["prints"].astype(np.uint8)},
    "codes of four bytes": lambda a: {"codes": a["codes"].astype(np.uint32)},
    "no codes": lambda a: {"codes": a["codes"][:, :0]},
    "flat output": lambda a: {"output": a["output"].ravel()},
    "bias of two kinds": lambda a: {"bias": np.zeros((K, 2), np.float32)},
    "negative scales": lambda a: {"scale_kinds": -a["scale_kinds"]},
    "scales a column": lambda a: {"scales": a["scales"][:, None]},
    "whole levels": lambda a: {"levels": np.arange(16)},
    "flat offsets": lambda a: {"offsets": a["offsets"].ravel()},
    "a replay sample of other vectors": lambda a: {"memory": np.ones((5, DIM + 1), np.float16)},
    "a replay sample of unknown languages": lambda a: {"memory_languages": np.full(5, K, np.int16)},
    "a replay sample of languages below none": lambda a: {"memory_languages": np.full(5, -1, np.int16)},
    "a replay sample with fewer labels": lambda a: {"memory_pages": np.zeros(4, np.int8)},
    "a replay sample of a third kind": lambda a: {"memory_pages": np.full(5, 2, np.int8)},
    "curves of four columns": lambda a: {"curve_points": np.ones((1, 2, 4), np.float32)},
    "rates below zero": lambda a: {"rates": -a["rates"]},
    "offsets beyond exp": lambda a: {"offsets": a["offsets"] + np.float32(1e5)},
    "a flat curve": lambda a: {"curve_points": np.ones((1, 3), np.float32)},
}


def test_the_model_that_they_change_is_good(tmp_path: Path, evidence: tuple[dict[str, Any], Arrays]) -> None:
    assert _load(tmp_path / "m", *evidence).detect("http://a.nl/").candidates


@pytest.mark.parametrize("lie", LIES)
def test_arrays_that_do_not_fit_are_refused(
    lie: str, tmp_path: Path, evidence: tuple[dict[str, Any], Arrays]
) -> None:
    values, arrays = evidence
    with pytest.raises(ModelFormatError):
        _load(tmp_path / "m", values, arrays | LIES[lie](arrays))


@pytest.mark.parametrize(
    "value",
    [
        {"surprise": 10**9},
        {"hint_scale": 1e308},
        {"surprise": "x"},
        {"segmentation": {"step": "de"}},
        {"segmentation": {"shared": []}},
    ],
    ids=str,
)
def test_numbers_that_make_no_probabilities_are_refused(
    value: dict[str, Any], tmp_path: Path, evidence: tuple[dict[str, Any], Arrays]
) -> None:
    values, arrays = evidence
    with pytest.raises(ModelFormatError):
        _load(tmp_path / "m", values | value, arrays)


@pytest.mark.parametrize(
    "balance",
    [
        [-1, 0, 0],
        [40, 3, 0],
        [40, 0, -3],
        "x",
        [1, 2, 3, 4, 5, 6],
        [40, None, 0],
        [40, 1, 0, 0.5, 0],
        [40, 1, 0, 9, 3],
    ],
)
def test_an_invalid_group_weighting_is_refused(
    balance: Any, tmp_path: Path, evidence: tuple[dict[str, Any], Arrays]
) -> None:
    values, arrays = evidence
    with pytest.raises(ModelFormatError):
        _load(tmp_path / "m", values | {"balance": balance}, arrays)


@pytest.mark.parametrize("name", ["doubt", "surprise", "hint_scale"])
@pytest.mark.parametrize("value", ["1e999", "-1e999"])
def test_settings_beyond_all_numbers_are_refused(
    name: str, value: str, tmp_path: Path, evidence: tuple[dict[str, Any], Arrays], monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    values, arrays = evidence
    plain = json.dumps
    monkeypatch.setattr(json, "dumps", lambda *a, **k: plain(*a, **k).replace('"BEYOND"', value))
    with pytest.raises(ModelFormatError, match="is not a number"):
        _load(tmp_path / "m", values | {name: "BEYOND"}, arrays)


# --- classifiers --------------------------------------------------------------------------------


def _changed(
    path: Path, change: Callable[[dict[str, Any], Arrays], None], fmt: Any = classifier_files
) -> None:
    """The file with values and arrays changed, and all digests true."""
    values, arrays = read_model(path, fmt.FORMAT, fmt.VERSION)
    values.pop("arrays")
    change(values, arrays)
    write_model(path, values.pop("format"), values.pop("version"), values, arrays)


@pytest.mark.parametrize("bits", [27, 40, 4096, 0, -1])
@pytest.mark.parametrize("algorithm", ["ros", "nb", "nb with dictionaries"])
def test_a_small_classifier_cannot_ask_for_a_large_table(tmp_path: Path, algorithm: str, bits: int) -> None:
    path = tmp_path / "m"
    word, _, custom = algorithm.partition(" with ")
    make_classifier(word, "custom" if custom else "words", bits=10).fit(URLS, CODES).save(path)
    form = classifier_files if custom or word == "ros" else model_io

    def change(values: dict[str, Any], arrays: Arrays) -> None:
        values.get("state", values)["bits"] = bits

    _changed(path, change, form)
    with pytest.raises(ModelFormatError):
        load(path)


def test_a_table_of_many_columns_must_have_weights_for_them(tmp_path: Path) -> None:
    path = tmp_path / "m"
    make_classifier("nb", "words", bits=10).fit(URLS, CODES).save(path)

    def change(values: dict[str, Any], arrays: Arrays) -> None:
        names = [f"x{k}" for k in range(500)]
        values.update(bits=24, languages=names)
        arrays.update(
            bias=np.zeros(500, np.float32), rates=np.full(500, 0.002, np.float32), offsets=np.zeros((2, 500), np.float32),
            rows=arrays["rows"][:1], weights=np.zeros((1, 500), np.float32),
        )  # fmt: skip

    _changed(path, change, model_io)
    with pytest.raises(ModelFormatError, match="larger than"):
        load(path)


@pytest.mark.parametrize("algorithm", ["nb", "ros"])
def test_word_lists_nested_without_end_are_refused(tmp_path: Path, algorithm: str) -> None:
    path = tmp_path / "m"
    make_classifier(algorithm, "words", bits=10).fit(URLS, CODES).save(path)
    deep = np.frombuffer(b"[" * 100_000, np.uint8)
    _changed(
        path,
        lambda values, arrays: arrays.update(learnt=deep),
        classifier_files if algorithm == "ros" else model_io,
    )
    with pytest.raises(ModelFormatError):
        load(path)


@pytest.mark.parametrize("profile", [2**10, -2, 2**31 - 1])
def test_ranks_of_features_that_are_not_in_the_table_are_refused(tmp_path: Path, profile: int) -> None:
    path = tmp_path / "m"
    make_classifier("ros", "words", bits=10).fit(URLS, CODES).save(path)
    _changed(path, lambda values, arrays: arrays.update(profiles=np.full((2, 400), profile, np.int32)))
    with pytest.raises(ModelFormatError):
        load(path)


TREES: dict[str, Arrays] = {
    "a circle": {"left": [1, 0, -1], "right": [2, 0, -1]},
    "a node that is its own child": {"left": [0, -1, -1], "right": [0, -1, -1]},
    "children that are not there": {"left": [1, -1, -1], "right": [99, -1, -1]},
    "one child": {"left": [1, -1, -1], "right": [-1, -1, -1]},
    "a feature that is not there": {"feature": [10_000, -2, -2]},
    "a feature below none": {"feature": [-3, -2, -2]},
    "fewer thresholds": {"threshold": [0.5]},
    "counts of no class": {"counts": np.zeros((3, 0))},
    "no rows in a leaf": {"counts": np.zeros((3, 2))},
    "no node": {"left": [], "right": [], "feature": [], "threshold": [], "counts": np.zeros((0, 2))},
}  # fmt: skip


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tree") / "m"
    make_classifier("dt", language="de", min_leaf=1, pruning=0).fit(URLS, CODES).save(path)

    def small(values: dict[str, Any], arrays: Arrays) -> None:
        arrays.update(
            feature=np.array([0, -2, -2], np.int32), threshold=np.array([0.5, -2, -2], np.float32),
            left=np.array([1, -1, -1], np.int32), right=np.array([2, -1, -1], np.int32),
            counts=np.array([[4.0, 4.0], [4.0, 1.0], [0.0, 3.0]]),
        )  # fmt: skip

    _changed(path, small)
    return path


def test_the_tree_that_they_change_is_good(tree: Path) -> None:
    assert load(tree).predict(URLS).tolist()


@pytest.mark.parametrize("lie", TREES)
def test_trees_that_lead_nowhere_or_round_are_refused(lie: str, tree: Path, tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_bytes(tree.read_bytes())

    def change(values: dict[str, Any], arrays: Arrays) -> None:
        for name, numbers in TREES[lie].items():
            arrays[name] = np.array(numbers, arrays[name].dtype)

    _changed(path, change)
    with pytest.raises(ModelFormatError):
        load(path)


@pytest.mark.parametrize(
    "lie",
    [{"n_workers": 10**9}, {"n_workers": "many"}, {"cache_size": -1}, {"timeout_s": 10**9}, {"database": 3}],
)
def test_a_classifier_by_hosting_cannot_ask_for_threads_without_end(
    tmp_path: Path, lie: dict[str, Any]
) -> None:
    path = tmp_path / "m"
    make_classifier("ip", language="de", hosting=str(tmp_path / "no.mmdb")).fit().save(path)
    true = {
        "database": "no.mmdb",
        "nameservers": [],
        "timeout_s": 2.0,
        "n_workers": 64,
        "cache_size": 500_000,
    }
    _changed(path, lambda values, arrays: values["parameters"].update(hosting=true | lie))
    with pytest.raises(LinksightError):
        load(path)


@pytest.mark.parametrize("algorithm", ["ip", "svm+ip", "dt", "nb"])
def test_a_classifier_opens_no_database_because_its_file_names_one(
    tmp_path: Path, algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = tmp_path / "named.mmdb"
    named.write_bytes(b"what somebody wants to know about")
    options: dict[str, Any] = {"ip": {}, "svm+ip": {"features": "words", "bits": 10}}.get(
        algorithm, {"features": "custom"}
    )
    classifier = make_classifier(algorithm, language="de", hosting=HostingCountries(named), **options)
    _without_looking(classifier)
    classifier.save(tmp_path / "m")
    monkeypatch.setattr(geo, "_NAMED", set())  # as in a process of somebody else
    with pytest.raises(BadConfig, match="names the database"):
        load(tmp_path / "m").predict(["http://haus.example/"])
    with pytest.raises(BadData, match=r"not an \.mmdb database"):  # the user's own is opened
        load(tmp_path / "m", hosting=named).predict(["http://haus.example/"])


def _without_looking(classifier: Any) -> None:
    """Train it although its database is none."""
    urls = [f"http://{word}{i}.example/" for i in range(20) for word in ("haus", "casa")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HostingCountries, "countries", lambda self, hosts: [None for _ in hosts])
        classifier.fit(urls, ["de", "it"] * 20)
