"""Work behind the routes, without HTTP.

language_service, submitted_page         the URL model; pages from forms
uploads, upload_limits, extra_columns    tables of visitors
parquet_check                            uploaded Parquet, decoded in a process with a memory limit
inspector_runs                           lists of URLs with their languages
crawl_processes, crawl_figures           crawls
workbench                                site patterns
"""
