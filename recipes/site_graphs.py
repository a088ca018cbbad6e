"""Made-up sites after the URL schemes of real software, as graphs of pages that a crawl walks through."""

# ruff: noqa: B905, E731, E741, UP031

from __future__ import annotations

import random
import string
import uuid
from collections import Counter
from dataclasses import dataclass

VOC = (
    "stone river cloud paper light winter garden market bridge engine signal harbor forest copper velvet marble thunder meadow lantern compass anchor feather mirror blanket candle hammer ladder needle pocket ribbon saddle ticket tunnel violin wagon window zipper basket button camera island jacket kettle lemon magnet nickel olive pepper quartz rocket silver timber umbrella valley walnut yellow zebra acorn badge cactus how to install the best way for your new setup error when running update version python guide review first second people world money music history science travel food"
).split()
NAMES = (
    "alice bob carol dave erin frank grace heidi ivan judy mallory niaj olivia peggy rupert sybil trent victor walter yolanda zoe admin jsmith mmueller kpatel lchen wgarcia tnguyen rrossi jdoe1984 xx_killer agarcia pdubois hsato skim emma liam noah"
).split()


class Site:
    """A graph of pages in the making: ``label`` has the class of each URL, ``out`` its links, ``menu`` those of all pages."""

    def __init__(self, home, seed):
        self.home, self.r, self.label, self.out, self.menu = home, random.Random(seed), {}, {}, []

    def slug(self, a=1, b=None, sep="-"):
        return sep.join(self.r.choice(VOC) for _ in range(self.r.randint(a, b or a)))

    def sha(self, n=40):
        return f"{self.r.randrange(16**n):0{n}x}"

    # "add" adds a page with its class and links, "m" a page of the menu, "lists" a list in pages.
    def add(self, path, label="", *links):
        url = self.home + path if path.startswith(("/", "?")) else path
        self.label.setdefault(url, label)
        self.out.setdefault(url, [])
        for l in links:
            self.link(url, l)
        return url

    def link(self, a, *bs):
        for b in bs:
            if isinstance(b, (list, tuple)):
                self.link(a, *b)
            else:
                self.out[a].append(b)

    def some(self, xs, k):
        xs = list(xs)
        return self.r.sample(xs, min(k, len(xs)))

    def m(self, path, label=""):
        u = self.add(path, label)
        self.menu.append(u)
        return u

    def lists(self, base, items, per=15, label="", fmt="{}?page={}"):
        """Paged list."""
        items = list(items)
        u = []
        for i in range(0, max(1, len(items)), per):
            u.append(
                self.add(
                    base
                    if i == 0
                    else fmt.format(base.rstrip("/") if fmt.startswith("{}/") else base, i // per + 1),
                    label,
                    items[i : i + per],
                )
            )
        for i, x in enumerate(u):
            self.link(x, *u[max(0, i - 2) : i + 3])
        return u[0]

    def links_of(self, url):
        return [*self.menu, *self.out.get(url, [])]

    def crawl(self, n, rng, start=None):
        seen = {self.home + "/"}
        todo = [self.home + "/"] if start is None else list(start)
        pages = []
        while todo and len(pages) < n:
            url = todo.pop(rng.randrange(len(todo)))
            links = self.links_of(url)
            pages.append([url, *links])
            for l in links:
                l = l.split("#")[0]
                if l not in seen and l in self.out:
                    seen.add(l)
                    todo.append(l)
        return pages


@dataclass
class Sample:
    found: list
    crawled: list
    unseen: list
    labels: dict


def sample(name, n=50, seed=1):
    """A crawl of ``n`` pages, another of twice as many, and the classes that the first one met."""
    build = GRAPHS[name]
    s = Site(f"https://{name}.example", seed)
    s.add("/", "home")
    build(s)
    rng = random.Random(seed * 77 + 5)
    crawled = s.crawl(n, rng)
    all_pages = [u for u in s.out if s.out[u]]
    unseen = s.crawl(2 * n, random.Random(seed + 999), rng.sample(all_pages, min(30, len(all_pages))))
    labels = {u: l for u, l in s.label.items() if l}
    for p in crawled + unseen:
        for u in p:
            b = u.split("#")[0]
            if b in labels:
                labels[u] = labels[b]
    have = Counter(labels.get(u) for u in {u for p in crawled for u in p})
    labels = {u: l for u, l in labels.items() if have[l] >= 3}
    return Sample([], crawled, unseen, labels)


def gitea(s):
    r = s.r
    s.m("/explore/repos", "")
    s.m("/user/login", "")
    s.m("/explore/users", "")
    s.m("/api/swagger", "")
    users = [s.add(f"/{n}", "user") for n in s.some(NAMES, 14)]
    repos = []
    for u in users:
        for _ in range(r.randint(1, 3)):
            R = s.add(f"{u[len(s.home) :]}/{s.slug(1, 2)}", "repo")
            repos.append(R)
            p = R[len(s.home) :]
            s.link(u, R)
            iss = [s.add(f"{p}/issues/{i}", "issue") for i in s.some(range(1, 200), 25)]
            prs = [s.add(f"{p}/pulls/{i}", "pull") for i in s.some(range(1, 200), 8)]
            for x in prs:
                s.link(
                    x,
                    s.add(x[len(s.home) :] + "/files", "pull files"),
                    s.add(x[len(s.home) :] + "/commits", "pull commits"),
                )
            com = [s.add(f"{p}/commit/{s.sha()}", "commit") for _ in range(25)]
            files = [
                "/".join([s.slug() for _ in range(r.randint(1, 4))]) + r.choice([".go", ".md", "", ".ts"])
                for _ in range(25)
            ]
            src = [s.add(f"{p}/src/branch/main/{f}", "src") for f in files]
            for f, x in zip(files, src):
                s.link(
                    x,
                    s.add(f"{p}/raw/branch/main/{f}", "raw"),
                    s.add(f"{p}/commits/branch/main/{f}", "file commits"),
                    s.add(f"{p}/blame/branch/main/{f}", "blame"),
                    s.some(com, 2),
                )
            wiki = [s.add(f"{p}/wiki/{s.slug(1, 2).title()}", "wiki") for _ in range(5)]
            il = s.lists(
                f"{p}/issues",
                iss,
                12,
                "issue list",
                "{}?q=&type=all&sort=&state=open&labels=&milestone=0&project=0&assignee=0&poster=0&page={}",
            )
            tabs = [
                il,
                s.lists(f"{p}/pulls", prs, 10, "pull list"),
                s.lists(f"{p}/commits/branch/main", com, 12, "commits"),
                s.add(f"{p}/releases", "releases"),
                s.add(f"{p}/wiki", "wiki start", wiki),
                s.add(f"{p}/activity", "activity"),
                s.add(f"{p}/branches", "branches"),
            ]
            for x in [R, *iss, *prs, *com, *src, *wiki, *tabs]:
                s.link(x, R, tabs, u)
            s.link(R, s.some(src, 8))
            for x in com:
                s.link(x, s.some(src, 3))
    s.link(s.home + "/explore/repos", repos)
    s.link(s.home + "/", s.some(repos, 12))
    s.link(s.home + "/explore/users", users)


def prestashop(s):
    r = s.r
    s.m("/en/", "home")
    s.m("/en/cart?action=show", "")
    s.m("/en/login?back=my-account", "")
    s.m("/en/contact-us", "")
    cats = [s.m(f"/en/{i}-{s.slug()}", "category") for i in range(3, 11)]
    [s.m(f"/en/content/{i}-{s.slug(2)}", "cms") for i in range(1, 6)]
    brands = [s.add(f"/en/brand/{i}-{s.slug()}", "brand") for i in range(1, 15)]
    s.m("/en/brands", "")
    s.link(s.home + "/en/brands", brands)
    prods = []
    for c in cats:
        name = c.split("-", 1)[1]
        ps = [s.add(f"/en/{name}/{r.randrange(900)}-{s.slug(2, 4)}.html", "product") for _ in range(40)]
        prods += ps
        s.lists(c[len(s.home) :], ps, 12, "category")
        for o in ("product.name.asc", "product.price.desc", "product.position.asc"):
            s.link(c, s.add(c[len(s.home) :] + f"?order={o}", "category"))
        s.link(c, s.add(c[len(s.home) :] + "?q=Color-Black", "category"))
        for p in ps:
            s.link(p, s.some(ps, 4), c, r.choice(brands))
    for b in brands:
        s.link(b, s.some(prods, 12))
    s.link(s.home + "/", s.some(prods, 10))
    s.link(s.home + "/en/", s.some(prods, 10))


def woo(s):
    r = s.r
    s.m("/shop/", "shop")
    s.m("/cart/", "")
    s.m("/my-account/", "")
    s.m("/about-us/", "page")
    s.m("/contact/", "page")
    s.m("/blog/", "")
    prods = [s.add(f"/product/{s.slug(2, 4)}/", "product") for _ in range(250)]
    cats = [s.m(f"/product-category/{s.slug()}/", "category") for _ in range(6)]
    subs = [s.add(c[len(s.home) :] + s.slug() + "/", "category") for c in cats for _ in range(3)]
    tags = [s.add(f"/product-tag/{s.slug()}/", "tag") for _ in range(30)]
    posts = [
        s.add(f"/{r.randrange(2018, 2025)}/{r.randrange(1, 13):02}/{s.slug(3, 5)}/", "post")
        for _ in range(50)
    ]
    s.lists("/blog/", posts, 8, "", "{}/page/{}/")
    for c in [*cats, *subs, *tags]:
        s.lists(c[len(s.home) :], s.some(prods, 30), 12, s.label[c], "{}/page/{}/")
        s.link(c, s.add(c[len(s.home) :] + "?orderby=price", s.label[c]))
    for i, c in enumerate(cats):
        s.link(c, subs[3 * i : 3 * i + 3])
    s.lists("/shop/", prods, 16, "shop", "{}/page/{}/")
    for p in prods:
        s.link(
            p,
            s.some(prods, 4),
            r.choice(subs),
            s.some(tags, 2),
            s.add(p[len(s.home) :] + f"?add-to-cart={r.randrange(900)}", "product"),
        )
    s.link(s.home + "/", s.some(prods, 8), s.some(posts, 3))


def drupal(s):
    r = s.r
    s.m("/user/login", "")
    s.m("/contact", "")
    s.m("/about", "page")
    s.m("/rss.xml", "")
    s.m("/search/node", "")
    users = [s.add(f"/user/{i}", "user") for i in range(2, 40)]
    terms = [s.add(f"/taxonomy/term/{i}", "term") for i in range(1, 30)]
    forum = [s.add(f"/forum/{i}", "forum") for i in range(1, 6)]
    s.m("/forum", "")
    nodes = [s.add(f"/node/{i}", "node") for i in s.some(range(1, 2000), 250)]
    blogs = [s.add(f"/blog/{s.slug(3, 6)}", "blog") for _ in range(80)]
    for n in [*nodes, *blogs]:
        s.link(n, r.choice(users), s.some(terms, 2), s.some(nodes, 2), s.some(blogs, 1))
        i = r.randrange(5000)
        s.link(
            n,
            s.add(f"/comment/{i}", "comment"),
            s.home + f"/comment/{i}#comment-{i}",
            s.add(f"/comment/reply/node/{r.randrange(2000)}/comment/{i}", "reply"),
            s.add(f"/user/login?destination=/node/{r.randrange(2000)}%23comment-form", "login"),
            s.add(f"/user/register?destination=/node/{r.randrange(2000)}%23comment-form", "register"),
        )
    for t in terms:
        s.lists(t[len(s.home) :], s.some(nodes, 25), 10, "term")
        s.link(t, s.add(t[len(s.home) :] + "/feed", "term feed"))
    for f in forum:
        s.lists(f[len(s.home) :], s.some(nodes, 40), 20, "forum")
    s.link(s.home + "/forum", forum)
    s.lists("/node", nodes, 10, "")
    s.lists("/", nodes, 10, "home")
    s.link(s.home + "/", s.some(blogs, 5))
    s.lists("/blog", blogs, 10, "blog list")
    s.m("/blog", "blog list")


def moodle(s):
    r = s.r
    s.m("/login/index.php", "")
    s.m("/course/index.php", "courses")
    s.m("/calendar/view.php?view=month", "calendar")
    cats = [s.add(f"/course/index.php?categoryid={i}", "courses") for i in range(2, 12)]
    s.link(s.home + "/course/index.php", cats)
    users = range(3, 300)
    for c in cats:
        for _ in range(4):
            cid = r.randrange(900)
            C = s.add(f"/course/view.php?id={cid}", "course")
            s.link(c, C)
            s.link(s.home + "/", C)
            acts = []
            for mod in ("forum", "quiz", "assign", "resource", "page", "url"):
                for _ in range(r.randint(1, 4)):
                    acts.append(s.add(f"/mod/{mod}/view.php?id={r.randrange(9000)}", mod))
            s.link(
                C,
                acts,
                s.add(f"/user/index.php?id={cid}", "participants"),
                s.add(f"/grade/report/index.php?id={cid}", "grades"),
                s.add(f"/course/view.php?id={cid}&section={r.randrange(1, 9)}", "course"),
                s.add(f"/enrol/index.php?id={cid}", "enrol"),
            )
            for a in acts:
                s.link(a, C, s.some(acts, 3))
                if "forum" in a:
                    for _ in range(8):
                        D = s.add(f"/mod/forum/discuss.php?d={r.randrange(9000)}", "discussion")
                        s.link(a, D, s.add(f"/user/view.php?id={r.choice(users)}&course={cid}", "user"))
                        s.link(
                            D,
                            a,
                            C,
                            s.add(f"/user/view.php?id={r.choice(users)}&course={cid}", "user"),
                            s.add(f"/mod/forum/post.php?reply={r.randrange(9000)}#mformforum", "reply"),
                            D + f"#p{r.randrange(9999)}",
                        )
            P = s.home + f"/user/index.php?id={cid}"
            s.link(P, [s.add(f"/user/view.php?id={r.choice(users)}&course={cid}", "user") for _ in range(12)])


def bugzilla(s):
    r = s.r
    s.m("/enter_bug.cgi", "")
    s.m("/query.cgi", "")
    s.m("/describecomponents.cgi", "components")
    s.m("/report.cgi", "")
    s.m("/index.cgi?GoAheadAndLogIn=1", "")
    prods = [s.slug().title() for _ in range(8)]
    bugs = [s.add(f"/show_bug.cgi?id={i}", "bug") for i in s.some(range(1, 9000), 400)]
    for p in prods:
        P = s.add(f"/describecomponents.cgi?product={p}", "components")
        s.link(s.home + "/describecomponents.cgi", P)
        for _ in range(5):
            comp = s.slug(1, 2, "%20")
            for q in (
                f"/buglist.cgi?component={comp}&product={p}&resolution=---",
                f"/buglist.cgi?product={p}&component={comp}&order=bug_id%20DESC&query_format=advanced",
            ):
                L = s.add(q, "list", s.some(bugs, 25))
                s.link(P, L)
                s.link(s.home + "/", L) if r.random() < 0.3 else 0
        s.link(s.home + "/", s.add(f"/enter_bug.cgi?product={p}", "enter"))
    for b in bugs:
        i = b.split("=")[1]
        s.link(
            b,
            s.add(f"/show_activity.cgi?id={i}", "activity"),
            s.add(f"/show_bug.cgi?format=multiple&id={i}", "bug print"),
            s.add(f"/show_bug.cgi?ctype=xml&id={i}", "bug xml"),
            s.some(bugs, 3),
            b + f"#c{r.randrange(9)}",
            s.add(f"/enter_bug.cgi?cloned_bug_id={i}", "clone"),
            s.add(f"/showdependencytree.cgi?id={i}&hide_resolved=1", "tree"),
        )
        for _ in range(r.randint(0, 2)):
            a = r.randrange(9000)
            s.link(
                b,
                s.add(f"/attachment.cgi?id={a}", "attachment"),
                s.add(f"/attachment.cgi?id={a}&action=diff", "attachment diff"),
                s.add(f"/attachment.cgi?id={a}&action=edit", "attachment details"),
            )
        s.link(b, s.add(f"/buglist.cgi?product={r.choice(prods)}&bug_status=__open__", "list"))


def ojs(s):
    r = s.r
    p = "/index.php/jsr"
    for x in (
        "/about",
        "/about/submissions",
        "/about/editorialTeam",
        "/login",
        "/user/register",
        "/announcement",
        "/search/search",
    ):
        s.m(p + x, "")
    s.m(p + "/issue/current", "")
    s.m(p + "/issue/archive", "archive")
    s.m(p, "")
    issues = [s.add(f"{p}/issue/view/{i}", "issue") for i in range(3, 45)]
    s.lists(p + "/issue/archive", issues, 12, "archive", "{}/{}")
    for i in issues:
        arts = [s.add(f"{p}/article/view/{r.randrange(4000)}", "article") for _ in range(8)]
        for a in arts:
            n = r.randrange(4000)
            s.link(i, a, s.add(f"{a[len(s.home) :]}/{n}", "galley"))
            s.link(
                a,
                i,
                s.add(f"{a[len(s.home) :]}/{n}", "galley"),
                s.add(f"{p}/article/download/{a.split('/')[-1]}/{n}", ""),
                s.add(f"{p}/search/search?subject={s.slug()}", "subject"),
                s.add(
                    f"{p}/citationstylelanguage/get/apa?submissionId={r.randrange(4000)}&publicationId={r.randrange(4000)}",
                    "cite",
                ),
                s.add(f"{p}/search?authors={s.slug(2, 2, '%20')}", "author"),
            )
    s.link(s.home + p, issues[-1])


def koha(s):
    b = "/cgi-bin/koha"
    for x in (
        "/opac-main.pl",
        "/opac-search.pl",
        "/opac-authorities-home.pl",
        "/opac-user.pl",
        "/opac-shelves.pl?op=list&public=1",
        "/opac-tags.pl",
        "/opac-topissues.pl",
    ):
        s.m(b + x, "")
    bib = [s.add(f"{b}/opac-detail.pl?biblionumber={i}", "detail") for i in s.some(range(1, 5000), 300)]
    subj = [s.add(f"{b}/opac-search.pl?q=su:%22{s.slug(1, 2, '%20')}%22", "search") for _ in range(60)] + [
        s.add(f"{b}/opac-search.pl?q=au:%22{s.slug(2, 2, '%2C%20')}%22", "search") for _ in range(60)
    ]
    for q in subj:
        s.lists(q[len(s.home) :], s.some(bib, 15), 10, "search", "{}&offset={}&sort_by=relevance_dsc")
    auth = [s.add(f"{b}/opac-authoritiesdetail.pl?authid={i}", "authority") for i in range(1, 60)]
    for x in bib:
        i = x.split("=")[1]
        s.link(
            x,
            s.some(subj, 4),
            s.add(f"{b}/opac-MARCdetail.pl?biblionumber={i}", "marc"),
            s.add(f"{b}/opac-ISBDdetail.pl?biblionumber={i}", "isbd"),
            s.add(f"{b}/opac-export.pl?op=export&bib={i}&format=bibtex", "export"),
            s.add(f"{b}/opac-export.pl?op=export&bib={i}&format=mods", "export"),
            s.some(auth, 1),
            s.some(bib, 2),
            s.add(f"{b}/opac-reserve.pl?biblionumber={i}", "reserve"),
        )
    shelves = [
        s.add(f"{b}/opac-shelves.pl?op=view&shelfnumber={i}", "shelf", s.some(bib, 10)) for i in range(1, 15)
    ]
    s.link(s.home + b + "/opac-shelves.pl?op=list&public=1", shelves)
    s.link(s.home + b + "/opac-main.pl", s.some(bib, 8), s.some(subj, 5))
    s.link(s.home + "/", s.some(bib, 8))


def flarum(s):
    r = s.r
    tags = [s.m(f"/t/{s.slug()}", "tag") for _ in range(9)]
    s.m("/tags", "")
    s.m("/all", "")
    ds = [s.add(f"/d/{i}-{s.slug(3, 7)}", "discussion") for i in s.some(range(1, 4000), 300)]
    us = [s.add(f"/u/{n}", "user") for n in NAMES]
    for d in ds:
        s.link(
            d,
            s.some(us, 4),
            r.choice(tags),
            [s.add(d[len(s.home) :] + f"/{r.randrange(2, 60)}", "post") for _ in range(r.randint(1, 4))],
        )
    for u in us:
        s.link(
            u,
            s.add(u[len(s.home) :] + "/discussions", "user discussions"),
            s.add(u[len(s.home) :] + "/likes", "user likes"),
            s.some(ds, 8),
        )
    for t in tags:
        s.lists(t[len(s.home) :], s.some(ds, 60), 20, "tag")
    s.lists("/all", ds, 20, "")
    s.link(s.home + "/", s.some(ds, 20))
    s.link(s.home + "/", s.add("/p/1-terms", ""))


def ghost(s):
    r = s.r
    s.m("/about/", "page")
    s.m("/contact/", "page")
    tags = [s.m(f"/tag/{s.slug()}/", "tag") for _ in range(6)]
    posts = [s.add(f"/{s.slug(3, 7)}/", "post") for _ in range(200)]
    au = [s.add(f"/author/{n}/", "author") for n in NAMES[:8]]
    for p in posts:
        s.link(p, r.choice(au), s.some(tags, 2), s.some(posts, 5))
    for t in [*tags, *au]:
        s.lists(t[len(s.home) :], s.some(posts, 40), 12, s.label[t], "{}/page/{}/")
    s.lists("/page/1/", posts, 12, "later page", "{}")
    pg = [s.add(f"/page/{i}/", "later page", s.some(posts, 12)) for i in range(2, 14)]
    for i, x in enumerate(pg):
        s.link(x, pg[max(0, i - 1) : i + 2])
    s.link(s.home + "/", pg[0], s.some(posts, 12))


def trac(s):
    r = s.r
    for x in ("wiki", "timeline", "roadmap", "browser", "report", "search", "login", "newticket", "about"):
        s.m("/" + x, "")
    tk = [s.add(f"/ticket/{i}", "ticket") for i in s.some(range(1, 5000), 300)]
    wk = [s.add(f"/wiki/{s.slug(2, 3, '').title()}", "wiki") for _ in range(50)] + [
        s.add(f"/wiki/Dev/{s.slug().title()}", "wiki") for _ in range(15)
    ]
    cs = [s.add(f"/changeset/{i}", "changeset") for i in s.some(range(1, 9000), 250)]
    files = [
        "trunk/" + "/".join(s.slug() for _ in range(r.randint(1, 4))) + r.choice([".py", "", ".js"])
        for _ in range(120)
    ]
    br = [s.add(f"/browser/{f}", "browser") for f in files]
    ms = [s.add(f"/milestone/{r.randrange(3)}.{r.randrange(12)}", "milestone") for _ in range(14)]
    rp = [s.add(f"/report/{i}", "report") for i in range(1, 9)]
    for t in tk:
        s.link(
            t,
            s.some(tk, 2),
            s.some(cs, 2),
            s.some(wk, 1),
            r.choice(ms),
            s.add(f"/query?status=!closed&owner={r.choice(NAMES)}", "query"),
            s.add(f"/query?component={s.slug()}&order=priority", "query"),
            s.add(t[len(s.home) :] + "?format=rss", "ticket feed"),
            t + f"#comment:{r.randrange(9)}",
            s.add(f"/attachment/ticket/{t.split('/')[-1]}/{s.slug()}.patch", "attachment"),
        )
    for c in cs:
        f = r.choice(files)
        s.link(
            c,
            s.add(f"/browser/{f}?rev={r.randrange(9000)}", "browser"),
            s.add(f"/changeset/{c.split('/')[-1]}/{f}", "changeset file"),
            s.add(f"/changeset?format=diff&new={r.randrange(9000)}", ""),
            s.some(tk, 1),
        )
    for f, b in zip(files, br):
        s.link(
            b,
            s.add(f"/log/{f}?rev={r.randrange(9000)}", "log"),
            s.add(f"/log/{f}", "log"),
            s.add(f"/export/{r.randrange(9000)}/{f}", "export"),
            s.some(br, 6),
            s.some(cs, 4),
            s.add(f"/browser/{f}?annotate=blame", "browser"),
        )
    for w in wk:
        s.link(
            w,
            s.some(wk, 5),
            s.some(tk, 2),
            s.add(w[len(s.home) :] + "?action=history", "wiki history"),
            s.add(w[len(s.home) :] + "?action=diff&version=3", "wiki diff"),
            s.add(w[len(s.home) :] + "?version=2", "wiki"),
        )
    for x in rp:
        s.link(
            x,
            s.some(tk, 20),
            s.add(x[len(s.home) :] + "?format=csv", ""),
            s.add(x[len(s.home) :] + "?sort=ticket&asc=1&page=1", "report"),
        )
    s.link(s.home + "/report", rp)
    s.link(s.home + "/browser", s.some(br, 8))
    s.link(s.home + "/roadmap", ms)
    s.link(s.home + "/wiki", s.some(wk, 10))
    s.link(s.home + "/timeline", s.some(tk, 10), s.some(cs, 10), s.some(wk, 3))
    for m in ms:
        s.link(m, s.add(f"/query?milestone={m.split('/')[-1]}&group=component", "query"), s.some(tk, 3))
    s.link(s.home + "/", s.some(wk, 6))


def confluence(s):
    r = s.r
    spaces = ["DEV", "HR", "OPS", "DOC", "QA"]
    s.m("/dashboard.action", "")
    s.m("/login.action", "")
    s.m("/spacedirectory/view.action", "")
    pages = []
    for sp in spaces:
        S0 = s.add(f"/display/{sp}", "space")
        s.link(s.home + "/", S0)
        ps = [s.add(f"/display/{sp}/{s.slug(2, 5, '+').title()}", "page") for _ in range(50)] + [
            s.add(f"/pages/viewpage.action?pageId={r.randrange(10**6, 10**8)}", "page by id")
            for _ in range(12)
        ]
        for p in ps:
            i = r.randrange(10**6, 10**8)
            s.link(
                p,
                S0,
                s.some(ps, 6),
                s.add(f"/pages/viewinfo.action?pageId={i}", "info"),
                s.add(f"/pages/viewpreviousversions.action?pageId={i}", "versions"),
                s.add(f"/pages/viewpageattachments.action?pageId={i}", "attachments"),
                s.add(f"/label/{sp}/{s.slug()}", "label"),
                s.add(f"/display/~{r.choice(NAMES)}", "user"),
                s.add(f"/spaces/flyingpdf/pdfpageexport.action?pageId={i}", "pdf"),
                s.add(f"/login.action?os_destination=%2Fdisplay%2F{sp}%2F{s.slug(2, 3, '%2B')}", "login"),
            )
        s.link(
            S0,
            s.some(ps, 12),
            s.add(f"/collector/pages.action?key={sp}", "space pages", s.some(ps, 30)),
            s.add(f"/pages/viewrecentblogposts.action?key={sp}", "space blog"),
        )
        pages += ps
    s.link(s.home + "/", s.some(pages, 10))
    s.link(s.home + "/dashboard.action", s.some(pages, 10))


def xenforo(s):
    r = s.r
    s.m("/forums/", "")
    s.m("/members/", "")
    s.m("/whats-new/", "")
    s.m("/login/", "")
    s.m("/help/terms/", "")
    fs = [s.add(f"/forums/{s.slug(1, 3)}.{i}/", "forum") for i in range(2, 20)]
    th = [s.add(f"/threads/{s.slug(3, 7)}.{i}/", "thread") for i in s.some(range(1, 9000), 300)]
    us = [s.add(f"/members/{n}.{r.randrange(900)}/", "member") for n in NAMES]
    for t in th:
        s.link(
            t,
            s.some(us, 5),
            r.choice(fs),
            [s.add(t[len(s.home) :] + f"page-{i}", "thread") for i in range(2, r.randint(2, 6))],
            [s.add(t[len(s.home) :] + f"post-{r.randrange(90000)}", "post") for _ in range(4)],
            s.add(t[len(s.home) :] + "latest", ""),
            s.add(t[len(s.home) :] + "reply?quote=%d" % r.randrange(9999), ""),
        )
    for f in fs:
        s.lists(f[len(s.home) :], s.some(th, 50), 20, "forum", "{}/page-{}")
        s.link(f, s.add(f[len(s.home) :] + "?prefix_id=3", "forum"))
    for u in us:
        s.link(u, s.add(u[len(s.home) :] + "about", ""), s.some(th, 3))
    s.link(s.home + "/", fs, s.some(us, 4), s.some(th, 6))
    s.link(s.home + "/forums/", fs)
    s.link(s.home + "/whats-new/", s.some(th, 20))


def gitweb(s):
    r = s.r
    repos = [s.slug() + ".git" for _ in range(5)]
    for p in repos:
        R = s.add(f"/?p={p};a=summary", "summary")
        s.link(s.home + "/", R)
        coms = [s.sha() for _ in range(50)]
        tabs = [R, *[s.add(f"/?p={p};a={a}", a) for a in ("shortlog", "log", "tags", "heads", "tree")]]
        for c in coms:
            C = s.add(f"/?p={p};a=commit;h={c}", "commit")
            f = "/".join(s.slug() for _ in range(r.randint(1, 3))) + ".c"
            D = s.add(f"/?p={p};a=commitdiff;h={c}", "commitdiff")
            T = s.add(f"/?p={p};a=tree;h={s.sha()};hb={c}", "tree")
            B = s.add(f"/?p={p};a=blob;f={f};h={s.sha()};hb={c}", "blob")
            H = s.add(f"/?p={p};a=history;f={f};hb={c}", "history")
            SL = s.add(f"/?p={p};a=shortlog;h={c}", "shortlog")
            X = s.add(f"/?p={p};a=snapshot;h={c};sf=tgz", "")
            BD = s.add(f"/?p={p};a=blobdiff;f={f};h={s.sha()};hp={s.sha()};hb={c};hpb={s.sha()}", "blobdiff")
            s.link(R, C, D, T, X) if r.random() < 0.4 else 0
            for x in (C, D, T, B, H, SL):
                s.link(x, tabs, C, D, T, B, H, SL)
            s.link(tabs[1], C, D, T)
            s.link(C, BD)
        for x in tabs:
            s.link(x, tabs, s.add(f"/?p={p};a=tag;h={s.sha()}", "tag"))


def _id(s, n=11):
    return "".join(s.r.choice(string.ascii_letters + string.digits) for _ in range(n))


def nodebb(s):
    r = s.r
    for x in ("/recent", "/tags", "/popular", "/users", "/groups", "/login", "/unread"):
        s.m(x, "")
    cats = [s.add(f"/category/{i}/{s.slug(1, 2)}", "category") for i in range(1, 14)]
    tp = [s.add(f"/topic/{i}/{s.slug(3, 7)}", "topic") for i in s.some(range(1, 9000), 300)]
    us = [s.add(f"/user/{n}", "user") for n in NAMES]
    tg = [s.add(f"/tags/{s.slug()}", "tag") for _ in range(30)]
    for t in tp:
        s.link(
            t,
            s.some(us, 4),
            r.choice(cats),
            s.some(tg, 2),
            [s.add(t[len(s.home) :] + f"/{r.randrange(2, 40)}", "topic") for _ in range(3)],
            [s.add(f"/post/{r.randrange(90000)}", "post") for _ in range(4)],
            s.some(tp, 3),
        )
    for u in us:
        s.link(
            u,
            [
                s.add(u[len(s.home) :] + x, "user " + x)
                for x in ("/topics", "/posts", "/followers", "/groups")
            ],
        )
    for c in cats:
        s.lists(c[len(s.home) :], s.some(tp, 50), 20, "category")
    for t in tg:
        s.link(t, s.some(tp, 12))
    s.link(s.home + "/", cats, s.some(tp, 8))
    s.link(s.home + "/recent", s.some(tp, 20))
    s.link(s.home + "/tags", tg)
    s.link(s.home + "/users", us)


def jekyll(s):
    r = s.r
    for x in ("/about/", "/archive/", "/projects/"):
        s.m(x, "")
    ps = [
        s.add(
            f"/{s.slug()}/{r.randrange(2010, 2025)}/{r.randrange(1, 13):02}/{r.randrange(1, 29):02}/{s.slug(3, 6)}.html",
            "post",
        )
        for _ in range(120)
    ]
    tg = [s.add(f"/tag/{s.slug()}/", "tag") for _ in range(25)]
    ct = [s.m(f"/category/{c}/", "category") for c in sorted({p.split("/")[3] for p in ps})[:12]]
    for p in ps:
        s.link(p, s.some(ps, 2), s.some(tg, 3), r.choice(ct))
    for t in [*tg, *ct]:
        s.link(t, s.some(ps, 10))
    pg = [s.add(f"/page{i}/", "later page", s.some(ps, 10)) for i in range(2, 14)]
    for i, x in enumerate(pg):
        s.link(x, pg[max(0, i - 1) : i + 2])
    s.link(s.home + "/", s.some(ps, 10), pg[0])
    s.link(s.home + "/archive/", ps)


def rtd(s):
    r = s.r
    for v in ("latest", "stable"):
        s.m(f"/en/{v}/", "home")
        s.m(f"/en/{v}/genindex.html", "")
        s.m(f"/en/{v}/search.html", "")
    for v in ("latest", "stable", "v1.0", "v2.1"):
        docs = [
            s.add(f"/en/{v}/{'/'.join(s.slug(1, 2) for _ in range(r.randint(1, 3)))}.html", "page")
            for _ in range(50)
        ]
        src = [
            s.add(f"/en/{v}/_modules/{'/'.join(s.slug() for _ in range(r.randint(1, 3)))}.html", "source")
            for _ in range(15)
        ]
        for d in docs:
            s.link(
                d,
                s.some(docs, 8),
                s.some(src, 2),
                d + "#" + s.slug(),
                s.add("/en/%s/_sources/%s.rst.txt" % (v, s.slug(1, 2)), ""),
            )
        for d in src:
            s.link(d, s.some(src, 3), s.some(docs, 2))
        s.link(s.add(f"/en/{v}/", "home"), s.some(docs, 15))
        s.link(s.home + "/", s.some(docs, 5))
        s.link(s.add(f"/en/{v}/index.html"), s.some(docs, 5))


def pypi(s):
    r = s.r
    for x in ("/help/", "/account/login/", "/search/", "/sponsors/", "/account/register/"):
        s.m(x, "")
    pj = [s.add(f"/project/{s.slug(1, 3)}/", "project") for _ in range(250)]
    us = [s.add(f"/user/{n}/", "user") for n in NAMES]
    for p in pj:
        vs = [
            s.add(
                p[len(s.home) :]
                + f"{r.randrange(4)}.{r.randrange(20)}.{r.randrange(9)}{r.choice(['', '', 'rc1', '.post1'])}/",
                "release",
            )
            for _ in range(5)
        ]
        s.link(
            p,
            vs,
            s.some(us, 2),
            p + "#files",
            p + "#history",
            s.add(f"/search/?c={'+%3A%3A+'.join(s.slug().title() for _ in range(3))}", "search"),
            s.add(f"/search/?q={s.slug()}", "search"),
        )
        for v in vs:
            s.link(v, s.some(vs, 3), s.some(us, 1))
    for u in us:
        s.link(u, s.some(pj, 8))
    for q in [x for x in s.out if "/search/?" in x]:
        s.link(
            q,
            s.some(pj, 15),
            s.add(q[len(s.home) :] + f"&page={r.randrange(2, 30)}", "search"),
            s.add(q[len(s.home) :] + "&o=-created", "search"),
        )
    s.link(s.home + "/", s.some(pj, 20))


def jira(s):
    r = s.r
    K = ["DEV", "OPS", "WEB", "DOC", "API"]
    for x in ("/secure/Dashboard.jspa", "/login.jsp", "/secure/BrowseProjects.jspa", "/issues/?filter=-4"):
        s.m(x, "")
    iss = [s.add(f"/browse/{r.choice(K)}-{r.randrange(4000)}", "issue") for _ in range(350)]
    pr = [s.add(f"/projects/{k}/summary", "project") for k in K] + [
        s.add(f"/projects/{k}/issues", "project issues") for k in K
    ]
    s.link(s.home + "/secure/BrowseProjects.jspa", pr, [s.add(f"/browse/{k}", "project short") for k in K])
    s.link(s.home + "/", s.some(iss, 10), pr)
    for i in iss:
        k = i.split("/")[-1]
        s.link(
            i,
            s.some(iss, 4),
            s.add(f"/secure/ViewProfile.jspa?name={r.choice(NAMES)}", "user"),
            s.add(f"/issues/?jql=project+%3D+{k.split('-')[0]}+AND+component+%3D+{s.slug()}", "query"),
            s.add(f"/issues/?jql=labels+%3D+{s.slug()}", "query"),
            s.add(f"/secure/attachment/{r.randrange(10**6)}/{s.slug()}.png", ""),
            s.add(f"/si/jira.issueviews:issue-html/{k}/{k}.html", "printable"),
            s.add(
                f"/browse/{k}?focusedCommentId={r.randrange(10**6)}&page=com.atlassian.jira.plugin.system.issuetabpanels%3Acomment-tabpanel#comment-{r.randrange(9999)}",
                "issue",
            ),
            s.add(f"/projects/{k.split('-')[0]}/versions/{r.randrange(10000, 99999)}", "version"),
            s.add(f"/secure/AddComment!default.jspa?id={r.randrange(10**6)}", "comment form"),
        )
    for p in pr:
        s.link(
            p,
            s.some(iss, 20),
            [
                s.add(f"/projects/{p.split('/')[4]}/versions/{r.randrange(10000, 99999)}", "version")
                for _ in range(3)
            ],
        )


def dspace(s):
    r = s.r
    for x in (
        "/community-list",
        "/browse?type=author",
        "/browse?type=title",
        "/browse?type=subject",
        "/login",
        "/contact",
    ):
        s.m(x, "")
    H = lambda: f"/handle/123456789/{r.randrange(9000)}"
    col = [s.add(H(), "collection") for _ in range(25)]
    it = [s.add(H(), "item") for _ in range(300)]
    for u in [*col, *it]:
        s.label[u] = "handle"
    s.link(s.home + "/community-list", col)
    s.link(s.home + "/", s.some(col, 8), s.some(it, 5))
    for c in col:
        p = c[len(s.home) :]
        s.link(
            c,
            s.some(it, 10),
            [
                s.add(p + f"/browse?type={t}", "browse collection", s.some(it, 10))
                for t in ("author", "title", "dateissued")
            ],
            s.add(
                p
                + f"/discover?filtertype=author&filter_relational_operator=equals&filter={s.slug(2, 2, '%2C+')}",
                "discover",
            ),
            s.add(p + "/submit", ""),
        )
    for i in it:
        p = i[len(s.home) :]
        s.link(
            i,
            s.some(col, 2),
            s.add(p + "?show=full", "handle"),
            s.add(f"/bitstream{p}/1/{s.slug(2)}.pdf", ""),
            s.add(f"/browse?type=author&value={s.slug(2, 2, '%2C+')}", "browse", s.some(it, 3)),
            s.add(f"/browse?type=subject&value={s.slug(1, 2, '+')}", "browse", s.some(it, 5)),
            s.add(p + "/statistics", "statistics"),
        )


def opencart(s):
    r = s.r
    for x in (
        "account/login",
        "account/register",
        "checkout/cart",
        "information/contact",
        "product/special",
        "account/wishlist",
    ):
        s.m(f"/index.php?route={x}", "")
    cats = [s.m(f"/index.php?route=product/category&path={i}", "category") for i in (18, 20, 24, 25, 33, 57)]
    subs = [
        s.add(f"/index.php?route=product/category&path={c.split('=')[-1]}_{r.randrange(60, 99)}", "category")
        for c in cats
        for _ in range(3)
    ]
    [s.m(f"/index.php?route=information/information&information_id={i}", "information") for i in range(3, 7)]
    mk = [
        s.add(f"/index.php?route=product/manufacturer/info&manufacturer_id={i}", "maker")
        for i in range(5, 20)
    ]
    pid = [r.randrange(9000) for _ in range(250)]
    pr = [s.add(f"/index.php?route=product/product&product_id={i}", "product") for i in pid]
    for c in [*cats, *subs]:
        pa = c.split("path=")[1]
        s.link(
            c,
            [
                s.add(f"/index.php?route=product/product&path={pa}&product_id={i}", "product")
                for i in s.some(pid, 15)
            ],
            [s.add(c[len(s.home) :] + f"&sort=p.price&order={o}", "category") for o in ("ASC", "DESC")],
            s.add(c[len(s.home) :] + "&limit=50", "category"),
            s.add(c[len(s.home) :] + "&page=2", "category"),
        )
    for i, c in enumerate(cats):
        s.link(c, subs[3 * i : 3 * i + 3])
    for p in [u for u, l in s.label.items() if l == "product"]:
        s.link(
            p, r.choice(mk), s.some(pr, 4), s.add(f"/index.php?route=product/search&tag={s.slug()}", "search")
        )
    for m in mk:
        s.link(
            m,
            [
                s.add(
                    f"/index.php?route=product/product&manufacturer_id={m.split('=')[-1]}&product_id={i}",
                    "product",
                )
                for i in s.some(pid, 8)
            ],
        )
    s.link(s.home + "/index.php?route=product/special", s.some(pr, 12))
    s.link(s.home + "/", s.some(pr, 8))


def joomla(s):
    r = s.r
    [s.m(f"/index.php/{x}", "") for x in ("contact-us", "login", "sitemap")]
    secs = [s.m(f"/index.php/{s.slug()}", "section") for _ in range(5)]
    al = []
    for S_ in secs:
        ar = [s.add(f"{S_[len(s.home) :]}/{r.randrange(2000)}-{s.slug(2, 6)}", "article") for _ in range(40)]
        al += ar
        s.lists(S_[len(s.home) :], ar, 10, "section", "{}?start={}")
        for a in ar:
            s.link(
                a,
                s.some(ar, 4),
                s.add(f"/index.php/component/tags/tag/{r.randrange(20)}-{s.slug()}", "tag"),
                s.add(a[len(s.home) :] + "?tmpl=component&print=1", "article"),
                s.add(f"/index.php/component/mailto/?tmpl=component&template=x&link={s.sha()}", "mailto"),
            )
    for t in [u for u, l in s.label.items() if l == "tag"]:
        s.link(t, s.some(al, 6))
    s.link(s.home + "/", s.some(al, 10))


def magento(s):
    r = s.r
    [
        s.m(x, "")
        for x in (
            "/customer/account/login/",
            "/checkout/cart/",
            "/customer/account/create/",
            "/catalogsearch/advanced/",
            "/contact/",
        )
    ]
    cats = [s.m(f"/{s.slug()}.html", "category") for _ in range(5)]
    subs = [s.m(c[len(s.home) : -5] + f"/{s.slug(1, 2)}.html", "category") for c in cats for _ in range(4)]
    pr = [s.add(f"/{s.slug(2, 5)}-{r.randrange(99)}.html", "product") for _ in range(250)]
    for c in [*cats, *subs]:
        s.lists(c[len(s.home) :], s.some(pr, 40), 12, "category", "{}?p={}")
        s.link(
            c,
            [
                s.add(c[len(s.home) :] + f"?{q}", "category")
                for q in (
                    f"color={r.randrange(40, 70)}",
                    f"price={r.randrange(9)}0-{r.randrange(10, 19)}0",
                    "product_list_order=price",
                    f"size={r.randrange(90, 120)}",
                )
            ],
        )
    for p in pr:
        s.link(
            p,
            s.some(pr, 4),
            r.choice(subs),
            s.add(f"/review/product/list/id/{r.randrange(2000)}/", "review"),
            s.add(f"/sendfriend/product/send/id/{r.randrange(2000)}/", "send"),
            s.add(f"/catalog/product_compare/add/product/{r.randrange(2000)}/uenc/{_id(s, 20)},/", ""),
        )
    s.link(s.home + "/", s.some(pr, 8))


def askbot(s):
    r = s.r
    [
        s.m(x, "")
        for x in ("/questions/", "/tags/", "/users/", "/badges/", "/account/signin/", "/questions/ask/")
    ]
    q = [s.add(f"/question/{r.randrange(90000)}/{s.slug(4, 8)}/", "question") for _ in range(300)]
    us = [s.add(f"/users/{r.randrange(900)}/{n}/", "user") for n in NAMES]
    tg = [s.add(f"/questions/scope:all/sort:activity-desc/tags:{s.slug()}/page:1/", "tag") for _ in range(40)]
    bd = [s.add(f"/badges/{i}/{s.slug()}/", "badge", s.some(us, 6)) for i in range(1, 20)]
    for x in q:
        s.link(
            x,
            s.some(us, 3),
            s.some(tg, 3),
            s.some(q, 6),
            s.add(x[len(s.home) :] + f"?answer={r.randrange(90000)}#post-id-{r.randrange(9999)}", "question"),
            s.add(x[len(s.home) :] + "?sort=votes", "question"),
            s.add(f"/questions/{x.split('/')[4]}/revisions/", "revisions"),
        )
    for u in us:
        s.link(
            u,
            s.some(q, 8),
            [s.add(u[len(s.home) :] + f"?sort={k}", "user") for k in ("reputation", "votes")],
            s.some(bd, 2),
        )
    for t in tg:
        s.link(t, s.some(q, 15), s.some(tg, 3))
    s.link(s.home + "/", s.some(q, 20))
    s.link(s.home + "/questions/", s.some(q, 30), s.some(tg, 9))
    s.link(s.home + "/users/", us)
    s.link(s.home + "/badges/", bd)


def pipermail(s):
    r = s.r
    L = ["devel", "users", "announce"]
    MO = "January February March April May June July August September October November December".split()
    for l in L:
        I = s.add(f"/mailman/listinfo/{l}", "info")
        A = s.add(f"/pipermail/{l}/", "list")
        s.link(s.home + "/", I, A)
        s.link(I, A)
        for y in range(2015, 2025):
            for m in s.some(MO, 7):
                b = f"/pipermail/{l}/{y}-{m}"
                idx = [s.add(f"{b}/{k}.html", "index " + k) for k in ("thread", "subject", "author", "date")]
                s.link(A, idx, s.add(f"{b}.txt.gz", ""))
                ms = [s.add(f"{b}/{r.randrange(100000):06}.html", "message") for _ in range(12)]
                for i in idx:
                    s.link(i, ms, idx, I)
                for x in ms:
                    s.link(
                        x,
                        s.some(ms, 2),
                        idx,
                        I,
                        s.add(
                            f"/pipermail/{l}/attachments/{y}{r.randrange(1, 13):02}{r.randrange(1, 29):02}/{s.sha(8)}/attachment.html",
                            "attachment",
                        ),
                    )


def omeka(s):
    r = s.r
    [
        s.m(x, "")
        for x in (
            "/items/browse",
            "/collections/browse",
            "/exhibits",
            "/items/search",
            "/about",
            "/items/tags",
            "/geolocation/map/browse",
        )
    ]
    it = [s.add(f"/items/show/{i}", "item") for i in s.some(range(1, 4000), 250)]
    co = [s.add(f"/collections/show/{i}", "collection") for i in range(1, 20)]
    ex = [s.add(f"/exhibits/show/{s.slug(1, 2)}", "exhibit") for _ in range(8)]
    xp = []
    for e in ex:
        ps = [s.add(e[len(s.home) :] + f"/{s.slug(1, 3)}", "exhibit page") for _ in range(7)]
        xp += ps
        s.link(e, ps)
        [s.link(p, ps, s.some(it, 4)) for p in ps]
    for i in it:
        s.link(
            i,
            r.choice(co),
            s.some(it, 2),
            s.add(f"/files/show/{r.randrange(9000)}", "file"),
            s.add(f"/items/browse?tags={s.slug(1, 2, '+')}", "item list", s.some(it, 6)),
            s.add(f"/items/show/{i.split('/')[-1]}?output=omeka-xml", "item"),
        )
    for c in co:
        s.link(
            c,
            s.some(it, 5),
            s.add(f"/items/browse?collection={c.split('/')[-1]}", "item list", s.some(it, 10)),
        )
    s.lists("/items/browse", it, 10, "item list")
    s.link(s.home + "/collections/browse", co)
    s.link(s.home + "/exhibits", ex)
    s.link(s.home + "/", s.some(it, 5), s.some(ex, 2))


def eprints(s):
    r = s.r
    [
        s.m(x, "")
        for x in (
            "/view/",
            "/cgi/search/advanced",
            "/information.html",
            "/policies.html",
            "/cgi/latest",
            "/view/year/",
            "/view/subjects/",
            "/view/creators/",
        )
    ]
    it = [s.add(f"/{i}/", "eprint") for i in s.some(range(1, 9000), 300)]
    yr = [s.add(f"/view/year/{y}.html", "year") for y in range(1998, 2025)]
    sj = [
        s.add(f"/view/subjects/{s.r.choice('QPHTB')}{r.choice('ABCDE')}{r.randrange(99)}.html", "subject")
        for _ in range(30)
    ]
    cr = [
        s.add(f"/view/creators/{s.slug().title()}=3A{s.slug().title()}=3A=3A.html", "creator")
        for _ in range(80)
    ]
    for i in it:
        n = i.split("/")[3]
        s.link(
            i,
            s.some(cr, 3),
            s.some(sj, 1),
            s.some(yr, 1),
            s.add(f"/{n}/1/{s.slug(2)}.pdf", ""),
            s.add(f"/cgi/export/eprint/{n}/BibTeX/x-eprint-{n}.bib", "export"),
            s.add(f"/id/eprint/{n}", "id"),
            s.add(f"/cgi/users/home?screen=EPrint%3A%3AView&eprintid={n}", "staff"),
        )
    for v in [*yr, *sj, *cr]:
        s.link(v, s.some(it, 12))
    s.link(s.home + "/view/year/", yr)
    s.link(s.home + "/view/subjects/", sj)
    s.link(s.home + "/view/creators/", cr)
    s.link(s.home + "/cgi/latest", s.some(it, 20))
    s.link(s.home + "/", s.some(it, 5))


def invenio(s):
    r = s.r
    [s.m(x, "") for x in ("/search", "/communities", "/deposit", "/login/", "/signup/")]
    rec = [s.add(f"/records/{r.randrange(10**6, 10**7)}", "record") for _ in range(250)]
    cm = [s.add(f"/communities/{s.slug(1, 3)}", "community") for _ in range(20)]
    for c in cm:
        s.link(
            c,
            s.some(rec, 10),
            s.add(c[len(s.home) :] + "/about", "community about"),
            s.add(c[len(s.home) :] + "/search", "community search"),
        )
    for x in rec:
        p = x[len(s.home) :]
        s.link(
            x,
            s.some(cm, 2),
            [s.add(p + f"/files/{s.slug(2)}.{e}", "") for e in ("zip", "csv")],
            s.add(p + "/preview/paper.pdf", "preview"),
            [s.add(p + f"/export/{f}", "export") for f in ("json", "bibtex", "dcat-ap", "csl")],
            s.add(f"/search?q=keyword:%22{s.slug()}%22", "search", s.some(rec, 8)),
            s.some(rec, 1),
            s.add(f"/search?q=author:{s.slug()}&sort=newest", "search", s.some(rec, 3)),
        )
    s.link(s.home + "/communities", cm)
    s.link(s.home + "/", s.some(rec, 10))
    s.link(s.home + "/search", s.some(rec, 15))


def fossil(s):
    r = s.r
    p = "/repo"
    [
        s.m(p + x, "")
        for x in (
            "/home",
            "/timeline",
            "/dir?ci=tip",
            "/brlist",
            "/taglist",
            "/ticket",
            "/wiki",
            "/login",
            "/forum",
        )
    ]
    ck = [s.add(f"{p}/info/{s.sha(16)}", "checkin") for _ in range(200)]
    ar = [s.add(f"{p}/artifact/{s.sha(16)}", "artifact") for _ in range(60)]
    tk = [s.add(f"{p}/tktview/{s.sha(10)}", "ticket") for _ in range(60)]
    wk = [s.add(f"{p}/wiki?name={s.slug(1, 3, '+').title()}", "wiki") for _ in range(30)]
    fp = [s.add(f"{p}/forumpost/{s.sha(10)}", "forum post") for _ in range(60)]
    dirs = [
        s.add(f"{p}/dir?name={'/'.join(s.slug() for _ in range(r.randint(1, 3)))}&ci=tip", "dir")
        for _ in range(20)
    ]
    fi = [
        s.add(f"{p}/file?name={'/'.join(s.slug() for _ in range(r.randint(1, 3)))}.c&ci=tip", "file")
        for _ in range(60)
    ]
    for c in ck:
        s.link(
            c,
            s.some(ck, 3),
            s.add(f"{p}/vdiff?from={s.sha(16)}&to={s.sha(16)}", "vdiff"),
            s.add(f"{p}/timeline?p={s.sha(16)}&y=ci", "timeline"),
            s.add(f"{p}/finfo?name={s.slug()}.c&m={s.sha(16)}", "finfo"),
            s.some(ar, 2),
            s.add(f"{p}/fdiff?v1={s.sha(16)}&v2={s.sha(16)}", "fdiff"),
            s.some(tk, 1),
            s.add(f"{p}/timeline?r={s.slug()}", "timeline"),
            s.add(f"{p}/tarball/{s.sha(16)}/x.tar.gz", ""),
        )
    for f in fi:
        s.link(
            f,
            s.add(f"{p}/finfo?name={s.slug()}.c&ci=tip", "finfo"),
            s.add(f"{p}/annotate?filename={s.slug()}.c&checkin={s.sha(16)}", "annotate"),
            s.some(ck, 1),
        )
    for x in [*ar, *tk, *fp, *wk]:
        s.link(x, s.some(ck, 2), s.some(wk, 1), s.some(fp, 1))
    s.link(s.home + p + "/timeline", s.some(ck, 30), s.some(tk, 5))
    s.link(s.home + p + "/dir?ci=tip", dirs, s.some(fi, 9))
    [s.link(d, s.some(fi, 8), s.some(dirs, 2)) for d in dirs]
    s.link(s.home + p + "/wiki", wk)
    s.link(s.home + p + "/ticket", tk[:20])
    s.link(s.home + p + "/forum", fp[:20])
    s.link(s.home + "/", s.home + p + "/home")


def vbulletin(s):
    r = s.r
    [s.m(x, "") for x in ("/forum.php", "/search.php", "/register.php", "/faq.php", "/calendar.php")]
    fo = [s.add(f"/forumdisplay.php?{i}-{s.slug(1, 3)}", "forum") for i in range(2, 25)]
    th = [s.add(f"/showthread.php?{r.randrange(90000)}-{s.slug(3, 7)}", "thread") for _ in range(250)]
    us = [s.add(f"/member.php?{r.randrange(900)}-{n}", "member") for n in NAMES]
    for t in th:
        s.link(
            t,
            s.some(us, 5),
            r.choice(fo),
            s.add(t[len(s.home) :] + f"/page{r.randrange(2, 9)}", "thread"),
            [
                s.add(f"{t[len(s.home) :]}&p={r.randrange(90000)}#post{r.randrange(9999)}", "thread")
                for _ in range(2)
            ],
            s.add(f"/newreply.php?do=newreply&p={r.randrange(90000)}", "reply"),
            s.add(f"/printthread.php?t={r.randrange(90000)}&pp=10&page=1", "print"),
        )
    for f in fo:
        s.link(
            f,
            s.some(th, 20),
            s.add(f[len(s.home) :] + f"/page{r.randrange(2, 9)}", "forum"),
            s.add(f[len(s.home) :] + "&sort=views&order=desc", "forum"),
        )
    s.link(s.home + "/", fo)
    s.link(s.home + "/forum.php", fo)


def gitlab(s):
    r = s.r
    [s.m(x, "") for x in ("/explore", "/users/sign_in", "/help", "/explore/groups")]
    repos = []
    for g in s.some(NAMES, 10):
        G = s.add(f"/{g}", "namespace")
        for _ in range(r.randint(1, 3)):
            p = f"/{g}/{s.slug(1, 2)}" if r.random() < 0.7 else f"/{g}/{s.slug()}/{s.slug()}"
            R = s.add(p, "project")
            repos.append(R)
            s.link(G, R)
            F = ["/".join(s.slug() for _ in range(r.randint(1, 4))) for _ in range(20)]
            cm = [s.add(f"{p}/-/commit/{s.sha()}", "commit") for _ in range(20)]
            iss = [s.add(f"{p}/-/issues/{i}", "issue") for i in s.some(range(1, 300), 20)]
            mr = [s.add(f"{p}/-/merge_requests/{i}", "merge request") for i in s.some(range(1, 300), 12)]
            tabs = [
                s.lists(f"{p}/-/issues", iss, 10, "issue list"),
                s.lists(f"{p}/-/merge_requests", mr, 10, "mr list"),
                s.add(f"{p}/-/branches", "branches"),
                s.add(f"{p}/-/tags", "tags"),
                s.add(f"{p}/-/commits/main", "commits", s.some(cm, 15)),
                s.add(f"{p}/-/tree/main", "tree"),
                s.add(f"{p}/-/pipelines", "pipelines"),
            ]
            tree = [s.add(f"{p}/-/tree/main/{f}", "tree") for f in F[:8]]
            bl = [s.add(f"{p}/-/blob/main/{f}.rb", "blob") for f in F]
            for f, b in zip(F, bl):
                s.link(
                    b,
                    s.add(f"{p}/-/blame/main/{f}.rb", "blame"),
                    s.add(f"{p}/-/raw/main/{f}.rb", "raw"),
                    s.add(f"{p}/-/commits/main/{f}.rb", "commits"),
                )
            for m in mr:
                s.link(
                    m,
                    s.add(m[len(s.home) :] + "/diffs", "diffs"),
                    s.add(m[len(s.home) :] + "/commits", "mr commits"),
                )
            for x in [R, *cm, *iss, *mr, *tabs, *tree, *bl]:
                s.link(x, R, G, tabs)
            for x in cm:
                s.link(x, s.some(bl, 3))
            s.link(tabs[5], s.some(tree, 5), s.some(bl, 4))
            s.link(R, s.some(tree, 3), s.some(bl, 4))
            [s.link(t, s.some(bl, 4)) for t in tree]
            for i in iss:
                s.link(i, s.add(f"{p}/-/issues?label_name%5B%5D={s.slug()}", "issue list"), s.some(iss, 1))
    s.link(s.home + "/explore", repos)
    s.link(s.home + "/", s.some(repos, 10))


def smf(s):
    r = s.r
    [s.m(f"/index.php?action={a}", "") for a in ("help", "search", "login", "register", "mlist")]
    bo = [s.add(f"/index.php?board={i}.0", "board") for i in range(1, 20)]
    tp = [s.add(f"/index.php?topic={i}.0", "topic") for i in s.some(range(1, 9000), 250)]
    us = [s.add(f"/index.php?action=profile;u={r.randrange(900)}", "profile") for _ in range(40)]
    for t in tp:
        i = t.split("=")[1].split(".")[0]
        s.link(
            t,
            s.some(us, 4),
            r.choice(bo),
            s.add(f"/index.php?topic={i}.{15 * r.randint(1, 9)}", "topic"),
            [s.add(f"/index.php?topic={i}.msg{r.randrange(99999)}#msg1", "topic") for _ in range(3)],
            s.add(f"/index.php?action=printpage;topic={i}.0", "print"),
            s.add(f"/index.php?PHPSESSID={s.sha(26)}&topic={i}.0", "topic"),
            s.add(f"/index.php?topic={i}.0;prev_next=next", "topic"),
        )
    for b in bo:
        i = b.split("=")[1].split(".")[0]
        s.link(
            b,
            s.some(tp, 20),
            s.add(f"/index.php?board={i}.{20 * r.randint(1, 9)}", "board"),
            s.add(f"/index.php?board={i}.0;sort=replies;desc", "board"),
        )
    for u in us:
        s.link(
            u,
            s.add(u[len(s.home) :] + ";area=showposts", "profile posts"),
            s.add(u[len(s.home) :] + ";area=statistics", "profile stats"),
        )
    s.link(s.home + "/", bo, s.some(tp, 5))


def ckan(s):
    r = s.r
    [s.m(x, "") for x in ("/dataset", "/organization", "/group", "/about", "/user/login")]
    ds = [s.add(f"/dataset/{s.slug(2, 5)}", "dataset") for _ in range(200)]
    og = [s.add(f"/organization/{s.slug(1, 3)}", "organization") for _ in range(20)]
    gr = [s.add(f"/group/{s.slug()}", "group") for _ in range(9)]
    for d in ds:
        p = d[len(s.home) :]
        s.link(
            d,
            [s.add(f"{p}/resource/{uuid.UUID(int=r.getrandbits(128))}", "resource") for _ in range(3)],
            r.choice(og),
            s.add(f"/dataset/groups/{p.split('/')[-1]}", "dataset groups"),
            s.add(f"/dataset/activity/{p.split('/')[-1]}", "dataset activity"),
            s.add(f"/dataset?tags={s.slug()}", "list", s.some(ds, 8)),
            s.add(f"/dataset/?tags={s.slug()}&res_format=CSV", "list"),
        )
    for o in [*og, *gr]:
        p = o[len(s.home) :]
        s.lists(p, s.some(ds, 30), 20, s.label[o])
        s.link(
            o,
            s.add(f"{p}?res_format=CSV", s.label[o]),
            s.add(f"/organization/about/{p.split('/')[-1]}", "organization about")
            if o in og
            else s.add(f"/group/about/{p.split('/')[-1]}", "group about"),
        )
    for x in [u for u, l in s.label.items() if l == "resource"]:
        s.link(x, r.choice(ds))
    s.lists("/dataset", ds, 20, "list", "{}/?page={}")
    s.link(s.home + "/organization", og)
    s.link(s.home + "/group", gr)
    s.link(s.home + "/", s.some(ds, 5), gr)


def patchwork(s):
    r = s.r
    P = ["linux", "netdev", "qemu"]
    [s.m(x, "") for x in ("/about/", "/user/login/", "/mail/")]
    for p in P:
        s.link(s.home + "/", s.add(f"/project/{p}/", "project"))
        msg = lambda: (
            f"{r.randrange(10**13, 10**14)}.{r.randrange(9999)}-{r.randrange(9)}-{r.choice(NAMES)}@{s.slug()}.com"
        )
        pt = [s.add(f"/project/{p}/patch/{msg()}/", "patch") for _ in range(120)]
        cv = [s.add(f"/project/{p}/cover/{msg()}/", "cover") for _ in range(20)]
        bd = [s.add(f"/bundle/{r.choice(NAMES)}/{s.slug()}/", "bundle", s.some(pt, 5)) for _ in range(5)]
        L = s.lists(f"/project/{p}/list/", pt, 20, "list")
        s.link(s.home + f"/project/{p}/", L, s.add(f"/project/{p}/bundles/", ""))
        for x in [*pt, *cv]:
            s.link(
                x,
                L,
                s.add(x[len(s.home) :] + "mbox/", ""),
                s.add(x[len(s.home) :] + "raw/", "raw"),
                s.some(pt, 3),
                s.some(cv, 1),
                s.add(f"/project/{p}/list/?series={r.randrange(90000)}", "list", s.some(pt, 5)),
                s.add(f"/project/{p}/list/?submitter={r.randrange(900)}", "list", s.some(pt, 5)),
                s.add(f"/comment/{r.randrange(90000)}/", "comment"),
            )
        s.link(L, s.add(f"/project/{p}/list/?order=-date&archive=both&state=*", "list"), bd)


def phab(s):
    r = s.r
    [
        s.m(x, "")
        for x in ("/maniphest/", "/differential/", "/diffusion/", "/people/", "/auth/start/", "/project/")
    ]
    T = [s.add(f"/T{i}", "task") for i in s.some(range(1, 9000), 150)]
    D = [s.add(f"/D{i}", "revision") for i in s.some(range(1, 9000), 150)]
    U = [s.add(f"/p/{n}/", "user") for n in NAMES]
    J = [s.add(f"/project/view/{i}/", "project") for i in range(1, 25)]
    C = [s.add(f"/rABC{s.sha(12)}", "commit") for _ in range(80)]
    B = [
        s.add(f"/diffusion/{k}/browse/master/{'/'.join(s.slug() for _ in range(r.randint(1, 4)))}", "browse")
        for k in ("ABC", "DEF", "XYZ")
        for _ in range(25)
    ]
    for x in [*T, *D, *C]:
        s.link(
            x,
            s.some(T, 2),
            s.some(D, 2),
            s.some(U, 3),
            s.some(J, 1),
            s.some(C, 1),
            s.add(f"/maniphest/task/edit/{r.randrange(9000)}/", "edit") if x in T[:999] else s.some(B, 2),
        )
    for j in J:
        s.link(
            j,
            s.some(T, 10),
            s.add(f"/project/profile/{j.split('/')[-2]}/", "project profile"),
            s.add(f"/project/members/{j.split('/')[-2]}/", "project members"),
        )
    for u in U:
        s.link(u, s.some(T, 3), s.some(D, 3))
    for b in B:
        s.link(
            b, s.some(B, 4), s.some(C, 2), s.add(b[len(s.home) :].replace("/browse/", "/history/"), "history")
        )
    s.link(s.home + "/maniphest/", s.some(T, 20))
    s.link(s.home + "/differential/", s.some(D, 20))
    s.link(
        s.home + "/diffusion/",
        [s.add(f"/diffusion/{k}/", "repo", s.some(B, 6)) for k in ("ABC", "DEF", "XYZ")],
    )
    s.link(s.home + "/project/", J)
    s.link(s.home + "/people/", U)
    s.link(s.home + "/", s.some(T, 4))


def lemmy(s):
    r = s.r
    [s.m(x, "") for x in ("/communities", "/create_post", "/login", "/signup", "/search", "/modlog")]
    P = [s.add(f"/post/{i}", "post") for i in s.some(range(1, 90000), 250)]
    C = [s.add(f"/c/{s.slug()}" + r.choice(["", "@other.example"]), "community") for _ in range(30)]
    U = [s.add(f"/u/{n}" + r.choice(["", "@other.example"]), "user") for n in NAMES]
    for p in P:
        s.link(
            p,
            r.choice(C),
            s.some(U, 4),
            [s.add(f"/comment/{r.randrange(10**6)}", "comment") for _ in range(4)],
            s.some(P, 1),
        )
    for c in [*C, *U]:
        s.link(
            c,
            s.some(P, 15),
            [
                s.add(c[len(s.home) :] + f"?{q}", s.label[c])
                for q in ("sort=New", "page=2", "dataType=Comment")
            ],
            s.add(f"/modlog/{r.randrange(90)}", "modlog"),
        )
    s.link(s.home + "/", s.some(P, 20))
    s.link(s.home + "/communities", C)


def weblate(s):
    r = s.r
    [s.m(x, "") for x in ("/projects/", "/languages/", "/about/", "/accounts/login/", "/checks/")]
    LG = "de fr es nl cs pl ja pt_BR zh_Hans".split()
    lg = [s.add(f"/languages/{l}/", "language") for l in LG]
    us = [s.add(f"/user/{n}/", "user") for n in NAMES]
    for p in {s.slug() for _ in range(12)}:
        R = s.add(f"/projects/{p}/", "project")
        s.link(s.home + "/projects/", R)
        s.link(s.home + "/", R)
        for c in {s.slug(1, 2) for _ in range(4)}:
            K = s.add(f"/projects/{p}/{c}/", "component")
            s.link(R, K)
            for l in LG:
                X = s.add(f"/projects/{p}/{c}/{l}/", "translation")
                s.link(K, X)
                s.link(
                    X,
                    R,
                    K,
                    s.add(f"/translate/{p}/{c}/{l}/?q=state:empty", "translate"),
                    s.add(f"/translate/{p}/{c}/{l}/?q=has:check&offset={r.randrange(99)}", "translate"),
                    s.add(f"/changes/browse/{p}/{c}/{l}/", "changes"),
                    s.some(us, 3),
                    s.add(f"/download/{p}/{c}/{l}/", ""),
                    s.add(f"/search/{p}/{c}/{l}/", "search"),
                )
    for l in lg:
        s.link(l, s.some([u for u in s.label if s.label[u] == "project"], 5))
    s.link(s.home + "/languages/", lg)


def debtrack(s):
    r = s.r
    rel = ["bullseye", "bookworm", "trixie", "sid"]
    [s.m(x, "") for x in ("/about/", "/stable/", "/index")]
    pk = [s.slug(1, 3) for _ in range(120)]
    sec = "admin devel doc games libs net python web".split()
    for v in rel:
        V = s.add(f"/{v}/", "release")
        s.link(s.home + "/", V)
        s.link(
            V,
            [
                s.add(f"/{v}/{x}/", "section", [s.add(f"/{v}/{q}", "package") for q in s.some(pk, 15)])
                for x in sec
            ],
        )
    for q in pk:
        for v in rel:
            u = s.add(f"/{v}/{q}", "package")
            s.link(
                u,
                [s.add(f"/{w}/{q}", "package") for w in rel],
                s.add(f"/source/{v}/{q}", "source"),
                [s.add(f"/{v}/{x}", "package") for x in s.some(pk, 6)],
                [s.add(f"/{v}/{a}/{q}/download", "download") for a in ("amd64", "arm64", "i386")],
                s.add(f"/{v}/{r.choice(['amd64', 'all'])}/{q}/filelist", "filelist"),
                s.add(f"/search?keywords={q}&searchon=names&suite={v}", "search"),
                s.add(f"/de/{v}/{q}", "package"),
                s.add(f"/fr/{v}/{q}", "package"),
            )


def menu_wiki(s):
    """A small site whose menu lists every page."""
    pages = [s.m(f"/{s.slug(1, 2)}", "page") for _ in range(s.r.randint(20, 45))]
    items = [s.add(f"/item/{i}", "item") for i in range(200)]
    for page in [s.home + "/", *pages]:
        s.link(page, s.some(items, 8))


def host_shops(s):
    """The same shop on a host for each country."""
    hosts = s.some(["nl", "de", "fr", "pl", "es", "it"], s.r.randint(2, 6))
    for host in hosts:
        at = f"https://{host}.{s.home.split('/')[-1]}"
        items = [s.add(f"{at}/product/{s.slug(2)}-{s.r.randrange(900)}", "product") for _ in range(60)]
        helps = [s.add(f"{at}/help/{s.slug(1, 2)}", "help") for _ in range(12)]
        users = [s.add(f"{at}/user/{s.r.randrange(900)}", "user") for _ in range(30)]
        for page in [*items, *helps, *users]:
            s.link(page, s.some(items, 4), s.some(helps, 2), s.some(users, 2), s.add(f"{at}/", "home"))
        s.link(s.home + "/", s.some(items, 4), s.some(helps, 2))


GRAPHS = {
    build.__name__: build
    for build in (
        menu_wiki,
        host_shops,
        gitea,
        prestashop,
        woo,
        drupal,
        moodle,
        bugzilla,
        ojs,
        koha,
        flarum,
        ghost,
        trac,
        confluence,
        xenforo,
        gitweb,
        nodebb,
        jekyll,
        rtd,
        pypi,
        jira,
        dspace,
        opencart,
        joomla,
        magento,
        askbot,
        pipermail,
        omeka,
        eprints,
        invenio,
        fossil,
        vbulletin,
        gitlab,
        smf,
        ckan,
        patchwork,
        phab,
        lemmy,
        weblate,
        debtrack,
    )
}
