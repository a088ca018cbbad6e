"""links of a site -> URL patterns (CALA): tokens, learner, matcher, hub crawler, evaluation, exports."""

from linksight.sites.files import load_patterns
from linksight.sites.learner import learn_patterns
from linksight.sites.patterns import Form, Pattern, PatternSet

__all__ = ["Form", "Pattern", "PatternSet", "learn_patterns", "load_patterns"]
