"""The frontier: queue, seen-set and state of every URL, in SQL.

frontier, records            per-worker client, and the values that it takes and returns
enqueue, dequeue             insert URLs, by an inbox of links; claim the best URLs
states, commit               all state transitions; outcomes, written in one transaction
heartbeat, clock             leases of workers, and the time by which they expire
batches                      many rows in one statement
sql_schema, schema_version   tables, and their migration
db_errors                    which database errors pass by themselves
"""
