"""Writes src/linksight/data/cns11643.txt, the first two planes of CNS 11643, for decoding EUC-TW.

python recipes/cns11643.py        needs iconv with EUC-TW (GNU C library)
"""

from __future__ import annotations

import subprocess
from pathlib import Path

OUT = Path(__file__).parents[1] / "src/linksight/data/cns11643.txt"


def plane(number: int) -> str:
    """94 times 94 characters; U+FFFD where the plane has none."""
    lead = b"" if number == 1 else bytes([0x8E, 0xA0 + number])
    characters = []
    for row in range(0xA1, 0xFF):
        for cell in range(0xA1, 0xFF):
            done = subprocess.run(
                ["iconv", "-f", "EUC-TW", "-t", "UTF-8"],
                input=lead + bytes([row, cell]),
                capture_output=True,
                check=False,
            )
            text = done.stdout.decode()
            characters.append(text if done.returncode == 0 and len(text) == 1 else "\ufffd")
    return "".join(characters)


if __name__ == "__main__":
    OUT.write_text("\n".join(plane(number) for number in (1, 2)) + "\n", encoding="utf-8")
