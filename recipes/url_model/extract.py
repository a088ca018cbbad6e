"""URL texts as rows of hashed features."""

from __future__ import annotations

from collections.abc import Container

import numpy as np

from linksight.features.feature_hash import fnv1a
from linksight.features.url_features import evidence

MOST = 400  # features of a group: what follows says nothing new
HINT, HOST, PATH, SITE = range(4)
#: Structural features that a made-up URL has: its host has no length, digits or hyphens to learn from.
MADE_UP = frozenset("tdkqlrbcxefhz")


def hashed(job: tuple[list[str], Container[str] | None]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Feature hashes, their groups and how many each row has; of made-up URLs with the sites that are real."""
    texts, sites = job
    hashes, groups, counts, known = [], [], [], {}
    for text in texts:
        hints, host, path = evidence(text)
        if sites is not None:
            hints = [name for name in hints if name[0] in MADE_UP or (name[0] == "s" and name[2:] in sites)]
        one_dot = text.removeprefix("www.").partition("/")[0].count(".") == 1
        before = len(hashes)
        for group, names in enumerate((hints, host, path)):
            for name in names[:MOST]:
                if (value := known.get(name)) is None:
                    value = known[name] = fnv1a(name)
                hashes.append(value)
                groups.append(SITE if group == HINT and name[0] == "s" and one_dot else group)
        counts.append(len(hashes) - before)
    return np.array(hashes, np.uint64).view(np.int64), np.array(groups, np.uint8), np.array(counts, np.int32)
