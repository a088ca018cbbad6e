"""The experiments, one function each: trials in, a section of the report out."""
