"""How often a language that a URL names outright is the answer.

    python benchmarks/url_codes.py [--model FILE]

Every language of the model has its code put into a few common forms of addresses. The share is not a
measure of quality by itself: ``/uk/`` is more often British than Ukrainian, ``cs.`` is computer science.
"""

from __future__ import annotations

import argparse

import linksight
from linksight.scorer import Scorer

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


def answered(model: Scorer, form: str) -> list[str]:
    """The languages that are answered where their code stands in the address."""
    said = model.predict_proba([form.format(code) for code in model.languages]).argmax(axis=1)
    return [code for i, code in enumerate(model.languages) if said[i] == i]


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


if __name__ == "__main__":
    main()
