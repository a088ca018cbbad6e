"""What the views and the API do, without HTTP.

language_service (the URL model) · uploads, upload_limits, extra_columns (tables of visitors) · inspector_runs (lists) ·
submitted_page (pages of forms) · crawl_processes, crawl_figures (crawls) · workbench (site patterns)
"""
