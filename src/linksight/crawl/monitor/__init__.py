"""A crawl while it runs.

stats         counters of a worker, and its event log
prometheus    metrics in a file and over HTTP
live_view     the terminal view
"""
