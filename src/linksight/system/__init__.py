"""The operating system: files, processes, network, databases.

atomic_write, file_lock, paths           files
model_file, resources, large_arrays      model files; bundled data; arrays in large memory pages
environment, processes                   environment variables; CPU count, child processes
private_networks, guarded_connections    private addresses; HTTP that refuses them
database, plural                         SQLAlchemy engines; counts with their nouns
"""
