"""Packages of Debian and npm, and everything translated in them."""

from __future__ import annotations

import html
import io
import json
import re
import struct
import subprocess
import sys
import tarfile
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

NO_PACKAGES = re.compile(r"-(all|common|dev|posix.*|dbg|source|in)$|manpages-dev")


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


def npm(name: str, folder: Path) -> tarfile.TarFile:
    where = folder / f"{name.replace('/', '_')}.tgz"
    if not where.exists():
        url = f"https://registry.npmjs.org/{urllib.parse.quote(name, safe='@')}/latest"
        with urllib.request.urlopen(url) as answer:
            tarball = json.load(answer)["dist"]["tarball"]
        with urllib.request.urlopen(tarball) as answer:
            where.write_bytes(answer.read())
    return tarfile.open(where)
