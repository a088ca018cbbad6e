"""Links of a site -> URL patterns (CALA). The folders in the order of the flow:

gathering     the links of a site: search form, sitemap, plain crawl, files
learning      from URLs to kinds of pages
  tokens, page_urls          a URL as the paper cuts it, and as applications read it
  hub_arrays                 all URLs of all hubs as arrays
  learner                    the paper's pattern builder, and the refinement in its order
  literal_tokens             keywords or values
  segment_marks, path_trees  kinds inside a segment, languages; trees of pages
  query_kinds                which parameters make kinds
  pattern_merging, host_scoping, written_forms    one kind as one pattern, on its hosts, as tokens
  p_estimators               the tree behind the patterns
patterns      Pattern, PatternSet, wildcards, files, exports, names, colours, drift, languages, translations
matching      the automaton as tables, and columns of URLs; the pass itself is in ``linksight.native.sites``
evaluation    how good patterns are, as the paper measures it, and on links never seen
workbench     everything known of sites, in SQL
"""

from linksight.sites.learning.learner import learn_patterns
from linksight.sites.patterns.pattern import Form, Pattern, PatternSet
from linksight.sites.patterns.pattern_files import load_patterns

__all__ = ["Form", "Pattern", "PatternSet", "learn_patterns", "load_patterns"]
