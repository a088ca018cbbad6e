"""``linksight site``.

command     the group; learn and evaluate
patterns    match, show, annotate and export learnt patterns
inputs      files, workbench and options that the commands read
outputs     tables, pages and reports that the commands write
"""
