"""What the bundled model makes of curated rows, as a teacher: kept before a new one is trained.

python recipes/url_model/before.py WORK [MODEL]
"""

from __future__ import annotations

import lzma
import sys
from pathlib import Path

import numpy as np

import linksight


def main() -> None:
    work = Path(sys.argv[1])
    rows = dict(np.load(work / "rows.npz"))
    texts = lzma.decompress((work / "rows.xz").read_bytes()).decode("utf-8").split("\n")
    model = linksight.load(sys.argv[2] if len(sys.argv) > 2 else None)
    index = np.flatnonzero(
        ((rows["set"] == "train") & np.isin(rows["trust"], [1, 2])) | (rows["set"] == "dutch")
    )
    probabilities = model.predict_proba([f"http://{texts[i]}" for i in index])
    top = np.argsort(-probabilities, 1)[:, :4]
    np.savez_compressed(
        work / "old.npz", index=index.astype(np.int32), top=top.astype(np.uint8), rates=model.calibration.class_priors,
        p=(np.take_along_axis(probabilities, top, 1) * 255).round().astype(np.uint8), languages=np.array(model.languages),
    )  # fmt: skip


if __name__ == "__main__":
    main()
