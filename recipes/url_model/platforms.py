"""Lets the names of sites that the whole world writes on (``youtube``, ``facebook``) speak for no language.

    python recipes/url_model/platforms.py WORK [--out FOLDER]

Labels of such addresses come from lists that link to them, so ``youtube.com/watch?v=...`` was Chinese and
``facebook.com/groups/123`` French. Here all rows of the table stay as they are but those of the names as words of the
host (``w:youtube``), and of hosts with such a name that blogs share (``s:github.io``): what their blogs are in is theirs
to say. They are fitted again on

real       labelled URLs with such a word in their host, weighed as dev is;
plain      addresses of the site that say nothing: mostly English, and else in doubt;
told       addresses of the site with a code, a national ending or the path of a labelled page: what those say.
"""

from __future__ import annotations

import numpy as np
from codes import fitted, on_dev
from lessons import Corpus, Lesson
from mix import curated_weights, host_of
from scipy.sparse import diags, hstack
from weights import Weights, folders

from linksight.features.url_features import evidence
from linksight.languages import tlds
from linksight.url_model.embeddings import EvidenceTable
from linksight.urls.parser import words_of

#: Sites by the name that is their own; no words of a language, and none whose users have hosts of their own.
NAMES = (
    "youtube facebook twitter instagram linkedin github gitlab bitbucket sourceforge stackoverflow stackexchange reddit "
    "pinterest vimeo flickr soundcloud spotify amazon ebay etsy google microsoft mozilla paypal imdb quora "
    "goodreads tripadvisor airbnb patreon twitch discord slideshare scribd issuu researchgate arxiv dropbox netflix "
    "tiktok whatsapp snapchat yahoo npmjs pypi wikimedia openstreetmap youtu tinyurl w3"
).split()
ENDING = {
    "arxiv": "org",
    "pypi": "org",
    "wikimedia": "org",
    "openstreetmap": "org",
    "w3": "org",
    "youtu": "be",
}
PLAIN = (
    "|watch?v=dQw4w9WgXcQ|user|user/project|users/123456/anna|groups/123456|p/CabcDEF123/|status/1234567890|dp/B00ABC1234|"
    "questions/123456/|r/abc/comments/12ab3/|in/anna-smith-1234|channel/UCabc123|photos/a.123/456|abs/1706.03762|"
    "nasa|natgeo/|item?id=123456|album/4aBc|pages/category/12|@anna|s/abc123/file.pdf|maps/place/52.1,4.9"
).split("|")
SHARED = ("github.io", "gitlab.io")
ENDINGS = "de fr nl es it pl se dk fi pt cz hu ro gr co.jp com.br com.mx co.kr com.tr".split()
SAID = "de fr nl es it pl sv da fi pt cs ru ja zh ko tr ar".split()
ENGLISH = 0.6  # share of English where an address says nothing
PATHS = 60  # labelled paths that each site is tried with
REAL, PLAIN_WEIGHT, TOLD = 3.0, 5.0, 2.0  # what a row of each weighs


class Platforms:
    """The names that are fitted, and the rows that they are fitted on."""

    def __init__(self, corpus: Corpus, labels, rates: np.ndarray) -> None:
        self.corpus, self.weights = corpus, curated_weights(labels) * (corpus.y >= 0)
        self.features = [*(f"w:{name}" for name in NAMES), *(f"s:{host}" for host in SHARED)]
        self.rng = np.random.default_rng(0)
        self.doubt = (1 - ENGLISH) * np.sqrt(rates) / np.sqrt(rates).sum()
        self.doubt[corpus.known.index("en")] += ENGLISH

    def lessons(self, table: EvidenceTable) -> list[Lesson]:
        found = [self.real(), self.plain(), self.told()]
        for lesson in found:
            # A word of the host weighs less the longer the host is, and a hint always the same.
            weighed = [len(table.features(text)[1].rows) for text in lesson.texts]
            paths = [len(table.features(text)[2].rows) for text in lesson.texts]
            factors = table.balance.factors(np.array(weighed), np.array(paths))[0]
            words, hosts = lesson.held[:, : len(NAMES)], lesson.held[:, len(NAMES) :]
            lesson.held = hstack([diags(factors / table.hint_scale) @ words, hosts]).tocsr()
        return found

    def lesson(self, texts: list[str], targets: np.ndarray, weights: np.ndarray) -> Lesson:
        return Lesson.of(texts, targets, weights, self.features, in_hints_and_host)

    def one_hot(self, columns: list[int]) -> np.ndarray:
        targets = np.zeros((len(columns), len(self.corpus.known)), np.float32)
        targets[np.arange(len(columns)), columns] = 1
        return targets

    def real(self) -> Lesson:
        names = set(NAMES)
        rows = [
            int(i)
            for i in np.flatnonzero(self.weights)
            if names & set(words_of(host_of(self.corpus.texts[i])))
        ]
        texts = [self.corpus.texts[i] for i in rows]
        return self.lesson(texts, self.one_hot(list(self.corpus.y[rows])), REAL * self.weights[rows])

    def plain(self) -> Lesson:
        texts = [f"{site(name)}/{path}".removesuffix("/") for name in NAMES for path in PLAIN]
        return self.lesson(texts, np.tile(self.doubt, (len(texts), 1)), np.full(len(texts), PLAIN_WEIGHT))

    def told(self) -> Lesson:
        known, texts, columns = self.corpus.known, [], []
        labelled = [
            int(i)
            for i in np.flatnonzero(self.weights)
            if self.corpus.texts[i].partition("/")[2].count("-") >= 4
        ]
        for name in NAMES:
            for ending in ENDINGS:
                texts.append(f"{name}.{ending}/{PLAIN[self.rng.integers(len(PLAIN))]}".removesuffix("/"))
                columns.append(known.index(tlds.languages_of_tld(ending.rpartition(".")[2])[0]))
            for code in SAID:
                path = PLAIN[self.rng.integers(len(PLAIN))]
                texts += [f"{code}.{site(name)}/{path}".removesuffix("/"), f"{site(name)}/{code}/{path}"]
                columns += [known.index(code)] * 2
            for i in self.rng.choice(labelled, PATHS):
                texts.append(f"{site(name)}/{self.corpus.texts[i].partition('/')[2]}")
                columns.append(int(self.corpus.y[i]))
        return self.lesson(texts, self.one_hot(columns), np.full(len(texts), TOLD))


def in_hints_and_host(text: str) -> list[str]:
    hints, host, _ = evidence(text)
    return hints + host


def site(name: str) -> str:
    return f"{name}.{ENDING.get(name, 'com')}"


def main() -> None:
    work, out = folders(__doc__)
    weights, corpus = Weights.read(work), Corpus(work)
    table = weights.table
    calibration, plain = on_dev(table, corpus.known)
    platforms = Platforms(corpus, np.load(work / "labels.npz"), calibration.rates)
    rows = weights.rows(platforms.features)
    weights.replace(rows, fitted(table, calibration, plain, platforms.lessons(table), rows.values))
    weights.write(out)


if __name__ == "__main__":
    main()
