"""Scores of links, which order the queue.

link_scorer, strategies         evidence for a link; the decision of a strategy
host_patterns, inlinks          URL patterns learnt by host; links from pages in the language
online_model, model_protocols   the URL model that learns during the crawl; interfaces of models
state_restore                   rebuilds the learnt state when a worker starts
"""
