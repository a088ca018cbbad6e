"""From URLs to scores, a block at a time; ``url_model.block_scorer`` calls these in order.

``normalize``      addresses to texts: host, path and query, decoded, in lower case
``extract``        texts to hashed features: words, n-grams, structural features; says how to add one
``embeddings``     features to rows of the model, and their sums
``segmentation``   home pages whose language is in doubt: names cut into words
``posteriors``     sums to scores, scores to probabilities
"""
