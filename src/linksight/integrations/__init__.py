"""linksight inside other tools; import them as ``linksight.duckdb``, ``linksight.polars`` and so on.

columns                   the URL model over one column, for the modules below
duckdb, polars, pandas    SQL functions, an expression namespace, a series accessor
spark, scrapy             tables on a Spark cluster; link priorities and page labels in a Scrapy project
"""
