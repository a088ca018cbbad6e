"""The report of a rerun.

results        sections, tables and cells as plain values
report_tables  layouts that several experiments share
svg_plots      plots
html_report    the page, JSON and CSV files
"""
