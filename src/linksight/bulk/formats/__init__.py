"""File formats of ``linksight.bulk``.

csv, jsonl, text_lines       parse delimited files, JSON lines and plain lists
json_writer, arrow_values    Arrow columns as JSON text, and as Python values
"""
