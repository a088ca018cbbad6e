"""Which URLs a crawl may fetch.

url_normalize                      one spelling for each page
scope_rules, url_filters           rules of the user, and exclusion by spelling
pagination_trap                    endless numbered pages
session_parameters                 query fields that change nothing
near_duplicates                    pages with almost the same text (SimHash)
"""
