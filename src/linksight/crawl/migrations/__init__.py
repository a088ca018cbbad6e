"""Alembic migrations of a crawl's tables; ``frontier/schema_version.py`` runs them."""
