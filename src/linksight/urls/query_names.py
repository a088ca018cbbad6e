"""Query parameters with a usual purpose: sessions and tracking, view options, actions, searches.

The crawler and the pattern learner drop sessions and tracking; the learner uses the other lists as hints.
"""

from __future__ import annotations

import re
from functools import lru_cache

#: Fields that name a visit or where a visitor came from, never a page.
_VISITS = (
    r"utm_\w+|fbclid|gclid|gbraid|wbraid|yclid|dclid|msclkid|mc_[ce]id|igshid|_ga|_gl|_hsenc|_hsmi|mkt_tok|iref|"
    r"ref_src|phpsessid|jsessionid|aspsessionid\w*|asp\.net_sessionid|cfid|cftoken|zenid|oscsid"
)
#: Some of these are also names of stories and meetings (``article.php?sid=611``): a visit has a long number, or none.
_SESSIONS = "sessionid|session_id|sid"

#: Visits in a query, one by one, with the separator before them.
VISIT_FIELDS = re.compile(
    rf"(?:^|&)(?:(?:{_VISITS})=[^&]*|(?:{_SESSIONS})=(?:[\w,.-]{{16,}})?(?=&|$))", re.IGNORECASE
)
#: Visits in a path.
PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/?;]*|/\(S\([a-z0-9]{20,}\)\)", re.IGNORECASE)

#: How a list is shown: another order, page, size or selection of the same things.
OPTIONS = frozenset(
    "sort sortby sort_by orderby order order_by dir direction asc desc page paged pg pageno page_no pagenumber start offset "
    "ofs from skip limit size pagesize page_size per_page perpage rows count num n max next prev before after cursor facet "
    "facets filter filters color colour price min_price max_price theme style skin print display layout lang language hl "
    "locale highlight hilit replytocom showcomment comment comments format output pp since until columns fields expand "
    "collapse random nocache v ver version cb ts timestamp date year month day view_mode grid tz unit currency".split()
)
#: What a script does: each value is another kind of page.
ACTIONS = frozenset(
    "action act do op cmd task mode route module mod controller type tab what show func".split()
)
#: The words of a search.
SEARCHES = frozenset(
    "q query s search keyword keywords searchterm searchtext search_query term text wd".split()
)
#: Where a visitor is sent afterwards.
RETURNS = frozenset(
    "next redirect redirect_to redirect_uri return returnto return_to returnurl return_url back back_url backurl goto "
    "continue came_from referer referrer destination dest target url uri u_return service".split()
)

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


@lru_cache(maxsize=4096)
def purpose_of(name: str) -> str:
    """What a parameter is for by its name: ``option``, ``action``, ``search``, ``return``, or nothing.

    >>> purpose_of("_sort_desc"), purpose_of("entityType"), purpose_of("q"), purpose_of("id"), purpose_of("back_url")
    ('option', 'action', 'search', '', 'return')
    """
    plain = name.strip("_[]$").lower()
    words = [word.lower() for word in _WORD.findall(name)]
    for known, purpose in (
        (RETURNS, "return"),
        (SEARCHES, "search"),
        (ACTIONS, "action"),
        (OPTIONS, "option"),
    ):
        if plain in known:
            return purpose
    if words and (
        words[0] in {"sort", "order", "page", "facet", "filter"} or words[-1] in {"page", "sort", "order"}
    ):
        return "option"
    return "action" if words and words[-1] in {"type", "action", "mode", "op"} else ""
