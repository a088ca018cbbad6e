"""State restore: a worker learns from stored pages, of earlier runs and of other workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from linksight.crawl.frontier import sql_schema
from linksight.crawl.urls.near_duplicates import as_unsigned
from linksight.url_model.site_prior import logit

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from linksight.crawl.scoring.link_scorer import Judge

MAX_PAGES = 200_000  #: per look; the first look takes the latest pages


class Recollection:
    """Feeds the link scorer with pages that other workers or earlier runs fetched."""

    def __init__(self, engine: Engine, worker: str, judge: Judge) -> None:
        self.engine, self.worker, self.judge = engine, worker, judge
        self._last_page = 0

    def look(self) -> None:
        """Learn from the pages that were stored since the last look."""
        p = sql_schema.pages.c
        query = select(p.id, p.url, p.language, p.worker, p.predicted, p.host, p.simhash, p.duplicate).where(
            p.id > self._last_page
        )
        with self.engine.connect() as connection:
            if not self._last_page:
                latest = query.order_by(p.id.desc()).limit(MAX_PAGES)
                rows = list(reversed(connection.execute(latest).all()))
            else:
                rows = list(connection.execute(query.order_by(p.id).limit(MAX_PAGES)).all())
        for row in rows:
            if row.worker == self.worker:
                continue
            self.judge.novelty.observe(row.url, as_unsigned(row.simhash))
            if not row.duplicate:
                predicted = None if row.predicted is None else logit(row.predicted)
                self.judge.observe(row.url, row.language, predicted)
        self._last_page = rows[-1].id if rows else self._last_page
