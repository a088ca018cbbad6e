"""The pattern workbench of the studio.

shared_workbench (one engine for all threads) · learning_tasks (forms to tasks, and the tasks) · learning_process,
learning_worker (the subprocess that learns) · pattern_languages (languages behind each pattern)
"""
