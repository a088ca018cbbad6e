"""The stored pages of a crawl.

http_messages, warc_records    an exchange as bytes, and as WARC records
warc_writer, warc_reader       WARC files, written and read
cdxj, wacz                     the index, and export as one ZIP file
reconcile, verify, rewrite     agreement with the database after a crash; check; repair of damaged files
"""
