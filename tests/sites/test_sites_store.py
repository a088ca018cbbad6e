"""The database behind the workbench: places with odd names, and errors that say what is wrong."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import SQLAlchemyError

from linksight.errors import BadData, StoreError
from linksight.sites.workbench.workbench import Workbench
from linksight.system.database import open_store, reason_of


@pytest.mark.parametrize("name", ["what?.db", "a#b.db", "50%.db", "ü b.db", "a%20b.db"])
def test_a_file_of_any_name_is_the_database(tmp_path, name):
    with Workbench(tmp_path / name) as bench:
        bench.open_site("a", "http://a.org/")
    assert name in {path.name for path in tmp_path.iterdir()}


@pytest.mark.parametrize("url", ["postgresql://me@db:port/x", "sqlite+nothing://", "postgresql://[x/y"])
def test_a_database_url_that_cannot_be_read_is_an_error_of_one_line(url):
    with pytest.raises(StoreError) as told:
        open_store(url)
    assert "\n" not in str(told.value)


def test_a_password_is_not_told_even_where_the_url_cannot_be_read():
    with pytest.raises(StoreError) as told:
        open_store("postgresql://me:secret@db:port/x")
    assert "secret" not in str(told.value)


def test_an_at_sign_in_a_password_is_told_how_to_be_written_and_none_of_it_is_shown():
    with pytest.raises(StoreError, match="%40") as told:
        open_store("postgresql://me:sec@ret@db/x")
    assert "sec" not in str(told.value)
    assert "ret" not in str(told.value).replace("PGPASSWORD", "")


def test_an_error_without_a_word_has_a_reason():
    assert reason_of(SQLAlchemyError()) == "SQLAlchemyError"


def test_a_site_that_was_forgotten_meanwhile_is_an_error_that_says_so():
    with Workbench("sqlite://") as bench, pytest.raises(BadData, match="7"):
        bench.site(7)
