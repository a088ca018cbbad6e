"""The tables of a crawl, for SQLite and PostgreSQL."""

from __future__ import annotations

from enum import IntEnum

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    false,
)

FORMAT = 4
metadata = MetaData()
# SQLite autoincrements only keys of type INTEGER.
_Key = BigInteger().with_variant(Integer, "sqlite")


class State(IntEnum):
    """The state of a URL."""

    QUEUED = 0
    CLAIMED = 1  #: by a worker
    DONE = 2  #: fetched, with any status
    REJECTED = 3  #: by the strategy; it may be sampled or queued again
    REFUSED = 4  #: excluded: robots.txt, traps, private addresses
    FAILED = 5  #: all attempts failed


class Kind(IntEnum):
    """The expected kind of a URL."""

    PAGE = 0
    SITEMAP = 1
    REQUISITE = 2  #: a style sheet, script, image or font of an archived page


crawl = Table(
    "crawl",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("format", Integer, nullable=False),
    Column("config", Text, nullable=False),
    Column("phase", String(16), nullable=False),  # crawling, sampling, done
    Column("started", Float, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("pages", BigInteger, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("settings", Text, nullable=False, server_default="{}"),  # changed while running: ``crawl set``
)

hosts = Table(
    "hosts",
    metadata,
    Column("id", _Key, primary_key=True),
    Column("name", String(300), nullable=False, unique=True),
    Column("site", String(300), nullable=False, index=True),
    Column("address", String(64)),
    Column("best", Float),  # the highest base of a queued URL; NULL: nothing is queued
    Column("bonus", Float, nullable=False),  # what SiteMemory adds to all URLs of the host
    Column("rank", Float),  # best + bonus: hosts are served in this order
    Column("next_at", Float, nullable=False),
    Column("delay", Float, nullable=False),
    Column("failures", Integer, nullable=False),
    Column("taken", Integer, nullable=False),  # pages fetched or being fetched
    Column("found", Integer, nullable=False, server_default="0"),  # URLs on record
    Column("closed", String(40)),  # why the host is not served; NULL: it is
    Column("session_keys", Text, nullable=False, server_default=""),  # query fields that change no content
)
Index(
    "hosts_rank",
    hosts.c.rank.desc(),
    sqlite_where=hosts.c.rank.isnot(None),
    postgresql_where=hosts.c.rank.isnot(None),
)

urls = Table(
    "urls",
    metadata,
    Column("id", _Key, primary_key=True),
    Column("digest", LargeBinary(16), nullable=False, unique=True),
    Column("url", Text, nullable=False),
    Column("host_id", _Key, ForeignKey("hosts.id"), nullable=False),
    Column("kind", SmallInteger, nullable=False),
    Column("state", SmallInteger, nullable=False),
    Column("base", Float, nullable=False),  # priority without the host's bonus
    Column("chance", Float, nullable=False),
    Column("depth", Integer, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("owner", String(64)),
    Column("sampled", Boolean, nullable=False),
    Column("referrer", BigInteger),
    Column("heard", String(40), nullable=False, server_default=""),  # sites that link to it: inlinks.py
    Column("reason", String(40), nullable=False),
    Column("evidence", Text, nullable=False),
    Column("found_at", Float, nullable=False),
    Column("problem", Text),
    # processes that died while they had it
    Column("crashes", SmallInteger, nullable=False, server_default="0"),
    Column("seed", Integer),  # the seed that it descends from
)
Index(
    "urls_waiting",
    urls.c.state,
    sqlite_where=urls.c.state == 0,
    postgresql_where=urls.c.state == 0,
)
Index("urls_queue", urls.c.host_id, urls.c.state, urls.c.base.desc())
Index(
    "urls_owner",
    urls.c.owner,
    sqlite_where=urls.c.owner.isnot(None),
    postgresql_where=urls.c.owner.isnot(None),
)

pages = Table(
    "pages",
    metadata,
    Column("id", _Key, primary_key=True),
    Column("url_id", _Key, ForeignKey("urls.id"), nullable=False, index=True),  # a recrawl adds a row
    Column("url", Text, nullable=False),
    Column("host", String(300), nullable=False),
    Column("site", String(300), nullable=False),
    Column("fetched_at", Float, nullable=False),
    Column("worker", String(64), nullable=False),
    Column("status", Integer, nullable=False),
    Column("mime", String(120), nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("address", String(64), nullable=False),
    Column("language", String(16), nullable=False),
    Column("script", String(16), nullable=False),
    Column("encoding", String(32), nullable=False),
    Column("confidence", Float, nullable=False),
    Column("predicted", Float),  # predicted probability of the target; NULL: no prediction
    Column("reason", String(40), nullable=False),
    Column("sampled", Boolean, nullable=False),
    Column("depth", Integer, nullable=False),
    Column("links", Integer, nullable=False),
    Column("digest", String(48), nullable=False),
    Column("warc", String(200)),  # NULL: not archived
    Column("offset", BigInteger),
    Column("length", BigInteger),
    Column("original", BigInteger),  # the page that has the same bytes; its record is a revisit
    Column("simhash", BigInteger),  # fingerprint of the text; NULL: too little text
    # near-duplicate of a page of its host
    Column("duplicate", Boolean, nullable=False, server_default=false()),
    Column("etag", String(200)),  # validators of conditional requests
    Column("modified", String(60)),
    Column("seed", Integer),
)
Index("pages_digest", pages.c.digest)

# Archived responses other than pages: robots.txt, and responses that could not be processed.
archived = Table(
    "archived",
    metadata,
    Column("id", _Key, primary_key=True),
    Column("url", Text, nullable=False),
    Column("fetched_at", Float, nullable=False),
    Column("status", Integer, nullable=False),
    Column("mime", String(120), nullable=False),
    Column("digest", String(48), nullable=False),
    Column("warc", String(200), nullable=False),
    Column("offset", BigInteger, nullable=False),
    Column("length", BigInteger, nullable=False),
)

# Learnt URL patterns, one row per host.
patterns = Table(
    "patterns",
    metadata,
    Column("host", String(300), primary_key=True),
    Column("urls", Integer, nullable=False),  # number of URLs they were learnt from
    Column("texts", Text, nullable=False),  # a JSON list
)

warcs = Table(
    "warcs",
    metadata,
    Column("name", String(200), primary_key=True),
    Column("worker", String(64), nullable=False),
    Column("length", BigInteger, nullable=False),  # committed bytes; anything beyond is truncated
)

workers = Table(
    "workers",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("machine", String(200), nullable=False),
    Column("pid", Integer, nullable=False),
    Column("started", Float, nullable=False),
    Column("beat", Float, nullable=False),
    Column("alive", Boolean, nullable=False),
    Column("pages", BigInteger, nullable=False, server_default="0"),  # of the crawl, committed by this worker
    Column("bytes", BigInteger, nullable=False, server_default="0"),
)

# Pages by language and worker: a commit changes only its worker's rows.
language_counts = Table(
    "language_counts",
    metadata,
    Column("worker", String(64), primary_key=True),
    Column("language", String(16), primary_key=True),
    Column("pages", BigInteger, nullable=False),
)

seeds = Table(
    "seeds",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("url", Text, nullable=False, unique=True),
    Column("label", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("scope", String(16), nullable=False),
)

# Links of committed pages, to be merged into ``urls``: a commit only inserts here.
inbox = Table(
    "inbox",
    metadata,
    Column("id", _Key, primary_key=True),
    Column("worker", String(64), nullable=False),
    Column("links", LargeBinary, nullable=False),
)

robots = Table(
    "robots",
    metadata,
    Column("origin", String(320), primary_key=True),
    Column("fetched_at", Float, nullable=False),
    Column("status", Integer, nullable=False),
    Column("body", Text, nullable=False),
)

addresses = Table(
    "addresses",
    metadata,
    Column("address", String(64), primary_key=True),
    Column("next_at", Float, nullable=False),
)
