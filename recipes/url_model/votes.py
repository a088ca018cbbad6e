"""What the sources of ``urls/train.parquet`` say of sites.

Each source has one vote, divided among the languages that it names, and the model's own word counts as one more. What the
votes are worth is tried on sites that several sources name, one of them kept back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from lessons import DATA
from package import find_or_keep

from linksight.url_model.model import Scorer

WORTH = np.array([np.nan, 1.0, 0.6, 0.3])  # of a source's vote, by its trust
OWN = 0.8  # of the model's own word
AGREED = 0.7  # share of the votes that one language has: sites in many languages are left alone
LEAST = 0.9  # votes from which a site is known: one of people's, or a list's and a weak one
#: Sources that are one and the same list.
SAME = {"odp_utcid_en_policyurls": "odp_utcid_en_hosts"}


def labelled(languages: Sequence[str]) -> pd.DataFrame:
    """The rows of ``urls/train.parquet`` in languages of the model, but for sites under two endings and for shared ones.

    The language of ``name.blogspot.com`` is not that of ``blogspot.com``.
    """
    columns = ["url", "domain", "language", "source", "trust"]
    rows = pq.read_table(DATA / "urls/train.parquet", columns=columns).to_pandas()
    codes = {label: find_or_keep(label) for label in set(rows.language.astype(str))}
    rows["language"] = rows.language.astype(str).map(codes)
    rows["source"] = rows.source.astype(str).replace(SAME)
    shared = {".".join(name.split(".")[-2:]) for name in set(rows.domain) if name.count(".") > 1}
    alone = (rows.domain.str.count(r"\.") == 1) & ~rows.domain.isin(shared)
    return rows[alone & rows.language.isin(languages)]


@dataclass(frozen=True)
class Votes:
    """What sources say of sites: one row a site, source and language."""

    table: pd.DataFrame  #: site, source, language (its position), vote

    @classmethod
    def counted(cls, rows: pd.DataFrame, known: Sequence[str]) -> Votes:
        """One vote a source and site, divided among the languages that it names."""
        number = {code: i for i, code in enumerate(known)}
        by_source = rows.groupby(["domain", "source"])
        share = WORTH[by_source.trust.transform("min")] / by_source.trust.transform("size")
        votes = pd.DataFrame(
            {"site": rows.domain, "source": rows.source, "language": rows.language.map(number), "vote": share}
        )
        return cls(votes.groupby(["site", "source", "language"], as_index=False).vote.sum())

    def of(self, sites: Sequence[str], own: np.ndarray) -> np.ndarray:
        """What to believe of sites, where ``own`` is the model's word: one row of shares each."""
        number = {name: i for i, name in enumerate(sites)}
        votes = self.table[self.table.site.isin(number)]
        total = OWN * own.astype(float)
        np.add.at(
            total, (votes.site.map(number).to_numpy(), votes.language.to_numpy()), votes.vote.to_numpy()
        )
        return (total / total.sum(1, keepdims=True)).astype(np.float32)

    def known(self) -> pd.Series:
        """Sites of which enough is said, and in one voice; and how much."""
        total = self.table.groupby("site").vote.sum()
        most = self.table.groupby(["site", "language"]).vote.sum().groupby("site").max()
        return total[(total >= LEAST) & (most >= AGREED * total)]

    def without_one(self, rng: np.random.Generator) -> tuple[Votes, pd.DataFrame]:
        """The votes but for one of people's of each site that others name as well, and what those said."""
        several = self.table[self.table.groupby("site").source.transform("nunique") > 1]
        people = several[several.vote.groupby([several.site, several.source]).transform("sum") > WORTH[2]]
        chosen = people.sample(frac=1, random_state=rng).drop_duplicates("site").set_index("site").source
        kept_back = self.table.source == self.table.site.map(chosen)
        said = self.table[kept_back].sort_values("vote").drop_duplicates("site", keep="last")
        return Votes(self.table[~kept_back]), said


def home_chances(scorer: Scorer, sites: Sequence[str]) -> np.ndarray:
    """What the model makes of home pages."""
    return np.concatenate(
        [
            scorer.predict_proba([f"http://{name}/" for name in sites[i : i + 100_000]])
            for i in range(0, len(sites), 100_000)
        ]
    )


def tried(votes: Votes, scorer: Scorer) -> None:
    """Prints how often a source that was kept back is met, by the model alone and with the votes of the others."""
    rest, said = votes.without_one(np.random.default_rng(0))
    sites = said.site.tolist()
    own = home_chances(scorer, sites)
    true = said.language.to_numpy()
    both = rest.of(sites, own)
    print(
        f"{len(sites):,} sites that several sources name, one of people's kept back: "
        f"alone {(own.argmax(1) == true).mean():.3f}, with votes {(both.argmax(1) == true).mean():.3f}"
    )
