"""The workbench of the studio: opened once, at its first use."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from linksight.errors import BadData
from linksight.studio.config import Settings

if TYPE_CHECKING:
    from linksight.sites.patterns.pattern import PatternSet
    from linksight.sites.workbench.workbench import Workbench


def patterns_of(bench: Workbench, site: int) -> PatternSet:
    """The patterns of a site; an empty set before learning."""
    from linksight.sites.patterns.pattern import PatternSet

    try:
        return bench.patterns(site)
    except BadData:
        return PatternSet(())


class SharedWorkbench:
    """Opens the workbench at its first use; all threads share its engine."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._bench: Workbench | None = None
        self._lock = threading.Lock()

    def open(self) -> Workbench:
        """The workbench."""
        from linksight.sites.workbench.workbench import Workbench

        with self._lock:
            if self._bench is None:
                where = self.settings.workbench
                if "://" not in where:
                    Path(where).parent.mkdir(parents=True, exist_ok=True)
                self._bench = Workbench(where)
            return self._bench

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            if self._bench is not None:
                self._bench.close()
                self._bench = None
