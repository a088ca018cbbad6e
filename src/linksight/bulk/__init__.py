"""Tables of URLs in files: any format in, any format out, in constant memory.

sources, remote_files                input files, on this machine or elsewhere
readers, row_block                   their rows, block by block
annotate                             adds language columns to a block
writers, partitioned_writer          rows to bytes; one file, or one a language
job, read_ahead, folder_lock         a resumable run, its threads, and its lock on the output folder
stdin_stream                         streaming filter: one answer a line
formats                              formats: CSV, JSON lines, plain lines
"""
