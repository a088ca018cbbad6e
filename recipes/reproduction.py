"""Writes the figures of docs/research/reproduction.md from the report of a rerun.

    linksight reproduce --full --out full           # or --resume, or --so-far while it runs
    python recipes/reproduction.py full/report.json
    linksight reproduce beyond --quick --out quick       # after a new bundled model
    python recipes/reproduction.py --bundled quick/report.json

Keeps what the page shows in docs/reproduction.json; without an argument the page is written again from
that. ``--bundled`` takes the row of the bundled model alone from a report: it is trained on no fold, and asked about
all of urls/dev.parquet at any scale. Figures and what agrees come from the report; only the likely reasons are written here by hand.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from kept_figures import between

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "docs" / "reproduction.json"
PAGE = ROOT / "docs" / "research" / "reproduction.md"
MARKS = "<!-- figures: begin (recipes/reproduction.py) -->", "<!-- figures: end -->"
#: sections whose tables have rows "macro average"
COMPARED = ("table-v", "table-ix", "table-xii", "table-xiv", "table-xvi", "beyond")
OWN = ("beyond", "lengths", "languages", "needs")  #: sections that no paper has
BUNDLED = "bundled model†"
NEAR = 2.0
#: What a paper found -> why we may differ, should we.
REASONS = {
    "precision of the country code": "labels by site are not free of errors, and some country codes are sold to everyone",
    "rank order is the weakest on words": "",
    "SVM or RE is the best on words": "the algorithms are within a point of each other on words, in the paper too",
    "SVM is above every other algorithm on n-grams": "our maximum entropy is found by stochastic gradient descent with a prior, "
    "the paper's by iterative scaling without one; it ends level with SVM",
    "rank order is the weakest on n-grams": "",
    "all-grams from words are the best": "with more training longer n-grams alone come near to all of them together",
    "the decision tree is the best on custom features": "the strongest feature of the paper's tree is the country of the server, "
    "which is not known here; without it the tree has no edge over linear models",
    "words gain most": "",
    "SVM on all-grams is above RE": "",
    "words are right on most URLs of domains of several languages": "the paper has 250,000 URLs a language from two sources; "
    "domains of several languages are so rare in ours that the share rests on few URLs",
    "about half of the test URLs": "our rows come from other sources than the paper's, with other numbers of pages a domain",
    "the tree on custom features loses most": "at 1 % the paper still trains on 4,500 URLs, which is where our tree is at ease too",
    "the best classifier has F1 95": "the paper's Flash files were found by queries for the language and under its country code; "
    "ours are PDF files from other sources than the training rows",
    "random crawls are the least precise": "",
    "features lose at most 3 points": "",
    "a combination is at least as good": "a pair chosen on one fold need not win on the next when the best single classifier is as strong as here",
    "URLs train better than content": "",
    "words lose more than 3-grams": "",
    "F is at least the published .918": "",
    "the Bible adds to the Declaration": "most of our pages are in languages that the Declaration covers, in UTF-8",
    "the byte parser does not lose": "nearly all of our pages are UTF-8 or ASCII, where the parser has nothing to mend",
    "converting entities does not lose": "few of our pages write their letters as entities",
    "F1 is .9 or better on every site": "",
    "the bundled model is above every classifier": "the classifiers of the papers are trained for these five languages alone, on the same rows",
}
FAR = 4.0
#: A table whose figures are far from the paper's -> why they may be.
FAR_REASONS = {
    "table-v": "how many URLs of a language stand under its country codes is a property of the collection, not of the method",
    "table-xii": "the country of the server is not known here, and the dictionaries are others",
    "section-4.3.1": "how many pages a domain has differs from the paper's sources",
    "table-xvi": "the paper's multimedia URLs were found by queries for the language; ours are mostly PDF files of other sources "
    "than the training rows, with few words in their names",
    "table-xvii": "the crawls are replayed on a web built from labelled URLs, not run on the web of 2010",
    "2008-content": "the paper trains on the pages behind its URLs; here content is running text and pages of other sites, whose words "
    "are seldom those of URLs",
    "pages": "the paper's pages are of 2010, many in encodings of one script; nearly all of ours are UTF-8, and there are fewer of each language",
}


def distilled(report: dict[str, Any]) -> dict[str, Any]:
    """What the page shows of a report."""
    sections = report["sections"]
    return {
        "facts": report["about"]["facts"],
        "findings": [[s["key"], text, ok] for s in sections for text, ok in s["agreements"]],
        "missing": [[s["key"], s["title"], s["missing"]] for s in sections if s["missing"]],
        "macro": [row for s in sections if s["key"] in COMPARED for row in macro_rows(s)],
        "near": [row for s in sections for row in nearness(s)],
    }


def macro_rows(section: dict[str, Any]) -> list[list[Any]]:
    """Table, classifier, F1 at random, by domain and on dev, published."""
    rows = []
    for table in section["tables"][:1]:
        for row in table["rows"]:
            if row[0] == "macro average":
                cells = dict(zip(table["columns"], row, strict=True))
                dev = cells.get("F1 dev") or (cells["F1"] if section["key"] == "beyond" else {})
                own = {} if section["key"] == "beyond" else cells["F1"]
                by_domain = {} if section["key"] == "beyond" else cells["F1 by domain"]
                rows.append(
                    [section["key"], row[1], *(_rounded(one.get("value")) for one in (own, by_domain, dev)),
                     _rounded(own.get("published"))]
                )  # fmt: skip
    return rows


def nearness(section: dict[str, Any]) -> list[list[Any]]:
    """Table, how many figures have a published one beside them, mean difference, mean distance, share that is near."""
    apart = [
        cell["value"] - cell["published"]
        for table in section["tables"]
        for row in table["rows"]
        for cell in row
        if isinstance(cell, dict)
        and cell["published"] is not None
        and cell["value"] is not None
        and cell["digits"]
    ]
    if len(apart) < 3:
        return []
    mean, distance = sum(apart) / len(apart), sum(map(abs, apart)) / len(apart)
    near = 100 * sum(abs(one) <= NEAR for one in apart) / len(apart)
    return [[section["key"], len(apart), round(mean, 1), round(distance, 1), round(near)]]


def page_of(kept: dict[str, Any]) -> str:
    """The part of the page that is written here."""
    theirs = [found for found in kept["findings"] if found[0] not in OWN]
    agree = [(key, text) for key, text, ok in theirs if ok]
    differ = [(key, text) for key, text, ok in theirs if not ok]
    lines = ["## What was run", ""]
    lines += [
        f"- {name}: {f'`{value}`' if name == 'command' else value}" for name, value in kept["facts"].items()
    ]
    if "“full”" not in kept["facts"].get("folds", ""):
        lines += ["", "This is not the full run. That is `linksight reproduce --full --out full`;"]
        lines += ["`python recipes/reproduction.py full/report.json` then writes its figures here."]
    lines += [
        "",
        f"Of {len(agree) + len(differ)} findings of the papers that were checked, {len(agree)} agree.",
        *(
            f"Beyond them: {text}{'' if ok else ', which is not so'} (`{key}`)."
            for key, text, ok in kept["findings"]
            if key in OWN
        ),
        "",
    ]
    lines += [
        "## Macro F1, next to the papers",
        "",
        "| table | classifier | at random | by domain | dev | published |",
        "|---|---|---|---|---|---|",
    ]
    lines += [f"| {' | '.join(_shown(value) for value in row)} |" for row in kept["macro"]]
    lines += ["", f"How near all figures are to the published ones, in points; near is within {NEAR:g}:", ""]
    lines += ["| table | figures | mean difference | mean distance | near, % |", "|---|---|---|---|---|"]
    lines += [f"| {' | '.join(_shown(value) for value in row)} |" for row in kept["near"]]
    lines += ["", f"Where the mean distance is above {FAR:g} points, the likely reason:", ""]
    lines += [
        f"- `{key}`: {FAR_REASONS.get(key, 'not known')}."
        for key, _n, _mean, distance, _near in kept["near"]
        if distance > FAR
    ] or ["- There is no such table."]
    lines += ["", "## Agreements", "", *(f"- {text} (`{key}`)" for key, text in agree)]
    lines += ["", "## Disagreements, with the likely reason", ""]
    lines += [
        f"- **Not found here:** {text} (`{key}`). Likely reason: {reason_of(text)}." for key, text in differ
    ] or ["None."]
    lines += ["", "## What was not run", ""]
    lines += [f"- {title} (`{key}`): {why}" for key, title, why in kept["missing"]] or ["Everything was."]
    return "\n".join(lines) + "\n"


def reason_of(text: str) -> str:
    """The likely reason for a finding that we do not share."""
    found = next((reason for begin, reason in REASONS.items() if begin in text), "")
    return found or "not known"


def written(page: str, figures: str) -> str:
    """The page with its figures replaced."""
    return between(page, MARKS, figures)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)


def _shown(value: Any) -> str:
    return "–" if value is None else f"{value:.1f}" if isinstance(value, float) else str(value)


def with_bundled(kept: dict[str, Any], report: dict[str, Any]) -> dict[str, Any]:
    """What is kept, with the figures of the bundled model from a later report."""
    section = next(section for section in report["sections"] if section["key"] == "beyond")
    dev = next(row[4] for row in macro_rows(section) if row[1] == BUNDLED)
    rows = [[*row[:4], dev if row[1] == BUNDLED else row[4], row[5]] for row in kept["macro"]]
    best = max(row[4] for row in rows if row[0] == "beyond" and row[1] != BUNDLED)
    found = [[key, text, dev > best if key == "beyond" else ok] for key, text, ok in kept["findings"]]
    facts = kept["facts"] | {"bundled model": f"measured again by `{report['about']['facts']['command']}`"}
    return kept | {"macro": rows, "findings": found, "facts": facts}


def main() -> None:
    if sys.argv[1:2] == ["--bundled"]:
        report = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
        kept = with_bundled(json.loads(KEPT.read_text(encoding="utf-8")), report)
        KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    elif len(sys.argv) > 1:
        report = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
        KEPT.write_text(json.dumps(distilled(report), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), page_of(kept)), encoding="utf-8")


if __name__ == "__main__":
    main()
