"""A German shop of a few thousand pages with every difficulty that real ones have.

A POST form with a token that must fit the cookie, session ids in links, pagination without end, empty
results, redirects, a calendar that never ends, files, script links, errors and pages of ten megabytes.
``python shop_app.py PORT`` serves it; :func:`make_app` gives the WSGI application.
"""

from __future__ import annotations

import hashlib
import html
import random
import sys
from urllib.parse import parse_qs

NOUNS = (
    "Lampe Stuhl Tisch Regal Sofa Bett Kissen Decke Vase Spiegel Uhr Teppich Kommode Hocker Bank Schrank Kerze "
    "Rahmen Korb Topf Pfanne Messer Gabel Teller Tasse Glas Kanne Waage Mixer Toaster"
).split()
ADJECTIVES = (
    "rote blaue grüne alte neue kleine große runde eckige leichte schwere schlichte helle dunkle weiche harte "
    "moderne rustikale klassische faltbare stapelbare"
).split()
MATERIALS = "Eiche Buche Stahl Leinen Wolle Glas Keramik Marmor Bambus Kupfer Messing Leder Kork Filz".split()
CATEGORIES = ["wohnen", "kueche", "bad", "garten", "buero", "kinder", "licht", "textil"]
BRANDS = [
    f"{a}{b}"
    for a in ("Nord", "Süd", "Alt", "Neu", "Berg", "Tal")
    for b in ("werk", "haus", "form", "licht", "holz")
]
N_PRODUCTS, N_USERS, N_ARTICLES = 2400, 300, 240
HELP = ["versand", "rueckgabe", "zahlung", "kontakt", "datenschutz", "impressum"]


def slug(text: str) -> str:
    for old, new in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss"), (" ", "-")):
        text = text.lower().replace(old, new)
    return text


class Shop:
    """The data, made by chance but always the same."""

    def __init__(self) -> None:
        rng = random.Random(11)
        self.products = [
            {
                "id": 1000 + n,
                "name": f"{rng.choice(ADJECTIVES)} {rng.choice(NOUNS)} {rng.choice(MATERIALS)}",
                "category": rng.choice(CATEGORIES),
                "brand": rng.choice(BRANDS),
                "price": rng.randrange(5, 900),
                "users": [rng.randrange(N_USERS) for _ in range(rng.randrange(3))],
            }
            for n in range(N_PRODUCTS)
        ]
        self.articles = [
            (
                f"{rng.randrange(2019, 2025)}/{rng.randrange(1, 13):02}",
                f"{rng.choice(ADJECTIVES)} {rng.choice(NOUNS)} im Alltag {n}",
            )
            for n in range(N_ARTICLES)
        ]

    def find(self, word: str) -> tuple[list[dict], list[tuple[str, str]]]:
        word = word.lower()
        products = [p for p in self.products if word in f"{p['name']} {p['brand']}".lower()]
        return products, [a for a in self.articles if word in a[1].lower()]


def product_url(product: dict, session: str) -> str:
    return f"/p/{product['id']}-{slug(product['name'])}{session}"


class App:
    """The WSGI application; it counts what it was asked for."""

    def __init__(self) -> None:
        self.shop = Shop()
        self.requests: list[tuple[str, str]] = []

    def __call__(self, environ, start_response):
        path = environ.get("PATH_INFO", "/").encode("latin-1").decode("utf-8", "replace")
        query = parse_qs(environ.get("QUERY_STRING", ""))
        self.requests.append((environ["REQUEST_METHOD"], path))
        cookie = environ.get("HTTP_COOKIE", "")
        # Without a cookie the session travels in the links, as it did for years.
        self.session = (
            ""
            if "sid=" in cookie
            else ";jsessionid=" + hashlib.md5(str(len(self.requests)).encode()).hexdigest()
        )
        status, body, headers = self.answer(environ, path.partition(";")[0], query)
        data = body if isinstance(body, bytes) else body.encode()
        kind = "text/html; charset=utf-8" if not isinstance(body, bytes) else "application/pdf"
        if path == "/robots.txt":
            kind = "text/plain"
        if not cookie:
            headers = [*headers, ("Set-Cookie", "sid=abc; Path=/")]
        start_response(status, [("Content-Type", kind), ("Content-Length", str(len(data))), *headers])
        return [data]

    def answer(self, environ, path, query):
        first, _, rest = path.strip("/").partition("/")
        if path == "/robots.txt":
            return "200 OK", "User-agent: *\nDisallow: /intern/\n", []
        if path == "/":
            return self.page("Willkommen", self.some_products(1, 12))
        if path == "/suche/treffer":
            return self.search(environ)
        handler = getattr(self, f"show_{first}", None)
        if handler is None:
            return "404 Not Found", "<h1>Nicht gefunden</h1>", []
        return handler(rest, query)

    def page(self, title, content, status="200 OK"):
        token = hashlib.md5(b"abc").hexdigest()
        nav = "".join(f'<li><a href="/kategorie/{c}">{c.title()}</a></li>' for c in CATEGORIES)
        helps = "".join(f'<li><a href="/hilfe/{h}">{h.title()}</a></li>' for h in HELP)
        body = f"""<!doctype html><html lang="de"><head><title>{html.escape(title)} – Möbelhof</title></head><body>
<form method="post" action="/newsletter"><input name="email" type="text" placeholder="E-Mail"><button>Abonnieren</button></form>
<form method="POST" action="suche/treffer" class="suchfeld"><input type="hidden" name="token" value="{token}">
<input type="hidden" name="lang" value="de"><input name="begriff" type="text" placeholder="Wonach suchen Sie?">
<select name="bereich"><option value="alle" selected>Alle</option></select>
<button type="submit" name="los" value="1">Suchen</button></form>
<ul>{nav}</ul><h1>{html.escape(title)}</h1>{content}
<footer><ul>{helps}</ul><a href="/konto/anmelden">Anmelden</a> <a href="/warenkorb">Warenkorb</a>
<a href="mailto:info@moebelhof.example">Mail</a> <a href="javascript:void(0)">Druck</a>
<a href="/dateien/katalog.pdf">Katalog</a> <a href="/kalender/2024/05">Kalender</a> <a href="http:///kaputt">?</a>
<a href="https://extern.example/">Partner</a></footer></body></html>"""
        # The form's action is relative, so it is written to fit the depth of the page.
        return (
            status,
            body.replace(
                'action="suche/treffer"',
                'action="/suche/treffer"' if title != "Willkommen" else 'action="suche/treffer"',
            ),
            [],
        )

    def some_products(self, start, n):
        return self.product_list(self.shop.products[start : start + n])

    def product_list(self, products):
        rows = []
        for p in products:
            users = "".join(
                f' <a class="user" href="/nutzer/u{u:04}/bewertungen">u{u:04}</a>' for u in p["users"]
            )
            rows.append(
                f'<li class="hit"><a class="product" href="{product_url(p, self.session)}">{p["name"]}</a> '
                f'<a class="brand" href="/marke/{slug(p["brand"])}">{p["brand"]}</a> {p["price"]} €{users}</li>'
            )
        return f"<ol>{''.join(rows)}</ol>"

    def search(self, environ):
        if environ["REQUEST_METHOD"] == "POST":
            size = int(environ.get("CONTENT_LENGTH") or 0)
            form = parse_qs(environ["wsgi.input"].read(size).decode())
            if form.get("token", [""])[0] != hashlib.md5(b"abc").hexdigest():
                return "403 Forbidden", "<h1>Token</h1>", []
        else:
            form = parse_qs(environ.get("QUERY_STRING", ""))
        word = form.get("begriff", [""])[0]
        luck = sum(map(ord, word)) % 23  # some words break the shop, and some the reader
        if luck == 0:
            return "500 Internal Server Error", "<h1>Fehler</h1>", []
        if luck == 1:
            return "200 OK", "<html><body>" + "x" * 10_000_000, []
        products, articles = self.shop.find(word)
        if len(products) == 1 and not articles:
            return "302 Found", "", [("Location", product_url(products[0], ""))]
        if not products and not articles:
            return self.page("Suche", f"<p>Nichts gefunden für {html.escape(word)}.</p>")
        number = int(form.get("seite", ["1"])[0])
        shown = products[20 * (number - 1) : 20 * number]
        texts = "".join(
            f'<li><a class="article" href="/magazin/{d}/{slug(t)}">{t}</a></li>' for d, t in articles[:6]
        )
        pages = "".join(
            f'<a href="/suche/treffer?begriff={html.escape(word)}&amp;seite={n}">{n}</a> '
            for n in range(1, min(len(products) // 20 + 2, 9))
        )
        return self.page(f"Treffer für {word}", f"{self.product_list(shown)}<ul>{texts}</ul><p>{pages}</p>")

    def show_p(self, rest, query):
        number, _, tail = rest.partition("-")
        found = [p for p in self.shop.products if str(p["id"]) == number]
        if not found:
            return "404 Not Found", "<h1>Weg</h1>", []
        product = found[0]
        if tail != slug(product["name"]):
            return "301 Moved Permanently", "", [("Location", product_url(product, ""))]
        start = product["id"] - 1000
        return self.page(product["name"], f"<p>{product['price']} €</p>" + self.some_products(start + 1, 6))

    def show_kategorie(self, rest, query):
        number = int(query.get("seite", ["1"])[0])
        chosen = [p for p in self.shop.products if p["category"] == rest.strip("/")]
        more = f'<a href="/kategorie/{rest}?seite={number + 1}">weiter</a>'  # without end
        return self.page(rest.title(), self.product_list(chosen[12 * (number - 1) : 12 * number]) + more)

    def show_marke(self, rest, query):
        return self.page(
            rest, self.product_list([p for p in self.shop.products if slug(p["brand"]) == rest][:15])
        )

    def show_nutzer(self, rest, query):
        return self.page(rest, self.some_products(len(rest) * 7, 5))

    def show_magazin(self, rest, query):
        return self.page(
            rest.rpartition("/")[2], "<p>Ein Artikel über Möbel.</p>" + self.some_products(50, 4)
        )

    def show_hilfe(self, rest, query):
        return self.page(rest.title(), "<p>Wir helfen gern.</p>")

    def show_kalender(self, rest, query):
        year, _, month = rest.partition("/")
        year, month = (int(year), int(month) + 1) if int(month) < 12 else (int(year) + 1, 1)
        return self.page("Kalender", f'<a href="/kalender/{year}/{month:02}">weiter</a>')

    def show_konto(self, rest, query):
        return "200 OK", '<form method="post"><input name="user"><input type="password" name="pw"></form>', []

    def show_warenkorb(self, rest, query):
        return self.page("Warenkorb", "<p>leer</p>")

    def show_dateien(self, rest, query):
        return "200 OK", b"%PDF-1.4", []


def make_app() -> App:
    return App()


if __name__ == "__main__":
    from wsgiref.simple_server import make_server

    make_server("127.0.0.1", int(sys.argv[1]), make_app()).serve_forever()
