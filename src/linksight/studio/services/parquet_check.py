"""Counts the decoded bytes of a Parquet file on stdin: ``python -m linksight.studio.services.parquet_check``.

A few kilobytes of Parquet can decode to gigabytes: shared dictionaries, shared prefixes, packed pages. So a process with
a memory limit decodes the file once, some rows at a time, before the studio reads it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

from linksight.system.processes import child_environment

MAX_MEMORY_BYTES = 256 << 20  #: of address space, beyond what the process starts with
CHECK_SECONDS = 120  #: of wall time
_BATCH_ROWS = 4_096
_BUFFER_BYTES = 1 << 20
TOO_LARGE = "decoding it takes more memory than is allowed"


def decoded_size(file: IO[bytes], max_bytes: int, max_columns: int) -> dict[str, Any]:
    """Rows, columns and decoded bytes of a Parquet file, or an ``error``; counting stops beyond ``max_bytes``."""
    command = [sys.executable, "-m", __name__, str(max_bytes), str(max_columns)]
    # One heap and no threads: their address space would count against the limit.
    env = child_environment() | {
        "ARROW_DEFAULT_MEMORY_POOL": "system",
        "MALLOC_ARENA_MAX": "1",
        "OMP_NUM_THREADS": "1",
    }
    try:
        ended = subprocess.run(
            command, stdin=file, capture_output=True, timeout=CHECK_SECONDS, env=env, check=False
        )
        found: dict[str, Any] = json.loads(ended.stdout)
    except subprocess.TimeoutExpired:
        return {"error": f"checking it takes more than {CHECK_SECONDS} s"}
    except json.JSONDecodeError:  # the process died
        return {"error": TOO_LARGE}
    return found


def limit_memory(extra_bytes: int) -> None:
    """Limit the address space of this process to its present size and so many bytes more."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return
    statm = Path("/proc/self/statm")
    begun = int(statm.read_text().split()[0]) * resource.getpagesize() if statm.exists() else 0
    _, allowed = resource.getrlimit(resource.RLIMIT_AS)
    limit = begun + extra_bytes
    limit = limit if allowed == resource.RLIM_INFINITY else min(limit, allowed)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _count(max_bytes: int, max_columns: int) -> dict[str, Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    limit_memory(MAX_MEMORY_BYTES)
    size = 0
    try:
        table = pq.ParquetFile(sys.stdin.buffer, pre_buffer=False, buffer_size=_BUFFER_BYTES)
        found = {"rows": table.metadata.num_rows, "columns": len(table.schema_arrow)}
        if found["columns"] <= max_columns:
            for batch in table.iter_batches(_BATCH_ROWS, use_threads=False):
                size += sum(_plain_size(column) for column in batch.columns)
                if size > max_bytes:
                    break
    except (MemoryError, pa.ArrowMemoryError):
        return {"error": TOO_LARGE}
    except (pa.ArrowException, OSError) as error:
        return {"error": f"not a Parquet file, or cut short ({str(error).splitlines()[0]})"}
    return found | {"bytes": size}


def _plain_size(column: Any) -> int:
    """The bytes of a column without its dictionaries.

    >>> import pyarrow as pa
    >>> _plain_size(pa.array(["abcd"] * 1000).dictionary_encode()) > 4000
    True
    """
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        return _plain_size(column.dictionary_decode())
    if pa.types.is_nested(column.type):
        return int(column.nbytes) + sum(_plain_size(part) for part in _parts(column))
    return int(column.nbytes)


def _parts(column: Any) -> list[Any]:
    import pyarrow as pa

    if pa.types.is_map(column.type):
        return [column.keys, column.items]
    return list(column.flatten()) if pa.types.is_struct(column.type) else [column.flatten()]


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_count(int(sys.argv[1]), int(sys.argv[2]))))
