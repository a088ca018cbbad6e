"""Replay of crawls without a network.

synthetic_web, warc_web, page_pool    webs from labelled URLs or WARC files, and page bodies for them
experiment, replay                    the conditions shared by all strategies; one simulated crawl
strategy_comparison                   tables and figures of several strategies
language_locality                     how often links stay within a language
"""
