"""Gives endings that Dutch sites share with others (``.nu``, ``.lu``) the share of Dutch that directories see.

    python recipes/url_model/shared.py WORK [--out FOLDER]

Curated home pages under these endings come from a directory of Dutch sites and hardly from any other, so names that say
nothing (``hbco.nu``) were Dutch, where two sites in three are Swedish. Directory listings of both kinds tell how many are.
Here all rows of the table stay as they are but those of these endings (``t:nu``, ``d:nu/0``, ``d:nu/1``). They are fitted
again on the listings under them, one a domain: Dutch ones are Dutch, others are what the model holds them for, Dutch left out.
"""

from __future__ import annotations

import numpy as np
from codes import fitted, on_dev
from lessons import DATA, Lesson
from listings import learnt
from mix import ending_of
from weights import Weights, folders

from linksight.url_model.calibration import Calibration
from linksight.url_model.model import Scorer
from linksight.urls.parser import Url

ENDINGS = ("nu", "lu")  # of countries, and a fifth to two thirds of their listings are Dutch
FEATURES = [feature for ending in ENDINGS for feature in (f"t:{ending}", f"d:{ending}/0", f"d:{ending}/1")]


def told() -> tuple[list[str], np.ndarray]:
    """Listings under these endings, and which of them are Dutch."""
    rows = learnt(DATA).sample(frac=1, random_state=0).drop_duplicates(["domain", "dutch"])
    texts = [Url.parse(url).text for url in rows.url]
    texts = [text if text.partition("/")[2] else text.removesuffix("/") for text in texts]
    under = np.array([ending_of(text) in ENDINGS for text in texts])
    return [text for text, kept in zip(texts, under, strict=True) if kept], rows.dutch.to_numpy()[under]


def lesson(calibration: Calibration, plain: Scorer) -> Lesson:
    """What the listings are to be taken for."""
    texts, dutch = told()
    page = np.array(["/" in text for text in texts], int)
    scores = plain.score([f"http://{text}" for text in texts])
    targets = calibration.probabilities(calibration.logits(scores, page))
    column = plain.languages.index("nl")
    print(
        f"{len(texts)} listings, {dutch.sum()} of them Dutch; held for Dutch {targets[:, column].sum():.0f}"
    )
    targets[:, column] = 0
    targets /= targets.sum(1, keepdims=True)
    targets[dutch] = np.eye(len(plain.languages), dtype=targets.dtype)[column]
    return Lesson.of(texts, targets, np.ones(len(texts)), FEATURES)


def main() -> None:
    work, out = folders(__doc__)
    weights = Weights.read(work)
    table = weights.table
    calibration, plain = on_dev(table, weights.languages)
    rows = weights.rows(FEATURES)
    weights.replace(rows, fitted(table, calibration, plain, [lesson(calibration, plain)], rows.values))
    weights.write(out)


if __name__ == "__main__":
    main()
