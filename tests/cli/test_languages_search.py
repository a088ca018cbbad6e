"""``linksight languages``: headings, and a search by part of a name."""

from click.testing import CliRunner

from linksight.cli import main


def run(*words):
    return CliRunner().invoke(main, ["languages", *words])


def test_a_part_of_a_name_finds_all_languages_that_have_it():
    assert {line.split()[0] for line in run("sorbian").stdout.splitlines()} >= {"hsb"}


def test_the_list_has_headings():
    assert run().stdout.splitlines()[0].split() == ["code", "name", "training", "data"]


def test_a_code_finds_its_language_alone():
    assert [line.split()[0] for line in run("nl").stdout.splitlines()] == ["nl"]


def test_a_word_in_no_name_is_an_error():
    assert run("xyzzy").exit_code == 1
