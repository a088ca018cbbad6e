"""Monitoring of a running crawl.

stats         counters of a worker; the event log
prometheus    metrics in a file and over HTTP
crawl_log     one line a URL, in the format of Heritrix
live_view     the terminal view
"""
