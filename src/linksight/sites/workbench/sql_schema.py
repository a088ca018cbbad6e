"""The tables of the pattern workbench: sites, keywords, hubs, links, patterns, annotations, evaluations."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()


def _site() -> Column[int]:
    return Column("site_id", ForeignKey("site_sites.id", ondelete="CASCADE"), nullable=False)


sites = Table(
    "site_sites",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(300), nullable=False, unique=True),
    Column("home", Text, nullable=False),
    Column("source", String(20)),  # form, sitemap, crawl, urls, cdx, warc
    Column("state", String(20), nullable=False, default="gathering"),  # gathering, gathered
    Column("notes", JSON, nullable=False, default=list),  # what the user must know
    Column("counts", JSON, nullable=False, default=dict),
    Column("began", Float, nullable=False),
)

keywords = Table(
    "site_keywords",
    metadata,
    Column("id", Integer, primary_key=True),
    _site(),
    Column("word", String(100), nullable=False),
    Column("state", String(10), nullable=False),  # waiting, tried
    UniqueConstraint("site_id", "word"),
)

hubs = Table(
    "site_hubs",
    metadata,
    Column("id", Integer, primary_key=True),
    _site(),
    Column("keyword", String(100)),
    Column("url", Text, nullable=False),
    Column("title", Text, nullable=False, default=""),
    Column("language", String(20)),
    Column("problem", String(40)),  # why it is no hub; empty, too, is a problem
    Column("seconds", Float, nullable=False, default=0.0),
    Column("cut", Boolean, nullable=False, default=False),
    Column("n_links", Integer, nullable=False, default=0),
    Column("content_type", String(200), nullable=False, default=""),
    Column("body", LargeBinary),  # packed with zlib: to show patterns on, and to label links by XPath
    Index("site_hubs_by_site", "site_id"),
)

links = Table(
    "site_links",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("hub_id", ForeignKey("site_hubs.id", ondelete="CASCADE"), nullable=False),
    Column("url", Text, nullable=False),
    Column("anchor", Text, nullable=False, default=""),
    Column("problem", String(20)),  # leads to no page of the site: scheme, file, off-site, ...
    Index("site_links_by_hub", "hub_id"),
)

versions = Table(
    "site_versions",
    metadata,
    Column("id", Integer, primary_key=True),
    _site(),
    Column("document", JSON, nullable=False),  # as PatternSet.save writes it
    Column("at", Float, nullable=False),
)

patterns = Table(
    "site_patterns",
    metadata,
    Column("id", Integer, primary_key=True),
    _site(),
    Column("number", Integer, nullable=False),
    Column("name", String(300), nullable=False),
    Column("colour", String(10), nullable=False),
    Column("pattern", Text, nullable=False),
    Column("regex", Text, nullable=False),
    Column("n_urls", Integer, nullable=False),
    Column("n_hubs", Integer, nullable=False),
    Column("share", Float, nullable=False),
    UniqueConstraint("site_id", "number"),
)

annotation_log = Table(
    "site_annotations",
    metadata,
    Column("id", Integer, primary_key=True),
    _site(),
    Column("action", String(20), nullable=False),  # learn, rename, merge, discard, colour
    Column("details", JSON, nullable=False),
    Column("at", Float, nullable=False),
)

evaluations = Table(
    "site_evaluations",
    metadata,
    Column("id", Integer, primary_key=True),
    _site(),
    Column("mode", String(20), nullable=False),
    Column("precision", Float, nullable=False),
    Column("recall", Float, nullable=False),
    Column("f1", Float, nullable=False),
    Column("details", JSON, nullable=False),
    Column("at", Float, nullable=False),
)
