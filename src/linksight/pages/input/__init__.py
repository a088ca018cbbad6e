"""Where pages come from, and their containers.

sources, zip_archives                       files, folders, WARC files, zips, web addresses
unwrap                                      the page inside compression and messages; binary files
gzip_stream, content_decoding, mime_unwrap  compression, transfer encodings, mail and MHTML
warc_heads                                  limits on the heads of records
batch, stale_files                          many WARC files in parallel; leftovers of killed runs
"""
