"""URL filters: media files, private hosts, out-of-scope URLs and crawler traps, by the URL alone.

Traps that only the pages show, such as lists that ended long ago, are in ``pagination_trap``.
"""

from __future__ import annotations

import re
import time
from itertools import pairwise

from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.urls.url_normalize import is_media, names_private

MAX_URL_LETTERS = 2_000  #: longer URLs are almost always generated
MAX_FOLDERS = 20  #: of a path; deeper paths are almost always generated
MAX_FIELDS = 10  #: of a query; the combinations of shop filters are endless
YEARS_AHEAD = 3  #: that calendars have entries for
_MIN_YEAR = 2026  #: the current year is at least this one, even if the clock is wrong
_YEAR = re.compile(r"(?<!\d)([1-9]\d{3})[-/](?:0?[1-9]|1[0-2])(?!\d)")
_CALENDAR = re.compile(
    r"calend[ae]r|kalender|agenda|calendri|almanac|tribe-bar-date|[?&](?:month|year|mon|yr)=", re.I
)
#: Query fields of calendars. Words that also mean something else (the Spanish "mes", a message) are left out.
_YEAR_FIELDS = "year yr jaar jahr annee ann%c3%a9e anno a%c3%b1o %c3%a5r rok vuosi".split()
_MONTH_FIELDS = "month maand monat mois mese m%c3%a5ned m%c3%a5nad miesiac kuukausi".split()
_DATE_FIELDS = "date datum day dag week fecha data dato tribe-bar-date".split()
_DATE = re.compile(r"(2[01]\d\d)[-/%]")
_MAX_MONTHS = 48  #: a larger month number is an offset from today, too far ahead for real entries


def refusal_of(url: str, config: CrawlConfig) -> str | None:
    """The reason to reject a URL before its language is predicted, or None."""
    if is_media(url) and not config.media:
        return "media"
    if names_private(url) and not config.allow_private:
        return "private-address"
    if not config.scope.allows(url):
        return "out-of-scope"
    return trap_of(url)


def trap_of(url: str) -> str | None:
    """The reason why a URL looks like a crawler trap, or None.

    >>> trap_of("http://a.nl/x/y/x/y/x/y/"), trap_of("http://a.nl/calendar/2087/05/")
    ('trap-repeating-path', 'trap-calendar')
    >>> trap_of("http://a.nl/?jaar=2087&maand=5"), trap_of("http://a.nl/?maand=5")
    ('trap-calendar', None)
    """
    if len(url) > MAX_URL_LETTERS:
        return "trap-long"
    path, _, query = url.partition("?")
    folders = path.split("/")[3:]
    if len(folders) > MAX_FOLDERS:
        return "trap-deep-path"
    # A relative link on a page with a query may grow the query instead of the path.
    if _repeats(folders) or ("/" in query and _repeats(query.split("/"))):
        return "trap-repeating-path"
    if query.count("&") >= MAX_FIELDS:
        return "trap-many-fields"
    if (_CALENDAR.search(url) and _names_far_year(url)) or (query and _is_far_off(query.lower())):
        return "trap-calendar"
    return None


def _last_year() -> int:
    return max(time.gmtime().tm_year, _MIN_YEAR) + YEARS_AHEAD


def _names_far_year(url: str) -> bool:
    years = _YEAR.findall(url.replace("&month=", "-").replace("%2F", "/"))
    return any(not 1990 <= int(year) <= _last_year() for year in years)


def _repeats(folders: list[str]) -> bool:
    if len(folders) <= 4:
        return False
    names = [folder for folder in folders if folder]
    pairs = list(pairwise(names))
    return any(names.count(name) > 3 for name in set(names)) or any(pairs.count(p) > 2 for p in set(pairs))


def _is_far_off(query: str) -> bool:
    """Whether the query fields have a date outside of any real calendar.

    >>> [_is_far_off(q) for q in ("jaar=2026&maand=5", "jaar=1850", "maand=655", "datum=2087-01-01", "month=202605")]
    [False, False, True, True, False]
    """
    fields = dict(field.partition("=")[::2] for field in query.split("&"))
    dates = (_DATE.match(fields.get(name, "")) for name in _DATE_FIELDS)
    if any(int(date[1]) > _last_year() for date in dates if date):
        return True
    month = next((fields[name] for name in _MONTH_FIELDS if name in fields), "")
    year = next((fields[name] for name in _YEAR_FIELDS if name in fields), "")
    if len(month) >= 6 and month[:4].isdecimal():  # 2026-05 or 202605
        year = month[:4]
    elif month.removeprefix("-").isdecimal() and abs(int(month)) > _MAX_MONTHS:
        return True
    return bool(month) and len(year) == 4 and year.isdecimal() and not 1990 <= int(year) <= _last_year()
