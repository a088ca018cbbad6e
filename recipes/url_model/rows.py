"""Labelled URLs as training needs them: texts, languages, weights by trust, domains.

    python recipes/url_model/rows.py WORK

Writes WORK/rows.xz (one text a line) and WORK/rows.npz. Sets are ``train`` (all that is learnt from), ``dev``, ``pages``
(``pages_dev``), ``dutch`` (listings that are not Dutch, learnt from) and ``listings`` (those that judge).
"""

from __future__ import annotations

import lzma
import os
import sys
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
from figures import fold_of
from resources import code_of

from linksight.errors import BadUrl
from linksight.urls.parser import Url

DATA = Path(os.environ.get("LINKSIGHT_DATA", "../shared/data"))
WRITTEN = Path(__file__).parent / "written_urls.tsv"
WEAK_CAP = 2_000  # hosts of one language that only popularity by country labels
SOURCE_CAP = 60_000  # rows of one source and language
DOMAIN_CAP = 20
#: Countries where many popular sites are in English or Russian: their weak rows count under national endings alone.
SHARED = {
    "bn",
    "ne",
    "si",
    "am",
    "my",
    "km",
    "lo",
    "uz",
    "kk",
    "ky",
    "az",
    "hy",
    "be",
    "uk",
    "ka",
    "mn",
    "dv",
    "so",
    "sw",
    "ms",
    "hi",
    "ta",
    "ur",
    "tl",
    "is",
    "mt",
    "ga",
    "cy",
    "af",
    "et",
    "lv",
    "sq",
    "mk",
    "bs",
}
GLOBAL = frozenset(
    "com org net info biz io co me tv cc xyz online site app dev top club live pro in pk lk ng ke za ph sg my ie".split()
)


def text_of(url: str) -> str:
    try:
        return Url.parse(url).text.replace("\n", " ")
    except BadUrl:
        return ""


def training_rows() -> pd.DataFrame:
    train = pd.read_parquet(DATA / "urls/train.parquet")
    train["source"], train["kind"] = train.source.astype(str), train.kind.astype(str)
    train["language"] = train.language.astype(str)
    train = train[train.source != "odp_utcid_en_policyurls"]
    train = train[~train.domain.isin(set(pd.read_parquet(DATA / "urls/train_conflicts.parquet").domain))]
    extra = pd.read_parquet(DATA / "urls/extra.parquet").astype({"source": str, "kind": str, "language": str})
    pages = pd.read_parquet(DATA / "urls/pages_train.parquet")
    pages = pages[pages.sure == 1].assign(source="pages_train", kind="page", trust=0, strength="read")
    lines = [line.split("\t") for line in WRITTEN.read_text("utf-8").splitlines()]
    written = pd.DataFrame(lines, columns=["language", "url"]).assign(source="written", kind="page", trust=0)
    written["domain"] = [text_of(url).partition("/")[0].removeprefix("www.") for url in written.url]
    table = pd.concat([pages, written, extra, train])[
        ["url", "language", "source", "kind", "domain", "trust"]
    ]
    table["language"] = table.language.map({label: code_of(label) for label in set(table.language)})
    table = table[table.language != ""].sample(frac=1, random_state=0)
    ending = table.domain.str.rpartition(".")[2]
    weak = (table.trust == 3) & (table.kind == "host")
    foreign = weak & table.language.isin(SHARED) & ending.isin(GLOBAL)
    table = table[~foreign]
    order = table.groupby(["language", "source", "kind"]).cumcount()
    cap = np.where((table.trust == 3) & (table.kind == "host"), WEAK_CAP, SOURCE_CAP)
    table = table[order < cap]
    table = table[table.groupby("domain").cumcount() < DOMAIN_CAP]
    return table.sort_values(["domain", "url"])


def main() -> None:
    work = Path(sys.argv[1])
    train = training_rows().assign(set="train")
    dev = pd.read_parquet(DATA / "urls/dev.parquet").assign(set="dev").astype({"source": str, "kind": str})
    pages = pd.read_parquet(DATA / "urls/pages_dev.parquet").assign(
        set="pages", source="pages_dev", kind="page", trust=0
    )
    dutch = pd.read_parquet(DATA / "urls/dutch.parquet").assign(source="odp", trust=1)
    held = dutch.domain.map({d: zlib.crc32(d.encode()) for d in set(dutch.domain)}) % 5 == 0
    learnt = dutch[(~dutch.dutch.astype(bool)) & ~held & ~dutch.domain.isin(set(dev.domain))].assign(
        set="dutch", language=""
    )
    listings = dutch[held & ~dutch.domain.isin(set(train.domain))].sample(6000, random_state=0)
    listings = listings.assign(set="listings", language=np.where(listings.dutch.astype(bool), "nl", ""))
    train = train[~train.domain.isin(set(dev.domain) | set(pages[~pages.seen].domain) | set(listings.domain))]
    table = pd.concat([train, dev, pages, learnt, listings])
    labels = {label: code_of(str(label)) if label else "" for label in set(table.language)}
    table["text"] = [text_of(url) for url in table.url]
    table = table[table.text != ""]
    data = "\n".join(table.text).encode("utf-8", "replace")
    (work / "rows.xz").write_bytes(lzma.compress(data, preset=4))
    domains = np.unique(table.domain.astype(str), return_inverse=True)[1]
    np.savez_compressed(
        work / "rows.npz", language=table.language.map(labels).to_numpy(str), set=table.set.to_numpy(str),
        source=table.source.astype(str).to_numpy(str), trust=table.trust.to_numpy(np.int8), domain=domains.astype(np.int32),
        page=np.array(["/" in text and text.partition("/")[2] != "" for text in table.text]),
        seen=table.seen.fillna(False).to_numpy(bool), sure=table.sure.fillna(1).to_numpy(np.int8),
        fold=np.array([fold_of(domain) for domain in table.domain.astype(str)], np.uint8),
    )  # fmt: skip
    print(table.groupby("set").size(), train.groupby(["trust", "kind"]).size())


if __name__ == "__main__":
    main()
