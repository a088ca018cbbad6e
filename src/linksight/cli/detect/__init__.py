"""``linksight detect``.

command           options, and the choice between the two ways
detect_urls       a few URLs from the command line
detect_files      tables of URLs
terminal_table    detections for people
"""
