"""Work behind the routes, without HTTP.

language_service, submitted_page         the URL model; pages from forms
uploads, upload_limits, extra_columns    tables of visitors
inspector_runs                           lists of URLs with their languages
crawl_processes, crawl_figures           crawls
workbench                                site patterns
"""
