"""Detect the search form of a page, in any language, and build its request for a word."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, quote_plus, urljoin

from linksight.errors import MissingExtra
from linksight.sites.gathering.links import ENCODING_ATTRIBUTE, base_of, is_on_site, join

#: Words for searching. Those of five letters or more match as a prefix (``searchform``), shorter ones only exactly (``ara``).
_WORDS = (
    "search query find lookup suche suchen such finden recherche chercher rechercher buscar busca busqueda búsqueda cerca "
    "ricerca zoek zoeken sök sok søk søg haku hae etsi szukaj wyszuk hledat hledej hľadať keres caut căuta pretra traži "
    "iskanje otsi meklē ieško ara arama поиск искать пошук търси претрага αναζήτηση חיפוש بحث جستجو खोज অনুসন্ধান தேடல் "
    "tìm cari bilatu chwilio cuardach leit kerko axtar"
).split()
_DENSE_WORDS = "ค้นหา 検索 搜索 搜尋 查询 검색".split()  # scripts without spaces between words
_MIN_PREFIX_LETTERS = 5
_PREFIXES = "(?:site|global|quick|top|header|main|simple|ajax|full|text|web|doc|docs)?"
_LETTER = r"[^\W\d_]"


def _any_word() -> str:
    exact = "|".join(re.escape(word) for word in _WORDS if len(word) < _MIN_PREFIX_LETTERS)
    beginnings = "|".join(re.escape(word) for word in _WORDS if len(word) >= _MIN_PREFIX_LETTERS)
    return rf"(?<!{_LETTER})(?:(?:{exact})(?!{_LETTER})|{_PREFIXES}(?:{beginnings}))|{'|'.join(_DENSE_WORDS)}"


_SEARCH_WORDS = re.compile(_any_word(), re.IGNORECASE)
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
#: Words in the address of a form that changes something; such a form is never submitted.
_CHANGING_WORDS = re.compile(
    rf"(?<!{_LETTER})(?:accounts?|delete|remove|destroy|cart|basket|checkout|promo|coupon|voucher|guestbook|add|create|edit|save|"
    rf"update|insert|reply|send|submit|upload|vote|rate|order|buy|pay|payment|donate|unsubscribe|logout|password|profile|"
    rf"invite|feedback|warenkorb|kasse|winkelwagen|panier|carrito|carrello)(?!{_LETTER})",
    re.IGNORECASE,
)


def names_search(text: str) -> bool:
    """Whether a text has a word for searching, in any of fifty languages.

    >>> [names_search(text) for text in ("searchform", "txtSearch", "Zoek!", "character", "/research/")]
    [True, True, True, False, False]
    """
    return bool(_SEARCH_WORDS.search(_CAPITAL.sub(" ", text)))


_NAMES = frozenset(
    "q s k p query search searchterm searchtext keyword keywords kw term text words find wd".split()
)
_NOT_SEARCH = re.compile(
    r"login|signin|sign-in|logon|register|signup|newsletter|subscribe|comment|contact|password|mail|checkout|vote",
    re.IGNORECASE,
)
MIN_SCORE = 1.5
_PLACEHOLDER = "linksightWordGoesHere"
_TEXT_TYPES = ("", "text", "search")
_URLENCODED, _MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
_BOUNDARY = "----linksight7MA4YWxkTrZu0gW"
_HEADER_ESCAPES = {ord('"'): "%22", ord("\r"): "%0D", ord("\n"): "%0A"}  # as browsers write them


@dataclass(frozen=True)
class SearchForm:
    """A search form: its element, the field for the word, and its score."""

    element: Any = field(repr=False)
    page_url: str
    name: str  #: of the field
    score: float

    @property
    def method(self) -> str:
        """``GET`` or ``POST``."""
        return str(self.element.get("method") or "get").strip().upper()

    @property
    def action(self) -> str:
        """The URL that the form is submitted to."""
        return urljoin(self.page_url, str(self.element.get("action") or self.page_url))

    def request(self, word: str) -> tuple[str, str, bytes | None, dict[str, str]]:
        """Method, URL, body and headers of the request for a word, hidden fields included."""
        try:
            from form2request import form2request
        except ImportError:
            raise MissingExtra("form2request", "crawl", "submitting forms") from None
        # The word is inserted later: form2request writes UTF-8, old sites need their encoding.
        in_parts = str(self.element.get("enctype") or "").strip().lower() == _MULTIPART
        request = form2request(
            self.element, {self.name: _PLACEHOLDER}, enctype=_URLENCODED if in_parts else None
        )
        typed = word.encode(self.charset, "xmlcharrefreplace")
        quoted = quote_plus(typed)
        url = request.url.replace(_PLACEHOLDER, quoted)
        headers = {str(name): str(value) for name, value in request.headers}
        body = request.body
        if body and in_parts:  # form2request cannot write multipart bodies
            headers["Content-Type"] = f"{_MULTIPART}; boundary={_BOUNDARY}"
            body = _multipart_body(body)
        body = body.replace(_PLACEHOLDER.encode(), typed if in_parts else quoted.encode())
        return request.method.upper(), url, body or None, headers

    @property
    def charset(self) -> str:
        """The encoding in which the form is submitted: its ``accept-charset``, else that of the page."""
        accepted = str(self.element.get("accept-charset") or "").replace(",", " ").split()
        tree = self.element.getroottree()
        page = tree.getroot().get(ENCODING_ATTRIBUTE) or tree.docinfo.encoding
        for name in (*accepted, page):
            try:
                "".encode(name or "")
            except (LookupError, ValueError):  # unknown, or not a text encoding
                continue
            return str(name)
        return "utf-8"


def _multipart_body(body: bytes) -> bytes:
    """The fields of a URL-encoded body as ``multipart/form-data``."""
    fields = parse_qsl(body.decode(), keep_blank_values=True)
    parts = (
        f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="{name.translate(_HEADER_ESCAPES)}"\r\n\r\n{value}\r\n'
        for name, value in fields
    )
    return "".join((*parts, f"--{_BOUNDARY}--\r\n")).encode()


@dataclass(frozen=True)
class OpenSearch:
    """A search that a page announces as a template (``/search?q={searchTerms}``)."""

    template: str
    score: float = 4.0
    name: str = "searchTerms"
    method: str = "GET"

    @property
    def action(self) -> str:
        """The URL that the form is submitted to."""
        return self.template.partition("?")[0]

    def request(self, word: str) -> tuple[str, str, bytes | None, dict[str, str]]:
        """The request for a word."""
        url = self.template.replace("{searchTerms}", quote_plus(word))
        return "GET", re.sub(r"\{[^{}]*\}", "", url), None, {}


def find_forms(tree: Any, page_url: str, home: str) -> list[SearchForm]:
    """The search forms of the page, best score first; duplicates that send the same request are dropped."""
    base = base_of(tree, page_url)
    _adopt_fields(tree)
    found = [form for element in tree.forms if (form := _read_form(element, base, page_url, home))]
    found.sort(key=lambda form: -form.score)
    different = {form.request("x")[1:3]: form for form in reversed(found)}
    return [form for form in found if form in different.values()]


def _adopt_fields(tree: Any) -> None:
    """Copy fields outside a form that refer to it (``<input form="search">``) into the form."""
    forms = {form.get("id"): form for form in reversed(tree.forms) if form.get("id")}
    for element in tree.xpath("//input[@form] | //button[@form] | //select[@form]"):
        form = forms.get(element.get("form"))
        if form is not None and form not in element.iterancestors("form"):
            del element.attrib["form"]  # so that it is copied only once
            copied = deepcopy(element)
            copied.tail = None
            form.append(copied)


def find_form(tree: Any, page_url: str, home: str) -> SearchForm | None:
    """The search form with the best score, or None."""
    return next(iter(find_forms(tree, page_url, home)), None)


def has_password(tree: Any) -> bool:
    """Whether the page asks for a password."""
    return bool(tree.xpath("//input[translate(@type, 'PASWORD', 'pasword')='password']"))


def opensearch_links(tree: Any, page_url: str) -> list[str]:
    """Addresses of the OpenSearch descriptions that a page announces."""
    hrefs = tree.xpath("//link[@type='application/opensearchdescription+xml']/@href")
    return [url for href in hrefs if (url := join(page_url, href))]


def read_opensearch(body: bytes, base: str, home: str) -> OpenSearch | None:
    """The HTML search of an OpenSearch description, if it searches this site."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    for url in root.iter("{*}Url") if root is not None else ():
        template = join(base, url.get("template") or "") or ""
        fits = "html" in (url.get("type") or "") and "{searchTerms}" in template
        if fits and is_on_site(template, home):
            return OpenSearch(template)
    return None


def _read_form(element: Any, base: str, page_url: str, home: str) -> SearchForm | None:
    """A form with its score, or None if it is not a search of this site."""
    if element.xpath(".//input[@type='password' or @type='file' or @type='email' or @type='tel']"):
        return None
    fields = [f for f in element.xpath(".//input[@name]") if (f.get("type") or "").lower() in _TEXT_TYPES]
    fields = [f for f in fields if f.get("disabled") is None]
    if not fields or element.xpath(".//textarea[@name]"):
        return None
    action = join(base, element.get("action") or page_url)
    if action is None or not is_on_site(action, home):
        return None
    if changes_site(action) or not _may_be_sent(element, action, fields):
        return None
    element.set("action", action)  # form2request does not look at <base>
    best = max(fields, key=_field_score)
    field = _field_score(best)
    alone = 0.5 * (len(fields) == 1)  # one field and a button with a search word are enough
    score = (
        alone
        + field
        + _form_score(element, action, is_search_field=field >= 2)
        - 0.25 * min(len(fields) - 1, 4)
    )
    form = SearchForm(element, page_url, best.get("name"), score)
    return form if score >= MIN_SCORE and _can_be_sent(form) else None


def changes_site(url: str) -> bool:
    """Whether the path of an address has a word for changing something.

    >>> changes_site("http://a.org/cart/promo"), changes_site("http://a.org/characters"), changes_site("http://a.org/posts")
    (True, False, False)
    """
    path = _path(url).partition("?")[0].rstrip("/")
    return bool(_CHANGING_WORDS.search(path)) and not names_search(path.rpartition("/")[2])


def _path(url: str) -> str:
    return url.partition("://")[2].partition("/")[2]


def _may_be_sent(element: Any, action: str, fields: list[Any]) -> bool:
    """Whether sending the form is safe: by GET, or if the form is marked as a search.

    A POST form may change something; its labels and names do not rule that out.
    """
    if str(element.get("method") or "get").strip().lower() != "post":
        return True
    if _NOT_SEARCH.search(_path(action)):
        return False
    marked = any((field.get("type") or "").lower() == "search" for field in fields)
    return marked or _has_role(element) or names_search(_path(action))


def _has_role(element: Any) -> bool:
    near = [element, *element.iterancestors("div", "section", "nav", "search")][:3]
    return any(e.get("role") == "search" or e.tag == "search" for e in near)


def _can_be_sent(form: SearchForm) -> bool:
    try:
        return form.request("x")[0] in ("GET", "POST")
    except (ValueError, NotImplementedError):  # a dialog, or an unsupported encoding
        return False


def _field_score(element: Any) -> float:
    score = 0.0
    if (element.get("type") or "").lower() == "search":
        score += 3
    if _NAMES.intersection(re.split(r"[^a-z]+", element.get("name", "").lower())):
        score += 2
    hints = " ".join(
        element.get(a) or "" for a in ("name", "id", "class", "placeholder", "aria-label", "title")
    )
    if names_search(hints):
        score += 2
    return score - (3 if _NOT_SEARCH.search(hints) else 0)


def _form_score(element: Any, action: str, is_search_field: bool) -> float:
    """The score of the attributes and labels of a form; ``is_search_field`` if its field alone shows a search."""
    hints = " ".join(element.get(a) or "" for a in ("id", "class", "name", "aria-label", "title"))
    score = 3.0 if _has_role(element) else 0.0
    path = _path(action)  # not the host, which may be research.org
    score += 2 * names_search(path) + 2 * names_search(hints)
    score += names_search(_labels(element))
    score -= 4 * bool(_NOT_SEARCH.search(hints))
    # A search box on the registration page may be submitted to that page.
    return score - (1 if is_search_field else 4) * bool(_NOT_SEARCH.search(path))


def _labels(element: Any) -> str:
    """The texts of labels and buttons, with the descriptions of icons."""
    texts = element.xpath(
        ".//button//text() | .//label//text() | .//input[@type='submit' or @type='image']/@*[name() != 'type']"
    )
    marks = element.xpath(
        "(.//button | .//button//*)/@*[name()='class' or name()='title' or name()='aria-label' or name()='alt'"
        " or name()='href' or name()='id' or name()='data-icon']"
    )
    return " ".join((*texts, *marks))
