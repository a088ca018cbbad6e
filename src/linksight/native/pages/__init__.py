"""Kernels of ``linksight.pages``: bytes of a page to text, text to n-grams, n-grams to scores.

``buffers``          memory for kernels
``byte_steps``       search and copy, many bytes at a time
``entities``         character references
``html_scanner``     the HTML parser over bytes
``text_selection``   the text that is read, in lower case, and its letters by script
``ngrams``           hashed n-grams and their weights
``line_scores``      scores of lines, and of a page from its lines
``byte_bigrams``     pairs of bytes and their costs in each encoding
"""
