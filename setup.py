"""Compile the modules of ``linksight.native`` that are typed for Cython's pure Python mode.

Every module below ``src/linksight/native`` that imports ``cython`` becomes an extension module. Each one is optional:
where no compiler works, its Python source runs instead, slower and with the same answers.

``LINKSIGHT_DEBUG_BUILD=1`` builds with bounds checks, AddressSanitizer and UndefinedBehaviorSanitizer.
``LINKSIGHT_PURE=1`` builds no extension modules.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import shutil
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError

NATIVE = Path("src/linksight/native")
DEBUG = os.environ.get("LINKSIGHT_DEBUG_BUILD") == "1"
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": DEBUG,
    "initializedcheck": DEBUG,
    "wraparound": False,
    "cdivision": True,
    "embedsignature": False,
    # Compiled functions raise nothing, except for the bounds checks of a debug build.
    "legacy_implicit_noexcept": not DEBUG,
}
_OPTIMISED = ["-O3", "-g0", "-fno-math-errno", "-fno-trapping-math", "-Wno-unused-function"]
_CHECKED = ["-O1", "-g", "-UNDEBUG", "-fsanitize=address,undefined", "-fno-omit-frame-pointer"]


def modules() -> list[Path]:
    """The modules to compile, in a fixed order."""
    if os.environ.get("LINKSIGHT_PURE") == "1":
        return []
    imports_cython = re.compile(r"^\s*import cython$", re.MULTILINE)
    return [path for path in sorted(NATIVE.rglob("*.py")) if imports_cython.search(path.read_text("utf-8"))]


def extensions() -> list[Extension]:
    """One extension module per source module."""
    headers = [path.as_posix() for pattern in ("*.h", "*.pxd") for path in sorted(NATIVE.rglob(pattern))]
    return [
        Extension(
            ".".join(path.relative_to("src").with_suffix("").parts),
            [path.as_posix()],
            include_dirs=[NATIVE.as_posix()],
            depends=[*headers, "setup.py"],
        )
        for path in modules()
    ]


class BuildNative(build_ext):
    """Set the flags of the compiler at hand; take ``ziglang`` where the system has no compiler."""

    def build_extensions(self) -> None:
        if self.compiler.compiler_type == "unix":
            self._set_unix_flags()
        self.parallel = self.parallel or os.cpu_count()
        super().build_extensions()

    def build_extension(self, ext: Extension) -> None:
        """Report a missing compiler as a failed compilation, which an optional extension may have."""
        try:
            super().build_extension(ext)
        except OSError as error:
            raise CompileError(str(error)) from error

    def _set_unix_flags(self) -> None:
        if not shutil.which(self.compiler.compiler[0]) and importlib.util.find_spec("ziglang"):
            zig = [sys.executable, "-m", "ziglang", "cc"]
            flags = ["-fPIC", "-DNDEBUG", "-fwrapv"]
            self.compiler.set_executables(
                compiler=[*zig, *flags], compiler_so=[*zig, *flags], linker_so=[*zig, "-shared", "-s"]
            )
        flags = list(_CHECKED if DEBUG else _OPTIMISED)
        if platform.machine().lower() in ("x86_64", "amd64"):
            flags += ["-msse4.2", "-mpopcnt"]  # x86-64-v2, which NumPy's wheels need too
        for extension in self.extensions:
            extension.extra_compile_args = flags
            extension.extra_link_args = ["-fsanitize=address,undefined"] if DEBUG else []


def cythonized() -> list[Extension]:
    """The extension modules as C sources."""
    found = extensions()
    if not found:
        return []
    from Cython.Build import cythonize
    from Cython.Compiler import Errors

    Errors.LEVEL = 2  # errors, without the hints on each function that raises nothing
    # The C sources lie in build/, apart for the debug build.
    made: list[Extension] = cythonize(
        found,
        compiler_directives=DIRECTIVES,
        build_dir="build/cython-debug" if DEBUG else "build/cython",
        force=_is_outdated(),
        quiet=True,
    )
    for extension in made:
        extension.optional = not DEBUG  # cythonize drops it
    return made


def _is_outdated() -> bool:
    """Whether this file changed after the last C source was written."""
    made = [path.stat().st_mtime for path in Path("build").glob("cython*/**/*.c")]
    return bool(made) and Path("setup.py").stat().st_mtime > min(made)


setup(ext_modules=cythonized(), cmdclass={"build_ext": BuildNative})
