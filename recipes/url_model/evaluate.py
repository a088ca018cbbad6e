"""Measures a URL model on real pages and on curated lists of unseen domains.

    python recipes/url_model/evaluate.py [MODEL] [--json OUT]

The third of ``pages_dev`` that training leaves out is judged with uniform priors over its languages and with the model's own priors, ``dev`` with its own
priors. A page names its language where a code or a name of the language stands in its subdomain, path or query.
"""

from __future__ import annotations

import argparse
import json
import os
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
from figures import GENERIC, calibration_error, f1, figures, fold_of

import linksight
from linksight.features.url_features import extract_features
from linksight.languages.registry import short_codes
from linksight.urls.parser import Url

DATA = Path(os.environ.get("LINKSIGHT_DATA", "../shared/data"))
MIN_ROWS = 8  # of a language, for its share right


def uniform(probabilities: np.ndarray, rates: np.ndarray, columns: list[int]) -> np.ndarray:
    """Probabilities with equal priors for some languages, 0 for all others; a language the model lacks has column -1."""
    odds = probabilities / np.maximum(rates, 1e-9)
    chosen = np.where(np.array(columns) >= 0, odds[:, columns], 0)
    return chosen / chosen.sum(1, keepdims=True)


def names_own_language(url: str, language: str) -> bool:
    """Whether a URL has a code of its language where codes stand."""
    structural = extract_features(Url.parse(url).text)[0]
    values = {name[2:] for name in structural if name[0] in "bclf"}
    codes = short_codes()
    return any(codes.get(value, value) == language for value in values)


def pages(model) -> dict:
    table = pd.read_parquet(DATA / "urls/pages_dev.parquet")
    table = table[(table.sure == 1) & (table.domain.map(fold_of) == 0)].reset_index(drop=True)
    raw = model.predict_proba(table.url.tolist()).astype(float)
    names = list(model.languages)
    languages = sorted(set(table.language))
    p = uniform(
        raw,
        model.calibration.class_priors.astype(float),
        [names.index(c) if c in names else -1 for c in languages],
    )
    y = np.array([languages.index(c) for c in table.language])
    right, seen = p.argmax(1) == y, table.seen.to_numpy(bool)
    generic = table.domain.str.rpartition(".")[2].isin(GENERIC).to_numpy()
    coded = np.array([names_own_language(u, c) for u, c in zip(table.url, table.language, strict=True)])
    by_language = {
        c: (round(float(right[~seen & (y == k)].mean()), 3), int((~seen & (y == k)).sum()))
        for k, c in enumerate(languages)
        if (~seen & (y == k)).any()
    }
    found = {
        "unseen": right[~seen].mean(), "generic": right[~seen & generic].mean(), "seen": right[seen].mean(),
        "with_code": right[coded].mean(), "n_with_code": int(coded.sum()),
        "mean_of_languages": np.mean([share for share, n in by_language.values() if n >= MIN_ROWS]),
        "calibration_error": calibration_error(p.max(1)[~seen], right[~seen]),
        "own_priors_unseen": (np.array(names)[raw.argmax(1)] == table.language.to_numpy(str))[~seen].mean(),
        "own_priors_calibration_error": calibration_error(raw.max(1)[~seen], (np.array(names)[raw.argmax(1)] == table.language.to_numpy(str))[~seen]),
    }  # fmt: skip
    return {k: round(float(v), 4) for k, v in found.items()} | {"by_language": by_language}


def lists(model) -> dict:
    dev = pd.read_parquet(DATA / "urls/dev.parquet").astype({"language": str, "kind": str})
    counts = (
        pd.read_parquet(DATA / "urls/train.parquet", columns=["language"]).language.astype(str).value_counts()
    )
    raw = model.predict_proba(dev.url.tolist())
    found = figures(raw, dev, list(model.languages), set(counts[counts >= 1000].index))
    return {name: round(float(value), 4) for name, value in found.items()}


def listings(model) -> dict:
    """Dutch against not Dutch in the fifth of the listings that training leaves out, as many of each."""
    table = pd.read_parquet(DATA / "urls/dutch.parquet")
    held = table[[zlib.crc32(d.encode()) % 5 == 0 for d in table.domain]].sample(6000, random_state=0)
    dutch = held.dutch.to_numpy(bool)
    p = model.predict_proba(held.url.tolist())
    k = list(model.languages).index("nl")
    return {
        "likeliest": round(f1(p.argmax(1) == k, dutch), 4),
        "above_one_half": round(f1(p[:, k] > 0.5, dutch), 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    model = linksight.load(asked.model)
    result = {"pages": pages(model), "lists": lists(model), "dutch": listings(model)}
    for name, part in result.items():
        print(name, part)
    if asked.json:
        asked.json.write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
