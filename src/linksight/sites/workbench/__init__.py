"""Sites, hubs and patterns in SQL.

workbench                     the interface: learn, edit, evaluate
sql_schema, hub_repository    tables; hubs and links as rows
versions, reapply_edits       versions of patterns; edits carried over to newly learnt patterns
"""
