"""The papers' algorithms, one module each, and their shared parts.

cctld, ip_country, country_tables                   baselines by country, and their tables
naive_bayes, markov, relative_entropy, rank_order   generative and distance models
linear, solvers                                     SVM and maximum entropy, and their optimisers
decision_tree, tree_arrays, tree_plot               the tree, as arrays and as a picture
"""
