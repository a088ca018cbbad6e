"""Writes src/linksight/data/languages.json and countries.json from CLDR, and registry.json from IANA's registry.

Needs ``pip install babel langcodes language_data`` and LINKSIGHT_DATA (for which languages occur).
Run again when CLDR gains a language that the data use:  python recipes/language_tables.py
The registry of all other languages is the npm package language-subtag-registry (CC0), unpacked:
npm pack language-subtag-registry && tar xzf language-subtag-registry-*.tgz
python recipes/language_tables.py --registry package/data/json/registry.json
"""

from __future__ import annotations

import json
import os
import re
import sys
import zipfile
from pathlib import Path

import langcodes
import pyarrow.parquet as pq
from babel.core import get_global

DATA = Path(os.environ.get("LINKSIGHT_DATA", "../shared/data"))
OUT = Path(__file__).parents[1] / "src/linksight/data"

# One code a language, as the labelled URLs have it.
SAME = {"fil": "tl", "nb": "no", "nn": "no", "sh": "sr", "iw": "he", "in": "id", "mo": "ro", "ji": "yi"}
MORE_SCRIPTS = {
    "az": ["Latn", "Cyrl", "Arab"],
    "bs": ["Latn", "Cyrl"],
    "sr": ["Cyrl", "Latn"],
    "uz": ["Latn", "Cyrl"],
    "kk": ["Cyrl", "Latn", "Arab"],
    "ku": ["Latn", "Arab"],
    "mn": ["Cyrl", "Mong"],
    "pa": ["Guru", "Arab"],
    "tg": ["Cyrl", "Latn"],
    "tk": ["Latn", "Cyrl"],
    "tt": ["Cyrl", "Latn"],
    "ug": ["Arab", "Latn", "Cyrl"],
    "ky": ["Cyrl", "Arab"],
    "zh": ["Hans", "Hant"],
    "crh": ["Latn", "Cyrl"],
    "ha": ["Latn", "Arab"],
    "ms": ["Latn", "Arab"],
    "ja": ["Jpan"],
    "ko": ["Kore"],
    "be": ["Cyrl", "Latn"],
    "ks": ["Arab", "Deva"],
    "sd": ["Arab", "Deva"],
    "iu": ["Cans", "Latn"],
    "tl": ["Latn", "Tglg"],
    "tzm": ["Latn", "Tfng"],
}


def shortest(tag: str) -> str:
    code = langcodes.Language.get(langcodes.standardize_tag(tag, macro=True)).language or "und"
    return "tw" if tag in ("tw", "twi") else SAME.get(code, code)  # CLDR folds Twi into Akan, the data do not


def occurring() -> set[str]:
    tags = set(
        pq.read_table(DATA / "urls/train.parquet", columns=["language"])["language"].unique().to_pylist()
    )
    tags |= set(
        pq.read_table(DATA / "pages/dev.parquet", columns=["language"])["language"].unique().to_pylist()
    )
    tags |= {"tw"}
    tags |= set(pq.read_table(DATA / "texts/bible.parquet", columns=["language"])["language"].to_pylist())
    for name in zipfile.ZipFile(DATA / "texts/udhr2.zip").namelist():
        if found := re.search(r"/([a-z]{3})(_|\.)", name):
            tags.add(found[1])
    for languages in get_global("territory_languages").values():
        tags |= {tag.split("_")[0] for tag in languages}
    return tags


def languages() -> dict[str, list[object]]:
    table = {}
    for tag in sorted(occurring()):
        if not langcodes.tag_is_valid(tag):
            continue
        code = shortest(tag)
        language = langcodes.Language.get(code)
        name = language.display_name("en")
        if name.startswith("Unknown language"):
            continue
        try:
            iso3 = language.to_alpha3()
        except LookupError:
            iso3 = code
        scripts = MORE_SCRIPTS.get(code) or [language.maximize().script or "Zyyy"]
        table[code] = [iso3, name, language.autonym(), scripts]
    return table


def countries(known: set[str]) -> dict[str, list[object]]:
    names = {
        c: langcodes.Language.make(territory=c).territory_name("en")
        for c in get_global("territory_languages")
    }
    table = {}
    for country, spoken in sorted(get_global("territory_languages").items()):
        shares: dict[str, float] = {}
        for tag, facts in spoken.items():
            code = shortest(tag.split("_")[0])
            official = facts["official_status"] in ("official", "de_facto_official")
            # An official language of few speakers still has web sites; a lingua franca that is not official has fewer.
            weight = facts["population_percent"] * (1.0 if official else 0.2)
            if code in known and weight >= 1:
                shares[code] = max(shares.get(code, 0), weight)
        ranked = sorted(shares, key=lambda code: -shares[code])
        if ranked and re.fullmatch("[A-Z]{2}", country):
            table[country.lower()] = [names[country], ranked[:8]]
    return table


def others(registry: Path, known: set[str]) -> dict[str, list[str]]:
    """Every other language of the registry: its name and, where CLDR folds it into one that is known, that one's code."""
    table = {}
    for entry in json.loads(registry.read_text(encoding="utf-8")):
        code = entry.get("Subtag", "")
        living = (
            entry.get("Scope") not in ("collection", "private-use", "special") and "Deprecated" not in entry
        )
        if entry["Type"] == "language" and re.fullmatch("[a-z]{2,3}", code) and living and code not in known:
            same = shortest(code)
            table[code] = [entry["Description"][0], *([same] if same in known else [])]
    return table


def write(name: str, table: dict[str, list[object]]) -> None:
    """One row a line, so that a change of one is a change of one line."""
    rows = ",\n".join(
        f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in table.items()
    )
    (OUT / f"{name}.json").write_text("{\n" + rows + "\n}\n", encoding="utf-8")
    print(f"{name}.json: {len(table)} rows")


if __name__ == "__main__" and sys.argv[1:2] == ["--registry"]:
    listed = set(json.loads((OUT / "languages.json").read_text(encoding="utf-8")))
    write("registry", others(Path(sys.argv[2]), listed))
elif __name__ == "__main__":
    known = languages()
    write("languages", known)
    write("countries", countries(set(known)))
