"""The language-focused crawler: decision -> page -> label -> decision.

policy      which URL next, as pure values with reasons
judge       what is known of a URL before it is fetched
frontier    the queue and the seen-set, in SQL
fetcher     Scrapy, in a process of its own, with a resolver that lets no private address through
worker      claims, hands out, digests, commits
warc        pages on disk, each stored exactly once
ledger      what came of it; report, labels and why read it
replay      all strategies on a stored web, without a network
"""

from __future__ import annotations
