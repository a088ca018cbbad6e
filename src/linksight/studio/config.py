"""The settings of the studio."""

from __future__ import annotations

import ipaddress
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from linksight.errors import BadConfig
from linksight.system.database import store_url

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
MIN_TOKEN_CHARACTERS = 16
DEFAULT_RATE = 50.0  #: requests a second and visitor where others can reach the studio


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to serve.

    >>> Settings().is_local, Settings(host="0.0.0.0", token="long-enough-token").is_local
    (True, False)
    >>> Settings(behind_proxy=True, token="long-enough-token").is_local
    False
    """

    host: str = "127.0.0.1"  #: the address to listen at
    port: int = 8765  #: the port; 0: any free port
    token: str = ""  #: required of every visitor; needed unless the studio is local
    names: tuple[str, ...] = ()  #: more host names by which visitors may call the studio
    behind_proxy: bool = False  #: a TLS proxy forwards requests; its X-Forwarded headers are trusted
    cors_origins: tuple[str, ...] = ()  #: origins whose pages may call the API
    data_dir: Path = Path("linksight-studio")  #: runs, crawls, reports, jobs and the default workbench
    store: str = ""  #: the workbench: a SQLite file or postgresql:// URL; in the data folder by default
    reports: Path | None = None  #: lab reports; in the data folder by default
    allow_private: bool = False  #: fetch from loopback and private networks on behalf of visitors
    max_body: int = 64 << 20  #: bytes of one request
    max_upload: int = 512 << 20  #: bytes of a file of URLs, a WARC or a CDX
    max_page: int = 5 << 20  #: bytes of one page
    max_urls: int = 1_000_000  #: URLs of one batch or file
    max_decoded: int = 512 << 20  #: bytes of an uploaded table once it is decoded
    max_runs_bytes: int = 4 << 30  #: disk space of all URL lists; the oldest lists make room
    rate: float = 0.0  #: requests a second and visitor, in the long run; 0: no limit
    burst: int = 0  #: requests that a visitor may send at once; 0: four seconds' worth, at least 20
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)  #: signs cookies

    def __post_init__(self) -> None:
        if self.token and len(self.token) < MIN_TOKEN_CHARACTERS:
            raise BadConfig(
                f"the token needs {MIN_TOKEN_CHARACTERS} characters or more, not {len(self.token)}"
            )
        if not self.is_local and not self.token:
            raise BadConfig(
                "others can reach the studio, so it needs a token: set LINKSIGHT_TOKEN or give --token-file"
            )
        store_url(self.workbench)  # reports an invalid database URL at the start
        if not 0 <= self.port <= 65_535:
            raise BadConfig(f"port: 0 to 65535, not {self.port}")

    @property
    def is_local(self) -> bool:
        """Whether only people on this machine can reach the studio: a proxy lets others in."""
        return is_loopback(self.host) and not self.behind_proxy

    @property
    def workbench(self) -> str:
        """The database URL of the workbench."""
        return self.store or str(self.data_dir / "sites.db")

    @property
    def reports_dir(self) -> Path:
        """The folder of lab reports."""
        return self.reports or self.data_dir / "reports"


def is_loopback(host: str) -> bool:
    """Whether a host name or address is a loopback.

    >>> is_loopback("localhost"), is_loopback("127.0.0.2"), is_loopback("0.0.0.0"), is_loopback("a.org")
    (True, True, False, False)
    """
    if host in LOOPBACK_NAMES:
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
