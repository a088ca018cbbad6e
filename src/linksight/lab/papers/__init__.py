"""``linksight reproduce``: tables and figures of the papers.

registry, reproduce, runner                    experiments by name, a run of them, its settings
claims, published                              claims and figures of the papers, and verdicts on their tables
url_sources, experiment_corpus, data_check     labelled URLs, with tasks, folds and features; data folders
custom_features, host_countries, fold_cache    costly inputs and finished folds, cached on disk
baykan2013, other_papers, report               the experiments of the papers; how the report shows them
"""
