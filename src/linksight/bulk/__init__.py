"""Tables of URLs in files: any kind in, any kind out, in constant memory, whole or not at all.

sources                 the files: their kind, how they are packed
readers, blocks         their rows, a block at a time; delimited, lines and jsonlines for what is text
labels                  what is added to a block, and the count of it
writers, files          rows to bytes, one file or one a language; jsontext for columns as JSON,
                        values for columns of any type as Python's
jobs                    all of it from end to end: read ahead and written behind (pipes), kept part by part,
                        one run at a time (locks)
filters                 the other way in: a line on stdin, a line on stdout
"""
