"""How good is it? Labelled URLs, splits, measures."""
