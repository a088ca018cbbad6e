"""Inner loops of training: sums over sparse rows.

``sparse_sums``   rows, row products and group sums of a compressed sparse row matrix
"""
