"""Parts of pages: highlighting (weights of a URL's characters) · line_charts (SVG) · link_badges (links of a page, sanitised
pages) · page_cache (sanitised pages in memory) · url_list_view (a site learnt from a list).
"""
