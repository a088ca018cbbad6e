"""Lets the model know the sites that it was shown: ``clarin.com`` is Spanish, whatever ``clarin`` reads like.

    python recipes/url_model/sites.py WORK [--out FOLDER]

Training leaves out seven n-grams of ten, so that no single name decides on domains that it never saw. So names that seventeen
lists call Spanish were English for their ``.com``. Here all rows of the table stay as they are but those of sites
(``s:clarin.com``). The sites are chosen, and fitted, by what the sources of ``urls/train.parquet`` say of them: each source
has one vote (``votes.py``).

A site keeps its word where nothing else is said: with a code (``/en/``) it is what the code says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from codes import on_dev
from lessons import SECTIONS, Lesson
from platforms import ENGLISH, PLAIN
from votes import Votes, home_chances, labelled, tried
from weights import WIDEST, Weights, folders

from linksight.url_model.calibration import Calibration, softmax
from linksight.url_model.embeddings import EvidenceTable
from linksight.url_model.model import Scorer
from linksight.urls.parser import Url

MOST = 24_000  # sites: what there is room for below 12 MB
PAGES = 3  # labelled pages of a site that it is fitted on
HOME, PAGE, CODED = 2.0, 0.5, 0.5  # what a home page, a labelled page and an address with a code weigh
HOLD = 0.05  # how tightly a row is held to nothing
ROUNDS, SHARES = 10, (1.0, 0.4, 0.15, 0.05)  # of Newton's method, and of a step that is tried
AT_ONCE = 1000  # sites
CODES = ("en", "de", "fr", "es", "ru", "nl")
COUNTRIES = "at ch be se dk cz jp kr cn br mx rs si ua".split()
#: Sites that the whole world writes on, or reads, and of which training saw what a few lists link to. Of the others of
#: ``platforms.py`` it has no row.
WORLDWIDE = tuple(
    f"{name}.com" for name in
    "linkedin stackexchange pinterest spotify ebay google imdb netflix yahoo medium".split()
)  # fmt: skip


def chosen(votes: Votes, scorer: Scorer) -> tuple[list[str], np.ndarray]:
    """The sites of which the model has most to learn, and what to believe of each."""
    known = votes.known()
    sites = known.index.tolist()
    own = home_chances(scorer, sites)
    believed = votes.of(sites, own)
    said, each = believed.argmax(1), np.arange(len(sites))
    # Where the model is as sure as its sources already, a row would only add noise.
    gain = known.to_numpy() * (np.log(believed[each, said]) - np.log(own[each, said] + 1e-6))
    best = np.sort(np.argsort(-gain)[:MOST])
    print(f"{len(sites):,} sites are known; the least that is taken gains {np.sort(gain)[-MOST:][0]:.2f}")
    return [sites[i] for i in best], believed[best]


def doubtful(languages: Sequence[str], rates: np.ndarray) -> np.ndarray:
    """What to believe of a site that the whole world writes on (``platforms.py``)."""
    doubt = (1 - ENGLISH) * np.sqrt(rates) / np.sqrt(rates).sum()
    doubt[languages.index("en")] += ENGLISH
    return doubt.astype(np.float32)


def with_worldwide(sites: list[str], believed: np.ndarray, doubt: np.ndarray) -> tuple[list[str], np.ndarray]:
    """The same sites and beliefs, and doubt of those that the whole world writes on."""
    kept = [i for i, name in enumerate(sites) if name not in WORLDWIDE]
    doubts = np.tile(doubt, (len(WORLDWIDE), 1))
    return [*(sites[i] for i in kept), *WORLDWIDE], np.concatenate([believed[kept], doubts])


class Lessons:
    """What the rows of sites are fitted to."""

    def __init__(self, sites: list[str], believed: np.ndarray, languages: Sequence[str]) -> None:
        self.sites, self.believed, self.languages = sites, believed, languages
        self.number = {name: i for i, name in enumerate(sites)}

    def lesson(self, texts: list[str], targets: np.ndarray, weight: float) -> Lesson:
        features = [f"s:{name}" for name in self.sites]
        return Lesson.of(texts, targets, np.full(len(texts), weight), features)

    def one_hot(self, columns: Sequence[int]) -> np.ndarray:
        return np.eye(len(self.languages), dtype=np.float32)[columns]

    def homes(self) -> Lesson:
        return self.lesson(self.sites, self.believed, HOME)

    def pages(self, rows: pd.DataFrame) -> Lesson:
        """Labelled pages: they are what their labels say, or what their site is."""
        of_one_voice = rows.domain.isin(self.number) & ~rows.domain.isin(WORLDWIDE)
        some = rows[of_one_voice].sample(frac=1, random_state=0)
        some = some.groupby("domain").head(PAGES)
        said = self.one_hot([self.languages.index(code) for code in some.language])
        believed = self.believed[some.domain.map(self.number)]
        return self.lesson([Url.parse(url).text for url in some.url], (said + believed) / 2, PAGE)

    def plain(self) -> Lesson:
        """Addresses of sites that the whole world writes on, which say nothing."""
        texts = [f"{name}/{path}".removesuffix("/") for name in WORLDWIDE for path in PLAIN]
        at = [self.number[text.partition("/")[0]] for text in texts]
        return self.lesson(texts, self.believed[at], PAGE)

    def coded(self) -> Lesson:
        """With the code of a language, or of a country whose section it is, a site is what the code says."""
        texts, at, said = [], [], []
        for i, name in enumerate(self.sites):
            code, other = CODES[i % len(CODES)], CODES[(i + 1) % len(CODES)]
            country = COUNTRIES[i % len(COUNTRIES)]
            texts += [
                f"{name}/{code}/",
                f"{other}.{name}",
                f"{name}/{country}/",
                f"{name}/{country}/support/",
            ]
            own = SECTIONS[country].partition(",")[0]
            said += [self.languages.index(language) for language in (code, other, own, own)]
            at += [i] * 4
        return self.lesson(texts, 0.9 * self.one_hot(said) + 0.1 * self.believed[at], CODED)


@dataclass(frozen=True)
class Joined:
    """All lessons, by site: each address has one."""

    sites: np.ndarray  #: position of each address's site, rising
    logits: np.ndarray  #: as the table has them now
    factors: np.ndarray  #: what one unit of a site's score moves them by
    targets: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, lessons: list[Lesson], scorer: Scorer) -> Joined:
        table, calibration = scorer.table, scorer.calibration
        texts = [text for lesson in lessons for text in lesson.texts]
        sites = np.concatenate([lesson.held.indices for lesson in lessons])
        page = np.array(["/" in text for text in texts], int)
        plain = Scorer(table, scorer.languages, Calibration.plain(len(scorer.languages)))
        scores = plain.score([f"http://{text}" for text in texts])
        order = np.argsort(sites, kind="stable")
        found = cls(
            sites,
            calibration.logits(scores, page),
            calibration.slopes[page] * table.hint_scale,
            np.concatenate([lesson.targets for lesson in lessons]),
            np.concatenate([lesson.weights for lesson in lessons]),
        )
        return found.some(order)

    def some(self, rows: np.ndarray | slice) -> Joined:
        return Joined(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))


def fitted_apart(joined: Joined, rows: np.ndarray, table: EvidenceTable) -> np.ndarray:
    """The rows of sites, each moved so that its own lessons are likeliest; none beyond what the table holds."""
    most = WIDEST * float(np.abs(table.levels).max())
    found = rows.astype(float)
    for start in range(0, len(rows), AT_ONCE):
        first, last = np.searchsorted(joined.sites, (start, start + AT_ONCE))
        some = slice(start, start + AT_ONCE)
        found[some] += moved(joined.some(slice(first, last)), start, found[some], table.output)
    return np.clip(found, -most, most)


def moved(some: Joined, start: int, rows: np.ndarray, output: np.ndarray) -> np.ndarray:
    """How far the rows of some sites move: Newton's method, for all of them at once."""
    at, dim = some.sites - start, len(output)
    begins = np.searchsorted(at, np.arange(len(rows)))

    def chances_of(moves: np.ndarray) -> np.ndarray:
        return softmax(some.logits + some.factors[:, None] * (moves @ output)[at])

    def losses_of(moves: np.ndarray) -> np.ndarray:
        told = (some.targets * np.log(chances_of(moves) + 1e-9)).sum(1)
        return HOLD * ((rows + moves) ** 2).sum(1) - np.add.reduceat(some.weights * told, begins)

    moves = np.zeros_like(rows)
    losses = losses_of(moves)
    for _ in range(ROUNDS):
        chances = chances_of(moves)
        pull = (some.weights * some.factors)[:, None] * (chances - some.targets)
        gradient = np.add.reduceat(pull, begins) @ output.T + 2 * HOLD * (rows + moves)
        means = chances @ output.T
        spread = (chances[:, None, :] * output) @ output.T - means[:, :, None] * means[:, None, :]
        curve = np.add.reduceat((some.weights * some.factors**2)[:, None, None] * spread, begins)
        step = np.linalg.solve(curve + 2 * HOLD * np.eye(dim), gradient[:, :, None])[:, :, 0]
        for share in SHARES:  # where all of a step leads too far, less of it is taken
            tried = moves - share * step
            now = losses_of(tried)
            better = now < losses
            moves[better], losses[better], step[better] = tried[better], now[better], 0
    return moves


def main() -> None:
    work, out = folders(__doc__)
    weights = Weights.read(work)
    languages = weights.languages
    labels = labelled(languages)
    # Of some sites training has rows: it saw subdomains of theirs, and no home page.
    weights.silence(weights.rows(f"s:{name}" for name in sorted(set(labels.domain))))
    table = weights.table
    calibration, _ = on_dev(table, languages)
    scorer = Scorer(table, tuple(languages), calibration)
    votes = Votes.counted(labels, languages)
    tried(votes, scorer)
    sites, believed = with_worldwide(*chosen(votes, scorer), doubtful(languages, calibration.rates))
    teaching = Lessons(sites, believed, languages)
    lessons = [teaching.homes(), teaching.pages(labels), teaching.plain(), teaching.coded()]
    rows = weights.rows(f"s:{name}" for name in sites)
    weights.replace(rows, fitted_apart(Joined.of(lessons, scorer), rows.values, table))
    weights.write(out)


if __name__ == "__main__":
    main()
