"""How often a language that a URL names outright is the answer.

    python benchmarks/url_codes.py [--model FILE]

Five tables. Every language of the model has its code put into a few common forms of addresses (where it is a
country's as well, as ``/br/``, a language of that country is right too); codes of frequent languages are put on real
hosts of dev in other languages (where ``LINKSIGHT_DATA`` is set), under national and under generic top-level domains;
codes of countries name the sections of firms' sites; a few plain hosts stand under every top-level domain that
speaks for a language; names of English words stand under domains that the whole world uses. The shares are no measure
of quality by themselves: ``it.`` is a computer centre, ``.io`` is no longer British.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np

import linksight
from linksight.languages import tlds
from linksight.url_model.model import UrlLanguageModel
from linksight.urls.parser import Url

FORMS = (
    "https://{}.wikipedia.org/wiki/Berlin",
    "https://example.com/{}/",
    "https://www.example.com/{}/about",
    "https://{}.example.com/products",
    "https://example.com/index.php?lang={}",
    "https://www.example.de/{}/",
    "https://example.com/{0}-{0}/news",
    "https://europa.eu/index_{}",
    "https://www.example.com/files/report_{}.pdf",
)
ON_HOSTS = ("{host}/{code}/", "{host}/{code}/about", "{code}.{host}/", "{host}/?lang={code}")
FREQUENT = "en de fr nl es it pt ru pl ja".split()
#: Countries as firms name sections of their sites, and the languages that these are in.
SECTIONS = {
    code: set(said.split(","))
    for code, _, said in (
        pair.partition(":")
        for pair in (
            "us:en gb:en uk:en,uk au:en nz:en ie:en za:en sg:en,zh in:en,hi ca:en,fr,ca my:en,ms hk:zh,en at:de ch:de,fr,it "
            "be:nl,fr lu:fr,de se:sv dk:da cz:cs gr:el rs:sr si:sl ee:et ua:uk by:ru,be kz:ru,kk jp:ja kr:ko cn:zh tw:zh vn:vi "
            "il:he br:pt mx:es ar:es,ar cl:es co:es pe:es ve:es la:es ae:ar,en sa:ar,en eg:ar,en"
        ).split()
    )
}
FIRMS = "samsung nike lenovo zara philips bosch nestle siemens toyota loreal unilever canon".split()
PATHS = ("", "support/", "products/phones.html")
PLAIN_HOSTS = ("www.example", "abc", "portal", "info-web", "musa")
ENGLISH_HOSTS = (
    "paperboat weatherbox sunrise openledger quietriver smallbatch fieldnotes brightside greenhouse longwalk "
    "stonebridge morningbell codegarden redlantern deepwater"
).split()
WORLDWIDE = (
    "io dev app ai sh me co tv cc gg fm to tech cloud xyz online site store blog live space digital one life world "
    "network systems tools studio design media"
).split()


def answered(model: UrlLanguageModel, form: str) -> list[str]:
    """The languages that are answered where their code stands in the address."""
    best = model.predict_proba([form.format(code) for code in model.languages]).argmax(axis=1)
    said = [model.languages[i] for i in best]
    return [
        code
        for code, language in zip(model.languages, said, strict=True)
        if language in {code} | SECTIONS.get(code, set())
    ]


def in_sections(model: UrlLanguageModel) -> dict[str, float]:
    """By country, the share of the pages of firms in its section that are given to a language of that section."""
    found = {}
    for code, own in SECTIONS.items():
        urls = [f"https://www.{firm}.com/{code}/{path}" for firm in FIRMS for path in PATHS]
        said = [model.languages[i] for i in model.predict_proba(urls).argmax(axis=1)]
        found[code] = sum(language in own for language in said) / len(said)
    return found


def hosts_of_dev(data: Path) -> list[tuple[str, str]]:
    """Hosts of curated rows, one a domain, with their languages."""
    import pyarrow.parquet as pq

    rows = pq.read_table(
        data / "urls/dev.parquet", columns=["url", "language", "domain", "trust"]
    ).to_pandas()
    rows = rows[rows.trust == 1].drop_duplicates("domain")
    texts = (Url.parse(url).text.partition("/")[0].removeprefix("www.") for url in rows.url)
    return list(zip(texts, rows.language.astype(str), strict=True))


def obeyed(model: UrlLanguageModel, form: str, code: str, hosts: list[str]) -> float:
    """The share of hosts where a code in the address is the answer."""
    said = model.predict_proba([f"http://{form.format(host=host, code=code)}" for host in hosts])
    return float((said.argmax(axis=1) == model.languages.index(code)).mean())


def on_hosts(model: UrlLanguageModel, hosts: list[tuple[str, str]], national: bool) -> dict[str, list[float]]:
    """For each frequent language, the shares of hosts in other languages where its code is believed."""
    kind = [(host, code) for host, code in hosts if national == (len(host.rpartition(".")[2]) == 2)]
    return {
        code: [obeyed(model, form, code, [host for host, own in kind if own != code]) for form in ON_HOSTS]
        for code in FREQUENT
    }


def astray(model: UrlLanguageModel) -> dict[str, str]:
    """Top-level domains under which most plain hosts are given to a language that they do not speak for."""
    found = {}
    for ending in tlds.all_tlds():
        own = [code for code in tlds.languages_of_tld(ending) if code in model.languages]
        chances = model.predict_proba([f"http://{host}.{ending}/" for host in PLAIN_HOSTS])
        said = [model.languages[i] for i in chances.argmax(axis=1)]
        if own and 2 * sum(code in own for code in said) < len(said):
            found[ending] = model.languages[chances.mean(axis=0).argmax()]
    return found


def worldwide(model: UrlLanguageModel) -> dict[str, tuple[float, float]]:
    """By ending: the shares of names of English words that are English, and that are surely something else."""
    english, found = model.languages.index("en"), {}
    for ending in WORLDWIDE:
        chances = model.predict_proba([f"https://{host}.{ending}/" for host in ENGLISH_HOSTS])
        own, sure = chances.argmax(axis=1) == english, chances.max(axis=1) > 0.5
        found[ending] = float(own.mean()), float((sure & ~own).mean())
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", help="a model file (the bundled one)")
    asked = parser.parse_args()
    model = linksight.load(asked.model) if asked.model else linksight.load()
    print(f"{'form':45} of {len(model.languages)}")
    for form in FORMS:
        print(f"{form.format('xx'):45} {len(answered(model, form))}")
    if data := os.environ.get("LINKSIGHT_DATA"):
        hosts = hosts_of_dev(Path(data))
        for national in (True, False):
            kind = "national" if national else "generic"
            print(f"\n{'code on hosts in other languages, ' + kind:45} " + " ".join(FREQUENT))
            obedience = on_hosts(model, hosts, national)
            for i, form in enumerate(ON_HOSTS):
                row = " ".join(f"{100 * obedience[code][i]:.0f}".rjust(2) for code in FREQUENT)
                print(f"{form.format(host='host', code='xx'):45} {row}")
    shares = in_sections(model)
    print(
        f"\nsections of firms' sites, by the codes of {len(shares)} countries: {_mean(shares.values()):.0%} in a language"
    )
    print("of that section; least often:")
    print(
        " ".join(
            f"/{code}/ ({shares[code]:.0%})" for code in sorted(shares, key=lambda code: shares[code])[:8]
        )
    )
    lost = astray(model)
    print(
        f"\n{len(lost)} of {len(tlds.all_tlds())} endings are given to a language that they do not speak for:"
    )
    print(" ".join(f".{ending} ({said})" for ending, said in lost.items()))
    under = worldwide(model)
    own, other = (100 * _mean(column) for column in zip(*under.values(), strict=True))
    print(f"\nnames of English words under {len(under)} endings of the whole world: English {own:.0f} %,")
    print(f"surely another language {other:.0f} %; least often English:")
    least = sorted(under, key=lambda ending: under[ending])[:8]
    print(" ".join(f".{ending} ({100 * under[ending][0]:.0f} %)" for ending in least))


def _mean(shares: Iterable[float]) -> float:
    return float(np.mean(list(shares)))


if __name__ == "__main__":
    main()
