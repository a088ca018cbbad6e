"""What came of a crawl.

crawl_queries            figures from its tables
sampling_statistics      estimates with confidence intervals
html_report, svg_charts  one HTML file with charts, and JSON
explain                  why a URL was fetched or not
training_data            labelled URLs for training
format_bytes             sizes for people
"""
