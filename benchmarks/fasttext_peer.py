"""Saves the fastText model that ``linksight bench`` trains as a baseline, as a peer for url_speed.py.

    pip install --target FOLDER fasttext-community
    LINKSIGHT_DATA=... PYTHONPATH=src:FOLDER python benchmarks/fasttext_peer.py FILE.bin

A million rows of urls/train.parquet at random: half a minute of one core, not the best that fastText can be.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from linksight.lab.compare.trained_baselines import train_fasttext

if __name__ == "__main__":
    train_fasttext(Path(os.environ["LINKSIGHT_DATA"]) / "urls/train.parquet").save_model(sys.argv[1])
