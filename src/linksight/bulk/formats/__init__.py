"""File formats of ``linksight.bulk``.

csv, jsonl, text_lines       parse delimited files, JSON lines and plain lists
text_encoding                text in other encodings to UTF-8
json_writer, arrow_values    Arrow columns as JSON text, and as Python values
"""
