"""Directory listings of domains that training never saw: what a Dutch filter should let through, and what not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from linksight.url_model.model import UrlLanguageModel


def not_dutch(data: Path) -> list[str]:
    """One domain in five of ``urls/dutch.parquet`` (``trainer.py`` learns from the others), none of train's."""
    table = pq.read_table(data / "urls/dutch.parquet").to_pandas()
    train, dev = (
        set(pq.read_table(data / f"urls/{name}.parquet", columns=["domain"])["domain"].to_pylist())
        for name in ("train", "dev")
    )
    number = {domain: i for i, domain in enumerate(sorted(train | dev | set(table.domain)))}
    kept = ~table.dutch & ~table.domain.isin(train) & (table.domain.map(number) % 5 == 0)
    urls: list[str] = table.url[kept].tolist()
    return urls


def dutch(data: Path) -> list[str]:
    """Those that are Dutch: dev's, and two thousand more that neither train nor dev has."""
    table = pq.read_table(data / "urls/dutch.parquet").to_pandas()
    train = set(pq.read_table(data / "urls/train.parquet", columns=["domain"])["domain"].to_pylist())
    urls: list[str] = table.url[table.dutch & ~table.domain.isin(train)].tolist()
    return urls


def learnt(data: Path) -> pd.DataFrame:
    """All listings of other domains than these: ``url``, ``dutch`` and ``domain``."""
    table: pd.DataFrame = pq.read_table(data / "urls/dutch.parquet").to_pandas()
    kept = table.url.isin({*dutch(data), *not_dutch(data)})
    return table[~table.domain.isin(table.domain[kept])]


def told_apart(model: UrlLanguageModel, data: Path) -> list[tuple[float, float, float]]:
    """F1 of Dutch against the rest on listings of domains never seen, with recall and false hits.

    First where Dutch is the likeliest language, then where it is likelier than all others together.
    """
    nl = model.languages.index("nl")
    others, own = model.predict_proba(not_dutch(data)), model.predict_proba(dutch(data))
    share = np.mean(pq.read_table(data / "urls/dutch.parquet", columns=["dutch"])["dutch"].to_numpy())
    found = []
    for recall, false in (
        (np.mean(own.argmax(1) == nl), np.mean(others.argmax(1) == nl)),
        (np.mean(own[:, nl] > 0.5), np.mean(others[:, nl] > 0.5)),
    ):
        precision = share * recall / (share * recall + (1 - share) * false)
        found.append((2 * precision * recall / (precision + recall), recall, false))
    return found
