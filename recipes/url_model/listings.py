"""Directory listings of domains that training never saw: what a Dutch filter should let through, and what not."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq


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
