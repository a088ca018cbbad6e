"""Language identification of text.

model, array_file, ngrams               the model, its file format, its features
classifier, priors                      scores of classes; priors from declarations and address
decision, rejection                     labels with probabilities; undetermined text
confusable_languages, scripts           choice between close languages; scripts of characters
segmentation, segment_scores            spans of a page by language, and the scores behind them
"""
