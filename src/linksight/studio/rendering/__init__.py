"""Parts of pages.

highlighting, line_charts    URLs coloured by weights; charts as SVG
link_badges, page_cache      foreign pages with a badge on every link, and their cache
url_list_view                URLs of a list by pattern
"""
