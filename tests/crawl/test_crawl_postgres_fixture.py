"""The throw-away PostgreSQL of conftest.py works and gives each test a database of its own."""

import pytest
from sqlalchemy import text

from linksight.system.database import open_store


@pytest.mark.postgres
def test_each_call_gives_an_empty_database(fresh_postgres):
    first, second = open_store(fresh_postgres()), open_store(fresh_postgres())
    with first.begin() as connection:
        connection.execute(text("CREATE TABLE only_here (id int)"))
    with second.connect() as connection:
        assert connection.execute(text("SELECT to_regclass('only_here')")).scalar() is None
    first.dispose()
    second.dispose()
