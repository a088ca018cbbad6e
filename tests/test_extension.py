"""Bring your own language: from fifty addresses, from words, and without spoiling the others."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import linksight
from linksight.cli import main
from linksight.errors import BadConfig, BadData, BadLanguage
from linksight.scorer import Scorer

MODEL = linksight.load()
# Klingon is in no model; its words are like no other language's.
WORDS = "tlhIngan maH taH pagh taHbe qapla jIyIntaH HeghluMeH QaQ jajvam batlh Daqawlu taH ghobe HIja nuqneH".lower().split()
WORDS += [a + b for a in WORDS for b in ("mey", "pu", "vam", "qu", "laH".lower())]
SEEDS = [
    f"http://www.{WORDS[i % len(WORDS)]}-{WORDS[(7 * i + 3) % len(WORDS)]}.org/{WORDS[(3 * i) % len(WORDS)]}"
    for i in range(60)
]


@pytest.fixture(scope="module")
def extended() -> Scorer:
    return MODEL.extended("tlh", urls=SEEDS[:50], words=WORDS)


def test_a_new_language_is_learnt(extended):
    assert "tlh" in extended.languages
    assert list(extended.languages) == sorted(extended.languages)
    held_out = extended.predict_proba(SEEDS[50:])[:, extended.languages.index("tlh")]
    assert extended.predict(SEEDS[50:]).count("tlh") >= 5
    assert held_out.mean() > 0.4


def test_the_others_are_not_spoilt(extended):
    known = [
        "https://www.lemonde.fr/economie/",
        "http://www.zeitung.de/politik",
        "https://www.bbc.co.uk/news",
    ]
    assert extended.predict(known) == MODEL.predict(known)
    before = MODEL.predict_proba(known)
    after = extended.predict_proba(known)
    columns = [extended.languages.index(language) for language in MODEL.languages]
    np.testing.assert_allclose(after[:, columns], before, atol=0.03)


@pytest.mark.data
def test_the_others_are_not_spoilt_on_dev(data, extended):
    import pyarrow.parquet as pq

    dev = pq.read_table(data / "urls/dev.parquet", columns=["url", "language"])
    truth = dev["language"].to_pylist()
    right = [
        np.mean([a == b for a, b in zip(model.predict(dev["url"]), truth, strict=True)])
        for model in (MODEL, extended)
    ]
    assert right[1] >= right[0] - 0.003


def test_words_alone_will_do():
    model = MODEL.extended("tlh", words=WORDS)
    klingon = model.languages.index("tlh")
    address = "http://example.com/" + "-".join(WORDS[20:25])
    chances = model.predict_proba([address, "http://www.zeitung.de/politik"])[:, klingon]
    assert chances[0] > 5 * chances[1]


def test_a_known_language_is_nudged_not_replaced():
    urls = [f"http://www.sport{i}.example.com/team-{i}" for i in range(30)]
    better = MODEL.extended("nl", urls=urls)
    nl = MODEL.languages.index("nl")
    assert better.languages == MODEL.languages
    assert better.predict_proba(urls)[:, nl].mean() > MODEL.predict_proba(urls)[:, nl].mean() + 0.05
    assert better.predict(["http://www.zeitung.de/politik"]) == ["de"]


def test_extended_models_are_saved_and_extended_again(tmp_path, extended):
    extended.save(tmp_path / "more")
    again = linksight.load(tmp_path / "more")
    assert again.predict(SEEDS[50:]) == extended.predict(SEEDS[50:])
    assert (
        "jbo"
        in again.extended(
            "jbo", words=["coi", "mi", "prami", "do", "lojban", "gismu", "cmavo", "selbri"] * 8
        ).languages
    )


@pytest.mark.parametrize(
    ("language", "urls", "words", "error"),
    [
        ("tlh", [], [], BadData),
        ("tlh", SEEDS[:3], [], BadData),
        ("tlh", ["mailto:a@b.nl"] * 20, [], BadData),
        ("no such language", SEEDS, [], BadLanguage),
    ],
)
def test_too_little_or_wrong_input_says_so(language, urls, words, error):
    with pytest.raises(error):
        MODEL.extended(language, urls=urls, words=words)


def test_models_of_the_papers_cannot_be_extended():
    plain = Scorer.from_table("words", np.zeros((4, 2), np.float32), np.zeros(2, np.float32), ("de", "nl"))
    with pytest.raises(BadConfig, match="bundled"):
        plain.extended("fr", urls=SEEDS)


def test_the_command_extends(tmp_path):
    rows = "\n".join(json.dumps({"url": url, "language": "tlh"}) for url in SEEDS)
    (tmp_path / "seeds.jsonl").write_text(rows)
    (tmp_path / "words.txt").write_text("\n".join(WORDS))
    out = tmp_path / "more.linksight"
    result = CliRunner().invoke(
        main,
        [
            "train",
            "--extend",
            str(tmp_path / "seeds.jsonl"),
            "--words",
            str(tmp_path / "words.txt"),
            "-o",
            str(out),
        ],
    )
    assert result.exit_code == 0, result.output
    assert "tlh" in linksight.load(out).languages


def test_languages_of_few_addresses_are_left_out_and_named_as_in_the_labels_of_a_crawl(tmp_path):
    table = tmp_path / "labels.csv"
    rows = [f"{url},tlh\n" for url in SEEDS[:50]] + ["http://www.zeitung.de/,de\n", "http://a.fr/,fr\n"] * 2
    table.write_text("url,language\n" + "".join(rows), encoding="utf-8")
    words = ["train", str(table), "--extend", "-o", str(tmp_path / "new.linksight")]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert "left out, for fewer than 10 addresses: de 2, fr 2" in done.stderr
    assert "tlh" in linksight.load(tmp_path / "new.linksight").languages
    table.write_text("url,language\nhttp://a.fr/,fr\nhttp://b.de/,de\n", encoding="utf-8")
    assert "give at least 10 addresses" in CliRunner().invoke(main, words).output
