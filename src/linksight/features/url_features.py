"""Evidence: all that a URL says about its language, as the bundled model reads it.

Three groups, weighed apart, so that a long path does not drown the top-level domain:

hints   the domain's endings, the site itself, codes such as ``/de-at/``, ``?lang=fr`` or ``_fi.pdf``, scripts, numbers, shapes
host    words and 2- to 5-grams of the host name but for its last label, and for a platform's name (``PLATFORMS``)
path    words and 2- to 5-grams of path and query

Every feature is a name; its hash (``hashing``) is its row in the model. This module is the
specification; ``kernel`` does the same over bytes.

>>> hints, host, path = evidence("www.bahn-info.de/de/plan?lang=de")
>>> hints[:5]
['t:de', 'd:de/1', 'k:1', 'y:1', 'j:4']
>>> host[:6]
['w:bahn', 'g:_b', 'g:_ba', 'g:_bah', 'g:_bahn', 'g:ba']
>>> "l:de" in hints, "c:de" in hints, "v:plan" in path
(True, True, True)
"""

from __future__ import annotations

import re
from itertools import islice, takewhile

from linksight.languages.registry import short_codes
from linksight.urls.parser import words_of

SHORTEST, LONGEST = 2, 5  #: letters of an n-gram, edge marks included
MAX_LETTERS = 40  #: of a word; what follows says nothing new
MAX_WORDS = 40  #: of the host, and of the path
#: Letters of a part of the path that may name a language: ``/fi/``, ``/deutsch/``, ``/nederlands/``.
MAX_PART = 10

#: Query keys whose value is a language code.
LANGUAGE_KEYS = frozenset(
    "lang hl language locale l lg lng idioma sprache langue setlang lingua taal ln langid languageid"
    " hslang idiom la sc_lang uselang culture culturename langtag langcode lan set_lang set_language setlanguage"
    " language_code languagecode locale_code _locale ui_lang uilang ui_locales user_lang site_lang mkt _x_tr_tl".split()
)
#: Of the query; what links were tagged with may stand before the language, which is looked for behind.
MAX_PAIRS = 6
MAX_PAIR = 16  #: characters of a pair
ONION = "onion"  #: the ending of Tor's hidden services
#: Where anybody has a name before theirs (``kaasblog.wordpress.com``), in any language: no words of others. Two are
#: not among them, ``github`` and ``gitlab``: what those say as words ``recipes/url_model/platforms.py`` has fitted.
PLATFORMS = frozenset(
    "altervista angelfire atlassian atspace awardspace azurewebsites bandcamp bigcartel blogger blogspot bravepages canalblog"
    " carrd centerblog edupage eklablog everyoneweb fandom firebaseapp fortunecity forumotion freehostia freeservers freewebs"
    " freshdesk geocities gitbook hautetfort herokuapp homestead instructure jimdo jimdofree jimdosite"
    " livejournal mykajabi myshopify mystrikingly neocities netlify onrender over-blog overblog pbworks proboards recruitee"
    " site123 skyrock skynetblogs squarespace substack teachable teamtailor tilda tripod tumblr typeform typepad ucoz vercel"
    " webflow webnode weebly wikia wikidot wikispaces wixsite wordpress zendesk".split()
)
#: What names are registered under in many countries: ``ru.ac.th`` is a university, and no Russian part of one.
SHARED_ENDINGS = frozenset("ac biz co com edu go gob gouv gov govt gub info mil ne net nom or org".split())
_DIGITS = re.compile("[0-9]+")


def evidence(text: str) -> tuple[list[str], list[str], list[str]]:
    """Hints, host features and path features of a URL's ``text``."""
    body, tld, rest = split(text)
    hints = host_hints(body, tld, bool(rest))
    host_words = words_of(own_names(body))[:MAX_WORDS]
    path_words = words_of(rest)[:MAX_WORDS]
    if rest:
        hints += path_hints(rest)
    hints += [f"x:{ord(word[0]) >> 7}" for word in host_words + path_words if word[0] > "\x7f"]
    return hints, _grams(host_words, "w:", "g:"), _grams(path_words, "v:", "p:")


def split(text: str) -> tuple[str, str, str]:
    """The host but for its last label, that label, and path and query.

    An address in numbers names nothing, and an onion's is the number of a key, so they are left out.

    >>> split("www.example.co.uk/a?b"), split("192.168.1.1/a"), split("::1"), split("abcd2345.onion/a")
    (('example.co', 'uk', 'a?b'), ('', '', 'a'), ('', '', ''), ('', '', 'a'))
    """
    host, _, rest = text.removeprefix("www.").partition("/")
    body, _, tld = host.rpartition(".")
    in_numbers = ":" in host or (tld.isascii() and tld.isdigit()) or tld == ONION
    return ("", "", rest) if in_numbers else (body, tld, rest)


def own_names(body: str) -> str:
    """The part of a host that its words are read from: what stands before a platform's name, if there is one.

    A blog's own name is told by few letters, and those of ``wordpress`` would speak as loud: in English.

    >>> [own_names(body) for body in ("kaasblog.wordpress", "een.blog.blogspot.co", "wordpress", "a.example")]
    ['kaasblog', 'een.blog', 'wordpress', 'a.example']
    """
    first, *others = body.split(".")
    names = [first, *takewhile(lambda label: label not in PLATFORMS, others)]
    return ".".join(names)


def host_hints(body: str, tld: str, is_page: bool) -> list[str]:
    """What endings, subdomains, hyphens and numbers of the host say."""
    labels = body.split(".") if body else []
    names = [f"t:{tld}", f"d:{tld}/{is_page:d}", f"k:{is_page:d}"]
    names += [f"y:{min(3, body.count('-'))}", f"j:{min(12, len(body) // 2)}"]
    if labels:
        names.append(f"s:{labels[-1]}.{tld}")
        names += [f"b:{label}" for label in _subdomains(labels, tld) if len(label) <= MAX_PART]
    for digits in _DIGITS.findall(body)[:3]:
        names += [f"n:{digits[:5]}", f"m:{min(len(digits), 6)}"]
    return names


def _subdomains(labels: list[str], tld: str) -> list[str]:
    """The labels before a site's own name.

    >>> _subdomains(["nl", "example"], "com"), _subdomains(["en", "ru", "ac"], "th")
    (['nl'], ['en'])
    """
    return labels[: -2 if len(tld) == 2 and labels[-1] in SHARED_ENDINGS else -1]


def path_hints(rest: str) -> list[str]:
    """What codes, shape and ending of path and query say; ``rest`` has no leading slash."""
    path, _, query = rest.partition("?")
    segments = path.split("/")
    names = []
    for segment in segments[:4]:
        if 2 <= len(segment) <= MAX_PART:
            names.append(f"c:{segment}")
            if len(segment) == 5 and segment[2] in "-_":  # a locale, such as nl-be
                names += [f"c:{segment[:2]}", f"r:{segment[3:]}"]
    for pair in _told_pairs(query):
        names.append(f"q:{pair}")
        key, _, value = pair.partition("=")
        if key in LANGUAGE_KEYS and value:
            names.append(f"l:{short_codes().get(value, value[:2])}")  # sw is Swahili, but swe is Swedish
    names.append(f"h:{min(6, path.count('-'))}")
    names.append("z:" + "/".join(map(_shape, segments[:5])))
    _, dot, ending = segments[-1].rpartition(".")
    if dot and len(ending) <= 5:
        names.append(f"e:{ending}")
    if code := _file_code(path):
        names.append(f"f:{code}")
    return names


def _told_pairs(query: str) -> list[str]:
    """The first pairs of a query that are short, and the first of those behind them that names a language.

    >>> _told_pairs("id=7&utm_source=newsletter&c=1&d=2&e=3&f=4&g=5&lang=fr&hl=nl")
    ['id=7', 'c=1', 'd=2', 'e=3', 'f=4', 'lang=fr']
    >>> _told_pairs("id=7&amp;lang=fr")  # as it is written in a page
    ['id=7', 'lang=fr']
    """
    pairs = [pair.removeprefix("amp;") for pair in query.split("&")] if query else []
    named = (pair for pair in pairs[MAX_PAIRS:] if pair.partition("=")[0] in LANGUAGE_KEYS)
    return [pair for pair in (*pairs[:MAX_PAIRS], *islice(named, 1)) if len(pair) <= MAX_PAIR]


def _file_code(path: str) -> str:
    """The two letters that a file's name ends in, set apart as a code is.

    >>> [_file_code(path) for path in ("a/report_fi.pdf", "de.html", "about-en/", "index.fr.php", "tout-ou-rien-de")]
    ['fi', 'de', 'en', 'fr', '']
    """
    name = path.removesuffix("/").rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    if not dot or len(ending) > 5:
        stem = name
    code, mark = stem[-2:], stem[-3:-2]
    if len(code) < 2 or not (code.isascii() and code.isalpha()):
        return ""
    # A name of two letters alone is no file's; behind several hyphens they are the last word of a headline.
    apart = stem != name if not mark else mark in "_." or (mark == "-" and stem.count("-") == 1)
    return code if apart else ""


def _shape(segment: str) -> str:
    """A segment's kind: letters, a number of so many digits, nothing, or mixed."""
    if not segment:
        return "e"
    if segment.isascii() and segment.isdigit():
        return f"d{min(len(segment), 8)}"
    return "a" if segment.isascii() and segment.isalpha() else "m"


def _grams(words: list[str], word_mark: str, gram_mark: str) -> list[str]:
    names = []
    for word in words:
        names.append(word_mark + word[:MAX_LETTERS])
        marked = f"_{word[:MAX_LETTERS]}_"
        for start in range(len(marked) - 1):
            for end in range(start + SHORTEST, min(start + LONGEST, len(marked)) + 1):
                names.append(gram_mark + marked[start:end])
    return names
