"""Links of a site to URL patterns (CALA, Hernández et al. 2016).

gathering     the links of a site: search form, sitemap, plain crawl, files
learning      from URLs to kinds of pages
patterns      Pattern and PatternSet: files, exports, names, drift, languages
matching      the automaton that matches URLs against all patterns at once
evaluation    quality of patterns, as the paper measures it
workbench     sites, hubs and versions of patterns, in SQL
"""

from linksight.sites.learning.learner import learn_patterns
from linksight.sites.patterns.pattern import Form, Pattern, PatternSet
from linksight.sites.patterns.pattern_files import load_patterns

__all__ = ["Form", "Pattern", "PatternSet", "learn_patterns", "load_patterns"]
