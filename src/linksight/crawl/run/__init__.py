"""A crawl from seeds to the last commit.

api, config, signals          start, resume and stop a crawl; settings; signal handlers
seeds, lifecycle, recrawl     seed URLs; phases; pages due for recapture
worker, response_processor    the loop: claim, fetch, process, commit
"""
