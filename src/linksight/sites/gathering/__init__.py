"""Collects hubs, which are pages of links of a site.

gather, hub_crawler, link_sources           all ways; search form; sitemaps, plain crawls, CDX, WARC
fetcher, browser, fetch_errors              polite HTTP, Chromium, reasons of failure
hub_pages, links, search_forms              what a fetched page holds
search_words, url_files, bounded_gunzip     words to search for; lists of URLs; gzip with a limit
"""
