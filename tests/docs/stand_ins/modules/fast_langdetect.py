"""A peer of `linksight bench` that is not there: most take long to load."""

raise ImportError(__name__)
