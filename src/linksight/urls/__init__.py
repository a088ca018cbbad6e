"""URLs as text.

parser                              Url: host, path and query, parsed once
idna, percent_decoding              host names beyond ASCII; percent codes
query_names                         query parameters with usual purposes
arrow_input                         columns of URLs as Arrow
"""
