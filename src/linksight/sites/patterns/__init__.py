"""Patterns once they are learnt.

pattern, wildcards, pattern_files               Pattern and PatternSet; wildcards; JSON files
exports, drift                                  patterns for other tools; share of unmatched URLs
pattern_names, palette, highlighted_page        names, colours, and a page with coloured links
language_marks, language_variants, translated_urls    languages in URLs, and URLs that translate each other
"""
