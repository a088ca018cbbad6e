"""Hosting countries of many URLs: looked up once and stored in chunks, or a reason why not."""

from __future__ import annotations

import csv
import io
import os
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from linksight.errors import BadConfig, BadData
from linksight.features.geo import HostingCountries
from linksight.features.url_buffer import parsed
from linksight.lab.papers.fold_cache import Ledger
from linksight.system.atomic_write import write_whole

NO_DATABASE = (
    "Not run: the country of a server needs DNS look-ups and a database from address to country. "
    "Give a database with --hosting FILE.mmdb on a machine with a network, or the hosts.csv of such a run."
)
_N_PROBED_HOSTS = 40  # hosts that are looked up before a run of hours
_CHUNK_HOSTS = 10_000


def open_hosting(
    path: Path | None, nameservers: Sequence[str], urls: Sequence[str]
) -> tuple[HostingCountries | None, str]:
    """The countries of hosts, or None and the reason, which the report gives instead of figures."""
    if path is None:
        return None, NO_DATABASE
    if not path.exists():
        raise BadConfig(f"{path}: no such file")
    hosts = hosts_of(urls)
    if path.suffix == ".csv":
        recorded = RecordedCountries(path)
        known = sum(country is not None for country in recorded.countries(hosts))
        return (
            (recorded, "")
            if known
            else (None, f"Not run: {path.name} has no country for any of {len(hosts):,} hosts.")
        )
    hosting = HostingCountries(path, nameservers=nameservers, cache_size=len(hosts) + 1)
    probed = random.Random(0).sample(hosts, min(_N_PROBED_HOSTS, len(hosts)))
    if any(country is not None for country in hosting.countries(probed)):
        return hosting, ""
    why = ", ".join(f"{problem}: {n}" for problem, n in hosting.problems.most_common())
    return None, f"Not run: of {len(probed)} hosts not one could be looked up ({why}). Is there a network?"


class RecordedCountries(HostingCountries):
    """Countries of hosts from a file of earlier look-ups (columns host, country): offline and reproducible."""

    def __init__(self, database: str | os.PathLike[str], **options: Any) -> None:
        try:
            with Path(database).open(encoding="utf-8", newline="") as file:
                rows = csv.DictReader(file)
                if not {"host", "country"} <= set(rows.fieldnames or ()):
                    raise BadData(f"{database}: recorded look-ups need the columns host and country")
                found = {row["host"]: (row["country"] or "").strip().lower() or None for row in rows}
        except (OSError, UnicodeError, csv.Error) as error:
            raise BadData(f"{database}: cannot be read as recorded look-ups ({error})") from error
        super().__init__(database, **options | {"cache_size": len(found) + 1, "trusted": False})
        self.remember(found)

    def _open(self) -> None:
        """Nothing: neither a database nor a name server is needed."""

    def _look_up(self, host: str) -> str | None:
        self._count("not in the file")
        return None


def write_hosts(path: Path, hosting: HostingCountries, urls: Sequence[str]) -> None:
    """Record the look-ups of a run, for ``--hosting`` on another machine."""
    hosts = hosts_of(urls)
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(("host", "country"))
    rows.writerows(zip(hosts, hosting.countries(hosts), strict=True))
    write_whole(path, text.getvalue())


def look_up(
    hosting: HostingCountries, urls: Sequence[str], ledger: Ledger, step: Callable[[float, float, str], None]
) -> None:
    """Look up every host in chunks; stored chunks are not looked up again."""
    hosts = hosts_of(urls)
    for start in range(0, len(hosts), _CHUNK_HOSTS):
        piece = hosts[start : start + _CHUNK_HOSTS]
        key = f"hosting_{start}"
        if ledger.get(key) is None:
            ledger.keep(key, hosting.countries(piece))
        hosting.remember(dict(zip(piece, ledger.get(key), strict=True)))
        step(min(start + _CHUNK_HOSTS, len(hosts)), len(hosts), "looking up hosts")


def hosts_of(urls: Sequence[str]) -> list[str]:
    """The hosts of URLs, each once, in order."""
    return list(dict.fromkeys(url.host for url in parsed(urls) if url is not None))
