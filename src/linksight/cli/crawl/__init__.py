"""``linksight crawl``.

run       run, resume, stop, status, set, export
report    report, why, labels, check
replay    strategies on a stored web
"""
