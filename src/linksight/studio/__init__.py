"""The studio: linksight in the browser, and over HTTP.

app         the application: everything below put together
settings    what it can be told
security    token, host and origin checks, CSRF, headers
limits      sizes and rates
metrics     counters for Prometheus
jobs        work in the background, with progress and cancel
api         the HTTP interface, version 1
views       the pages, one module for each part
"""

from __future__ import annotations
