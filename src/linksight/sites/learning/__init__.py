"""From URLs to patterns, in the order of the flow.

tokens, page_urls, hub_arrays                 a URL as the paper and as applications read and write it; all URLs as arrays
learner, p_estimators                         the paper's pattern builder, and its tree
literal_tokens, segment_marks, query_kinds    keywords or values; kinds inside segments and by parameters
path_trees, containers                         trees of pages; repositories at any depth
pattern_merging                               joins equal kinds; restricts them to their hosts
"""
