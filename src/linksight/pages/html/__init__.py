"""From the bytes of an HTML page to the text that is read.

scanner, html_tags                  the byte-level parser, and its table of tags
entities, unescape                  character references; escapes of JSON
declarations                        declared encodings and languages
code_detection                      source code, tables and lists of addresses
fallback_text, fallback_readings    text of attributes and data; other readings of pages with little text
"""
