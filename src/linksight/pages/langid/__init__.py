"""Language identification of text.

model, array_file, ngrams               the model, its file format, its features
classifier, priors, rejection           scores of classes; declarations and address; undetermined text
confusable_languages, scripts           choice between close languages; scripts of characters
segmentation, segment_scores            spans of a page by language, and the scores behind them
"""
