"""Texts and the classes of the page model: language and, where it has several, script; and what of a text is language."""

from __future__ import annotations

import html
import re
import sys
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
from linksight.errors import BadLanguage
from linksight.languages import registry
from linksight.pages.langid.scripts import script_of_text

NOISE = re.compile(
    r"<[^<>]{0,200}>|\{\{[^{}]*\}\}|\{[^{}]*\}|%\(?[\w.]*\)?[-+ #0-9.]*[a-zA-Z]|\$\w+|https?://\S+|www\.\S+|\S+@\S+"
    r"|\[\[[^\]|]*\||[\[\]{}|=*#~`^\\<>]|(?<!\w)-{1,2}[a-z][\w-]*|\S*[/_.:]\w+[/_.:]\S*|\b[A-Z]{2,}\b|&[a-z]+;"
)
ACCELERATOR = re.compile(r"[_&~](?=\w)")
SPACE = re.compile(r"\s+")
# MediaWiki's own codes.
WIKI_CODES = {"als": "gsw", "bat-smg": "sgs", "fiu-vro": "vro", "zh-min-nan": "nan", "zh-yue": "yue",
              "be-x-old": "be", "roa-rup": "rup", "zh-classical": "lzh", "sh": None, "sh-latn": None, "sh-cyrl": None, "simple": None, "qqq": None, "tokipona": None,
              "en-x-piglatin": None, "nah": "nah", "roa-tara": None, "map-bms": None, "cbk-zam": None, "x-xss": None}  # fmt: skip
# Written so in the Declaration, hardly on the web, and easily taken for a neighbour.
RARE = {("bs", "Cyrl"), ("sq", "Cyrl"), ("ms", "Arab"), ("az", "Arab"), ("ha", "Arab"), ("ccp", "Cakm")}


@cache
def code_of(tag: str) -> str | None:
    try:
        return registry.find(tag)
    except BadLanguage:
        return None


def class_of(tag: str, text: str, *, wiki: bool = False) -> str | None:
    """The class of a text whose language is named by a locale, code or tag."""
    if "ijekavian" in tag:  # Serbian as it is spoken in Bosnia: on the web that is Bosnian or Croatian
        return None
    tag = tag.lower().replace("_", "-").split(".")[0].split("@")[0]
    if wiki:
        tag = WIKI_CODES.get(tag, tag) or ""
    head = tag.split("-")[0]
    if head in ("nb", "nob", "no", "nor"):
        return "nb"
    if head in ("nn", "nno"):
        return "nn"
    code = code_of(head)
    if code is None:
        return None
    script = script_of_text(text[:200])
    if code == "zh":
        traditional = re.search(r"hant|tw|hk|mo\b", tag)
        return "zh-Hant" if traditional else "zh-Hans"
    if (code, script) in RARE:
        return None
    usual = registry.scripts(code)
    if (
        usual
        and script not in ("Zyyy", usual[0])
        and not (script == "Hani" and usual[0] in ("Jpan", "Kore", "Hant", "Hans"))
    ):
        if script in usual or f"-{script.lower()}" in tag:
            return f"{code}-{script}"
        return None  # an English string in a Japanese catalogue
    return code


def clean(text: str) -> str:
    """A message without the parts that are no language."""
    text = html.unescape(NOISE.sub(" ", ACCELERATOR.sub("", text)))
    return SPACE.sub(" ", text).strip()


def worth(text: str) -> bool:
    letters = sum(c.isalpha() for c in text)
    return letters >= 4 and letters > 0.6 * len(text.replace(" ", ""))
