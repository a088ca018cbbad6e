"""One module a revision, named by the version of the schema."""
