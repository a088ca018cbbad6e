"""The language-focused crawler, in the order in which a URL passes.

urls          normalisation, filters and scope
scoring       scores of links, and strategies
frontier      the queue and the seen-set, in SQL
fetch         Scrapy in a child process, with robots.txt and rate limits
extract       links and page requisites
run           configuration, worker loop and Python API
archive       WARC, CDXJ and WACZ
report        figures, explanations and training data
monitor       counters, Prometheus and the live view
migrations    Alembic migrations of the tables
"""

from __future__ import annotations
