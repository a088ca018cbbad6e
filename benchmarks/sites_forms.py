"""The search forms of real pages: linksight's finder beside Formasaurus, a trained classifier of forms.

    pip install formasaurus lxml_html_clean
    python benchmarks/sites_forms.py

Takes every form with a text field of the development pages, asks both whether one searches with it, and judges
the forms on which they differ by the table below, which was read from the pages. Some of the pages are
Formasaurus' own training pages, which favours it. What is not installed is left out.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections import Counter
from pathlib import Path
from typing import Any

from lxml import html

from linksight.sites.gathering.search_forms import find_form

HOME = "http://site.example/"
#: Forms on which the two differed, as they are: searched with, or not, or only by a script (no name to send).
JUDGED = {
    "ja/f6ee3f56": "script", "ja/d9aa6e4b": "script", "es/3221bfac": "script", "pt/3e2e9faa": "script",
    "ja/5015acff": "no", "ja/d25eed7d": "no", "ja/16a03b91": "no", "ja/d6eed510": "no", "ja/558e7fac": "no",
    "de/d2da1610": "no", "de/e4c0f47e": "no", "fa/bcd4ea13": "no", "hu/ca0db8f1": "no",
    "it/0198dc1f": "search", "da/95c67197": "search",
}  # fmt: skip


def forms() -> list[tuple[str, str]]:
    """The forms, with the page that each is on."""
    import pyarrow.parquet as pq

    path = Path(os.environ["LINKSIGHT_DATA"]) / "pages" / "dev.parquet"
    found = []
    for row in pq.read_table(path, columns=["path", "section", "body"]).to_pylist():
        if row["section"] in ("web", "docs"):
            tree = html.document_fromstring(row["body"])
            text = ".//input[not(@type) or @type='' or @type='text' or @type='search']"
            found += [
                (row["path"], html.tostring(f, encoding="unicode")) for f in tree.forms if f.xpath(text)
            ]
    return found


def ours(text: str) -> bool:
    # The pages are here without their addresses: every form is taken for one of the site's own.
    text = re.sub(r'action="(?:https?:)?//[^/"]*', 'action="', text)
    tree = html.document_fromstring(f"<html><body>{text}</body></html>", base_url=HOME)
    return find_form(tree, HOME, HOME) is not None


def formasaurus() -> Any:
    try:
        from formasaurus import FormFieldClassifier
    except ImportError:
        return None
    classifier = FormFieldClassifier.load()
    return lambda text: str(classifier.classify(html.fragment_fromstring(text))["form"]) == "search"


def main() -> None:
    found = forms()
    began = time.process_time()
    mine = [ours(text) for _, text in found]
    print(
        f"{len(found)} forms with a text field, linksight: {sum(mine)} searches, {time.process_time() - began:.2f} s"
    )
    other = formasaurus()
    if other is None:
        print("Formasaurus is not installed: nothing to compare with")
        return
    began = time.process_time()
    theirs = [other(text) for _, text in found]
    print(f"Formasaurus: {sum(theirs)} searches, {time.process_time() - began:.2f} s")
    wrong: Counter[str] = Counter()
    for (path, _), one, two in zip(found, mine, theirs, strict=True):
        if one != two:
            truth = next((t for key, t in JUDGED.items() if f"/{key}" in path), "not judged")
            wrong["linksight" if (truth == "search") != one else "Formasaurus"] += truth in ("search", "no")
            wrong[f"of these {truth}"] += 1
    agreed = sum(one == two for one, two in zip(mine, theirs, strict=True))
    print(json.dumps({"forms": len(found), "agreed": agreed, "wrong": dict(wrong)}))


if __name__ == "__main__":
    main()
