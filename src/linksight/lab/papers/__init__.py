"""``linksight reproduce``: tables and figures of the papers.

registry, reproduce, runner                    experiments by name, a run of them, its settings
url_sources, experiment_corpus                 labelled URLs, with tasks, folds and features
custom_features, host_countries, fold_cache    costly inputs and finished folds, kept on disk
results, report_tables, svg_plots, html_report findings and how the report shows them
baykan2013, other_papers, published            experiments of the papers, and the figures that they printed
"""
