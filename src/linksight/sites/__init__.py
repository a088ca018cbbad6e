"""links of a site -> URL patterns (CALA). The modules in the order of the flow:

gathering               the links of a site by the best way there is
  connections, fetch, packing, render    pages, politely fetched; reasons, why not
  links, hub_pages, words                what a page holds: links, language, rare words
  forms, hubs, sources, lists            the search form and its crawler; sitemaps, crawls, CDX, WARC; files of URLs
tokens, corpus          a URL as the paper reads it; all URLs of all hubs as arrays
learner                 the paper's pattern builder
  keywords, parameters, joining, homes   refinement: what the paper's test cannot tell
patterns, wildcards     what is learnt: Pattern, PatternSet
  annotation, colours, coloured          names and colours; a page with its links coloured
  automaton, layout, scanning, kernel    matching: the specification, and the same compiled
  matching                               a column of URLs, however it is given
  files, exports, drift                  kept as a file, for other tools; when the site has changed
estimators, translations                 what else patterns tell: the tree behind them, languages
labels, evaluation      how good they are, as the paper measures it
  strangers                              rules of strangers, tried in a process that has an end
workbench               everything known of sites, in SQL: tables, holdings (hubs), versions (patterns)
  relearning                             what people made of patterns, done once more when they are learnt again
"""

from linksight.sites.learning.learner import learn_patterns
from linksight.sites.patterns.pattern import Form, Pattern, PatternSet
from linksight.sites.patterns.pattern_files import load_patterns

__all__ = ["Form", "Pattern", "PatternSet", "learn_patterns", "load_patterns"]
