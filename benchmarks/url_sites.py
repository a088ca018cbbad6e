"""How often sites that training saw are known: by the share of the sources' word that the model gives back.

    python benchmarks/url_sites.py [--model FILE]

Sites of ``urls/train.parquet`` (``LINKSIGHT_DATA``) that several sources name, all in one language; asked for are the
home page and a plain page. This is memory, not judgement: what the model makes of domains that it never saw is in
docs/model-card.md.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq

import linksight
from linksight.url_model.model import UrlLanguageModel

SEVERAL = (2, 3, 5, 8)  # sources
PLACES = ("", "page/12345", "index.php?id=12")


def named_alike(data: Path, model: UrlLanguageModel) -> pd.DataFrame:
    """Sites of one language by all their sources: ``language``, ``sources``."""
    rows = pq.read_table(data / "urls/train.parquet", columns=["domain", "language", "source"]).to_pandas()
    # Two sources are one list, once its hosts and once its pages.
    rows["source"] = rows.source.astype(str).str.replace("odp_utcid_en_policyurls", "odp_utcid_en_hosts")
    found = rows.astype(str).groupby("domain").agg({"language": ["nunique", "first"], "source": "nunique"})
    found.columns = ["languages", "language", "sources"]
    alike = (found.languages == 1) & (found.sources >= SEVERAL[0]) & found.language.isin(model.languages)
    return found[alike & (found.index.str.count(r"\.") == 1)]


def known(model: UrlLanguageModel, sites: pd.DataFrame, place: str = "") -> pd.Series:
    """Which sites' addresses are answered with their language."""
    answers = model.predict([f"https://{site}/{place}" for site in sites.index])
    return pd.Series(answers, sites.index).astype(str) == sites.language


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path)
    asked = parser.parse_args()
    model = linksight.load(asked.model) if asked.model else linksight.load()
    sites = named_alike(Path(os.environ.get("LINKSIGHT_DATA", "../shared/data")), model)
    right = {place: known(model, sites, place) for place in PLACES}
    print("| sources | sites |", " | ".join(f"`/{place}`" for place in PLACES), "|")
    print("|---|---|" + "---|" * len(PLACES))
    for least in SEVERAL:
        some = sites.sources >= least
        shares = " | ".join(f"{right[place][some].mean():.3f}" for place in PLACES)
        print(f"| {least} or more | {some.sum():,} | {shares} |")


if __name__ == "__main__":
    main()
