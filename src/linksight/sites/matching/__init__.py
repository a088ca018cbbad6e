"""Matches URLs against all patterns in one pass; the pass itself is in ``native.sites``.

automaton, automaton_tables    the automaton over tokens, and its arrays
columns                        matches columns of URLs
"""
