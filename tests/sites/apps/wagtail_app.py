"""A real Wagtail with 500 pages of four kinds and its own search: ``python wagtail_app.py FOLDER PORT``."""

from __future__ import annotations

import random
import sys
import warnings
from pathlib import Path

warnings.simplefilter("ignore")

WORDS = (
    "bread butter flour yeast oven crust sourdough rye barley honey salt sugar cinnamon raisin almond walnut "
    "pistachio orange lemon apple pear plum cherry vanilla chocolate cocoa cream custard pastry dough knead rise "
    "proof bake slice toast grain mill stone wheat spelt oat seed sesame poppy pumpkin linseed malt syrup"
).split()

TEMPLATE = """{% load wagtailcore_tags %}<!doctype html><html lang="en"><head><title>{{ page.title|default:'Search' }}</title></head>
<body><nav><a href="/">Home</a> <a href="/blog/">Blog</a> <a href="/recipes/">Recipes</a> <a href="/people/">People</a>
<a href="/events/">Events</a></nav>
<form action="/search/" method="get" role="search"><input type="search" name="query"><button>Search</button></form>
<h1>{{ page.title }}</h1>{{ page.body|richtext }}
<ul>{% for child in children %}<li><a class="{{ child.specific_class.get_verbose_name|slugify }}" href="{% pageurl child %}">{{ child.title }}</a></li>{% endfor %}</ul>
{% if following %}<a href="{{ following }}">more</a>{% endif %}</body></html>"""


def configure(folder: Path) -> None:
    from django.conf import settings

    (folder / "templates").mkdir(parents=True, exist_ok=True)
    (folder / "templates" / "text.html").write_text(TEMPLATE)
    (folder / "bakery_migrations").mkdir(exist_ok=True)
    (folder / "bakery_migrations" / "__init__.py").touch()
    sys.path[:0] = [str(Path(__file__).parent), str(folder)]
    apps = [
        "wagtail.contrib.search_promotions", "wagtail.users", "wagtail.documents", "wagtail.images", "wagtail.search",
        "wagtail.admin", "wagtail", "modelcluster", "taggit", "django.contrib.auth", "django.contrib.contenttypes",
        "django.contrib.sessions", "django.contrib.messages", "bakery",
    ]  # fmt: skip
    settings.configure(
        DEBUG=False, SECRET_KEY="test", STATIC_URL="/static/", ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, INSTALLED_APPS=apps, USE_TZ=True,
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(folder / "db.sqlite3")}},
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "DIRS": [str(folder / "templates")], "APP_DIRS": True,
                    "OPTIONS": {"context_processors": ["django.template.context_processors.request"]}}],
        MIGRATION_MODULES={"bakery": "bakery_migrations"},
        WAGTAIL_SITE_NAME="Bakery", WAGTAILADMIN_BASE_URL="http://127.0.0.1", DEFAULT_AUTO_FIELD="django.db.models.AutoField",
        WAGTAILSEARCH_BACKENDS={"default": {"BACKEND": "wagtail.search.backends.database"}},
    )  # fmt: skip
    import django

    django.setup()


def fill() -> None:
    from bakery import models
    from django.contrib.contenttypes.models import ContentType
    from django.core.management import call_command
    from wagtail.models import Locale, Page, Site

    call_command("makemigrations", "bakery", verbosity=0)
    call_command("migrate", verbosity=0)
    rng = random.Random(3)
    Locale.objects.get_or_create(language_code="en")
    root = Page.get_first_root_node() or Page.add_root(
        title="Root", slug="root", content_type=ContentType.objects.get_for_model(Page)
    )
    home = root.add_child(instance=models.HomePage(title="Bakery", slug="bakery", body=text(rng, 60)))
    Site.objects.all().delete()
    Page.objects.filter(depth=2).exclude(pk=home.pk).delete()
    Site.objects.create(hostname="127.0.0.1", root_page=home, is_default_site=True)
    kinds = {
        "blog": (models.BlogPage, 200),
        "recipes": (models.RecipePage, 150),
        "people": (models.PersonPage, 60),
        "events": (models.EventPage, 90),
    }
    for name, (kind, n) in kinds.items():
        folder = home.add_child(instance=models.IndexPage(title=name.title(), slug=name))
        for number in range(n):
            title = " ".join(rng.choice(WORDS) for _ in range(3)).title()
            slug = f"{title.lower().replace(' ', '-')}-{number}"
            folder.add_child(instance=kind(title=title, slug=slug, body=text(rng, 25)))
    call_command("update_index", verbosity=0)


def text(rng: random.Random, n: int) -> str:
    return "<p>" + " ".join(rng.choice(WORDS) for _ in range(n)) + "</p>"


def search(request):
    from django.shortcuts import render
    from wagtail.models import Page

    word = request.GET.get("query", "")
    number = int(request.GET.get("page", 1))
    found = Page.objects.live().search(word) if word else Page.objects.none()
    hits = list(found[20 * (number - 1) : 20 * number])
    following = f"/search/?query={word}&page={number + 1}" if len(hits) == 20 else ""
    return render(request, "text.html", {"children": hits, "following": following})


def urls():
    from django.urls import include, path
    from wagtail import urls as wagtail_urls

    return [path("search/", search), path("", include(wagtail_urls))]


if __name__ == "__main__":
    where = Path(sys.argv[1])
    new = not (where / "db.sqlite3").exists()
    where.mkdir(parents=True, exist_ok=True)
    configure(where)
    urlpatterns = urls()
    if new:
        fill()
    from socketserver import ThreadingMixIn
    from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

    from django.core.wsgi import get_wsgi_application

    class Server(ThreadingMixIn, WSGIServer):
        daemon_threads = True

    class Quiet(WSGIRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

    make_server("127.0.0.1", int(sys.argv[2]), get_wsgi_application(), Server, Quiet).serve_forever()
