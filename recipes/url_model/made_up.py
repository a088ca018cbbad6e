"""URLs written as sites of each language write them, from the words of ``resources.py``.

A row is (text, language, kind); the text is that of ``Url``. Kinds: ``own`` pages of the language, ``home`` pages,
``word`` pages with a word or two, ``code`` pages that name their language, ``blank`` pages without words, ``false`` what looks like a code and is none.
Hosts are made up, so their lengths and shapes mean nothing: ``extract.py`` leaves those features out.
"""

from __future__ import annotations

import json
import lzma
import random
from pathlib import Path

COUNTRIES = {
    "en": "us gb uk au ca ie nz in", "de": "de at ch", "fr": "fr be ca ch", "es": "es mx ar co cl pe",
    "pt": "pt br", "nl": "nl be", "it": "it ch", "sv": "se fi", "da": "dk", "zh": "cn tw hk", "ja": "jp",
    "ko": "kr", "cs": "cz", "el": "gr", "uk": "ua", "he": "il", "fa": "ir", "vi": "vn", "ar": "sa ae eg",
    "hi": "in", "bn": "bd in", "ta": "in lk", "te": "in", "mr": "in", "gu": "in", "ur": "pk", "sl": "si", "et": "ee",
    "sr": "rs", "sq": "al", "ka": "ge", "hy": "am", "be": "by", "ms": "my", "ca": "es", "eu": "es", "gl": "es",
    "fy": "nl", "tl": "ph", "si": "lk", "ne": "np", "km": "kh", "my": "mm", "lo": "la", "sw": "ke tz", "am": "et",
    "af": "za", "zu": "za", "kk": "kz", "ky": "kg", "tg": "tj", "tk": "tm", "mn": "mn", "bs": "ba", "ga": "ie", "cy": "gb",
}  # fmt: skip
PARTS = "news blog online tv 24 info web media live world post daily portal times today press radio express my the shop store pro hub club group".split()
PLATFORMS = (
    "blogspot.com",
    "wordpress.com",
    "blogspot.com",
    "livejournal.com",
    "weebly.com",
    "wixsite.com",
    "tumblr.com",
    "github.io",
)
WORLD = "com com com com com com net org org info co io xyz online site top me tv news live blog".split()
#: Languages from which sites are translated by machines.
ORIGINS = ("en",) * 11 + ("ru",) * 5 + ("es", "de", "fr", "it", "pt", "uk", "zh", "tr", "pl", "nl", "id")
SECTIONS = "news article articles blog post posts category tag topic story video page read archives index.php content entertainment sports politics business tech".split()


class Writer:
    """Writes URLs of one language; ``seed`` fixes them."""

    def __init__(self, resources: dict, language: str, seed: int = 0) -> None:
        self.all, self.language = resources, language
        self.own = resources["languages"][language]
        self.rng = random.Random(f"{language}{seed}")
        self.endings = list(self.own.get("ending", {})) or ["com"]
        # A new ending of many letters holds a few large sites, often made by machines.
        self.shares = [
            share if len(ending.rpartition(".")[2]) < 4 or ending == "info" else min(share, 0.04)
            for ending, share in self.own.get("ending", {}).items()
        ] or [1.0]
        self.names = [t for kind in ("name", "place", "people", "person") for t in self.own.get(kind, ())]
        self.latin = self.own["latin"]
        self.others = [
            code
            for code, value in resources["languages"].items()
            if code != language and value.get("ending") and value["words"]
        ]
        # Words fall off with rank; what is far down is seen now and then.
        self.words = self.own["words"]

    # --- words ----------------------------------------------------------------------------------

    def word(self) -> str:
        """A word in Latin letters: from running text, the list or the lexicon."""
        rng, own = self.rng, self.own
        x = rng.random()
        if x < 0.3 and own.get("slug"):
            return rng.choice(own["slug"])
        if x < 0.6 and own["phrases"]:
            return rng.choice(rng.choice(own["phrases"]).split())
        if self.words:
            return self.words[min(int(len(self.words) * rng.random() ** 2), len(self.words) - 1)]
        return rng.choice(self.names) if self.names else ""

    def slug(self) -> list[str]:
        """Words of a headline in Latin letters."""
        rng, own = self.rng, self.own
        n = rng.choice((1, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8))
        x = rng.random()
        if x < 0.5 and own["phrases"]:
            words = rng.choice(own["phrases"]).split()
            start = rng.randrange(max(len(words) - n, 0) + 1)
            words = words[start : start + n]
        else:
            words = [self.word() for _ in range(n)]
        if self.names and rng.random() < 0.25:
            words[rng.randrange(len(words) + 1) : 0] = [rng.choice(self.names)]
        return [word for word in words if word]

    def native(self) -> list[str]:
        """The same in the language's letters."""
        rng, own = self.rng, self.own
        n = rng.choice((1, 1, 2, 3, 4, 5, 6, 8))
        if self.language == "en":
            return self.english(0)
        if own["native"] and (rng.random() < 0.6 or not own["native_words"]):
            words = rng.choice(own["native"]).split()
            start = rng.randrange(max(len(words) - n, 0) + 1)
            return words[start : start + n]
        if own["native_words"]:
            return rng.choices(own["native_words"], k=n)
        return self.slug()

    def english(self, local: float = 0.3) -> list[str]:
        """An English headline, now and then with a name of the language's country in it; English ones name all countries."""
        rng, own = self.rng, self.own
        words = rng.choice(self.all["slugs"]).split()
        if self.language == "en":
            own, local = self.all["languages"][rng.choice(self.others)], max(local, 0.3)
        if own.get("place") and rng.random() < local:
            names = own["place"] + own.get("person", []) + own.get("people", [])
            words[rng.randrange(len(words) + 1) : 0] = [rng.choice(names)]
        return words

    def foreign(self) -> list[str]:
        """A headline of a language that sites are translated from."""
        origin = self.rng.choice(ORIGINS)
        if origin == "en" or origin not in self.all["languages"]:
            return self.english(0)
        words = self.rng.choice(self.all["languages"][origin]["phrases"]).split()
        return words[: self.rng.randint(3, 9)]

    # --- hosts ----------------------------------------------------------------------------------

    def ending(self) -> str:
        rng = self.rng
        if rng.random() < 0.1:
            return rng.choice(WORLD)
        return rng.choices(self.endings, self.shares)[0]

    def name(self) -> str:
        """A site's own name."""
        rng, x = self.rng, self.rng.random()
        if x < 0.45 and self.names:
            first = rng.choice(self.names)
            second = (
                rng.choice(PARTS)
                if rng.random() < 0.4
                else (self.word() if rng.random() < 0.5 else rng.choice(self.names))
            )
            parts = [first, second] if rng.random() < 0.75 else [first]
            if rng.random() < 0.25:
                parts.reverse()
        elif x < 0.8:
            parts = [self.word() for _ in range(rng.choice((1, 2, 2, 3)))]
            if rng.random() < 0.15:
                parts.append(rng.choice(PARTS))
        else:
            return rng.choice(self.all["names"])
        glue = "-" if rng.random() < 0.2 else ""
        return (
            glue.join(part.replace("-", glue) for part in parts if part).replace(" ", "")[:40].strip("-")
            or "x"
        )

    def host(self, name: str | None = None) -> str:
        rng = self.rng
        if self.own.get("site") and name is None and rng.random() < 0.06:
            return rng.choice(self.own["site"])
        name = self.name() if name is None else name
        if rng.random() < 0.1:
            return f"{name}.{rng.choice(PLATFORMS)}"
        return f"{name}.{self.ending()}"

    def plain_host(self) -> str:
        """A host that says nothing of the language: of translated sites, mostly."""
        rng = self.rng
        name = rng.choice(self.all["names"])
        if rng.random() < 0.25:
            name += rng.choice(self.all["names"])
        elif rng.random() < 0.15:
            other = self.all["languages"][rng.choice([o for o in ORIGINS if o in self.all["languages"]])]
            name = "".join(rng.choices(other["words"], k=rng.randint(1, 2))).replace(" ", "")
        x = rng.random()
        ending = (
            rng.choice(WORLD)
            if x < 0.8
            else ("ru" if x < 0.88 else rng.choice("de eu ua in fr it es nl pl ch be ca jp cn ir tr".split()))
        )
        return f"{name}.{ending}"

    def other_host(self) -> str:
        """A host of another country's site."""
        rng, languages = self.rng, self.all["languages"]
        other = languages[rng.choice(self.others)]
        ending = rng.choices(list(other["ending"]), list(other["ending"].values()))[0]
        name = (
            rng.choice(self.all["names"])
            if rng.random() < 0.4
            else "".join(rng.choices(other["words"], k=rng.randint(1, 2)))
        )
        return f"{name.replace(' ', '').replace('-', '')}.{ending}"

    # --- paths ----------------------------------------------------------------------------------

    def joined(self, words: list[str]) -> str:
        glue = self.rng.choice("-------_ ")
        return glue.join(word.replace("-", glue) if glue != "-" else word for word in words).replace(
            " ", self.rng.choice((" ", "-", "+"))
        )

    def path(self, words: list[str]) -> str:
        """A headline where sites put it."""
        rng = self.rng
        slug = self.joined(words)
        x = rng.random()
        year, month, day = rng.randint(2005, 2025), rng.randint(1, 12), rng.randint(1, 28)
        number = rng.randint(1, 10 ** rng.randint(2, 8))
        if x < 0.25:
            return slug + rng.choice(("", "/", ".html", ".htm", ".php"))
        if x < 0.4:
            return (
                f"{year}/{month:02}/{day:02}/{slug}/"
                if rng.random() < 0.5
                else f"{year}/{month:02}/{slug}.html"
            )
        if x < 0.55:
            section = self.joined([self.word()]) if rng.random() < 0.4 else rng.choice(SECTIONS)
            return f"{section}/{slug}" + rng.choice(("", "/", f"-{number}", f"/{number}", f"-{number}.html"))
        if x < 0.65:
            return (
                f"{rng.choice(('tag', 'category', 'tags', 'search/label', 'topic', 'wiki'))}/{slug}"
                + rng.choice(("", "/", f"/page/{rng.randint(2, 90)}"))
            )
        if x < 0.75:
            return f"{number}-{slug}" + rng.choice(("", ".html", "/"))
        if x < 0.85:
            return f"{slug}-{number}" + rng.choice(("", ".html", "/"))
        if x < 0.92:
            return f"{rng.choice(SECTIONS)}/{number}/{slug}"
        return f"{rng.choice(SECTIONS)}/{year}/{slug}" + rng.choice(("", ".html"))

    def blank(self) -> str:
        """A page whose title left no trace."""
        rng = self.rng
        number = rng.randint(1, 10 ** rng.randint(1, 7))
        year, month, day = rng.randint(2006, 2025), rng.randint(1, 12), rng.randint(1, 28)
        blogger = f"{year}/{month:02}/blog-post{rng.choice(('', f'_{rng.randint(1, 99)}'))}.html"
        forms = (
            f"?p={number}", f"archives/{number}", f"{number}", f"post/{number}", f"news/{number}", f"article/{number}",
            f"{year}/{month:02}/{day:02}/", f"{year}/{month:02}/", f"?page_id={number}", f"news/{number}.html", f"page/{number}",
            f"tags-{number}.html", f"{number}.html", f"posts/{number}", f"index.php?id={number}", f"view/{number}",
            f"{year}/{month:02}/{day:02}/{number}/", f"p/{number}", f"article/detail/{number}", f"{rng.choice(SECTIONS)}/{number}",
        )  # fmt: skip
        return blogger if not self.latin and rng.random() < 0.25 else rng.choice(forms)

    # --- rows -----------------------------------------------------------------------------------

    def code(self) -> str:
        rng, language = self.rng, self.language
        if rng.random() < 0.25 and self.own.get("code"):
            return rng.choice(self.own["code"])
        countries = COUNTRIES.get(language, language if len(language) == 2 else "").split()
        if rng.random() < 0.2 and countries:
            return f"{language}{rng.choice('--_')}{rng.choice(countries)}"
        return language

    def coded(self) -> str:
        """A page that names its language: as a subdomain, a part of the path, a pair of the query or in a file's name."""
        rng = self.rng
        code = self.code()
        y = rng.random()
        words = (
            self.foreign()
            if y < 0.5
            else self.english()
            if y < 0.62
            else (self.native() if rng.random() < 0.3 else self.slug())
            if y < 0.85
            else None
        )
        path = self.blank() if words is None else self.path(words)
        z = rng.random()
        host = self.plain_host() if z < 0.5 else self.other_host() if z < 0.82 else self.host()
        x = rng.random()
        if x < 0.4:
            return f"{code}.{host}/{path}"
        if x < 0.82:
            return (
                f"{host}/{code}/{path}"
                if rng.random() < 0.9
                else f"{host}/{rng.choice(SECTIONS)}/{code}/{path}"
            )
        if x < 0.94:
            key = rng.choice("lang lang lang hl language locale l lng setlang".split())
            return f"{host}/{path}{'&' if '?' in path else '?'}{key}={code}"
        stem = self.joined(self.foreign()[:2])
        return f"{host}/{stem}{rng.choice('_-._')}{code}{rng.choice(('.html', '.pdf', '.php'))}"

    def lone_words(self) -> str:
        """One or two words, frequent or not, under a host that says nothing: what each word is worth."""
        rng = self.rng
        words = [rng.choice(self.words).replace(" ", "-") for _ in range(rng.choice((1, 1, 2)))]
        section = f"{rng.choice(SECTIONS)}/" if rng.random() < 0.5 else ""
        return f"{self.plain_host()}/{section}{'-'.join(words)}{rng.choice(('', '', '/', '.html'))}"

    def false_code(self) -> str:
        """States, countries and words where codes stand, in English."""
        rng = self.rng
        town, state = rng.choice(self.all["towns"])
        slug = "-".join(rng.choice(self.all["slugs"]).split()[:3])
        host = f"{rng.choice(self.all['names'])}.{rng.choice(WORLD)}"
        return rng.choice((
            f"{host}/{state}/{town}", f"{host}/{slug}-{town}-{state}/", f"{host}/{state}/{slug}-{town}", f"{host}/locations/{state}/{town}",
            f"{host}/{town}-{state}/{slug}", f"{state}.{host}/{slug}", f"{host}/us/{state}/{town}", f"{town}.{host}/{slug}",
            f"{host}/{rng.choice(('in', 'ca', 'uk', 'us', 'au', 'ie', 'za', 'sg', 'my', 'ph', 'eu', 'ae', 'id'))}/{slug}",
        ))  # fmt: skip

    def rows(self, n: int):
        """Rows of each kind; what paths show is as frequent as on real pages."""
        rng, language = self.rng, self.language
        false = 0.15 if language == "en" else 0.0
        for _ in range(n):
            x = rng.random()
            if x < false:
                yield self.false_code(), language, "false"
            elif x < false + 0.22:
                yield self.coded(), language, "code"
            elif x < false + 0.36:
                yield self.host() + "/", language, "home"
            elif x < false + 0.56 and self.words:
                yield self.lone_words(), language, "word"
            else:
                (shown,) = rng.choices(("nothing", "english", "latin", "native"), self.own["mix"])
                if shown == "nothing":
                    yield f"{self.host()}/{self.blank()}", language, "blank"
                    continue
                words = {"english": lambda: self.english(0.6), "latin": self.slug, "native": self.native}[
                    shown
                ]()
                host = self.host()
                if shown != "english" and rng.random() < 0.3:
                    plain = rng.random() < 0.6
                    host = self.plain_host() if plain else f"{rng.choice(self.all['names'])}.{self.ending()}"
                yield f"{host}/{self.path(words)}", language, "own"


def read(work: Path) -> dict:
    return json.loads(lzma.decompress((work / "resources.json.xz").read_bytes()))
