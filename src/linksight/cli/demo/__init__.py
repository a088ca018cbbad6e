"""``linksight demo``: a crawl of a small web on this machine, which a newcomer can watch without a network.

command    the command: serve, crawl, show the report, remove everything
web        HTTP servers on the loopback address, one for each site
sites      the text of the sites in three languages, and the links between them
"""
