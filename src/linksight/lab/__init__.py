"""How good is it? Labelled URLs, splits, measures. The modules in the order of the flow:

rows, data, sources     a user's table; labelled URLs from files; those of the papers' experiments, or a user's own
metrics, training       precision, recall, F1 as the papers measure them; a model trained and held against them
tables                  an evaluation as text and as files

The papers rerun (``linksight reproduce``):

corpus, customs, hosting       the URLs made ready once: tasks, folds, features, countries of servers
protocols, trials, ledger      folds of cross-validation; those that are left to run; what is kept on disk
statistics, layouts, plots     means and tests over folds; tables and pictures that several experiments share
published, experiments, menu   what the papers printed; one function a table; all of them by name
findings, report, reproduction sections as values; the page; a whole run

Beside its peers (``linksight bench``):

peers, baselines                       other programs, and what anyone can build in an hour
bench_data, bench_systems, bench       the rows; every system; all of them asked
bench_measures, bench_memory           how good, how much memory
bench_rules, bench_tables, bench_plot   the rules in words; tables, page and plot
"""
