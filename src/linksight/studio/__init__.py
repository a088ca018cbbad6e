"""The studio: linksight in the browser, and over HTTP. The modules in the order in which a request meets them:

settings, server             what it can be told; the socket
heads                        HEAD, answered as GET without a body
security, limits, metrics    token, host and origin checks, CSRF, headers; sizes and rates; counters
app                          everything put together
api                          the HTTP interface, version 1
views, templating, answers   the pages, one module for each part; JSON, and errors in one shape
service                      what both ask of the library

Behind them, what keeps or makes something:

jobs, children, gatherer     work in the background; in a process of its own; what that process does
learning, workbench, mixes   learning and measuring a site; the workbench, opened once; languages of patterns
listings                     a site that is a plain list: its URLs by pattern, and those left out
crawls                       crawls, each a process in a folder of its own
runs, uploads, companions    lists of URLs and their languages; how they are handed in; the columns beside them
sources, previews, badges    a page that is handed in or fetched; looked at; with a badge on every link
heat, plots                  a URL coloured by what it says; line charts
"""

from __future__ import annotations
