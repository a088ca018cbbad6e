"""The compiled core: typed Python that Cython compiles when linksight is built.

One source text is the specification, the fast path (compiled) and the slow path (uncompiled, same answers).

``primitives``      wrapping hashes, bit counts, prefetches: a C header, and the same functions in Python
``cython_shim``     stands in for ``cython`` where that package is not installed
``urls``            URLs to scores: normalisation, features, sums, segmentation, posteriors
``learning``        inner loops of training

How to write a module here
--------------------------
Copy ``learning/adagrad.py``. ``setup.py`` compiles every module below this folder that has the line
``import cython``, with the directives listed there (no bounds checks, no negative indices, C division).

*Types.* Annotate parameters and declare every local of a loop: ``i: cython.Py_ssize_t``. An undeclared local is a
Python object and costs a hundred times as much. ``cython -a module.py`` shows the lines that touch objects.
Integers of arrays are ``cython.uchar``, ``short``, ``int``, ``uint``, ``longlong``, ``ulonglong`` (NumPy ``uint8``,
``int16``, ``int32``, ``uint32``, ``int64``, ``uint64``); never ``long``, whose size depends on the platform. A module
constant is an object unless declared: ``_SIZE = cython.declare(cython.int, 64)``; such a constant is invisible outside
its module. ``ord("a")`` of a literal is a number.

*Arrays* are typed memoryviews: ``data: cython.const[cython.uchar][::1]`` for what is read only (``const`` accepts
``bytes`` and Arrow buffers), ``out: cython.int[::1]`` for what is written, ``table: cython.float[:, ::1]`` for two
dimensions. NumPy headers are not needed. Allocate with NumPy in Python and pass the arrays in. Check every length and
index bound in Python before the call: a compiled module does not.

*Functions.* Entry points are plain ``def`` and hold ``with cython.nogil:`` around their loops. Steps are
``@cython.cfunc @cython.inline @cython.nogil`` and take several hundred bytes for each memoryview when they are not
inlined. A ``@cython.final @cython.cclass`` whose attributes are memoryviews avoids that: its methods share the
arrays through ``self``. Steps raise no exceptions (setup.py declares them so); return a code instead. A function of
another compiled module is called directly when that module has a ``.pxd`` file::

    if cython.compiled:
        from cython.cimports.linksight.native.primitives import fnv_mix, fnv_step
    else:
        from linksight.native.primitives import fnv_mix, fnv_step

Calls across modules are not inlined, except for functions of a C header. Put code that belongs to one pass into one
module.

*Same answers uncompiled.* Arithmetic that may exceed its type wraps in C and grows in Python; with NumPy scalars it
overflows with a warning. Hashes therefore go through ``primitives``, which masks plain integers. Elsewhere write
``int(data[i])`` where a byte or NumPy number enters arithmetic that could exceed it (Cython drops the call for
typed values), or pass ``native.view(array)``, whose items are plain numbers in both modes. Do not slice views of two
dimensions; pass offsets. Division and modulo only of numbers that are not negative. Sums of ``float`` are
rounded differently in Python; compare with a tolerance.

*Tests.* ``scripts/test`` and ``python setup.py build_ext --inplace`` rebuild what changed. A process with
``LINKSIGHT_UNCOMPILED=1`` imports the Python sources even where compiled modules exist: run the tests of your module
both ways (``tests/native/test_uncompiled.py`` lists those that CI runs uncompiled). ``LINKSIGHT_DEBUG_BUILD=1 python
setup.py build_ext --inplace`` builds with bounds checks and AddressSanitizer (``scripts/test-native`` runs the tests).
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any


class _SourceFinder:
    """Finds the Python source of modules of this package, not the compiled module beside it."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not name.startswith(f"{__name__}.") or path is None:
            return None
        source = Path(next(iter(path)), name.rpartition(".")[2]).with_suffix(".py")
        return importlib.util.spec_from_file_location(name, source) if source.is_file() else None


if os.environ.get("LINKSIGHT_UNCOMPILED") == "1":
    sys.meta_path.insert(0, _SourceFinder())


def view(array: Any) -> Any:
    """An array's buffer: its items are plain numbers in compiled and uncompiled modules alike."""
    return memoryview(array)


def uncompiled_modules() -> list[str]:
    """The modules here that could be compiled and run as Python source instead."""
    folder = Path(__file__).parent
    found = []
    for path in sorted(folder.rglob("*.py")):
        if "\n    import cython\n" not in path.read_text("utf-8") or path.name == "__init__.py":
            continue
        parts = path.relative_to(folder).with_suffix("").parts
        spec = importlib.util.find_spec(".".join([__name__, *parts]))
        if spec is None or spec.origin is None or spec.origin.endswith(".py"):
            found.append(".".join(parts))
    return found
