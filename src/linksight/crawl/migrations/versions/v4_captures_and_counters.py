"""Several captures of a URL, host closings, seed labels, counters by worker, and the link inbox.

Revision ID: 4
Revises: 3
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "4"
down_revision = "3"

_COLUMNS: dict[str, list[sa.Column[Any]]] = {
    "crawl": [sa.Column("settings", sa.Text, nullable=False, server_default="{}")],
    "hosts": [
        sa.Column("found", sa.Integer, nullable=False, server_default="0"),
        sa.Column("closed", sa.String(40)),
        sa.Column("session_keys", sa.Text, nullable=False, server_default=""),
    ],
    "urls": [
        sa.Column("crashes", sa.SmallInteger, nullable=False, server_default="0"),
        sa.Column("seed", sa.Integer),
    ],
    "pages": [
        sa.Column("simhash", sa.BigInteger),
        sa.Column("duplicate", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("etag", sa.String(200)),
        sa.Column("modified", sa.String(60)),
        sa.Column("seed", sa.Integer),
    ],
    "workers": [
        sa.Column("pages", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("bytes", sa.BigInteger, nullable=False, server_default="0"),
    ],
}


def upgrade() -> None:
    """Add the columns; counts so far go to a worker of the past; one URL may have several captures."""
    for table, columns in _COLUMNS.items():
        for column in columns:
            op.add_column(table, column)
    _allow_several_captures()
    count = "SELECT count(*) FROM urls WHERE urls.host_id = hosts.id"
    op.execute(f"UPDATE hosts SET found = ({count})")
    op.execute(
        "INSERT INTO workers (id, machine, pid, started, beat, alive, pages, bytes) "
        "SELECT 'before-4', '', 0, started, started, false, pages, bytes FROM crawl"
    )
    op.execute(
        "INSERT INTO language_counts (worker, language, pages) SELECT 'before-4', language, count(*) "
        "FROM pages WHERE NOT sampled AND reason <> 'redirect' GROUP BY language"
    )
    op.execute("UPDATE crawl SET format = 4")


def _allow_several_captures() -> None:
    """Replace the unique constraint on ``pages.url_id`` by an index."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE pages DROP CONSTRAINT IF EXISTS pages_url_id_key")
        op.execute("CREATE INDEX ix_pages_url_id ON pages (url_id)")
        return
    # SQLite names no such constraint: the table is written again without it.
    naming = {"uq": "uq_%(table_name)s_%(column_0_name)s"}
    with op.batch_alter_table("pages", naming_convention=naming) as batch:
        batch.drop_constraint("uq_pages_url_id", type_="unique")
        batch.create_index("ix_pages_url_id", ["url_id"])
