"""One file for numbers: a line that names the format, a line of JSON, and arrays, deflated.

Reading checks sizes and digest and executes no code.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from typing import Any

from linksight.errors import ModelFormatError

MAX_BYTES = 64 << 20  #: no file is larger unpacked: a damaged length must not fill the memory
_KINDS = {"uint8": 1, "uint16": 2, "uint32": 4, "int32": 4, "float32": 4}


def pack(form: str, manifest: dict[str, Any], arrays: dict[str, Any]) -> bytes:
    """The bytes of a file; ``form`` is its format and version, such as ``linksight-pages 1``."""
    body = b"".join(array.tobytes() for array in arrays.values())
    header = manifest | {
        "arrays": {name: [str(array.dtype), len(array)] for name, array in arrays.items()},
        "digest": hashlib.sha256(body).hexdigest(),
    }
    return f"{form}\n{json.dumps(header, ensure_ascii=False)}\n".encode() + zlib.compress(body, 9)


def unpack(form: str, data: bytes, origin: object) -> tuple[dict[str, Any], dict[str, Any]]:
    """Manifest and arrays of a file; raises ModelFormatError on anything that is not as written."""
    import numpy as np

    first, _, rest = data.partition(b"\n")
    if first != form.encode():
        raise ModelFormatError(origin, f"not a file of format {form!r}")
    line, _, packed = rest.partition(b"\n")
    try:
        header = json.loads(line)
        unpacker = zlib.decompressobj()
        body = unpacker.decompress(packed, MAX_BYTES)
        expected = sum(_KINDS[kind] * size for kind, size in header["arrays"].values())
        intact = (
            unpacker.eof and len(body) == expected and hashlib.sha256(body).hexdigest() == header["digest"]
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, zlib.error) as error:
        raise ModelFormatError(origin, f"damaged: {error}") from None
    if not intact:
        raise ModelFormatError(origin, "damaged: the digest does not match")
    arrays, place = {}, 0
    for name, (kind, size) in header["arrays"].items():
        arrays[name] = np.frombuffer(body, kind, size, place)
        place += size * _KINDS[kind]
    return header, arrays
