"""URL schemes of well-known web applications: pages of search results, pages of a plain crawl, true classes.

Each application is two generators of pages. ``search`` gives the links of one page of results and ``visit`` those of one
page that a plain crawl meets. A link is a pair of URL and class; links without a class (``""``) are not judged.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable
from dataclasses import dataclass

WORDS = (
    "stone river cloud paper light winter garden market bridge engine signal harbor forest copper velvet marble "
    "thunder meadow lantern compass anchor feather mirror blanket candle hammer ladder needle pocket ribbon saddle "
    "ticket tunnel violin wagon window zipper basket button camera island jacket kettle lemon magnet nickel olive "
    "pepper quartz rocket silver timber umbrella valley walnut yellow zebra acorn badge cactus"
).split()
Link = tuple[str, str]


def slug(rng: random.Random, n: int = 3) -> str:
    return "-".join(rng.choice(WORDS) for _ in range(n))


def sha(rng: random.Random, n: int = 40) -> str:
    return f"{rng.randrange(16**n):0{n}x}"


class Application:
    """A site: ``home`` is its address, ``menu`` the links of every page."""

    home = "https://site.example"

    def menu(self) -> list[Link]:
        return [(f"{self.home}/", "home")]

    def search(self, rng: random.Random) -> list[Link]:
        raise NotImplementedError

    def visit(self, rng: random.Random) -> list[Link]:
        raise NotImplementedError


class WordPress(Application):
    home = "https://blog.example"

    def menu(self):
        about = [(f"{self.home}/{name}/", "page") for name in ("about", "contact", "privacy-policy")]
        return [(f"{self.home}/", "home"), *about]

    def post(self, rng):
        day = f"{rng.randrange(2015, 2025)}/{rng.randrange(1, 13):02}/{rng.randrange(1, 29):02}"
        return f"{self.home}/{day}/{slug(rng, 4)}/"

    def search(self, rng):
        found = [(self.post(rng), "post") for _ in range(10)]
        word = rng.choice(WORDS)
        return [*found, (f"{self.home}/?s={word}", "search"), (f"{self.home}/page/2/?s={word}", "search")]

    def visit(self, rng):
        links = [(self.post(rng), "post") for _ in range(rng.randint(1, 8))]
        links += [(f"{self.home}/category/{rng.choice(WORDS[:9])}/", "category") for _ in range(3)]
        links += [(f"{self.home}/tag/{rng.choice(WORDS)}/", "tag") for _ in range(3)]
        links += [(f"{self.home}/author/{slug(rng, 1)}/", "author")]
        links += [(f"{self.home}/{rng.randrange(2015, 2025)}/{rng.randrange(1, 13):02}/", "archive")]
        if rng.random() < 0.5:
            links += [
                (f"{self.home}/category/{rng.choice(WORDS[:9])}/page/{rng.randrange(2, 9)}/", "category")
            ]
            links += [(f"{self.home}/page/{rng.randrange(2, 30)}/", "later page")]
        if rng.random() < 0.6:
            links += [(f"{self.post(rng)}?replytocom={rng.randrange(5000)}#respond", "post")]
            links += [
                (f"{self.post(rng)}feed/", "feed"),
                (f"{self.home}/tag/{rng.choice(WORDS)}/feed/", "tag feed"),
            ]
        links += [(f"{self.home}/?p={rng.randrange(3000)}", "short link") for _ in range(2)]
        return links


class Cgit(Application):
    home = "https://git.example"
    repos = ("tools/alpha", "tools/beta", "libs/gamma", "libs/delta", "site", "kernel/core")

    def path(self, rng):
        return "/".join(rng.choice(WORDS) for _ in range(rng.randint(1, 5))) + rng.choice([".c", ".h", ""])

    def search(self, rng):
        return [(f"{self.home}/{repo}/", "repository") for repo in rng.sample(self.repos, 3)]

    def visit(self, rng):
        at = f"{self.home}/{rng.choice(self.repos)}"
        links = [
            (f"{at}/", "repository"),
            (f"{at}/log/", "log"),
            (f"{at}/refs/", "refs"),
            (f"{at}/tree/", "tree"),
        ]
        links += [(f"{at}/commit/?id={sha(rng)}", "commit") for _ in range(rng.randint(2, 8))]
        links += [(f"{at}/commit/?h=v{rng.randrange(9)}&id={sha(rng)}", "commit")]
        links += [(f"{at}/tree/{self.path(rng)}", "tree") for _ in range(rng.randint(2, 9))]
        links += [(f"{at}/tree/{self.path(rng)}?id={sha(rng)}", "tree") for _ in range(2)]
        links += [(f"{at}/log/{self.path(rng)}", "log") for _ in range(2)]
        links += [(f"{at}/plain/{self.path(rng)}", "plain"), (f"{at}/blame/{self.path(rng)}", "blame")]
        links += [
            (f"{at}/diff/?id={sha(rng)}&id2={sha(rng)}", "diff"),
            (f"{at}/patch/?id={sha(rng)}", "patch"),
        ]
        links += [
            (f"{at}/log/?ofs={50 * rng.randrange(1, 9)}", "log"),
            (f"{at}/tag/?h=v1.{rng.randrange(9)}", "tag"),
        ]
        links += [(f"{at}/snapshot/alpha-1.{rng.randrange(9)}.tar.gz", ""), (f"{at}/stats/", "stats")]
        return links


class Redmine(Application):
    home = "https://redmine.example"
    projects = ("website", "mobile-app", "backend", "docs", "infra")

    def menu(self):
        return [
            (f"{self.home}/{name}", "")
            for name in ("projects", "activity", "issues", "login", "account/register")
        ]

    def search(self, rng):
        links = [(f"{self.home}/issues/{rng.randrange(4000)}", "issue") for _ in range(8)]
        return [
            *links,
            (f"{self.home}/projects/{rng.choice(self.projects)}/wiki/{slug(rng, 2)}", "wiki page"),
        ]

    def visit(self, rng):
        at = f"{self.home}/projects/{rng.choice(self.projects)}"
        links = [(f"{self.home}/issues/{rng.randrange(4000)}", "issue") for _ in range(rng.randint(2, 9))]
        links += [(f"{self.home}/users/{rng.randrange(90)}", "user") for _ in range(2)]
        links += [
            (at, "project"),
            (f"{at}/issues", "issue list"),
            (f"{at}/wiki", "wiki start"),
            (f"{at}/repository", "repository"),
        ]
        links += [(f"{at}/issues?c%5B%5D=tracker&sort=id%3Adesc&page={rng.randrange(9)}", "issue list")]
        links += [(f"{at}/wiki/{slug(rng, 2).title()}", "wiki page") for _ in range(3)]
        links += [(f"{at}/repository/revisions/{sha(rng, 8)}", "revision") for _ in range(3)]
        links += [(f"{at}/activity?from={2020 + rng.randrange(4)}-{rng.randrange(1, 13):02}-01", "activity")]
        links += [(f"{self.home}/attachments/{rng.randrange(900)}/{slug(rng, 1)}.png", "")]
        links += [
            (f"{self.home}/news/{rng.randrange(60)}", "news"),
            (f"{self.home}/versions/{rng.randrange(40)}", "version"),
        ]
        links += [
            (
                f"{self.home}/login?back_url=https%3A%2F%2Fredmine.example%2Fissues%2F{rng.randrange(4000)}",
                "login",
            )
        ]
        return [*links, (f"{self.home}/issues/gantt", ""), (f"{self.home}/issues/calendar", "")]


class PublicInbox(Application):
    home = "https://lore.example"
    lists = ("linux-kernel", "git", "users")

    def message(self, rng):
        day = f"2024{rng.randrange(1, 13):02}{rng.randrange(1, 29):02}"
        ways = (f"{day}{rng.randrange(10**6):06}.GA{rng.randrange(9999)}@{rng.choice(WORDS)}.org",
                f"CA+{sha(rng, 12)}={sha(rng, 8)}@mail.gmail.com", f"{sha(rng, 20)}.camel@{rng.choice(WORDS)}.com",
                f"{uuid.UUID(int=rng.getrandbits(128))}@{rng.choice(WORDS)}.de", f"cover.{day}.git.{slug(rng, 1)}@kernel.org")  # fmt: skip
        return rng.choice(ways)

    def menu(self):
        return [(f"{self.home}/", "home")]

    def search(self, rng):
        at = f"{self.home}/{rng.choice(self.lists)}"
        return [(f"{at}/{self.message(rng)}/", "message") for _ in range(12)]

    def visit(self, rng):
        at = f"{self.home}/{rng.choice(self.lists)}"
        links = [(f"{at}/{self.message(rng)}/", "message") for _ in range(rng.randint(2, 12))]
        links += [(f"{at}/{self.message(rng)}/T/", "thread") for _ in range(3)]
        links += [(f"{at}/{self.message(rng)}/t/", "thread tree") for _ in range(3)]
        links += [(f"{at}/{self.message(rng)}/raw", "raw"), (f"{at}/{self.message(rng)}/t.mbox.gz", "")]
        links += [
            (f"{at}/?t=2024{rng.randrange(10**10):010}", "list"),
            (f"{at}/", "list"),
            (f"{at}/_/text/help/", ""),
        ]
        return [
            *links,
            (f"{at}/?q=s:{rng.choice(WORDS)}", "search"),
            (f"{at}/?q=f%3A{rng.choice(WORDS)}&x=A", "search"),
        ]


class HyperKitty(Application):
    home = "https://lists.example"
    lists = ("dev@lists.example", "users@lists.example", "announce@lists.example")

    def code(self, rng):
        return "".join(rng.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") for _ in range(32))

    def menu(self):
        return [(f"{self.home}/archives/", "home"), (f"{self.home}/accounts/login/?next=/archives/", "login")]

    def search(self, rng):
        at = f"{self.home}/archives/list/{rng.choice(self.lists)}"
        return [(f"{at}/message/{self.code(rng)}/", "message") for _ in range(10)]

    def visit(self, rng):
        at = f"{self.home}/archives/list/{rng.choice(self.lists)}"
        links = [(f"{at}/thread/{self.code(rng)}/", "thread") for _ in range(rng.randint(2, 9))]
        links += [(f"{at}/message/{self.code(rng)}/", "message") for _ in range(4)]
        links += [(f"{at}/thread/{self.code(rng)}/?sort=thread", "thread"), (f"{at}/", "list")]
        links += [(f"{at}/{rng.randrange(2010, 2025)}/{rng.randrange(1, 13)}/", "month") for _ in range(3)]
        links += [(f"{at}/latest?page={rng.randrange(2, 9)}", "latest"), (f"{at}/latest", "latest")]
        links += [(f"{self.home}/archives/users/{sha(rng, 32)}/", "user") for _ in range(2)]
        return [
            *links,
            (
                f"{self.home}/accounts/login/?next=/archives/list/{slug(rng, 1)}/thread/{self.code(rng)}/",
                "login",
            ),
        ]


class Kiwix(Application):
    home = "https://kiwix.example"
    books = ("wikipedia_nl_all", "gutenberg_en")

    def search(self, rng):
        at = f"{self.home}/content/{rng.choice(self.books)}"
        return [(f"{at}/A/{slug(rng, 2).title().replace('-', '_')}", "article") for _ in range(12)]

    def visit(self, rng):
        at = f"{self.home}/content/{rng.choice(self.books)}"
        links = [
            (f"{at}/A/{slug(rng, 2).title().replace('-', '_')}", "article") for _ in range(rng.randint(2, 12))
        ]
        links += [
            (f"{at}/A/{slug(rng, 1).title()}:_{slug(rng, 1)}", "article"),
            (f"{at}/A/{slug(rng, 1)}/{slug(rng, 1)}", "article"),
        ]
        links += [
            (f"{self.home}/search?content={rng.choice(self.books)}&pattern={rng.choice(WORDS)}", "search")
        ]
        return [*links, (f"{self.home}/viewer#{rng.choice(self.books)}/A/{slug(rng, 1)}", "")]


class Devpi(Application):
    home = "https://devpi.example"
    indexes = ("root/pypi", "team/stable", "team/dev")

    def version(self, rng):
        return f"{rng.randrange(4)}.{rng.randrange(20)}" + rng.choice(["", ".1", "rc1", ".post2"])

    def search(self, rng):
        at = f"{self.home}/{rng.choice(self.indexes)}"
        links = [(f"{at}/{slug(rng, 2)}/{self.version(rng)}", "release") for _ in range(9)]
        return [*links, (f"{self.home}/+search?query={rng.choice(WORDS)}&page=2", "search")]

    def visit(self, rng):
        at = f"{self.home}/{rng.choice(self.indexes)}"
        links = [(f"{at}/{slug(rng, 2)}/{self.version(rng)}", "release") for _ in range(rng.randint(2, 9))]
        links += [(f"{at}/{slug(rng, 2)}", "project") for _ in range(rng.randint(2, 9))]
        links += [
            (at, "index"),
            (f"{at}/+simple/{slug(rng, 2)}/", "simple"),
            (f"{at}/+simple/", "simple list"),
        ]
        name = slug(rng, 2)
        links += [
            (f"{at}/{name}/{self.version(rng)}/+d/{slug(rng, 1)}/{slug(rng, 1)}.html", "documentation")
            for _ in range(2)
        ]
        links += [(f"{at}/{name}/{self.version(rng)}/+d/index.html", "documentation")]
        links += [(f"{at}/+f/{sha(rng, 3)}/{sha(rng, 13)}/{name}-{self.version(rng)}.tar.gz", "")]
        return [
            *links,
            (f"{self.home}/+search?query={rng.choice(WORDS)}", "search"),
            (f"{self.home}/+status", ""),
        ]


class Datasette(Application):
    home = "https://data.example"
    tables = ("films", "actors", "reviews", "studios", "awards")

    def query(self, rng):
        parts = [rng.choice(["_sort=id", "_sort_desc=year", "_facet=genre", "_facet=country", f"_next={rng.randrange(900)}",
                             f"genre={rng.choice(WORDS)}", f"year__gt={rng.randrange(1950, 2020)}", "_size=100"])
                 for _ in range(rng.randint(1, 4))]  # fmt: skip
        return "&".join(dict.fromkeys(parts))

    def search(self, rng):
        at = f"{self.home}/movies/{rng.choice(self.tables)}"
        return [(f"{at}/{rng.randrange(5000)}", "row") for _ in range(10)] + [
            (f"{at}?_search={rng.choice(WORDS)}&{self.query(rng)}", "table")
        ]

    def visit(self, rng):
        at = f"{self.home}/movies/{rng.choice(self.tables)}"
        links = [(f"{at}/{rng.randrange(5000)}", "row") for _ in range(rng.randint(2, 12))]
        links += [(f"{at}?{self.query(rng)}", "table") for _ in range(rng.randint(2, 9))]
        links += [(at, "table"), (f"{self.home}/movies", "database"), (f"{self.home}/shop", "database")]
        return [
            *links,
            (f"{self.home}/movies?sql=select+{rng.choice(WORDS)}&x={rng.randrange(9)}", "query"),
            (f"{at}.json", ""),
        ]


class Hgweb(Application):
    home = "https://hg.example"
    repos = ("alpha", "beta", "gamma")

    def search(self, rng):
        at = f"{self.home}/{rng.choice(self.repos)}"
        return [(f"{at}/rev/{sha(rng, 12)}", "changeset") for _ in range(10)]

    def visit(self, rng):
        at, rev = f"{self.home}/{rng.choice(self.repos)}", rng.choice(["tip", sha(rng, 12)])

        def path():
            return "/".join(rng.choice(WORDS) for _ in range(rng.randint(1, 5))) + rng.choice([".py", ".c"])

        links = [(f"{at}/rev/{sha(rng, 12)}", "changeset") for _ in range(rng.randint(2, 8))]
        links += [(f"{at}/file/{rev}/{path()}", "file") for _ in range(4)]
        links += [(f"{at}/annotate/{rev}/{path()}", "annotate"), (f"{at}/log/{rev}/{path()}", "file log")]
        links += [
            (f"{at}/diff/{sha(rng, 12)}/{path()}", "diff"),
            (f"{at}/comparison/{sha(rng, 12)}/{path()}", "comparison"),
        ]
        links += [
            (f"{at}/shortlog", "shortlog"),
            (f"{at}/shortlog/{rng.randrange(4000)}", "shortlog"),
            (f"{at}/graph", "graph"),
        ]
        links += [
            (f"{at}/raw-file/{rev}/{path()}", "raw"),
            (f"{at}/tags", "tags"),
            (f"{at}/branches", "branches"),
        ]
        return [*links, (f"{at}/log?rev={rng.choice(WORDS)}", "search"), (f"{at}/", "repository")]


class Sphinx(Application):
    home = "https://docs.example"
    parts = ("library", "howto", "tutorial", "reference", "extending")

    def page(self, rng):
        return f"{self.home}/{rng.choice(self.parts)}/{slug(rng, 1)}{rng.randrange(60)}.html"

    def menu(self):
        special = [(f"{self.home}/{name}.html", "") for name in ("genindex", "py-modindex", "search")]
        return [*special, (f"{self.home}/index.html", "page")]

    def search(self, rng):
        return [(self.page(rng), "page") for _ in range(10)]

    def visit(self, rng):
        links = [(self.page(rng), "page") for _ in range(rng.randint(4, 12))]
        links += [
            (f"{self.home}/library/{slug(rng, 1)}/{slug(rng, 1)}.html#{slug(rng, 1)}", "page")
            for _ in range(3)
        ]
        links += [(f"{self.home}/_modules/{slug(rng, 1)}/{slug(rng, 1)}.html", "source") for _ in range(3)]
        links += [
            (f"{self.home}/_modules/{slug(rng, 1)}.html", "source"),
            (f"{self.home}/whatsnew/3.{rng.randrange(14)}.html", "page"),
        ]
        return [*links, (f"{self.home}/_sources/library/{slug(rng, 1)}.rst.txt", "")]


class Hugo(Application):
    home = "https://static.example"

    def menu(self):
        return [(f"{self.home}/{code}/", "home") for code in ("en", "nl", "fr")] + [
            (f"{self.home}/{code}/about/", "page") for code in ("en", "nl", "fr")]  # fmt: skip

    def search(self, rng):
        return [
            (f"{self.home}/{rng.choice(['en', 'nl', 'fr'])}/posts/{slug(rng, 3)}/", "post") for _ in range(8)
        ]

    def visit(self, rng):
        at = f"{self.home}/{rng.choice(['en', 'en', 'nl', 'fr'])}"
        links = [(f"{at}/posts/{slug(rng, 3)}/", "post") for _ in range(rng.randint(2, 9))]
        links += [(f"{at}/tags/{rng.choice(WORDS)}/", "tag") for _ in range(4)]
        links += [(f"{at}/categories/{rng.choice(WORDS[:12])}/", "category") for _ in range(2)]
        links += [(f"{at}/posts/", "section"), (f"{at}/tags/", "section")]
        return [
            *links,
            (f"{at}/posts/page/{rng.randrange(2, 12)}/", "later page"),
            (f"{at}/page/{rng.randrange(2, 12)}/", "later page"),
        ]


class PhpBB(Application):
    home = "https://forum.example"

    def menu(self):
        return [
            (f"{self.home}/index.php", "home"),
            (f"{self.home}/ucp.php?mode=login", "login"),
            (f"{self.home}/search.php", ""),
        ]

    def search(self, rng):
        f, t = rng.randrange(1, 25), rng.randrange(9000)
        return [
            (f"{self.home}/viewtopic.php?f={f}&t={t + i}&hilit={rng.choice(WORDS)}", "topic")
            for i in range(9)
        ]

    def visit(self, rng):
        links = []
        for _ in range(rng.randint(3, 9)):
            f, t, p = rng.randrange(1, 25), rng.randrange(9000), rng.randrange(90000)
            sid = f"&sid={sha(rng, 32)}" if rng.random() < 0.3 else ""
            links += [
                (f"{self.home}/viewtopic.php?f={f}&t={t}{sid}", "topic"),
                (f"{self.home}/viewtopic.php?t={t}&start=15", "topic"),
            ]
            links += [
                (f"{self.home}/viewtopic.php?p={p}#p{p}", "post"),
                (f"{self.home}/viewforum.php?f={f}{sid}", "forum"),
            ]
            links += [(f"{self.home}/memberlist.php?mode=viewprofile&u={rng.randrange(900)}{sid}", "member")]
        links += [
            (f"{self.home}/viewforum.php?f={rng.randrange(25)}&start=50", "forum"),
            (f"{self.home}/memberlist.php", ""),
        ]
        return [*links, (f"{self.home}/posting.php?mode=reply&f=3&t={rng.randrange(9000)}", "reply"),
                (f"{self.home}/posting.php?mode=quote&f=3&p={rng.randrange(9000)}", "quote")]  # fmt: skip


class SeoForum(Application):
    """A forum with names in its addresses: /f12-news/, /t123-some-topic.html, /u7-name.html."""

    home = "https://talk.example"

    def search(self, rng):
        return [(f"{self.home}/t{rng.randrange(9000)}-{slug(rng)}.html", "topic") for _ in range(9)]

    def visit(self, rng):
        links = [
            (f"{self.home}/t{rng.randrange(9000)}-{slug(rng)}.html", "topic")
            for _ in range(rng.randint(3, 12))
        ]
        links += [(f"{self.home}/t{rng.randrange(9000)}p{rng.randrange(2, 9)}-{slug(rng)}.html", "topic")]
        links += [(f"{self.home}/f{rng.randrange(30)}-{slug(rng, 1)}/", "forum") for _ in range(3)]
        links += [(f"{self.home}/u{rng.randrange(300)}-{slug(rng, 1)}.html", "member") for _ in range(3)]
        return [*links, (f"{self.home}/p{rng.randrange(90000)}.html", "post"), (f"{self.home}/faq.html", "")]


class SeoShop(Application):
    """A shop that marks kinds at the end: blue-shoes-p-9.html, shoes-c-9.html, acme-m-3.html."""

    home = "http://shop.example"

    def menu(self):
        return [
            (f"{self.home}/", "home"),
            (f"{self.home}/shopping_cart.html", ""),
            (f"{self.home}/login.html", ""),
        ]

    def search(self, rng):
        return [(f"{self.home}/{slug(rng)}-p-{rng.randrange(900)}.html", "product") for _ in range(9)]

    def visit(self, rng):
        links = [
            (f"{self.home}/{slug(rng)}-p-{rng.randrange(900)}.html", "product")
            for _ in range(rng.randint(3, 9))
        ]
        links += [
            (f"{self.home}/{slug(rng, 1)}-c-{rng.randrange(20)}_{rng.randrange(90)}.html", "category")
            for _ in range(3)
        ]
        links += [
            (f"{self.home}/{slug(rng, 1)}-c-{rng.randrange(20)}.html", "category"),
            (f"{self.home}/{slug(rng, 1)}-m-{rng.randrange(60)}.html", "maker"),
        ]
        links += [
            (f"{self.home}/{slug(rng)}-pr-{rng.randrange(900)}.html?reviews_id={rng.randrange(90)}", "review")
        ]
        return [
            *links,
            (f"{self.home}/{slug(rng)}-p-{rng.randrange(900)}.html?osCsid={sha(rng, 26)}", "product"),
        ]


class MediaWiki(Application):
    home = "https://wiki.example"

    def title(self, rng):
        return slug(rng, rng.randint(1, 3)).capitalize().replace("-", "_") + rng.choice(
            ["", "", "", "_(film)", ":_a_story", "/Archive"]
        )

    def menu(self):
        return [
            (f"{self.home}/wiki/{name}", "")
            for name in ("Main_Page", "Special:RecentChanges", "Special:Random")
        ]

    def search(self, rng):
        return [(f"{self.home}/wiki/{self.title(rng)}", "article") for _ in range(15)]

    def visit(self, rng):
        links = [(f"{self.home}/wiki/{self.title(rng)}", "article") for _ in range(rng.randint(5, 15))]
        links += [(f"{self.home}/wiki/Category:{slug(rng, 1).title()}", "category") for _ in range(2)]
        links += [
            (f"{self.home}/wiki/Talk:{self.title(rng)}", "talk"),
            (f"{self.home}/wiki/User:{slug(rng, 1).title()}{rng.randrange(99)}", "user"),
        ]
        links += [
            (
                f"{self.home}/w/index.php?title={self.title(rng)}&action=edit&section={rng.randrange(9)}",
                "edit",
            )
            for _ in range(3)
        ]
        links += [
            (f"{self.home}/w/index.php?title={self.title(rng)}&action=edit", "edit"),
            (f"{self.home}/w/index.php?title={self.title(rng)}&action=history", "history"),
        ]
        links += [
            (f"{self.home}/w/index.php?title={self.title(rng)}&oldid={rng.randrange(90000)}", "old version")
        ]
        return [*links, (f"{self.home}/wiki/Special:WhatLinksHere/{self.title(rng)}", "what links here")]


class Discourse(Application):
    home = "https://meta.example"

    def menu(self):
        return [(f"{self.home}/{name}", "") for name in ("latest", "top", "categories", "faq", "login")]

    def search(self, rng):
        return [
            (f"{self.home}/t/{slug(rng, 4)}/{rng.randrange(9000)}/{rng.randrange(1, 90)}", "topic")
            for _ in range(9)
        ]

    def visit(self, rng):
        links = [
            (f"{self.home}/t/{slug(rng, 4)}/{rng.randrange(9000)}", "topic")
            for _ in range(rng.randint(3, 12))
        ]
        links += [(f"{self.home}/t/{slug(rng, 4)}/{rng.randrange(9000)}?page={rng.randrange(2, 5)}", "topic")]
        links += [
            (f"{self.home}/c/{rng.choice(WORDS[:9])}/{rng.randrange(20)}", "category"),
            (
                f"{self.home}/c/{rng.choice(WORDS[:5])}/{rng.choice(WORDS[9:15])}/{rng.randrange(40)}",
                "category",
            ),
        ]
        links += [(f"{self.home}/u/{slug(rng, 1)}{rng.randrange(400)}", "user") for _ in range(3)]
        return [
            *links,
            (f"{self.home}/tag/{rng.choice(WORDS)}", "tag"),
            (f"{self.home}/u/{slug(rng, 1)}/activity", ""),
        ]


class GitForge(Application):
    """A code host: few users, many pages below them."""

    home = "https://forge.example"

    def menu(self):
        return [(f"{self.home}/explore/repos", ""), (f"{self.home}/user/login?redirect_to=%2f", "login")]

    def search(self, rng):
        return [(f"{self.home}/{rng.choice(WORDS[:20])}/{slug(rng, 2)}", "repository") for _ in range(9)]

    def visit(self, rng):
        user, project = rng.choice(WORDS[:20]), slug(rng, 2)
        at = f"{self.home}/{user}/{project}"
        path = "/".join(rng.choice(WORDS) for _ in range(rng.randint(1, 4))) + ".go"
        links = [
            (f"{self.home}/{user}", "user"),
            (at, "repository"),
            (f"{at}/issues", "issue list"),
            (f"{at}/pulls", "pull list"),
            (f"{at}/releases", "releases"),
        ]
        links += [(f"{at}/issues/{rng.randrange(900)}", "issue") for _ in range(4)]
        links += [(f"{at}/pulls/{rng.randrange(900)}", "pull") for _ in range(2)]
        links += [
            (f"{at}/src/branch/main/{path}", "file"),
            (f"{at}/src/branch/main/{rng.choice(WORDS)}", "file"),
        ]
        links += [(f"{at}/commit/{sha(rng)}", "commit") for _ in range(3)]
        return [*links, (f"{at}/issues?q=&type=all&sort={rng.choice(['latest', 'oldest'])}&labels={rng.randrange(9)}", "issue list"),
                (f"{self.home}/user/login?redirect_to=%2f{user}%2f{project}", "login")]  # fmt: skip


class MixedShop(Application):
    """A shop with letters of either case, tracking fields and facets in any order."""

    home = "https://www.store.example"

    def tracked(self, rng, url):
        more = rng.choice(
            [
                "",
                "",
                "utm_source=news&utm_medium=mail",
                f"fbclid=Iw{sha(rng, 20)}",
                f"iref=home_{rng.randrange(9)}",
            ]
        )
        return f"{url}{'&' if '?' in url else '?'}{more}" if more else url

    def menu(self):
        return [(f"{self.home}/", "home"), (f"{self.home}/cart", ""), (f"{self.home}/account/login", "")]

    def product(self, rng):
        session = f";jsessionid={sha(rng, 24).upper()}" if rng.random() < 0.15 else ""
        return self.tracked(
            rng,
            f"{self.home}/{rng.choice(['Product', 'product'])}/{slug(rng)}/{rng.randrange(9000)}{session}",
        )

    def search(self, rng):
        return [(self.product(rng), "product") for _ in range(12)]

    def visit(self, rng):
        links = [(self.product(rng), "product") for _ in range(rng.randint(3, 12))]
        facets = [
            f"color={rng.choice(WORDS[:9])}",
            f"size={rng.randrange(30, 50)}",
            "sort=price",
            f"page={rng.randrange(2, 9)}",
        ]
        for _ in range(3):
            chosen = rng.sample(facets, rng.randint(0, 3))
            links += [
                (
                    self.tracked(
                        rng,
                        f"{self.home}/category/{rng.choice(WORDS[:25])}"
                        + ("?" + "&".join(chosen) if chosen else ""),
                    ),
                    "category",
                )
            ]
        links += [
            (f"{self.home}/brand/{rng.choice(WORDS)}", "brand"),
            (f"{self.home}/product/{slug(rng)}/{rng.randrange(9000)}/reviews", "reviews"),
        ]
        return [
            *links,
            (f"{self.home}/blog/{slug(rng, 4)}", "article"),
            (f"{self.home}/stores/{rng.choice(WORDS)}", "store"),
        ]


class CgitFiles(Cgit):
    """Every action on every file of a revision, as cgit links them; repositories at one, two and three levels."""

    repos = ("alpha", "beta", "tools/gamma", "tools/delta", "libs/core/epsilon")

    def visit(self, rng):
        at = f"{self.home}/{rng.choice(self.repos)}"
        where = rng.choice(["", "?h=next", f"?id={sha(rng)}", f"?h=v1.{rng.randrange(5)}"])
        path = rng.choice(["", self.path(rng)])
        links = [(f"{self.home}/", "home"), (f"{at}/", "repository"), (f"{at}/refs/{where}", "refs")]
        links += [
            (f"{at}/{action}/{path}{where}", action) for action in ("log", "tree", "commit", "diff", "stats")
        ]
        links += [(f"{at}/commit/{path}?id={sha(rng)}", "commit") for _ in range(4)]
        links += [(f"{at}/tree/{self.path(rng)}{where}", "tree") for _ in range(4)]
        links += [(f"{at}/{action}/{self.path(rng)}{where}", action) for action in ("plain", "blame")]
        return [*links, (f"{at}/tag/?h=v1.{rng.randrange(9)}", "tag"), (f"{at}/log/?ofs=50", "log")]


class Klaus(Application):
    home = "https://code.example"
    repos = ("alpha", "beta", "gamma", "delta")

    def search(self, rng):
        return [(f"{self.home}/{repo}/", "repository") for repo in self.repos]

    def visit(self, rng):
        at = f"{self.home}/{rng.choice(self.repos)}"
        revision = rng.choice(["master", "next", "v1.0", sha(rng)])

        def path():
            return "/".join(rng.choice(WORDS) for _ in range(rng.randint(1, 4)))

        links = [(f"{at}/", "repository"), (f"{at}/tree/{revision}/", "tree")]
        links += [(f"{at}/tree/{revision}/{path()}", "tree") for _ in range(4)]
        links += [(f"{at}/blob/{revision}/{path()}.c", "blob") for _ in range(4)]
        links += [(f"{at}/{action}/{revision}/{path()}.c", action) for action in ("raw", "blame")]
        links += [(f"{at}/commit/{sha(rng)}/", "commit") for _ in range(5)]
        return [*links, (f"{at}/tarball/{revision}/", "tarball")]


class HgwebAlone(Application):
    """One repository at the root, whose few folders come back below every action."""

    home = "https://hg1.example"
    folders = ("src", "docs", "lib", "src/core", "src/core/io", "docs/api")

    def search(self, rng):
        return [(f"{self.home}/rev/{sha(rng, 12)}", "changeset") for _ in range(8)]

    def visit(self, rng):
        revision = rng.choice(["tip", sha(rng, 12)])
        path = f"{rng.choice(self.folders)}/{rng.choice(WORDS)}.c"
        links = [(f"{self.home}/rev/{sha(rng, 12)}", "changeset") for _ in range(5)]
        links += [(f"{self.home}/file/{revision}/{rng.choice(self.folders)}", "file") for _ in range(4)]
        links += [(f"{self.home}/file/{revision}/{path}", "file")]
        actions = ("annotate", "diff", "comparison", "log", "raw-file")
        links += [(f"{self.home}/{action}/{revision}/{path}", action) for action in actions]
        links += [(f"{self.home}/{name}", name) for name in ("tags", "bookmarks", "branches")]
        return [*links, (f"{self.home}/shortlog/{sha(rng, 12)}", "shortlog"), (f"{self.home}/help", "help")]


class DokuWiki(Application):
    home = "https://doku.example"

    def page(self, rng):
        return ":".join([*rng.sample(["manual", "projects"], rng.randint(0, 1)), slug(rng, 2)])

    def search(self, rng):
        return [(f"{self.home}/doku.php?id={self.page(rng)}", "page") for _ in range(10)]

    def visit(self, rng):
        at = f"{self.home}/doku.php?id={self.page(rng)}"
        links = [(f"{self.home}/doku.php?id={self.page(rng)}", "page") for _ in range(5)]
        links += [(f"{at}&do={action}", action) for action in ("edit", "revisions", "backlink", "diff")]
        links += [(f"{at}&do=media&ns={rng.choice(WORDS)}", "media"), (f"{at}&do=recent", "recent")]
        return [*links, (f"{self.home}/doku.php?do=export_raw&id={self.page(rng)}", "export")]


APPLICATIONS: dict[str, Callable[[], Application]] = {
    kind.__name__: kind
    for kind in (
        WordPress, Cgit, Redmine, PublicInbox, HyperKitty, Kiwix, Devpi, Datasette, Hgweb, Sphinx, Hugo, PhpBB, SeoForum,
        SeoShop, MediaWiki, Discourse, GitForge, MixedShop, CgitFiles, Klaus, HgwebAlone, DokuWiki,
    )
}  # fmt: skip


@dataclass(frozen=True)
class Sample:
    """Links of a site: of pages of results, of the crawl that is learnt from, and of other pages."""

    found: list[list[str]]
    crawled: list[list[str]]
    unseen: list[list[str]]
    labels: dict[str, str]


def sample(name: str, n_pages: int = 60, seed: int = 1) -> Sample:
    """Pages of results, as many pages of a crawl, and as many others to test on."""
    rng, site = random.Random(f"{name}{seed}"), APPLICATIONS[name]()
    parts, labels = [], {}
    for pages in (site.search, site.visit, site.visit):
        part = []
        for _ in range(n_pages):
            links = [*site.menu(), *pages(rng)]
            labels.update({url: kind for url, kind in links if kind})
            part.append([url for url, _ in links])
        parts.append(part)
    return Sample(*parts, labels)
