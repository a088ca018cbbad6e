"""Experiments of Baykan et al. 2013: trials in, a section of the report out.

classifier_specs, data_sets                 the classifiers, by their names in the report; Tables I to IV
countries, algorithms, ngrams, comparisons  Tables V to XVI
growth, readable_tree                       training size; the decision tree of Figure 2
crawls, unseen_domains                      language-focused crawls; domains absent from training
"""
