"""What the rows of codes, names and endings are fitted to: labelled URLs that hold one, and made-up ones."""

from __future__ import annotations

import lzma
import os
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from scipy.sparse import csr_matrix

from linksight.features.url_features import evidence
from linksight.languages import registry, tlds
from linksight.native.urls.extract import MAX_PART

DATA = Path(os.environ.get("LINKSIGHT_DATA", "../shared/data"))
#: ISO 639-2 codes that are no word of a frequent language.
PLAIN = (
    "eng deu ger fra fre ita nld dut por rus ukr kor jpn zho chi ara tur swe ces cze hun rum heb vie".split()
)
#: Other names that sites go by.
NAMES = (
    "bengali farsi flemish vlaams castellano mandarin sinhalese cambodian azeri kirghiz oriya burmese".split()
)
SHORT_NAMES = "urdu igbo zulu odia".split()
#: Codes of countries that sites name a section by, and the languages of that section, the first one twice as often.
SECTIONS: dict[str, str] = dict(
    pair.split(":")
    for pair in (
        "us:en gb:en uk:en au:en nz:en ie:en za:en sg:en ph:en ng:en in:en,hi ca:en,fr my:en,ms hk:zh,en at:de ch:de,fr be:nl,fr "
        "lu:fr,de se:sv dk:da cz:cs gr:el rs:sr si:sl ee:et ua:uk by:ru kz:ru jp:ja kr:ko cn:zh tw:zh vn:vi il:he br:pt "
        "mx:es ar:es cl:es co:es pe:es ve:es uy:es ec:es cr:es pa:es la:es ae:ar,en sa:ar,en eg:ar,en"
    ).split()
)
#: Of those that are languages as well, how often a host elsewhere means the country: ``/br/`` is Brazil there, and Breton
#: on hosts in French. Elsewhere is where neither the ending nor the host's own language (``NEAR``) is of that language's home.
ELSEWHERE = {"br": 0.95, "la": 0.95, "tw": 0.95, "ee": 0.95, "ve": 0.95, "si": 0.9, "be": 0.9, "my": 0.85, "ca": 0.5, "uk": 0.4, "ar": 0.15, "pa": 0.2}  # fmt: skip
NEAR = {"br": "br fr", "ca": "ca es fr gl", "uk": "uk ru be pl", "be": "be ru uk pl lt", "ar": "ar fa he ku tr fr", "la": "la it"}  # fmt: skip
# How often the word of a part is kept, by its kind, before any is seen.
WORD_OF = {"code": 0.95, "rare": 0.85, "name": 0.9, "country": 0.75, "script": 0.9, "place": 0.75}
SEEN_AS = 10  # labelled domains that this guess weighs as much as
MADE_UP = 60  # URLs for each part
OFTEN = 4  # times as many for codes of languages with many rows: they meet the loudest hosts
MANY = 300  # domains that teach an ending enough
NUMBERS = "t:"  # the ending of an address in numbers
ENGLISH = 0.6  # share of them: the words that a code meets most
#: What stands on sites in many languages, and in the same words in all of them.
PLAIN_PATHS = (
    "index.html about about.html about-us contact products/ news news/ support docs/page.html search blog/ feed/ "
    "company/careers 2020/12/345.html index.php?id=12 shop/ download terms privacy-policy media home.aspx rss.xml"
).split()
#: Names of files that end in a code.
FILES = (
    "index_%s.html index_%s report_%s.pdf about_%s.html docs/guide_%s.pdf home_%s.php products-%s.html index.%s.html"
    " %s.html files/2020/annual_report_%s.pdf about-%s news/page_%s.aspx info/doc_%s.pdf info.%s.htm"
).split()
FILE_CODE = re.compile(r"(?:[_.-]|/|^)[a-z]{2}(?:\.\w{1,5})?/?(?:\?|$)")
OF_READERS = "crux"  # labels by the countries that read a host: en.example.ru is Russian there
#: Sources that label a site, a channel or a country, and not the page: ``gov.si/en/`` is Slovene there.
OF_SITES = (
    "cc_web_languages WEAK_citizenlab_country WEAK_country_news_feeds WEAK_university_country "
    "iptvorg_channel_websites iptv_org rsshub adblock_commit_page_urls adblock_language_lists "
    "easylist_language_sections zotero_translators blogroll_network"
).split()
TRUSTED = {"human": 1.0, "institution": 1.0, "weak": 0.5}  # "site" and "title" say little here


@dataclass(frozen=True)
class Part:
    """A feature that names a language."""

    feature: str
    language: int
    prior: float
    section: tuple[int, ...] = ()  #: languages of the country that it may stand for instead
    elsewhere: float = 0.0  #: how often it does, on hosts that are not at home in the language


def parts_of(known: list[str], counts: np.ndarray) -> dict[str, Part]:
    """Codes, names and countries as parts of path, host and query."""
    found: dict[str, Part] = {}
    words: list[tuple[str, str, str]] = []
    for language, n in zip(known, counts, strict=True):
        words.append((language, language, "code" if n >= 10_000 else "rare"))
        for name in map(plain_letters, spelt(language)):
            # Short names of rare languages are words of others (ewe, ido), but for a few.
            if n >= 10_000 or len(name) > 4 or name in SHORT_NAMES:
                words.append((name, language, "name" if n >= 10_000 else "rare"))
    words += [(word, registry.find(word), "name") for word in [*PLAIN, *NAMES]]
    words += [(code, said.split(",")[0], "country") for code, said in SECTIONS.items() if code not in known]
    for word, language, kind in words:
        if not word.isascii() or not word.isalpha() or language not in known:
            continue
        for mark, longest in (("c", MAX_PART), ("b", MAX_PART), ("l", 2), ("f", 2)):
            if 2 <= len(word) <= longest:
                part = Part(
                    f"{mark}:{word}", known.index(language), WORD_OF[kind], *section_of(mark, word, known)
                )
                found.setdefault(part.feature, part)
    return found


def section_of(mark: str, word: str, known: list[str]) -> tuple[tuple[int, ...], float]:
    """The languages of the country that a code may stand for, and how often it does: in paths and subdomains only."""
    if mark not in "cb" or word not in SECTIONS:
        return (), 0.0
    first, _, second = SECTIONS[word].partition(",")
    section = (first, first, second or first)
    return tuple(map(known.index, section)), ELSEWHERE.get(word, 0.0 if word in known else 1.0)


def endings_of(known: list[str], texts: list[str], domain: np.ndarray) -> dict[str, Part]:
    """Top-level domains of places and in other scripts (``.gal``, ``.срб``) that too few labelled domains have."""
    _, first = np.unique(domain, return_index=True)
    seen = Counter(texts[i].partition("/")[0].rpartition(".")[2] for i in first)
    found = {}
    for ending in tlds.all_tlds():
        language = tlds.languages_of_tld(ending)[0]
        of_country = ending.isascii() and len(ending) == 2
        if not of_country and language in known and seen[ending] < MANY:
            prior = WORD_OF["place" if ending.isascii() else "script"]
            found[f"t:{ending}"] = Part(f"t:{ending}", known.index(language), prior)
    return found


def spelt(language: str) -> tuple[str, str]:
    return registry.name(language), registry.autonym(language)


def plain_letters(word: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", word.lower()) if not unicodedata.combining(c))


def hints_of(text: str) -> list[str]:
    return [name for name in evidence(text)[0] if not name.startswith("x:")]


def named(text: str, parts: dict[str, Part]) -> list[str]:
    """The parts of a URL that name a language; most URLs have none, which a glance tells."""
    host, _, rest = text.partition("/")
    ending = f"t:{host.rpartition('.')[2]}"
    short = [f"c:{segment}" for segment in rest.partition("?")[0].split("/")[:4]]
    short += [f"b:{label}" for label in host.split(".")[:-2]]
    if (
        ending not in parts
        and not FILE_CODE.search(rest)
        and "=" not in rest
        and not any(name in parts or name[4:5] in "-_" for name in short if len(name) > 3)
    ):
        return []
    return [name for name in hints_of(text) if name in parts]


def with_part(text: str, feature: str, rng: np.random.Generator) -> str:
    """A host with a part that names a language, and half of the time with a plain path as well."""
    mark, _, word = feature.partition(":")
    host = text.removeprefix("www.").partition("/")[0]
    path = PLAIN_PATHS[rng.integers(len(PLAIN_PATHS))] if rng.random() < 0.6 else ""
    if mark == "t":
        return f"{host.rpartition('.')[0]}.{word}/{path}".rstrip("/")
    if mark == "b":
        return f"{word}.{host}/{path}" if path else f"{word}.{host}"
    if mark == "l":
        return f"{host}/{path}{'&' if '?' in path else '?'}lang={word}"
    if mark == "f":
        return f"{host}/{FILES[rng.integers(len(FILES))]}" % word
    first, _, rest = path.partition("/")
    if rest and rng.random() < 0.3:
        return f"{host}/{first}/{word}/{rest}"
    return f"{host}/{word}/{path}" if path or rng.random() < 0.7 else f"{host}/{word}"


@dataclass
class Lesson:
    """URLs, what they are to be taken for, how much each weighs, and the parts that they hold."""

    texts: list[str]
    targets: np.ndarray
    weights: np.ndarray
    held: csr_matrix

    @classmethod
    def of(
        cls,
        texts: list[str],
        targets: np.ndarray,
        weights: np.ndarray,
        features: list[str],
        found_in: Callable[[str], list[str]] | None = None,
    ) -> Lesson:
        """A lesson for some features; ``found_in`` names those of a text, if they are no hints."""
        found_in = found_in or hints_of
        number = {feature: i for i, feature in enumerate(features)}
        pairs = [
            (i, number[name]) for i, text in enumerate(texts) for name in found_in(text) if name in number
        ]
        rows, columns = np.array(pairs, int).reshape(-1, 2).T
        held = csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), (len(texts), len(features)))
        return cls(texts, targets, weights, held)


class Corpus:
    """The labelled rows, and the parts of URLs that name a language: all, or those of some words ``only``."""

    def __init__(self, work: Path, only: frozenset[str] = frozenset()) -> None:
        labels = np.load(work / "labels.npz")
        # Those of the model: one that was unpacked may know others than the labels do by now.
        self.known = list(map(str, np.load(work / "model.npz")["languages"]))
        labelled_as = list(map(str, labels["languages"]))
        number = {code: i for i, code in enumerate(self.known)}
        counts = dict(zip(labelled_as, labels["rows_of_language"], strict=True))
        self.rows_of_language = np.array([counts.get(code, 0) for code in self.known])
        self.texts = lzma.decompress((work / "train.xz").read_bytes()).decode("utf-8").split("\n")
        self.y = np.array([*(number.get(code, -1) for code in labelled_as), -1])[labels["train_y"]]
        self.domain = labels["train_domain"]
        self.parts = parts_of(self.known, self.rows_of_language) | endings_of(
            self.known, self.texts, self.domain
        )
        if only:
            self.parts = {name: part for name, part in self.parts.items() if name[2:] in only}
        self.features = [*self.parts, NUMBERS]
        labelled = pq.read_table(DATA / "urls/train.parquet", columns=["domain", "strength", "source"])
        labelled = labelled.to_pandas().sort_values("domain", kind="stable")  # as in the corpus
        trusted = labelled.strength.astype(str).map(TRUSTED).fillna(0.0)
        self.weight = trusted.where(~labelled.source.isin(OF_SITES), 0.0).to_numpy(copy=True)
        self.held = [
            named(text, self.parts) if y >= 0 else [] for text, y in zip(self.texts, self.y, strict=True)
        ]
        for i in np.flatnonzero(labelled.source == OF_READERS):
            # Codes of rare languages are abbreviations of other things as often, which only these rows show.
            if any(self.parts[name].prior != WORD_OF["rare"] for name in self.held[i]):
                self.weight[i] = 0
        self.rng = np.random.default_rng(0)

    def real(self) -> Lesson:
        rows = [i for i, held in enumerate(self.held) if held and self.weight[i]]
        seen: dict[tuple[str, int], int] = defaultdict(int)
        for i in rows:
            seen[self.held[i][0], self.domain[i]] += 1
        weights = np.array([self.weight[i] / seen[self.held[i][0], self.domain[i]] for i in rows])
        targets = np.zeros((len(rows), len(self.known)), np.float32)
        targets[np.arange(len(rows)), self.y[rows]] = 1
        return Lesson.of([self.texts[i] for i in rows], targets, weights, self.features)

    def kept(self) -> dict[str, float]:
        """How often each part says a language that it names: as seen on curated domains, or as guessed."""
        said: dict[str, set[tuple[int, bool]]] = defaultdict(set)
        for held, y, weight, domain in zip(self.held, self.y, self.weight, self.domain, strict=True):
            if weight == 1:
                for feature in held:
                    part = self.parts[feature]
                    said[feature].add((domain, y == part.language or y in part.section))
        return {
            feature: (sum(right for _, right in said[feature]) + SEEN_AS * part.prior)
            / (len(said[feature]) + SEEN_AS)
            for feature, part in self.parts.items()
        }

    def made_up(self, rare: bool) -> Lesson:
        """Parts put into labelled URLs: most of them English, the others of any language.

        Those of languages with few rows are apart: their codes are other things as often.
        """
        usable = np.flatnonzero([not held for held in self.held] & (self.weight == 1) & (self.y >= 0))
        _, first = np.unique(self.domain[usable], return_index=True)
        usable = usable[first]
        english = self.y[usable] == self.known.index("en")
        counts = np.bincount(self.y[usable], minlength=len(self.known))
        others = np.where(english, 0, counts[self.y[usable]] ** -0.5)
        others /= others.sum()
        mixed = ENGLISH * english / english.sum() + (1 - ENGLISH) * others
        kept, texts, targets = self.kept(), [], []
        for feature, part in self.parts.items():
            if rare != (part.prior == WORD_OF["rare"] and not part.elsewhere):
                continue
            of_english = self.known[part.language] == "en"  # there the words to outweigh are those of others
            of_code = feature[2:] == self.known[part.language] and part.prior == WORD_OF["code"]
            count = MADE_UP * (OFTEN if of_code or of_english or part.elsewhere else 1)
            rows = self.rng.choice(usable, count, p=others if of_english else mixed)
            for i in rows:
                texts.append(with_part(self.texts[i], feature, self.rng))
                elsewhere = 0.0 if self.is_home(i, part) else part.elsewhere
                target = np.zeros(len(self.known), np.float32)
                target[self.y[i]] += 1 - kept[feature]
                target[part.language] += kept[feature] * (1 - elsewhere)
                for language in part.section:
                    target[language] += kept[feature] * elsewhere / len(part.section)
                targets.append(target)
        targets = np.array(targets, np.float32).reshape(-1, len(self.known))
        return Lesson.of(texts, targets, np.full(len(texts), 0.5), self.features)

    def is_home(self, row: int, part: Part) -> bool:
        """Whether a URL's host is where a language is at home, so that its code stands for it and not for a country."""
        language = self.known[part.language]
        ending = self.texts[row].partition("/")[0].rpartition(".")[2]
        near = NEAR.get(language, language).split()
        return language in tlds.languages_of_tld(ending) or self.known[self.y[row]] in near

    def numbers(self, rates: np.ndarray, count: int = 4000) -> Lesson:
        """Hosts in numbers, which tell no language: the right answer is doubt."""
        doubt = np.sqrt(rates) / np.sqrt(rates).sum()
        paths = ["", *PLAIN_PATHS]
        texts = [f"192.168.1.1/{paths[i % len(paths)] if i % 2 else ''}".rstrip("/") for i in range(count)]
        return Lesson.of(texts, np.tile(doubt, (len(texts), 1)), np.full(len(texts), 0.5), self.features)
