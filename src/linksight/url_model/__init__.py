"""The bundled URL model: from URLs to calibrated probabilities of languages.

model, model_io                           UrlLanguageModel; its file format
embeddings, calibration, segmentation     feature weights; probabilities; word segmentation of host names
block_scorer, predict, prediction_tables  scoring of blocks; prediction of columns; Arrow record batches
explain, feature_labels                   contributions of features; their labels
add_language, site_prior                  learning one more language; SiteMemory, a prior from observed pages of a site
"""
