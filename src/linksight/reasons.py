"""Reason texts for rows and pages without an answer.

Those of a crawl's decisions are beside the crawl (:data:`linksight.crawl.report.explain.REASONS`) and those of
gathering a site beside that (:data:`linksight.sites.gathering.fetch_errors.REASONS`). Tests compare them with answers.
"""

from __future__ import annotations

EMPTY, NOT_TEXT = "empty", "not text"
UNCLOSED = "quotation mark not closed"
BAD_ENCODING = "not in its encoding"

#: Why an address cannot be used: the column ``problem`` of a list, the reason of :class:`BadUrl`. N is a number.
URLS = {
    "empty": "The value is missing (null, NaN), or only spaces.",
    "not text": "The value is a number, or bytes that are not UTF-8. In Python also bytes outside a column of bytes, and a missing"
    " value where a function takes one URL.",
    "not a web address": "It has no scheme and does not begin with a host name.",
    "not a web address (SCHEME:)": "Its scheme is another one, such as `mailto:` or `javascript:`.",
    "an e-mail address": "It has no scheme and no path, but a name and `@` before the host.",
    "no host": "There is a scheme, but no host behind it.",
    "bad host name": "The host has characters, or a length, that no host name can have.",
    "bad port": "The text after the host's colon is not a port.",
    "bad IPv4 address": "The host consists of numbers, but is not a valid address.",
    "bad IPv6 address": "The brackets hold no valid IPv6 address.",
    "longer than N characters": "Longer than any browser or server would take.",
    "more than N tokens": "Patterns of sites: more parts between separators than any real address has.",
}

#: Why a row of a list cannot be used, whatever its address: also in the column ``problem``. N is a number.
ROWS = {
    "wrong number of fields (row N: N instead of N)": "CSV: more or fewer fields than the header has. The header is row"
    " 1, empty lines are not counted. What is there is kept; what is too much stays in the last column.",
    "quotation mark not closed (N lines)": "CSV: a quotation mark before the first URL joins several lines with a URL each."
    " They are kept in this one row.",
    "not in its encoding": "Bytes that the encoding of the text lacks (UTF-8, or that of `--encoding`); they became U+FFFD.",
    "not a JSON object": "JSON lines: the line is something else; it is kept as `line`.",
    "not JSON": "`--stream`: the line begins like JSON and is not JSON; it is given back as `line`.",
    "line longer than N bytes": "`/v1/detect/stream`: its first 1,000 are given back as `line`.",
    "no url field": "`--stream`: the object has no `url`, or no field of the name given with `--column`.",
}

#: Why a page has no language: ``PageLabel.reason``, for ``und`` (undetermined) and ``zxx`` (no language).
PAGES = {
    "empty": "`und`: no bytes, or only spaces.",
    "too little text": "`und`: fewer letters than `min_letters`.",
    "no known language": "`und`: letters of a script that no model knows, or words of no known language.",
    "no letters": "`zxx`: not one letter of any script.",
    "no language: numbers and signs": "`zxx`: hardly any letters among digits and punctuation.",
    "no language: code or addresses": "`zxx`: program code, keys or lists of addresses.",
    "no language: code or data": "`zxx`: more signs and digits than prose has, and words of no language.",
    "no language: names": "`zxx`: a list of names.",
    "no language: letters that make no words": "`zxx`: letters in an order that no language has.",
    "binary: control characters": "`zxx`: more control characters than any text has.",
    "binary: KIND": "`zxx`: the first bytes are those of an image, archive, program or document of that kind.",
    "gzip data, damaged": "`zxx`: packed, and it cannot be unpacked.",
    "no trigram is known": "`und`, method chew2011: the page shares no trigram with any trained language.",
    "unable to detect": "`und`, method chew2011: the best match rate is too low to name a language.",
}

#: The evidence for a decision of a crawl: the names in ``Decision.evidence``, each in log-odds of the target language.
EVIDENCE = {
    "model": "the URL model",
    "referrer": "the language of the page that links to it",
    "anchor": "the words of the link",
    "hreflang": "the language that the link declares",
    "site": "the site's and host's pages so far",
    "prefix": "pages under the same beginning of the path",
    "pattern": "pages of the same URL pattern",
    "lesson": "words of URLs whose pages this crawl has read",
    "repeats": "near-duplicates in its folder, beyond those of its host; they order the queue alone",
    "hops": "redirects that led to it (a count)",
}
