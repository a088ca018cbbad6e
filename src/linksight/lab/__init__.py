"""Measurements of quality and speed.

evaluation    labelled URLs, metrics, cross-validation, training
papers        ``linksight reproduce``: tables and figures of the papers
compare       ``linksight bench``: quality and speed beside other programs
simulation    replay of crawls on stored or synthetic webs
"""
