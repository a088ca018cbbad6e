"""``linksight detect``.

command           options; selects one of the two implementations
detect_urls       a few URLs from the command line
detect_files      tables of URLs
terminal_table    detections as text
"""
