"""Experiments of the other papers, one module each, named by paper and subject.

baykan2008_combinations, baykan2008_page_text    Baykan et al. 2008
chew2011_pages                                   Chew et al. 2011
hogewind2020_dutch, hogewind2020_crawls          Hogewind et al. 2020
cala2016_sites, cala2016_local_sites             Hernández et al. 2016: sites of the paper, and local applications
"""
