"""Query parameters of a request: unknown ones and repeated ones are errors, except for lists."""

from __future__ import annotations

from fastapi import Request

from linksight.errors import BadData

LISTS = ("languages", "rates")  #: may be repeated, as clients send lists


def check_query(request: Request, *known: str) -> None:
    """Refuse unknown and repeated parameters instead of ignoring them."""
    query = request.query_params
    if unknown := query.keys() - set(known):
        where = "parameters belong in the body" if request.method == "POST" else "there are none"
        hint = f"known: {', '.join(known)}" if known else where
        raise BadData(f"unknown parameter {min(unknown)[:80]!r}; {hint}")
    for name in known:
        if name not in LISTS and (n_values := len(query.getlist(name))) > 1:
            raise BadData(f"{name}: given {n_values} times; give it once")


def settings_of(request: Request, *others: str) -> tuple[str, str]:
    """Languages and base rates of the query; other parameters than these and ``others`` are errors."""
    check_query(request, *others, *LISTS)
    languages, rates = (",".join(request.query_params.getlist(name)) for name in LISTS)
    return languages, rates
