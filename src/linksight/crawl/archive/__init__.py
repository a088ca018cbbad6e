"""The stored pages of a crawl.

http_messages, warc_records    an exchange as bytes, and as WARC records
warc_writer, warc_reader       WARC files, written and read
cdxj, wacz                     the index, and export as one ZIP file
reconcile, verify, rewrite     reconciliation with the database; check; repair of damaged files
"""
