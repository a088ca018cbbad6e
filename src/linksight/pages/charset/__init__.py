"""Character encodings.

decoding                                a page in UTF-8 with its encodings
labels, codecs                          labels of encodings; encodings that Python lacks
byte_signatures, detector               certain signs; the likeliest encoding
byte_bigrams                            the costs that the detector sums up
codepage_refinement, cjk_other_scripts  choice among sibling code pages; other scripts in CJK encodings
mojibake, uppercase_text, visual_hebrew text that needs repair before it is read
"""
