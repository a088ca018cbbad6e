"""Quality of learnt patterns.

metrics        precision, recall and F1 by class of links
class_rules    true classes, by XPath, CSS, regular expressions or a table
sandbox        runs untrusted rules in a subprocess with limits
"""
