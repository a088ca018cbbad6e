"""The default strategy without what further sites say of a URL: how much of its harvest is owed to that.

    linksight crawl replay --strategies adaptive,recipes/crawl_one_referrer.py:OneReferrer --language nl

In a built web links are drawn by themselves; on the real one pages copy each other's. So what several
sites say is worth more in a replay than outside.
"""

from __future__ import annotations

from dataclasses import dataclass

from linksight.crawl.scoring.strategies import Adaptive


@dataclass(frozen=True)
class OneReferrer(Adaptive):
    """Hears the page that a link is on, and no others."""

    further: float = 0.0
