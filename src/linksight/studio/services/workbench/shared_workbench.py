"""The workbench of the studio: opened once, at its first use."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from linksight.studio.config import Settings

if TYPE_CHECKING:
    from linksight.sites.workbench.workbench import Workbench


class SharedWorkbench:
    """Opens the workbench when it is first asked for; its engine is shared by all threads."""

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
        """Let go of the database."""
        with self._lock:
            if self._bench is not None:
                self._bench.close()
                self._bench = None
