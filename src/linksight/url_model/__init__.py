"""The bundled URL model: from URLs to calibrated probabilities of languages.

model, model_io                               UrlLanguageModel, and its file
embeddings, calibration, segmentation         weights of features; probabilities; host names cut into words
block_scorer, predict, tables                 blocks of URLs; columns of any length; answers as Arrow tables
explain, feature_labels                       contributions of features, in words
add_language, site_prior                      one more language; SiteMemory, evidence from pages of a site
"""
