"""What numba keeps on disk, thrown away once it was compiled from another source.

Numba looks at a function's own file, not at what it calls nor at constants of other modules: after an upgrade it would
run old steps within a new pass, and nobody would see it but by wrong answers.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])
_PACKAGE = Path(__file__).parents[1]
_STAMP = "kernels.stamp"


def guarded(made: _Function) -> _Function:
    """What numba made of a function, once what it had kept of another source is gone."""
    # Where numba keeps this one: beside its module, in NUMBA_CACHE_DIR or in the user's cache.
    if folder := getattr(getattr(made, "_cache", None), "cache_path", None):
        sweep(Path(folder))
    return made


def is_fresh(folder: Path) -> bool:
    """Whether what lies in a folder was compiled from the source that is installed now."""
    try:
        return (folder / _STAMP).read_text(encoding="utf-8") == _sources()
    except OSError:
        return False


@cache
def sweep(folder: Path) -> None:
    """Throws away what was compiled from another source; once in a process."""
    if is_fresh(folder):
        return
    with suppress(OSError):  # a folder that cannot be written keeps nothing either
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.glob("*.nb[ic]"):
            path.unlink(missing_ok=True)
        (folder / _STAMP).write_text(_sources(), encoding="utf-8")


@cache
def _sources() -> str:
    """What changes whenever a kernel does, or a constant that one of them reads."""
    folders = [_PACKAGE, *(_PACKAGE / name for name in ("features", "kernel", "pages", "sites"))]
    return ",".join(
        f"{path.parent.name}/{path.name}:{(stat := path.stat()).st_mtime_ns}:{stat.st_size}"
        for folder in folders
        for path in sorted(folder.glob("*.py"))
    )
