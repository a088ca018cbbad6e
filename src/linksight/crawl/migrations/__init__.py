"""Alembic migrations of a crawl's tables; ``frontier/schema_version.py`` runs them.

env         Alembic's environment
versions    one module a revision
"""
