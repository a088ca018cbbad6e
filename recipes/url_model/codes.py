"""Lets a language that is named outright outweigh the words around it.

    python recipes/url_model/codes.py WORK [--out FOLDER]

``/fi/products/`` is Finnish, whatever ``products`` is; but few labelled URLs hold a code beside words of
another language, so the trained table lets the words win. Here all rows of the table stay as they are
but those of codes and names of languages: as part of the path (``c:fi``), as subdomain (``b:fi``), in the
query (``l:fi``), at the end of a file name (``f:fi``). They are fitted again on

real       labelled URLs with such a part, but for those whose label comes from the page that links to them
           or from the words of the link: there "Deutsch" on an English page is English or German by chance
           (they agree with the code in 55 and 63 % of the cases, people's labels in 95 %);
made up    labelled hosts of all languages with a code and a plain path (``/fi/products/``). Its word is taken as
           often as it is kept among real ones: ``/nl/`` is nearly always Dutch, ``/uk/`` or ``/cs/`` are not.

A host that is a number (``192.168.1.1``) names nothing: its last part gets a row that takes back what the
digits of other hosts taught.
"""

from __future__ import annotations

import argparse
import lzma
import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from package import DATA, LIST_WEIGHT, calibrate, find_or_keep
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, vstack

from linksight import languages
from linksight.calibration import Calibration, softmax
from linksight.features.evidence import MAX_PART, host_hints, path_hints
from linksight.features.hashing import fnv1a
from linksight.scorer import Scorer
from linksight.tables import LARGEST, EvidenceTable

#: ISO 639-2 codes that are no word of a frequent language.
PLAIN = (
    "eng deu ger fra fre ita nld dut por rus ukr kor jpn zho chi ara tur swe ces cze hun rum heb vie".split()
)
COUNTRIES = "us gb at jp cz dk gr kr cn tw ua br mx vn il rs se".split()  # that people use for languages
WORD_OF = {
    "code": 0.95,
    "rare": 0.85,
    "name": 0.9,
    "country": 0.75,
}  # how often it is kept, before any is seen
SEEN_AS = 10  # labelled domains that this guess weighs as much as
MADE_UP = 60  # URLs for each part
NUMBERS = [f"t:{number}" for number in range(256)]  # the last part of an address in numbers
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
TRUSTED = {"human": 1.0, "institution": 1.0, "weak": 0.5}  # "site" and "title" say little here
HOLD = 0.02  # how tightly rows are held to where training left them


@dataclass(frozen=True)
class Part:
    """A feature that names a language."""

    feature: str
    language: int
    prior: float


def parts_of(known: list[str], counts: np.ndarray) -> dict[str, Part]:
    """Codes, names and countries as parts of path, host and query."""
    found: dict[str, Part] = {}
    words: list[tuple[str, str, str]] = []
    for language, n in zip(known, counts, strict=True):
        words.append((language, language, "code" if n >= 10_000 else "rare"))
        for name in map(plain_letters, spelt(language)):
            if n >= 10_000 or len(name) > 4:  # short names of rare languages are words of others: ewe, ido
                words.append((name, language, "name" if n >= 10_000 else "rare"))
    words += [(code, languages.find(code), "name") for code in PLAIN]
    words += [(code, languages.of_country(code)[0], "country") for code in COUNTRIES if code not in known]
    for word, language, kind in words:
        if not word.isascii() or not word.isalpha() or language not in known:
            continue
        for mark, longest in (("c", MAX_PART), ("b", 5), ("l", 2), ("f", 2)):
            if 2 <= len(word) <= longest:
                part = Part(f"{mark}:{word}", known.index(language), WORD_OF[kind])
                found.setdefault(part.feature, part)
    return found


def spelt(language: str) -> tuple[str, str]:
    return languages.name(language), languages.autonym(language)


def plain_letters(word: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", word.lower()) if not unicodedata.combining(c))


def hints_of(text: str) -> list[str]:
    host, _, rest = text.removeprefix("www.").partition("/")
    body, _, tld = host.rpartition(".")
    return host_hints(body, tld, bool(rest)) + (path_hints(rest) if rest else [])


def named(text: str, parts: dict[str, Part]) -> list[str]:
    """The parts of a URL that name a language; most URLs have none, which a glance tells."""
    host, _, rest = text.partition("/")
    short = [f"c:{segment}" for segment in rest.partition("?")[0].split("/")[:4]]
    short += [f"b:{label}" for label in host.split(".")[:-2]]
    if not FILE_CODE.search(rest) and (
        "=" not in rest and not any(name in parts or name[4:5] in "-_" for name in short if len(name) > 3)
    ):
        return []
    return [name for name in hints_of(text) if name in parts]


def with_part(text: str, feature: str, rng: np.random.Generator) -> str:
    """A host with a part that names a language, and half of the time with a plain path as well."""
    mark, _, word = feature.partition(":")
    host = text.removeprefix("www.").partition("/")[0]
    path = PLAIN_PATHS[rng.integers(len(PLAIN_PATHS))] if rng.random() < 0.6 else ""
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


class Corpus:
    def __init__(self, work: Path) -> None:
        labels = np.load(work / "labels.npz")
        self.known = list(map(str, labels["languages"]))
        self.parts = parts_of(self.known, labels["rows_of_language"])
        self.number = {feature: i for i, feature in enumerate([*self.parts, *NUMBERS])}
        self.texts = lzma.decompress((work / "train.xz").read_bytes()).decode("utf-8").split("\n")
        self.y, self.domain = labels["train_y"], labels["train_domain"]
        strength = pq.read_table(DATA / "urls/train.parquet", columns=["domain", "strength"]).to_pandas()
        strength = strength.sort_values("domain", kind="stable").strength.astype(str)  # as in the corpus
        self.weight = strength.map(TRUSTED).fillna(0.0).to_numpy()
        self.held = [
            named(text, self.parts) if y >= 0 else [] for text, y in zip(self.texts, self.y, strict=True)
        ]
        self.rng = np.random.default_rng(0)

    def real(self) -> Lesson:
        rows = [i for i, held in enumerate(self.held) if held and self.weight[i]]
        seen: dict[tuple[str, int], int] = defaultdict(int)
        for i in rows:
            seen[self.held[i][0], self.domain[i]] += 1
        weights = np.array([self.weight[i] / seen[self.held[i][0], self.domain[i]] for i in rows])
        targets = np.zeros((len(rows), len(self.known)), np.float32)
        targets[np.arange(len(rows)), self.y[rows]] = 1
        return self.lesson([self.texts[i] for i in rows], targets, weights)

    def kept(self) -> dict[str, float]:
        """How often each part says the language that it names: as seen on curated domains, or as guessed."""
        said: dict[str, set[tuple[int, bool]]] = defaultdict(set)
        for held, y, weight, domain in zip(self.held, self.y, self.weight, self.domain, strict=True):
            if weight == 1:
                for feature in held:
                    said[feature].add((domain, y == self.parts[feature].language))
        return {
            feature: (sum(right for _, right in said[feature]) + SEEN_AS * part.prior)
            / (len(said[feature]) + SEEN_AS)
            for feature, part in self.parts.items()
        }

    def made_up(self) -> Lesson:
        """Parts put into labelled URLs: most of them English, the others of any language."""
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
            of_english = self.known[part.language] == "en"  # there the words to outweigh are those of others
            rows = self.rng.choice(usable, MADE_UP * (1 + 4 * of_english), p=others if of_english else mixed)
            for i in rows:
                texts.append(with_part(self.texts[i], feature, self.rng))
                target = np.zeros(len(self.known), np.float32)
                target[self.y[i]] += 1 - kept[feature]
                target[part.language] += kept[feature]
                targets.append(target)
        return self.lesson(texts, np.array(targets), np.full(len(texts), 0.5))

    def numbers(self, rates: np.ndarray, each: int = 15) -> Lesson:
        """Hosts in numbers, which tell no language: the right answer is doubt."""
        doubt = np.sqrt(rates) / np.sqrt(rates).sum()
        texts = []
        for feature in NUMBERS * each:
            first = ("192.168.1", "10.0.0", "127.0.0", "")[self.rng.integers(4)]
            first = first or ".".join(map(str, self.rng.integers(1, 256, 3)))
            path = PLAIN_PATHS[self.rng.integers(len(PLAIN_PATHS))] if self.rng.random() < 0.5 else ""
            texts.append(f"{first}.{feature[2:]}/{path}".rstrip("/"))
        return self.lesson(texts, np.tile(doubt, (len(texts), 1)), np.full(len(texts), 0.5))

    def lesson(self, texts: list[str], targets: np.ndarray, weights: np.ndarray) -> Lesson:
        pairs = [
            (i, self.number[name])
            for i, text in enumerate(texts)
            for name in hints_of(text)
            if name in self.number
        ]
        rows, columns = np.array(pairs).T
        held = csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), (len(texts), len(self.number)))
        return Lesson(texts, targets, weights, held)


def on_dev(table: EvidenceTable, known: list[str]) -> tuple[Calibration, Scorer]:
    """The calibration that the table would ship with: what a code has to outweigh is what users would see."""
    dev = pq.read_table(DATA / "urls/dev.parquet").to_pandas()
    plain = Scorer(table, tuple(known), Calibration.plain(len(known)))
    found = dev.language.astype(str).map(find_or_keep)
    y = np.array([known.index(code) if code in known else -1 for code in found])
    weights = np.where(dev.trust == 1, 1.0, LIST_WEIGHT)
    page = (dev.kind == "page").to_numpy()
    scores = plain.score(dev.url.tolist()).astype(float)
    return calibrate(scores, y, page, weights, np.ones(len(dev), bool)), plain


def fitted(
    table: EvidenceTable, calibration: Calibration, plain: Scorer, lessons: list[Lesson], rows: np.ndarray
) -> np.ndarray:
    """The rows of the parts, moved so that the lessons are likeliest; none beyond what the table can hold."""
    most = float(table.step) * LARGEST
    texts = [text for lesson in lessons for text in lesson.texts]
    page = np.array(["/" in text for text in texts], int)
    slopes = calibration.slopes[page][:, None]
    scores = plain.score([f"http://{text}" for text in texts]) * slopes + calibration.offsets[page]
    targets = np.concatenate([lesson.targets for lesson in lessons])
    weights = np.concatenate([lesson.weights for lesson in lessons])[:, None].astype(np.float32)
    held = vstack([lesson.held for lesson in lessons]).multiply(slopes * table.hint_scale).tocsr()
    shape = (held.shape[1], table.dim)

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        moves = values.reshape(shape) - rows
        chances = softmax(scores + held @ (moves @ table.output))
        value = -(weights * targets * np.log(chances + 1e-9)).sum()
        gradient = (held.T @ (weights * (chances - targets))) @ table.output.T
        value += HOLD * (moves**2).sum()
        return float(value), (gradient + 2 * HOLD * moves).ravel().astype(float)

    found = minimize(
        loss,
        rows.ravel(),
        jac=True,
        method="L-BFGS-B",
        bounds=[(-most, most)] * rows.size,
        options={"maxiter": 200},
    )
    print(f"{len(scores):,} URLs: loss {loss(rows.ravel())[0]:,.0f} -> {found.fun:,.0f}, {found.nit} steps")
    moved: np.ndarray = found.x.reshape(shape)
    return moved


def coded(rows: np.ndarray, levels: np.ndarray, largest: float) -> tuple[np.ndarray, np.ndarray]:
    """Rows as positions in ``levels`` and a scale each, none beyond what the table holds already."""
    best = np.full(len(rows), np.inf)
    codes, scales = np.zeros(rows.shape, np.uint8), np.zeros(len(rows), np.float16)
    cuts = (levels[1:] + levels[:-1]) / 2
    size = np.abs(rows).max(1) / np.abs(levels).max()
    for factor in np.linspace(0.5, 1.3, 33):
        scale = np.clip(size * factor, 1e-4, largest).astype(np.float16)
        nearest = np.searchsorted(cuts, rows / scale.astype(np.float32)[:, None])
        error = ((levels[nearest] * scale.astype(np.float32)[:, None] - rows) ** 2).sum(1)
        better = error < best
        best[better], codes[better], scales[better] = error[better], nearest[better], scale[better]
    print(f"coding loses {best.sum() / (rows**2).sum():.2%} of the rows' squares")
    return codes, scales


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path)
    parser.add_argument("--out", type=Path, help="where model.npz and table.npz are written (WORK)")
    asked = parser.parse_args()
    model, packed = dict(np.load(asked.work / "model.npz")), dict(np.load(asked.work / "table.npz"))
    table = EvidenceTable.build(
        model["hashes"], packed["codes"], packed["scales"], model["levels"],
        model["output"], model["bias"], float(model["hint_scale"]),
    )  # fmt: skip
    corpus = Corpus(asked.work)
    calibration, plain = on_dev(table, corpus.known)
    hashes = np.array([fnv1a(feature) for feature in corpus.number], np.uint64)
    where = {int(state): i for i, state in enumerate(model["hashes"])}
    at = np.array([where.get(int(state), -1) for state in hashes])
    old = model["levels"][packed["codes"][at]] * packed["scales"][at].astype(np.float32)[:, None]
    rows = np.where((at >= 0)[:, None], old, 0)
    lessons = [corpus.real(), corpus.made_up(), corpus.numbers(calibration.rates)]
    rows = fitted(table, calibration, plain, lessons, rows)
    codes, scales = coded(rows, model["levels"], float(packed["scales"].max()))
    there, new = at >= 0, at < 0
    packed["codes"][at[there]], packed["scales"][at[there]] = codes[there], scales[there]
    model["hashes"] = np.r_[model["hashes"], hashes[new]]
    packed = {"codes": np.r_[packed["codes"], codes[new]], "scales": np.r_[packed["scales"], scales[new]]}
    out = asked.out or asked.work
    out.mkdir(parents=True, exist_ok=True)
    np.savez(out / "model.npz", **model)
    np.savez_compressed(out / "table.npz", **packed)
    print(f"{there.sum()} rows fitted again, {new.sum()} added")


if __name__ == "__main__":
    main()
