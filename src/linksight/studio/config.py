"""Everything the studio can be told, in one place."""

from __future__ import annotations

import ipaddress
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from linksight.errors import BadConfig
from linksight.system.database import store_url

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to serve.

    >>> Settings().is_local, Settings(host="0.0.0.0", token="long-enough").is_local
    (True, False)
    """

    host: str = "127.0.0.1"  #: the address to listen at
    port: int = 8765  #: the port; 0: any that is free
    token: str = ""  #: demanded of every visitor where it is set; must be set on any address but loopback
    names: tuple[str, ...] = ()  #: more host names by which visitors may call the studio
    data_dir: Path = Path("linksight-studio")  #: runs, crawls, reports and the workbench, unless elsewhere
    store: str = ""  #: the workbench: a SQLite file or postgresql:// URL; in the data folder if not given
    reports: Path | None = None  #: lab reports; in the data folder if not given
    allow_private: bool = False  #: fetch from loopback and private networks on behalf of visitors
    max_body: int = 64 << 20  #: bytes of one request
    max_upload: int = 512 << 20  #: bytes of a file of URLs, a WARC or a CDX
    max_page: int = 5 << 20  #: bytes of one page
    max_urls: int = 1_000_000  #: URLs of one batch or file
    rate: float = 0.0  #: requests a second and visitor, in the long run; 0: no limit
    burst: int = 0  #: requests that a visitor may make at once; 0: four seconds' worth, and 20 at least
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)  #: signs cookies

    def __post_init__(self) -> None:
        if not self.is_local and len(self.token) < 8:
            raise BadConfig(
                f"{self.host}: others can reach this address, so a token of 8 characters or more is needed"
            )
        store_url(self.workbench)  # what is wrong with it is said before the first visitor comes
        if not 0 <= self.port <= 65_535:
            raise BadConfig(f"port: 0 to 65535, not {self.port}")

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the studio."""
        return is_loopback(self.host)

    @property
    def workbench(self) -> str:
        """Where the workbench is."""
        return self.store or str(self.data_dir / "sites.db")

    @property
    def reports_dir(self) -> Path:
        """Where lab reports are looked for."""
        return self.reports or self.data_dir / "reports"


def is_loopback(host: str) -> bool:
    """Whether a host is this machine and nothing else.

    >>> is_loopback("localhost"), is_loopback("127.0.0.2"), is_loopback("0.0.0.0"), is_loopback("a.org")
    (True, True, False, False)
    """
    if host in LOOPBACK_NAMES:
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
