"""Messages for fetch errors and skipped links."""

from __future__ import annotations

REASONS = {
    "robots": "robots.txt forbids it",
    "robots-unreadable": "robots.txt cannot be read (a server error), which forbids everything for now",
    "private-address": "an address of a private network; allow it on purpose (--allow-private)",
    "timeout": "no answer in time",
    "no-answer": "no connection",
    "unknown-host": "no such host",
    "bad-certificate": "its certificate is not valid",
    "bad-answer": "an answer that is no HTTP",
    "bad-url": "not a web address",
    "too-many-redirects": "it redirects in circles",
    "not-html": "the answer is no HTML page",
    "login-wall": "a login wall",
    "filter": "it only filters a short list",
    "empty": "it shows what a search without results shows",
    "scheme": "no address of the web (mailto:, javascript: and the like)",
    "no-host": "an address without a host",
    "file": "a file, no page",
    "off-site": "of another site",
    "too-long": "longer than an address may be",
    "http-401": "a login wall (status 401)",
    "http-403": "the server refuses (status 403)",
    "http-429": "too many requests for the server (status 429): use a longer delay",
}


def reason_of(problem: str) -> str:
    """The message for a problem."""
    return REASONS.get(problem) or problem.replace("http-", "the server answered with status ")
