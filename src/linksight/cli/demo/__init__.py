"""``linksight demo``: a demonstration crawl of a small web on this machine, without a network.

command    the command: serve, crawl, show the report, remove everything
web        HTTP servers on the loopback address, one for each site
sites      texts of the sites in three languages, and links between them
"""
