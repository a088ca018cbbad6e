"""Programs, tables, logs and lists of addresses are in no language; texts that look like them a little are."""

from __future__ import annotations

import json

import pytest

import linksight
from linksight.pages.html import code_detection

HOSTS = ["repubblica.it", "corriere.it", "comune-milano.it", "libero.it", "il-giornale.it", "gazzetta.it"]
PATHS = [
    "notizie/della-giornata",
    "politica/le-elezioni-europee",
    "cultura/una-mostra-a-roma",
    "sport/calcio",
]
URLS = [f"https://www.{host}/{path}/{n}" for n in range(3) for host in HOSTS for path in PATHS]

CSS = """body { margin: 0; padding: 0; font-family: Helvetica, Arial, sans-serif; color: #333; }
.header { background-color: white; border-bottom: 1px solid #ccc; }
.header a:hover { text-decoration: underline; }
@media (max-width: 600px) { .menu { display: none; } }
"""
SQL = """CREATE TABLE users (
  id INTEGER PRIMARY KEY,
  name VARCHAR(100) NOT NULL,
  created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP
);
INSERT INTO users (id, name) VALUES (1, 'anna'), (2, 'bert'), (3, 'carla');
SELECT u.id, COUNT(*) FROM users u JOIN orders o ON o.user_id = u.id WHERE o.total > 10 GROUP BY u.id LIMIT 10;
"""
PYTHON = """import os
import sys

def main(argv):
    for name in argv[1:]:
        with open(name) as file:
            print(len(file.read()))
    return 0

if __name__ == '__main__':
    sys.exit(main(sys.argv))
"""
GO = """package main

import (
\t"fmt"
\t"os"
)

func main() {
\tfor i, arg := range os.Args[1:] {
\t\tfmt.Println(i, arg)
\t}
\tif err := run(); err != nil {
\t\tos.Exit(1)
\t}
}
"""
JAVASCRIPT = """const express = require('express');
const app = express();
app.get('/', (req, res) => { res.send('ok'); });
export default class Foo extends Bar { constructor() { super(); this.items = []; } }
app.listen(3000, () => console.log('listening'));
"""
MINIFIED = "!function(e,t){'object'==typeof exports&&'undefined'!=typeof module?module.exports=t():define(t)}(this,function(){'use strict';var n=Object.freeze({})});"
C = """#include <stdio.h>

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int main(void)
{
    int values[] = {3, 1, 2};
    qsort(values, 3, sizeof(int), compare);
    for (int i = 0; i < 3; i++)
        printf("%d\\n", values[i]);
    return EXIT_SUCCESS;
}
"""
SERVER = "server {\n  listen 80;\n  server_name example.com;\n  location / {\n    proxy_set_header Host $host;\n  }\n}\n"
ROBOTS = "User-agent: *\nDisallow: /admin/\nDisallow: /search\nAllow: /public/\nSitemap: https://example.com/map.xml\n"
LOG = "".join(
    f"2026-11-16T09:44:{n:02d}Z INFO [main] com.example.Service - request id={n * 7919} took {n}ms status=OK user=u{n}\n"
    for n in range(30)
)
ACCESS = "".join(
    f'10.0.0.{n} - - [12/Nov/2026:10:00:{n:02d} +0000] "GET /images/logo{n}.png HTTP/1.1" 200 {n * 37} "-" "Mozilla/5.0 (X11)"\n'
    for n in range(30)
)
NOTHING = {
    "css": CSS, "sql": SQL, "python": PYTHON, "go": GO, "javascript": JAVASCRIPT, "minified": MINIFIED * 4, "c": C,
    "server": SERVER * 3, "robots": ROBOTS * 3, "log": LOG, "access log": ACCESS,
    "urls": "\n".join(URLS), "csv of urls": "url,language\n" + "".join(f"{url},it\n" for url in URLS),
    "quoted urls": '"id","url"\n' + "".join(f'"{n}","{url}"\n' for n, url in enumerate(URLS)),
    "json of urls": "\n".join(json.dumps({"url": url, "language": "it"}) for url in URLS),
    "hosts": "domain\tkind\tlanguage\n" + "".join(f"{host}\tpage\tit\n" for host in HOSTS * 8),
    "numbers": json.dumps({"series": [{"x": n, "y": n * n / 7} for n in range(100)]}),
}  # fmt: skip


@pytest.mark.parametrize("kind", NOTHING)
def test_what_has_words_and_no_sentences_is_in_no_language(kind: str) -> None:
    label = linksight.identify(NOTHING[kind].encode())
    assert (label.language in ("zxx", "und"), bool(label.reason)) == (True, True), label


TEXTS = {
    "list of songs": ("nl", "1. Het Goede Doel - België (3:45)\n2. Doe Maar - Sinds 1 dag of 2 (4:12)\n3. Boudewijn de Groot - Avond (5:20)\n"),
    "programme": ("nl", "19:00 Nieuws\n19:30 Het Klokhuis (1/6)\n20:00 Journaal\n20:30 Wie is de mol? (afl. 3)\n23:05 De wereld draait door\n"),
    "goods": ("de", "id;name;preis\n17;Gartenschere mit Holzgriff;12,90\n18;Blumentopf, Ton, 20 cm;4,50\n19;Gießkanne verzinkt (10 l);24,00\n"),
    "books": ("nl", '"id","titel","auteur"\n1,"De ontdekking van de hemel","Harry Mulisch"\n2,"Turks fruit","Jan Wolkers"\n3,"Het diner","Herman Koch"\n'),
    "talk": ("nl", "[12:01] <jan> hoi, ben je er?\n[12:02] <piet> ja hoor :)\n[12:02] <jan> gaan we straks nog naar de film?\n"),
    "subtitles": ("nl", "1\n00:00:01,000 --> 00:00:04,000\nWaar ben je geweest?\n\n2\n00:00:05,000 --> 00:00:08,000\nIk was bij mijn moeder.\n\n"),
    "addresses": ("nl", "Anna de Vries, Dorpsstraat 12, 1234 AB Utrecht, tel. 030-1234567\nKees Bakker, Kerkweg 3, 4321 CD Zeist, tel. 0343-765432\n"),
    "menu": ("nl", "[menu]\nbestand=Bestand\nopenen=Openen...\nopslaan=Opslaan als...\nafsluiten=Programma afsluiten\nbewerken=Bewerken\n"),
    "json": ("nl", json.dumps({"titel": "De kat zit op de mat", "tekst": "Vandaag is het mooi weer in het hele land."}, indent=1)),
    "tex": ("nl", "\\section{Inleiding}\nIn dit hoofdstuk wordt stelling \\ref{st:1} bewezen. Zij $x \\in R$ en laat $f(x) = a_n x^n$ een reeks zijn.\n"),
    "manual": ("nl", "# Installatie\n\nDownload eerst het programma en pak het uit.\n\n```\ntar xzf prog.tar.gz\n./configure --prefix=/usr\nmake && make install\n```\n\nDaarna kunt u het programma starten.\n"),
    "mail": ("en", "Dear colleagues, the minutes of our meeting are at https://example.org/a/b/c and the plans that we spoke of at https://example.org/d/e/f now. Please tell me@example.org whether something is missing.\n"),
    "commented": ("en", "# Walks the tree from the root down to its leaves and counts what it meets on the way.\n# The order of the nodes does not matter, and nothing is ever changed.\ndef walk(tree):\n    return sum(map(walk, tree))\n"),
}  # fmt: skip


@pytest.mark.parametrize("kind", TEXTS)
def test_texts_with_signs_numbers_and_addresses_keep_their_language(kind: str) -> None:
    language, text = TEXTS[kind]
    assert linksight.identify((text * 4).encode()).language == language


@pytest.mark.parametrize("text", [CSS, PYTHON, "\n".join(URLS)])
def test_pages_in_html_are_judged_by_their_words_alone(text: str) -> None:
    words = text.encode()
    assert code_detection.reason_of(words, -0.9)
    for page in (b"<pre>" + words, b"\n <!DOCTYPE html>" + words, words[:50] + b"<br>" * 20 + words[50:]):
        assert code_detection.reason_of(page, -0.9) is None


def test_a_language_of_the_letters_beyond_ascii_is_not_doubted() -> None:
    data = "".join(f"имя_{n} = 'значение'; // строка\n" for n in range(20))
    assert code_detection.reason_of(data.encode(), -0.9) is None


PROSE = "Der Stadtrat hat gestern beschlossen, dass die alte Bibliothek am Fluss im Frühjahr neu gebaut wird."


@pytest.mark.parametrize("end", ["", "?>", "\n?>\n"])
def test_a_program_in_php_is_read_like_any_other(end):
    told = f"<?php\n// {PROSE}\nfunction add($a, $b) {{\n    return $a + $b;\n}}\n{end}"
    assert linksight.identify(told.encode()).language == "de"
    code = "function add($a, $b) {\n    return $a + $b;\n}\necho add($_GET['first'], $_GET['second']);\n"
    bare = f"<?php\n{code * 4}{end}"
    label = linksight.identify(bare.encode())
    assert label.language == "zxx"
    assert label.reason.startswith("no language: code")


def test_a_page_with_php_in_it_is_a_page():
    page = f"<?php include 'head.php'; ?>\n<h1>Neues</h1><p>{PROSE}</p>\n<?php include 'foot.php'; ?>"
    assert code_detection.without_mark(page.encode()) == page.encode()
    assert linksight.identify(page.encode()).language == "de"


#: A program whose names look like Danish where they are read along with its comments.
COMMENTED = """
class Handler:
    '''Keeps the order of the entries that were given to it, and hands them out again one by one.'''

    def __init__(self, loader, folder, finder, default=None, *, under=False, over=True, level=0):
        self._loader, self._folder, self._finder = loader, folder, finder
        self._default, self._under, self._over, self._level = default, under, over, level
        self._members = {key: loader.get(key) for key in folder.keys() if key in finder}

    def render(self, order, sender, member):
        # Nothing is rendered twice: the members that were seen are kept in a list of their own.
        for finder in self._finder.handlers(order):
            if member in self._members and not finder.under(member, self._level):
                self._folder.append(finder.fetch(member, sender=sender, order=order))
        return [member.render(sender) for member in self._members.values() if member.valid]
"""


def test_a_program_is_in_the_language_of_its_comments():
    source = (COMMENTED * 3).encode()
    assert linksight.identify(source).language == "en"
    assert b"self._" not in code_detection.prose_of(source)


def test_a_text_without_code_is_read_whole():
    assert code_detection.prose_of(PROSE.encode()) is None


DUTCH = "De gemeenteraad heeft besloten dat de oude school in het najaar wordt gesloopt. De ouders zijn ontevreden."
FUNCTIONS = "".join(
    f"def function_{n}(value, other=None):\n    return value * {n} + other.get('name')\n" for n in range(60)
)


@pytest.mark.parametrize(
    "marked", ["<pre>{}</pre>", '<div class="highlight"><PRE class="x"><span></span>{}</PRE></div>']
)
def test_programs_in_a_manual_do_not_outweigh_it(marked):
    page = f"<title>Handleiding</title><p>{DUTCH}</p>{marked.format(FUNCTIONS)}<p>{DUTCH[:50]}</p>"
    assert linksight.identify(page.encode()).language == "nl"


def test_a_page_of_nothing_but_a_program_is_no_language():
    label = linksight.identify(
        f"<html><title>a.py</title><body><pre>{FUNCTIONS}</pre></body></html>".encode()
    )
    assert (label.language, label.reason) == ("zxx", "no language: code or data")


def test_a_text_that_stands_as_it_was_typed_is_read():
    page = f"<html><body><pre>{DUTCH}\n{DUTCH}\n</pre></body></html>"
    assert linksight.identify(page.encode()).language == "nl"


def test_a_program_that_never_ends_is_read_like_any_text():
    assert code_detection.without_programs(b"<pre>x = f(a.b)" * 50) == b"<pre>x = f(a.b)" * 50
