"""Feeds linksight.identify with bytes made to break it, for as long as wanted.

    pip install atheris
    python benchmarks/pages_fuzz.py -max_total_time=600 [CORPUS_FOLDER]

Any exception is a finding, so is an answer that takes over two seconds. The tests hold a short run of the
same kind with hypothesis (tests/pages/test_pages_robust.py).
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from pathlib import Path

os.environ.setdefault("LINKSIGHT_PAGES", "compiled")
sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

METHODS = ("default", "chew2011", "suzuki2002")


def one(data: bytes) -> None:
    """One page: its first byte chooses the method, the rest is the body."""
    from linksight.pages import identify

    began = time.monotonic()
    label = identify(
        data[1:],
        "text/html; charset=utf-8" if data[:1] > b"\x7f" else None,
        method=METHODS[data[0] % 3 if data else 0],
    )
    assert 0 <= label.confidence <= 1
    label.as_dict()
    assert time.monotonic() - began < 2 or len(data) > 10_000_000


def main() -> None:
    try:
        import atheris
    except ImportError:
        sys.exit("pip install atheris")
    for number in range(3):  # compile and load before the clock runs
        with suppress(AssertionError):
            one(bytes([number]) + "<p>слово</p>".encode("cp1251"))
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
