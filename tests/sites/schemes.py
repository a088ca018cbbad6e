"""URL schemes of well-known kinds of web sites, as hubs with the true class of each URL."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

WORDS = (
    "stone river cloud paper light winter garden market bridge engine signal harbor forest copper velvet marble "
    "thunder meadow lantern compass anchor feather mirror blanket candle hammer ladder needle pocket ribbon saddle "
    "ticket tunnel violin wagon window zipper basket button camera"
).split()
Link = tuple[str, str]  # URL, class


def slug(rng: random.Random, n: int = 4) -> str:
    return "-".join(rng.choice(WORDS) for _ in range(n))


def forum(rng: random.Random) -> Iterator[Link]:
    """phpBB: scripts and numbers."""
    base = "https://forum.example"
    yield f"{base}/index.php", "index"
    yield f"{base}/search.php?mode=advanced", "search"
    for _ in range(rng.randint(5, 15)):
        f, t, p, u = rng.randrange(1, 25), rng.randrange(9000), rng.randrange(90000), rng.randrange(2000)
        yield f"{base}/viewtopic.php?f={f}&t={t}", "topic"
        yield f"{base}/viewtopic.php?p={p}#p{p}", "post"
        yield f"{base}/viewforum.php?f={f}", "forum"
        if rng.random() < 0.6:
            yield f"{base}/memberlist.php?mode=viewprofile&u={u}", "member"


def wiki(rng: random.Random) -> Iterator[Link]:
    """MediaWiki: namespaces after a colon, actions in the query."""
    base = "https://wiki.example"
    for name in ("Main_Page", "Help:Contents", "Special:RecentChanges"):
        yield f"{base}/wiki/{name}", "template"
    for _ in range(rng.randint(10, 20)):
        title = slug(rng, 2).replace("-", "_").capitalize()
        yield f"{base}/wiki/{title}", "article"
        if rng.random() < 0.3:
            yield f"{base}/wiki/Talk:{title}", "talk"
        if rng.random() < 0.3:
            yield f"{base}/wiki/Category:{slug(rng, 2).capitalize()}", "category"
        if rng.random() < 0.3:
            yield f"{base}/index.php?title={title}&action=edit", "edit"
        if rng.random() < 0.3:
            yield f"{base}/index.php?title={title}&action=history", "history"


def questions(rng: random.Random) -> Iterator[Link]:
    """Questions and answers: numbers with slugs, tags."""
    base = "https://qa.example"
    for name in ("questions", "tags", "users", "unanswered"):
        yield f"{base}/{name}", "index"
    for _ in range(rng.randint(5, 15)):
        yield f"{base}/questions/{rng.randrange(10**6)}/{slug(rng)}", "question"
        yield f"{base}/users/{rng.randrange(10**5)}/{slug(rng, 2)}", "user"
        yield f"{base}/questions/tagged/{rng.choice(WORDS)}", "tag"


def blog(rng: random.Random) -> Iterator[Link]:
    """WordPress with dates."""
    base = "https://blog.example"
    yield f"{base}/", "home"
    yield f"{base}/about/", "about"
    for _ in range(rng.randint(3, 10)):
        y, m = rng.randrange(2010, 2025), rng.randrange(1, 13)
        yield f"{base}/{y}/{m:02}/{rng.randrange(1, 29):02}/{slug(rng)}/", "post"
        if rng.random() < 0.5:
            yield f"{base}/tag/{rng.choice(WORDS)}/", "tag"
        if rng.random() < 0.4:
            yield f"{base}/author/{slug(rng, 2)}/", "author"
    for name in ("news", "travel", "food"):
        yield f"{base}/category/{name}/", "category"


def news(rng: random.Random) -> Iterator[Link]:
    """A newspaper: sections before articles that are all of one kind."""
    base = "https://news.example"
    sections = ("politics", "sport", "culture", "economy", "science", "travel", "opinion", "local")
    for name in sections:
        yield f"{base}/{name}/", "section"
    for _ in range(rng.randint(5, 15)):
        yield f"{base}/article/{rng.choice(sections)}/{slug(rng)}-{rng.randrange(10**6)}.html", "article"
        if rng.random() < 0.5:
            yield f"{base}/video/{rng.randrange(10**5)}", "video"
        if rng.random() < 0.2:
            yield f"{base}/author/{slug(rng, 2)}", "author"


def repository(rng: random.Random) -> Iterator[Link]:
    """DSpace: handles and browsing by facets."""
    base = "https://repo.example"
    yield f"{base}/community-list", "list"
    for _ in range(rng.randint(5, 12)):
        yield f"{base}/handle/{rng.choice(['10256', '10256', '20500'])}/{rng.randrange(20000)}", "item"
        name = slug(rng, 2).replace("-", "%2C+")
        yield f"{base}/browse?type=author&value={name}", "author"
        if rng.random() < 0.5:
            yield f"{base}/browse?type=subject&value={rng.choice(WORDS)}+{rng.choice(WORDS)}", "subject"


def code_host(rng: random.Random) -> Iterator[Link]:
    """Names of users first, then keywords."""
    base = "https://code.example"
    for name in ("login", "explore", "pricing"):
        yield f"{base}/{name}", "template"
    for _ in range(rng.randint(5, 12)):
        user, project = slug(rng, 1) + str(rng.randrange(500)), slug(rng, 2)
        yield f"{base}/{user}", "user"
        yield f"{base}/{user}/{project}", "project"
        if rng.random() < 0.6:
            yield f"{base}/{user}/{project}/issues/{rng.randrange(3000)}", "issue"
        if rng.random() < 0.3:
            yield f"{base}/{user}/{project}/commit/{rng.randrange(16**9):010x}", "commit"
        if rng.random() < 0.3:
            yield f"{base}/{user}/{project}/releases", "releases"


def shop(rng: random.Random) -> Iterator[Link]:
    """Shopify: products, also inside collections."""
    base = "https://store.example"
    for name in ("cart", "account", "pages/contact", "pages/shipping"):
        yield f"{base}/{name}", "template"
    for _ in range(rng.randint(5, 15)):
        yield f"{base}/products/{slug(rng)}", "product"
        if rng.random() < 0.4:
            yield f"{base}/collections/{slug(rng, 2)}", "collection"
        if rng.random() < 0.3:
            yield f"{base}/collections/{slug(rng, 2)}/products/{slug(rng)}", "product in collection"
    yield f"{base}/search?q={rng.choice(WORDS)}&page=2", "search"


def old_shop(rng: random.Random) -> Iterator[Link]:
    """One script for everything, told apart by a parameter, with session ids."""
    base = "http://old.example/index.php"
    session = f"&sid={rng.randrange(16**16):016x}"
    for _ in range(rng.randint(5, 12)):
        yield f"{base}?route=product/product&product_id={rng.randrange(5000)}{session}", "product"
        if rng.random() < 0.6:
            yield f"{base}?route=product/manufacturer&manufacturer_id={rng.randrange(200)}{session}", "maker"
        if rng.random() < 0.5:
            yield f"{base}?route=information/information&information_id={rng.randrange(20)}{session}", "info"
    yield f"{base}?route=account/login{session}", "login"


def bilingual(rng: random.Random) -> Iterator[Link]:
    """Two languages, all kinds in both."""
    base = "https://museum.example"
    for code in ("en", "nl"):
        yield f"{base}/{code}", "home"
        for _ in range(rng.randint(2, 6)):
            yield f"{base}/{code}/collection/{rng.randrange(9000)}", "object"
            if rng.random() < 0.4:
                yield f"{base}/{code}/artists/{slug(rng, 2)}", "artist"


def catalogue(rng: random.Random) -> Iterator[Link]:
    """A library: works, authors, subjects; each on some hubs only."""
    base = "https://library.example"
    yield f"{base}/", "home"
    for _ in range(rng.randint(3, 12)):
        number = rng.randrange(10**6)
        yield f"{base}/works/OL{number}W/{slug(rng, 3)}", "work"
    if rng.random() < 0.5:
        for _ in range(rng.randint(1, 4)):
            yield f"{base}/authors/OL{rng.randrange(10**5)}A/{slug(rng, 2)}", "author"
    if rng.random() < 0.3:
        for _ in range(rng.randint(1, 4)):
            yield f"{base}/subjects/{slug(rng, 1)}", "subject"


def tracker(rng: random.Random) -> Iterator[Link]:
    """Bugzilla and cgit side by side: scripts with parameters."""
    base = "https://bugs.example"
    for _ in range(rng.randint(5, 15)):
        yield f"{base}/show_bug.cgi?id={rng.randrange(90000)}", "bug"
        if rng.random() < 0.4:
            yield f"{base}/attachment.cgi?id={rng.randrange(90000)}", "attachment"
        if rng.random() < 0.3:
            yield f"{base}/buglist.cgi?product={rng.choice(WORDS)}&component={rng.choice(WORDS)}", "list"
        if rng.random() < 0.3:
            yield f"{base}/user_profile?login={slug(rng, 1)}%40{rng.choice(WORDS)}.org", "user"


def root_slugs(rng: random.Random) -> Iterator[Link]:
    """Articles right under the root, beside sections."""
    base = "https://mag.example"
    for _ in range(rng.randint(8, 18)):
        yield f"{base}/{slug(rng)}", "article"
        if rng.random() < 0.4:
            yield f"{base}/topic/{rng.choice(WORDS)}", "topic"
        if rng.random() < 0.3:
            yield f"{base}/by/{slug(rng, 2)}", "author"
    for name in ("about", "contact", "imprint"):
        yield f"{base}/{name}", "template"


def members(rng: random.Random) -> Iterator[Link]:
    """A few members write most of what there is: popular names are still names."""
    base = "https://people.example"
    yield f"{base}/about", "template"
    for _ in range(rng.randint(5, 15)):
        name = WORDS[min(int(rng.paretovariate(0.7)) - 1, len(WORDS) - 1)]
        yield f"{base}/user/{name}/posts/{rng.randrange(9000)}", "post"
        if rng.random() < 0.4:
            yield f"{base}/user/{name}/photos/{rng.randrange(9000)}", "photo"
        if rng.random() < 0.4:
            yield f"{base}/user/{name}", "user"


def departments(rng: random.Random) -> Iterator[Link]:
    """Products below departments; a search finds those of one or two departments."""
    base = "https://mall.example"
    names = ("shoes", "hats", "bags", "belts", "coats", "shirts", "socks", "rings", "watches", "gloves")
    for name in names:
        yield f"{base}/d/{name}", "department"
    for name in rng.sample(names, 2):
        for _ in range(rng.randint(2, 9)):
            yield f"{base}/d/{name}/{slug(rng, 3)}-{rng.randrange(9000)}", "product"
    if rng.random() < 0.5:
        yield f"{base}/brand/{slug(rng, 1)}{rng.randrange(50)}", "brand"


def travel(rng: random.Random) -> Iterator[Link]:
    """Cities below two kinds of things."""
    base = "https://travel.example"
    cities = ("paris", "rome", "oslo", "lima", "cairo", "delhi", "tokyo", "quito", "sofia", "dakar")
    for city in rng.sample(cities, 3):
        for kind in ("hotels", "restaurants"):
            yield f"{base}/{kind}/{city}", f"{kind} list"
            for _ in range(rng.randint(1, 5)):
                yield f"{base}/{kind}/{city}/{slug(rng, 2)}-{rng.randrange(4000)}", kind
                if rng.random() < 0.3:
                    yield (
                        f"{base}/{kind}/{city}/{slug(rng, 2)}-{rng.randrange(4000)}/reviews",
                        f"{kind} reviews",
                    )


def old_wiki(rng: random.Random) -> Iterator[Link]:
    """MoinMoin: pages under the root, actions in the query."""
    base = "https://moin.example"
    for name in ("FrontPage", "RecentChanges", "FindPage", "HelpContents"):
        yield f"{base}/{name}", "page"
    for _ in range(rng.randint(5, 20)):
        name = slug(rng, 3).title().replace("-", "")
        yield f"{base}/{name}", "page"
        for action in ("edit", "info", "raw", "print"):
            if rng.random() < 0.2:
                yield f"{base}/{name}?action={action}", f"action {action}"


def manual(rng: random.Random) -> Iterator[Link]:
    """Manuals in versions and languages, and a bug list."""
    base = "https://docs.example"
    for _ in range(rng.randint(4, 12)):
        version = rng.choice(["stable", "latest", "1.2", "1.3", "2.0"])
        yield f"{base}/{version}/reference/{slug(rng, 2)}.html", "reference"
        if rng.random() < 0.5:
            yield f"{base}/{version}/howto/{slug(rng, 2)}.html", "howto"
    if rng.random() < 0.4:
        yield f"{base}/bugs/{rng.randrange(5000)}", "bug"


def numbered(rng: random.Random) -> Iterator[Link]:
    """Roundup: the kind and the number in one token."""
    base = "https://issues.example"
    yield f"{base}/issue?@template=item", "template"
    for _ in range(rng.randint(5, 15)):
        yield f"{base}/issue{rng.randrange(3000)}", "issue"
        yield f"{base}/user{rng.randrange(200)}", "user"
        if rng.random() < 0.4:
            yield f"{base}/file{rng.randrange(900)}", "file"
        if rng.random() < 0.3:
            yield f"{base}/msg{rng.randrange(9000)}", "message"


def static_shop(rng: random.Random) -> Iterator[Link]:
    """Files with numbers in their names beside pages with names."""
    base = "https://static.example"
    for name in ("index.html", "kontakt.html", "agb.html"):
        yield f"{base}/{name}", "template"
    for _ in range(rng.randint(5, 15)):
        yield f"{base}/artikel-{rng.randrange(4000)}.html", "product"
        if rng.random() < 0.5:
            yield f"{base}/hersteller-{rng.randrange(90)}.html", "maker"
        if rng.random() < 0.3:
            yield f"{base}/{slug(rng, 3)}.html", "text"


SCHEMES: dict[str, Callable[[random.Random], Iterator[Link]]] = {
    f.__name__: f
    for f in (
        forum, wiki, questions, blog, news, repository, code_host, shop, old_shop, bilingual, catalogue, tracker,
        root_slugs, members, departments, travel, old_wiki, manual, numbered,
        static_shop,
    )
}  # fmt: skip


def hubs_of(
    scheme: str, n_hubs: int = 80, seed: int = 1, keep: float = 1.0
) -> tuple[list[list[str]], dict[str, str]]:
    """Hubs of a scheme, and the class of each URL; template links have classes of their own.

    With ``keep`` below 1 a class is on that share of the hubs only, as where a search finds one kind of
    page for one word and another for the next.
    """
    rng = random.Random(seed)
    hubs, labels = [], {}
    for _ in range(n_hubs):
        links = list(SCHEMES[scheme](rng))
        there = {name: rng.random() < keep or name in ("template", "index") for _, name in links}
        links = [(url, name) for url, name in links if there[name]]
        hubs.append([url for url, _ in links])
        labels.update({url: name for url, name in links if name not in ("template", "index")})
    return hubs, labels
