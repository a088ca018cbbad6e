"""Metrics of classifiers on labelled URLs.

table_reader, labelled_urls               columns of a user's table; labelled URLs, sampled and split
training                                  train a model and measure it on held-out URLs
classification_metrics, cross_validation  precision, recall, F1; folds
significance_tests, evaluation_tables     paired t-tests; tables of results
"""
