"""Results of a crawl.

crawl_queries            figures from the database
sampling_statistics      estimates with confidence intervals
html_report, svg_charts  one HTML file with charts, and JSON
explain                  why a URL was fetched or not
training_data            labelled URLs for training
format_bytes             byte counts with units
"""
