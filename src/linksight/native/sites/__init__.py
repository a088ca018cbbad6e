"""The compiled part of ``linksight.sites``: matching URLs against all patterns of a set in one pass.

``pattern_automaton``   the automaton over the tokens of a URL, and the scanner that cuts URLs into tokens
"""
