"""Linksight inside other tools; import them as ``linksight.duckdb``, ``linksight.polars`` and so on.

``columns``   the URL model over a column, as the other modules need it
``duckdb``    SQL functions
``polars``    an expression namespace
``pandas``    a series accessor
``spark``     tables on a Spark cluster
``scrapy``    link priorities and page labels in a Scrapy project
"""
