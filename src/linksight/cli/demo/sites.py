"""The small web of the demo: three sites in each of three languages, and the links between their pages."""

from __future__ import annotations

import html
import random
from collections.abc import Callable
from dataclasses import dataclass

ARTICLES = 12  #: articles of a site, next to its front page
SITES_PER_LANGUAGE = 3
SAME_LANGUAGE_SHARE = 0.7  #: share of links between sites that stay in the language


@dataclass(frozen=True)
class Vocabulary:
    """The words from which the pages of one language are made."""

    section: str
    slugs: tuple[str, ...]
    sentences: tuple[str, ...]


VOCABULARIES = {
    "nl": Vocabulary(
        "nieuws",
        (
            "nieuwe-brug-over-de-rivier", "gemeente-plant-meer-bomen", "treinen-rijden-weer-op-tijd",
            "weer-morgen-droog-en-zonnig", "oude-molen-opent-de-deuren", "school-zoekt-leraren",
            "bakker-wint-prijs-met-roggebrood", "fietspad-langs-het-kanaal", "bibliotheek-langer-open",
            "boeren-vragen-om-regen", "haven-krijgt-een-nieuwe-kade", "museum-toont-oude-kaarten",
        ),
        (
            "De gemeente heeft besloten dat er een nieuwe brug over de rivier komt.",
            "Het weer wordt morgen beter dan vandaag, want de wind draait naar het zuiden.",
            "Wie wil weten hoe laat de trein vertrekt, kan dat op het station vragen.",
            "De bibliotheek blijft in de winter een uur langer open voor iedereen uit de buurt.",
            "Volgens de bewoners is het fietspad langs het kanaal veel te smal geworden.",
            "De oude molen is gerestaureerd en gaat zaterdag weer open voor bezoekers.",
            "In de haven wordt gewerkt aan een kade waar ook grotere schepen kunnen aanleggen.",
            "De school zoekt leraren die volgend jaar willen beginnen met lesgeven.",
        ),
    ),
    "fr": Vocabulary(
        "actualites",
        (
            "un-nouveau-pont-sur-la-riviere", "la-commune-plante-des-arbres", "les-trains-sont-a-l-heure",
            "la-meteo-de-demain", "le-vieux-moulin-ouvre-ses-portes", "l-ecole-cherche-des-enseignants",
            "le-boulanger-gagne-un-prix", "une-piste-cyclable-le-long-du-canal", "la-bibliotheque-ouvre-plus-tard",
            "les-agriculteurs-attendent-la-pluie", "le-port-aura-un-nouveau-quai", "le-musee-montre-des-cartes-anciennes",
        ),
        (
            "La commune a décidé qu'un nouveau pont sera construit sur la rivière.",
            "Le temps sera meilleur demain qu'aujourd'hui, car le vent tourne vers le sud.",
            "Ceux qui veulent savoir quand part le train peuvent le demander à la gare.",
            "La bibliothèque reste ouverte une heure de plus en hiver pour tous les habitants.",
            "Selon les riverains, la piste cyclable le long du canal est devenue trop étroite.",
            "Le vieux moulin a été restauré et ouvre de nouveau ses portes samedi.",
            "Au port, on construit un quai où de plus grands bateaux pourront accoster.",
            "L'école cherche des enseignants qui veulent commencer l'année prochaine.",
        ),
    ),
    "de": Vocabulary(
        "nachrichten",
        (
            "neue-bruecke-ueber-den-fluss", "gemeinde-pflanzt-mehr-baeume", "zuege-fahren-wieder-puenktlich",
            "wetter-morgen-trocken-und-sonnig", "alte-muehle-oeffnet-ihre-tueren", "schule-sucht-lehrer",
            "baecker-gewinnt-preis-mit-roggenbrot", "radweg-entlang-des-kanals", "bibliothek-laenger-geoeffnet",
            "bauern-hoffen-auf-regen", "hafen-bekommt-einen-neuen-kai", "museum-zeigt-alte-karten",
        ),
        (
            "Die Gemeinde hat beschlossen, dass eine neue Brücke über den Fluss gebaut wird.",
            "Das Wetter wird morgen besser als heute, denn der Wind dreht nach Süden.",
            "Wer wissen will, wann der Zug abfährt, kann am Bahnhof danach fragen.",
            "Die Bibliothek bleibt im Winter für alle Bewohner eine Stunde länger geöffnet.",
            "Nach Ansicht der Anwohner ist der Radweg am Kanal viel zu schmal geworden.",
            "Die alte Mühle wurde restauriert und öffnet am Samstag wieder für Besucher.",
            "Im Hafen wird ein Kai gebaut, an dem auch größere Schiffe anlegen können.",
            "Die Schule sucht Lehrer, die im nächsten Jahr mit dem Unterricht beginnen wollen.",
        ),
    ),
}  # fmt: skip
#: The language of each site, by the number of the site.
LANGUAGES = tuple(language for _ in range(SITES_PER_LANGUAGE) for language in VOCABULARIES)


def paths(site: int) -> list[str]:
    """The paths of a site's pages; the first is the front page."""
    words = VOCABULARIES[LANGUAGES[site]]
    return ["/", *(f"/{words.section}/{slug}.html" for slug in words.slugs[:ARTICLES])]


def page(site: int, path: str, origin: Callable[[int], str]) -> bytes | None:
    """The HTML of a page, or None where the site has no such page; ``origin`` gives the address of a site."""
    if path not in paths(site):
        return None
    language = LANGUAGES[site]
    draw = random.Random(f"{site} {path}")
    title = path.rpartition("/")[2].removesuffix(".html").replace("-", " ").capitalize() or f"Site {site + 1}"
    body = "".join(
        f"<p>{' '.join(map(html.escape, draw.sample(VOCABULARIES[language].sentences, 5)))}</p>"
        for _ in range(4)
    )
    links = "".join(f'<li><a href="{url}">{url}</a></li>' for url in _links(site, path, draw, origin))
    return (
        f"<!DOCTYPE html><html><head><meta charset='utf-8'><title>{title}</title></head>"
        f"<body><h1>{title}</h1>{body}<ul>{links}</ul></body></html>"
    ).encode()


def _links(site: int, path: str, draw: random.Random, origin: Callable[[int], str]) -> list[str]:
    """Links to pages of the same site, and two to pages of other sites."""
    own = paths(site)
    near = own[1:] if path == "/" else [own[0], *draw.sample(own[1:], 3)]
    links = [f"{origin(site)}{one}" for one in near]
    others = [other for other in range(len(LANGUAGES)) if other != site]
    for _ in range(2):
        same = draw.random() < SAME_LANGUAGE_SHARE
        there = draw.choice([one for one in others if (LANGUAGES[one] == LANGUAGES[site]) == same])
        links.append(f"{origin(there)}{draw.choice(paths(there))}")
    return links
