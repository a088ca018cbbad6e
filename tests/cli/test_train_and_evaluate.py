"""``linksight train`` and ``linksight evaluate``: the whole way, and every way it can be refused."""

import io
import json

import pyarrow as pa
import pyarrow.parquet
import pytest
from click.testing import CliRunner

from linksight.cli import main
from linksight.models import load

WORDS = {
    "de": "nachrichten wirtschaft gesundheit zeitung schule wetter kirche verein handwerk garten".split(),
    "fr": "nouvelles economie sante journal ecole meteo eglise association atelier jardin".split(),
    "it": "notizie economia salute giornale scuola tempo chiesa associazione officina giardino".split(),
}


@pytest.fixture(scope="module")
def table():
    urls, labels = [], []
    for i in range(80):
        for language, words in WORDS.items():
            urls.append(
                f"http://{words[i % 10]}{'abcdefgh'[i // 10]}.{language}/{words[(3 * i + 1) % 10]}.html"
            )
            labels.append(language)
    return pa.table({"url": urls, "language": labels})


@pytest.fixture
def labelled(table, tmp_path):
    pyarrow.parquet.write_table(table, tmp_path / "labelled.parquet")
    return tmp_path / "labelled.parquet"


def run(*arguments, **options):
    return CliRunner().invoke(main, [str(argument) for argument in arguments], **options)


def train(labelled, *options):
    model = labelled.parent / "model"
    return run("train", labelled, "-o", model, *options), model


def test_a_model_is_trained_measured_and_written(labelled):
    result, model = train(labelled, "-a", "ros", "-f", "words")
    assert result.exit_code == 0, result.output
    assert "held out (unseen domains" in result.stderr
    assert "macro F1" in result.stderr
    assert result.stdout == ""
    assert load(model).languages_ == ("de", "fr", "it")
    assert sorted(path.name for path in labelled.parent.iterdir()) == ["labelled.parquet", "model"]


@pytest.mark.parametrize(
    "options", [("-a", "svm", "-l", "German"), ("-a", "me"), ("-a", "nb+cctld", "-l", "fr")]
)
def test_additive_models_are_written_as_scorers(labelled, options):
    result, model = train(labelled, *options, "--split", "random", "--folds", "5")
    assert result.exit_code == 0, result.output
    found = run("evaluate", model, labelled, "--format", "json")
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["macro"]["f1"] > 0.95


def test_a_binary_model_has_one_row(labelled):
    train(labelled, "-a", "ros", "-l", "de", "--split", "none", "-q")
    result = run("evaluate", labelled.parent / "model", labelled)
    assert result.exit_code == 0, result.output
    assert "de German" in result.stdout
    assert "fr French" not in result.stdout
    assert "p(-|-)" in result.stdout
    assert "macro average" in result.stdout


@pytest.fixture
def ranked(labelled):
    """A multi-class model beside its data."""
    result, model = train(labelled, "-a", "ros", "-f", "words", "--split", "none", "-q")
    assert result.exit_code == 0, result.output
    assert result.output == ""
    return model


def test_figures_are_printed_and_written_as_json(ranked, labelled):
    result = run("evaluate", ranked, labelled, "--json", labelled.parent / "figures.json")
    assert result.exit_code == 0, result.output
    figures = json.loads((labelled.parent / "figures.json").read_text())
    assert [row["language"] for row in figures["languages"]] == ["de", "fr", "it"]
    assert set(figures["macro"]) == {"precision", "plain_precision", "recall", "negative_success", "f1"}
    assert figures["confusion"]["columns"] == ["de", "fr", "it"]
    assert f"{100 * figures['macro']['f1']:.1f}" in result.stdout


def test_figures_come_in_every_format(ranked, labelled):
    lines = run("evaluate", ranked, labelled, "--format", "jsonl").stdout.splitlines()
    assert [json.loads(line)["language"] for line in lines] == ["de", "fr", "it"]
    csv = run("evaluate", ranked, labelled, "--format", "csv").stdout.splitlines()
    assert csv[0].startswith('"language"')
    assert len(csv) == 4
    out = labelled.parent / "figures.parquet"
    assert run("evaluate", ranked, labelled, "--format", "parquet", "-o", out).exit_code == 0
    assert pyarrow.parquet.read_table(out)["language"].to_pylist() == ["de", "fr", "it"]


@pytest.mark.parametrize(
    ("name", "begin"),
    [("f.csv", b'"language"'), ("f.jsonl", b'{"language"'), ("f.json", b'{\n "n_urls"'), ("f.parquet", b"PAR1"), ("f.txt", b"language ")],
)  # fmt: skip
def test_the_name_of_the_file_tells_the_format_of_figures(ranked, labelled, name, begin):
    out = labelled.parent / name
    assert run("evaluate", ranked, labelled, "-o", out).exit_code == 0
    assert out.read_bytes().startswith(begin)


def test_a_format_that_is_given_outweighs_the_name_of_the_file(ranked, labelled):
    out = labelled.parent / "f.txt"
    assert run("evaluate", ranked, labelled, "-o", out, "--format", "csv").exit_code == 0
    assert out.read_bytes().startswith(b'"language"')


def test_data_come_from_stdin(ranked, table):
    data = "".join(json.dumps(row) + "\n" for row in table.to_pylist())
    result = run("evaluate", ranked, "-", "--from", "jsonl", input=data)
    assert result.exit_code == 0, result.output
    packed = (
        io.BytesIO(pa.compress(data.encode(), "gzip", asbytes=True))
        if pa.Codec.is_available("gzip")
        else None
    )
    assert packed is not None
    result = run("evaluate", ranked, "-", "--from", "jsonl", input=packed.getvalue())
    assert result.exit_code == 0, result.output


def test_a_model_is_trained_from_stdin(table, tmp_path):
    data = "".join(json.dumps(row) + "\n" for row in table.to_pylist())
    result = run("train", "-", "--from", "jsonl", "-o", tmp_path / "model", "-a", "ros", input=data)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "model").exists()


@pytest.mark.parametrize("name", ["figures.jsonl.gz", "figures.jsonl.zst"])
def test_figures_are_packed_by_the_name_of_the_file(ranked, labelled, name):
    out = labelled.parent / name
    assert run("evaluate", ranked, labelled, "--format", "jsonl", "-o", out).exit_code == 0
    with pa.input_stream(str(out), compression="detect") as stream:
        lines = stream.read().splitlines()
    assert [json.loads(line)["language"] for line in lines] == ["de", "fr", "it"]


def test_stdin_needs_a_kind(ranked):
    result = run("evaluate", ranked, "-", input="x")
    assert result.exit_code == 1
    assert "give --from" in result.stderr


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("url,language\n", [], "no rows"),
        ("link,language\nhttp://a.de/,de\n", [], "no column 'url'"),
        (
            "url,language\nhttp://a.de/,de\nhttp://b.de/,de\n",
            ["--split", "none"],
            "all rows are labelled 'de'",
        ),
        ("url,language\nhttp://a.de/,de\nhttp://b.fr/,Klingonish\n", [], "unknown languages: 'Klingonish'"),
        (
            "url,language\nhttp://a.de/,de\nhttp://b.fr/,fr\n",
            ["-l", "nl", "--split", "none"],
            "no row is labelled 'nl'",
        ),
        ("url,language\nhttp://a.de/,de\nhttp://b.fr/,fr\n", ["-a", "svn"], "did you mean 'svm'"),
        ("url,language\nhttp://a.de/,de\nhttp://b.fr/,fr\n", ["-f", "wrods"], "unknown features"),
        ("url,language\nhttp://a.de/,de\nhttp://b.fr/,fr\n", ["-a", "ip"], "needs hosting="),
        ("url,language\nhttp://a.de/,de\nhttp://b.fr/,fr\n", ["--languages", "xx-none"], "unknown language"),
    ],
)
def test_what_cannot_be_trained_is_refused_in_one_line(tmp_path, content, options, message):
    (tmp_path / "x.csv").write_text(content)
    result = run("train", tmp_path / "x.csv", "-o", tmp_path / "model", *options)
    assert result.exit_code == 1
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "model").exists()


def test_bad_settings_are_refused_before_the_data_are_read(tmp_path):
    result = run("train", tmp_path / "missing.csv", "-o", tmp_path / "no" / "model")
    assert result.exit_code == 1
    assert "no such folder" in result.stderr


@pytest.mark.parametrize("content", [None, b"", b"not a model", b"PK\x03\x04 truncated"])
def test_a_model_that_is_none_is_refused(labelled, tmp_path, content):
    if content is not None:
        (tmp_path / "model").write_bytes(content)
    result = run("evaluate", tmp_path / "model", labelled)
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert "model" in result.stderr


@pytest.mark.parametrize("command", ["train", "evaluate"])
def test_help_has_examples(command):
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"linksight {command} " in result.stdout


@pytest.mark.parametrize("algorithm", ["cctld", "cctld+", "nb+cctld", "nb"])
def test_a_saved_model_is_measured_as_the_classifier_answers(table, tmp_path, algorithm):
    """Country codes leave most addresses open: saved, they are not given to the first language of the list."""
    from linksight.lab.evaluation.labelled_urls import LabelledUrls
    from linksight.lab.evaluation.training import evaluate_model
    from linksight.models import make_classifier

    urls = [url.replace(".it/", ".example/") for url in table["url"].to_pylist()]
    rows = LabelledUrls.of(urls, table["language"].to_pylist())
    classifier = make_classifier(algorithm).fit(rows.urls, rows.languages)
    classifier.save(tmp_path / "m")
    expected, found = (evaluate_model(model, rows) for model in (classifier, load(tmp_path / "m")))
    assert [one.f1 for one in found.measures] == pytest.approx([one.f1 for one in expected.measures])
    if algorithm == "cctld":
        assert {one.language: one.recall for one in found.measures} == {"de": 1.0, "fr": 1.0, "it": 0.0}


def test_more_urls_wanted_than_any_language_has(labelled):
    refused = run("evaluate", "bundled", labelled, "--least", 1000)
    assert (refused.exit_code, refused.stderr) == (
        1, "Error: no language has 1,000 URLs or more, the most is 80; ask for fewer (--least)\n",
    )  # fmt: skip


@pytest.mark.parametrize("more", [["--extend"], []])
def test_an_unknown_language_to_learn_is_not_blamed_on_the_rows(labelled, tmp_path, more):
    refused = run("train", labelled, "-o", tmp_path / "m", "-l", "xx", *more)
    assert refused.exit_code == 1
    assert refused.stderr == "Error: unknown language; linksight languages lists them: 'xx'\n"


@pytest.fixture
def with_strangers(labelled):
    """The rows, and some that are no addresses: a mail address, a word, a port that is none, nothing."""
    rows = pyarrow.parquet.read_table(labelled)
    strangers = ["mailto:a@b.de", "mailto:c@d.de", "telefon", "http://a.de:99999/", ""]
    more = pa.table({"url": strangers, "language": ["de"] * len(strangers)})
    pyarrow.parquet.write_table(pa.concat_tables([rows, more]), labelled)
    return labelled


_LEFT_OUT = [
    "left out: no URL: 1",
    "left out: not a web address (mailto:): 2",
    "left out: not a web address: 1",
    "left out: bad port: 1",
]


@pytest.mark.parametrize("more", [[], ["--languages", "de,fr"]])
def test_rows_that_are_no_addresses_are_not_measured_and_told(labelled, with_strangers, more):
    measured = run("evaluate", "bundled", with_strangers, "--format", "json", "-q", *more)
    assert measured.exit_code == 0, measured.output
    assert measured.stderr.splitlines() == _LEFT_OUT
    assert json.loads(measured.stdout)["languages"][0]["n_positive"] == 80


def test_rows_that_are_no_addresses_are_not_learnt_from_and_told(with_strangers):
    result, _ = train(with_strangers, "-a", "nb", "--split", "none", "--languages", "de,fr")
    assert result.exit_code == 0, result.output
    assert result.stderr.splitlines()[:4] == _LEFT_OUT


def test_not_one_address_to_measure_on(tmp_path):
    (tmp_path / "a.csv").write_text("url,language\nword,de\nmailto:a@b.fr,fr\n")
    refused = run("evaluate", "bundled", tmp_path / "a.csv")
    assert (refused.exit_code, refused.stderr) == (
        1, "Error: not one web address in 2 rows, the first is 'word'\n",
    )  # fmt: skip
