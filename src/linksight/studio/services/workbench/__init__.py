"""The pattern workbench of the studio.

shared_workbench                     one engine for all threads
learning_tasks                       gathering, learning and evaluation as jobs
learning_process, learning_worker    the subprocess that learns, seen from outside and inside
pattern_languages                    languages behind each pattern
"""
