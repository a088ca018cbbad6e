"""A crawl while it runs.

stats         counters of a worker, and its event log
prometheus    metrics in a file and over HTTP
crawl_log     one line a URL, in Heritrix's layout
live_view     the terminal view
"""
