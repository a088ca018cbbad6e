"""``linksight bench``: linksight and its peers on the same rows.

benchmark, comparison_rules                        a run, and its rules in words
sample_rows, systems, peers, trained_baselines     systems, and samples of URLs and pages
accuracy_intervals, memory_usage                   measurements
comparison_tables, quality_plot                    tables, JSON, the page and its plot
"""
