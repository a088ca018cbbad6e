"""From URLs to patterns, in the order of the flow.

tokens, page_urls, hub_arrays                 a URL as the paper and as applications read it; all URLs as arrays
learner, p_estimators                         the paper's pattern builder, and its tree
literal_tokens, segment_marks, query_kinds    keywords or values; kinds inside segments and by parameters
path_trees, containers, written_forms         trees of pages; repositories at any depth; paths as token patterns
pattern_merging                               joins equal kinds; restricts them to their hosts
"""
