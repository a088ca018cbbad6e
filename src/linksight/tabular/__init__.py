"""Tables of URLs in files: any kind in, any kind out, in constant memory, whole or not at all.

``sources`` finds the files, ``readers`` gives their rows block by block, ``writers`` takes them,
``jobs`` scores in between, keeps what is finished and puts it together (``footers``, or ``passage``
where Parquet is handed through as it is); ``filters`` is the pipe.
"""
