"""A crawl from seeds to the last commit.

api, config, signals          start, resume and stop a crawl; its settings; orderly ends
seeds, lifecycle, recrawl     start URLs; phases; pages that are due again
worker, response_processor    the loop: claim, fetch, process, commit
"""
