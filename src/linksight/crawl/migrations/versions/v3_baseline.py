"""The tables of format 3, which had no migrations.

Revision ID: 3
Revises:
"""

revision = "3"
down_revision = None


def upgrade() -> None:
    """Nothing: ``schema_version`` marks databases of format 3 with this revision."""
