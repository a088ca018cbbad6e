"""How often the words of a headline are believed under a host of other words.

    python benchmarks/url_headlines.py [--model FILE]

Runs of three to eight words of the Universal Declaration (``LINKSIGHT_DATA``) stand as headlines under plain hosts in
English and under loud ones of other languages, in every language of the model with at least a thousand
labelled URLs whose Declaration is in Latin letters. The share is no measure of quality by itself: a page of ``spiegel.de`` is German
whatever its headline, but for the few that are not.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import unicodedata
import zipfile
from pathlib import Path

import numpy as np

import linksight
from linksight.errors import BadLanguage
from linksight.languages import registry
from linksight.url_model.model import UrlLanguageModel

PLAIN = (
    "www.example.com/blog/", "blog.example.org/2020/01/", "medium.com/@anna/", "myblog.wordpress.com/2019/03/",
    "www.reuters.com/article/", "facebook.com/notes/", "archive.org/details/", "news.acme-corp.com/",
)  # fmt: skip
LOUD = ("www.spiegel.de/", "www.lemonde.fr/article/", "www.nrc.nl/nieuws/", "www.corriere.it/")
SIZES = range(3, 9)
EACH = 6  # headlines of a size in a language
LETTERS = str.maketrans({"ø": "o", "đ": "d", "ł": "l", "ß": "ss", "æ": "ae", "ı": "i", "ð": "d", "þ": "th"})


def plain_letters(text: str) -> str:
    """Letters as addresses have them: small, and without marks."""
    spread = unicodedata.normalize("NFKD", text.lower().translate(LETTERS))
    return "".join(letter for letter in spread if not unicodedata.combining(letter))


def declarations(data: Path, model: UrlLanguageModel) -> dict[str, list[str]]:
    """The words of the Declaration, where they are in Latin letters."""
    archive = zipfile.ZipFile(data / "texts/udhr2.zip")
    found = {}
    for name in sorted(archive.namelist()):
        if not (code := re.fullmatch(r"udhr2/([a-z]{3})(?:_\w+)?\.txt", name)):
            continue
        try:
            language = registry.find(code[1])
        except BadLanguage:
            continue
        words = re.findall(r"\w+", plain_letters(archive.read(name).decode("utf-8", "replace")))
        latin = [word for word in words if word.isascii() and word.isalpha()]
        if model.about["rows"].get(language, 0) >= 1000 and len(latin) > 0.9 * len(words):
            found.setdefault(language, latin)
    return found


def headlines(data: Path, model: UrlLanguageModel) -> list[tuple[str, str]]:
    """Headlines and their languages."""
    rng = np.random.default_rng(0)
    return [
        ("-".join(words[start : start + size]), language)
        for language, words in declarations(data, model).items()
        for size in SIZES
        for start in rng.integers(100, len(words) - max(SIZES), EACH)
    ]


def believed(
    model: UrlLanguageModel, lines: list[tuple[str, str]], hosts: tuple[str, ...]
) -> dict[int, float]:
    """By number of words: the share of headlines whose language is the answer."""
    said = model.predict([f"https://{host}{line}" for host in hosts for line, _ in lines])
    right = np.array([code == own for code, (_, own) in zip(said, lines * len(hosts), strict=True)])
    sizes = np.array([line.count("-") + 1 for line, _ in lines] * len(hosts))
    return {size: float(right[sizes == size].mean()) for size in SIZES}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", help="a model file (the bundled one)")
    asked = parser.parse_args()
    if not (data := os.environ.get("LINKSIGHT_DATA")):
        sys.exit("url_headlines: LINKSIGHT_DATA is not set; it names the folder that holds texts/udhr2.zip")
    model = linksight.load(asked.model) if asked.model else linksight.load()
    lines = headlines(Path(data), model)
    print(f"{len(lines):,} headlines in {len({language for _, language in lines})} languages, % right")
    print(f"{'words':24}" + "".join(f"{size:5}" for size in SIZES) + "  all")
    for kind, hosts in (("plain English hosts", PLAIN), ("loud hosts of others", LOUD)):
        shares = believed(model, lines, hosts)
        row = "".join(f"{100 * share:5.0f}" for share in shares.values())
        print(f"{kind:24}{row}{100 * sum(shares.values()) / len(shares):5.0f}")


if __name__ == "__main__":
    main()
