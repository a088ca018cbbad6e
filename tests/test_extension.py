"""Bring your own language: from fifty addresses, from words, and without spoiling the others."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import linksight
from linksight.cli import main
from linksight.errors import BadConfig, BadData, BadLanguage
from linksight.url_model.add_language import _minimise, _Objective, measure_held_out
from linksight.url_model.model import UrlLanguageModel

MODEL = linksight.load()
# Klingon is in no model; its words are like no other language's.
WORDS = "tlhIngan maH taH pagh taHbe qapla jIyIntaH HeghluMeH QaQ jajvam batlh Daqawlu taH ghobe HIja nuqneH".lower().split()
WORDS += [a + b for a in WORDS for b in ("mey", "pu", "vam", "qu", "laH".lower())]
SEEDS = [
    f"http://www.{WORDS[i % len(WORDS)]}-{WORDS[(7 * i + 3) % len(WORDS)]}.org/{WORDS[(3 * i) % len(WORDS)]}"
    for i in range(60)
]


@pytest.fixture(scope="module")
def extended() -> UrlLanguageModel:
    return MODEL.with_language("tlh", urls=SEEDS[:50], words=WORDS)


def test_a_new_language_is_learnt(extended):
    assert "tlh" in extended.languages
    assert list(extended.languages) == sorted(extended.languages)
    held_out = extended.predict_proba(SEEDS[50:])[:, extended.languages.index("tlh")]
    assert extended.predict(SEEDS[50:]).count("tlh") >= 5
    assert held_out.mean() > 0.4


@pytest.mark.parametrize(
    "url",
    [
        "https://www.example.com/tlh/about",
        "https://tlh.example.com/",
        "https://klingon.example.com/",
        "https://www.example.com/klingon/",
        "https://www.example.com/?lang=tlh",
    ],
)
def test_the_code_and_the_name_of_a_new_language_count_at_once(extended, url, tmp_path):
    assert MODEL.detect(url).language != "tlh"
    assert extended.detect(url).language == "tlh"
    extended.save(tmp_path / "tlh.linksight")
    assert linksight.load(tmp_path / "tlh.linksight").detect(url).language == "tlh"


def test_recall_and_false_hits_are_measured_on_domains_held_out():
    found = measure_held_out(MODEL, "tlh", SEEDS, WORDS)
    assert found is not None
    assert found.n_found > found.n_urls / 2 > 2
    assert found.n_others > 1000
    assert found.n_false < 0.01 * found.n_others
    assert measure_held_out(MODEL, "tlh", SEEDS[:5]) is None


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


def test_thresholds_of_the_others_move_with_their_probabilities():
    """A near language takes a little of every Dutch address, and the highest lines are near the top."""
    gronings, column = MODEL.with_language("gos", words=GRONINGS), MODEL.languages.index("nl")
    urls = [f"https://www.{host}{word}.{tld}/" for host in DUTCH for word in DUTCH for tld in ("nl", "com")]
    for precision in (0.5, 0.8, 0.9, 0.95):
        before, after = (model.threshold("nl", precision=precision) for model in (MODEL, gronings))
        found = (MODEL.predict_proba(urls)[:, column] >= before.probability).mean()
        found_after = gronings.predict_proba(urls)[:, gronings.languages.index("nl")] >= after.probability
        assert (after.recall, after.precision) == (before.recall, before.precision)
        assert found_after.mean() == pytest.approx(found, abs=0.1)


FRISIAN = "skoalle nijs frysk wurd bern wetter krante gemeente fryslân stêd".split()
DUTCH = "nieuws school kinderen gemeente zoeken vrijheid onderwijs gezin arbeid bescherming".split()
GRONINGS = (
    "moi schrieven grunnegs laand woord leutje schoule waark wotter hoes loug joar nijs toal oavend".split()
)


def addresses(words: list[str], n: int) -> list[str]:
    """As those of the how-to: one pattern, over and over."""
    return [
        f"https://www.{words[i % 5]}-{i}.example/{words[i % 7]}/{'-'.join(words[1:6])}-{i}" for i in range(n)
    ]


@pytest.mark.data
@pytest.mark.parametrize(
    ("language", "words", "n_urls", "with_words"),
    [
        ("fy", FRISIAN, 2, True),
        ("nl", DUTCH, 0, True),
        ("gos", GRONINGS, 60, True),
    ],
)
def test_nothing_is_spoilt_on_dev(data, language, words, n_urls, with_words):
    import pyarrow.parquet as pq

    dev = pq.read_table(data / "urls/dev.parquet", columns=["url", "language"])
    truth = np.array(dev["language"].to_pylist())
    model = MODEL.with_language(language, urls=addresses(words, n_urls), words=words if with_words else [])
    right = [np.array(some.predict(dev["url"])) == truth for some in (MODEL, model)]
    own = truth == language
    assert right[1][~own].mean() >= right[0][~own].mean() - 0.004
    assert not own.any() or right[1][own].mean() >= right[0][own].mean() - 0.004


def test_words_alone_will_do():
    model = MODEL.with_language("tlh", words=WORDS)
    klingon = model.languages.index("tlh")
    address = "http://example.com/" + "-".join(WORDS[20:25])
    chances = model.predict_proba([address, "http://www.zeitung.de/politik"])[:, klingon]
    assert chances[0] > 5 * chances[1]


def test_a_known_language_is_nudged_not_replaced():
    urls = [f"http://www.sport{i}.example.com/team-{i}" for i in range(30)]
    better = MODEL.with_language("nl", urls=urls)
    nl = MODEL.languages.index("nl")
    assert better.languages == MODEL.languages
    assert better.predict_proba(urls)[:, nl].mean() > MODEL.predict_proba(urls)[:, nl].mean() + 0.05
    assert better.predict(["http://www.zeitung.de/politik"]) == ["de"]


@pytest.mark.parametrize("n_urls", [2, 10, 60])
def test_words_and_addresses_of_a_known_language_leave_the_web_alone(n_urls):
    better = MODEL.with_language("fy", urls=addresses(FRISIAN, n_urls), words=FRISIAN)
    elsewhere = ["http://example.com/about-us", "https://www.bbc.co.uk/news", "https://github.com/foo/bar"]
    assert better.predict(elsewhere) == MODEL.predict(elsewhere)
    assert better.predict_proba(elsewhere)[:, better.languages.index("fy")].max() < 0.1
    assert better.predict(["https://www.nijs.example/skoalle/frysk-yn-de-skoalle"]) == ["fy"]


@given(
    odds=arrays(np.float64, 40, elements=st.floats(-40, 40)),
    inputs=arrays(np.float64, (40, 3), elements=st.floats(-30, 30)),
)
@settings(max_examples=40, deadline=None)
def test_the_fit_is_the_minimum_from_wherever_it_starts(odds, inputs):
    lesson = _Objective(inputs, (np.arange(40) < 8).astype(float), odds, np.ones(40), 0.01)
    found = _minimise(lesson)
    assert lesson.step(found)[1] < 1e-7
    assert lesson.loss(found) <= min(lesson.loss(found + move) for move in np.eye(3) * 0.1)


def test_a_fit_that_does_not_converge_is_no_model(monkeypatch):
    monkeypatch.setattr("linksight.url_model.add_language._MAX_STEPS", 1)
    with pytest.raises(BadData, match="could not be learnt"):
        MODEL.with_language("fy", urls=addresses(FRISIAN, 60), words=FRISIAN)


@pytest.mark.parametrize("rate", [0, 1, -0.1, float("nan")])
def test_a_rate_is_a_share(rate):
    with pytest.raises(BadConfig, match="rate"):
        MODEL.with_language("tlh", urls=SEEDS, rate=rate)


def test_extended_models_are_saved_and_extended_again(tmp_path, extended):
    extended.save(tmp_path / "more")
    again = linksight.load(tmp_path / "more")
    assert again.predict(SEEDS[50:]) == extended.predict(SEEDS[50:])
    assert (
        "jbo"
        in again.with_language(
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
        MODEL.with_language(language, urls=urls, words=words)


def test_models_of_the_papers_cannot_be_extended():
    plain = UrlLanguageModel.from_table(
        "words", np.zeros((4, 2), np.float32), np.zeros(2, np.float32), ("de", "nl")
    )
    with pytest.raises(BadConfig, match="bundled"):
        plain.with_language("fr", urls=SEEDS)


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


@pytest.mark.parametrize("given", ["seeds.txt", "-", "seeds.csv"])
def test_a_list_of_addresses_of_one_language_will_do(tmp_path, given):
    (tmp_path / "seeds.txt").write_text("\n".join(SEEDS))
    (tmp_path / "seeds.csv").write_text("\n".join(["url", *SEEDS]))
    words = ["train", given if given == "-" else str(tmp_path / given), "--extend", "-l", "tlh", "-q"]
    out = tmp_path / "more.linksight"
    done = CliRunner().invoke(main, [*words, "-o", str(out)], input="\n".join(SEEDS))
    assert done.exit_code == 0, done.output
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


def test_words_that_are_not_learnt_for_the_signs_in_them_are_told(tmp_path):
    """As in the dictionaries of spellers, where most words have flags behind them."""
    (tmp_path / "tlh.dic").write_text("\n".join(["12", "qapla/AB", "tlhIngan'e", *WORDS]))
    words = [
        "train",
        "--extend",
        "--words",
        str(tmp_path / "tlh.dic"),
        "-l",
        "tlh",
        "-o",
        str(tmp_path / "new"),
    ]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert (
        f"left out: signs among the letters: 2 of {len(WORDS) + 3} words, such as 'qapla/AB'\n" in done.stderr
    )
    assert "left out" not in CliRunner().invoke(main, [*words, "-q"]).stderr


def test_words_alone_will_do_for_the_command(tmp_path):
    (tmp_path / "words.txt").write_text("\n".join(WORDS))
    words = [
        "train",
        "--extend",
        "--words",
        str(tmp_path / "words.txt"),
        "-o",
        str(tmp_path / "more.linksight"),
    ]
    refused = CliRunner().invoke(main, words)
    assert refused.exit_code == 2
    assert "Missing argument 'DATA'. Only --extend with --words and -l" in refused.output
    done = CliRunner().invoke(main, [*words, "-l", "tlh"])
    assert done.exit_code == 0, done.output
    assert "tlh" in linksight.load(tmp_path / "more.linksight").languages
    assert CliRunner().invoke(main, ["train", "-o", str(tmp_path / "none")]).exit_code == 2


def test_a_table_of_one_language_is_no_measure_and_the_error_says_what_lacks(tmp_path):
    table = tmp_path / "held-out.csv"
    table.write_text("url,language\n" + "".join(f"http://www.a{i}.nl/,nl\n" for i in range(12)))
    done = CliRunner().invoke(main, ["evaluate", "bundled", str(table)])
    assert done.exit_code == 1
    assert "the rows need some of other languages too" in " ".join(done.output.split())


def test_what_is_no_language_or_no_list_cannot_be_learnt():
    model = linksight.load()
    for word in ("und", "zxx"):
        with pytest.raises(BadLanguage, match="not a language that can be learnt"):
            model.with_language(word, urls=SEEDS)
    for wrong in ({"urls": None}, {"urls": SEEDS[0]}, {"words": "tlh words in a text"}):
        with pytest.raises(BadData, match="list"):
            model.with_language("tlh", **wrong)


def test_lines_that_are_no_addresses_are_left_out_and_told(tmp_path):
    (tmp_path / "seeds.txt").write_text("\n".join(["# mine", "nonsense", "mailto:a@b.nl", *SEEDS, ""]))
    words = [
        "train",
        str(tmp_path / "seeds.txt"),
        "--extend",
        "-l",
        "tlh",
        "-o",
        str(tmp_path / "m.linksight"),
    ]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    told = ("no URL: 1", "not a web address: 1", "not a web address (mailto:): 1")
    assert all(f"left out: {reason}\n" in done.stderr for reason in told)
    (tmp_path / "seeds.txt").write_text("nonsense\n" * 20)
    assert "not one web address in 20 rows, the first is 'nonsense'" in CliRunner().invoke(main, words).stderr


def test_what_is_no_rate_and_no_word_is_told():
    with pytest.raises(BadConfig, match=r"between 0 and 1, not '0\.1'"):
        linksight.load().with_language("gos", words=["moin"] * 20, rate="0.1")
    for word in (7, None, float("nan")):
        with pytest.raises(BadData, match="a word of 'gos' is text, not"):
            linksight.load().with_language("gos", words=["moin", word])


def test_addresses_and_words_come_in_columns_of_any_library(extended):
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    for column in (pa.array, pl.Series, pd.Series, np.array):
        same = MODEL.with_language("tlh", urls=column(SEEDS[:50]), words=column(WORDS))
        np.testing.assert_array_equal(same.table.output, extended.table.output)
