"""Writes docs/model-card.md and its reliability diagram from the bundled model and LINKSIGHT_DATA.

    python recipes/model_card.py

Every figure of the card is measured here, on domains that training never saw.
"""

from __future__ import annotations

import os
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

import linksight
from linksight.languages.registry import name

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "recipes/url_model"))
import evaluate  # noqa: E402
import listings  # noqa: E402
from figures import GENERIC, PAPER, balanced_f1, f1, figures  # noqa: E402

DATA = Path(os.environ.get("LINKSIGHT_DATA", "../shared/data"))
TARGETS = {
    "accuracy": ("accuracy, trust 1, languages with 1,000 training rows or more", 0.91),
    "generic": ("accuracy, trust 1, generic top-level domains", 0.85),
    "macro_f1": ("macro-F1, trust 1, languages with 20 test rows or more", 0.87),
    "five": ("the paper's five languages, one against the rest, balanced macro-F1", 0.945),
    "calibration_error": ("expected calibration error, trust 1", 0.02),
}


def reliability(probabilities, right, path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "linksight"
    from matplotlib import pyplot as plt

    confidence = probabilities.max(1)
    edges = np.linspace(0, 1, 11)
    figure, (above, below) = plt.subplots(2, 1, figsize=(5, 5.6), height_ratios=(3, 1), sharex=True)
    above.plot([0, 1], [0, 1], color="#999", lw=1, ls="--", label="perfect")
    points = [
        (confidence[m].mean(), right[m].mean(), m.sum())
        for a, b in pairwise(edges)
        if (m := (confidence > a) & (confidence <= b)).sum() >= 10
    ]
    x, y, n = map(np.array, zip(*points, strict=True))
    error = 1.96 * np.sqrt(np.maximum(y * (1 - y), 1e-3) / n)
    above.errorbar(x, y, yerr=error, fmt="o-", color="#0b6e99", capsize=3, label="measured, 95 % interval")
    above.set(ylabel="share that is right", ylim=(0, 1.02))
    above.legend(frameon=False)
    below.hist(confidence, bins=edges, color="#0b6e99")
    below.set(xlabel="probability given", ylabel="URLs")
    for axis in (above, below):
        axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, metadata={"Date": None})


def one_at_a_time(model, dev) -> float:
    """The paper's task as the paper sets it: is it this language, where half of the URLs are?"""
    curated = dev[dev.trust == 1]
    urls, true = curated.url.tolist(), curated.language.to_numpy(str)
    return float(
        np.mean(
            [
                balanced_f1(
                    model.predict_proba(urls, priors={k: 0.5})[:, model.languages.index(k)] > 0.5, true == k
                )
                for k in PAPER
            ]
        )
    )


def promises(model, base_rate: float = 0.018) -> list[str]:
    rows = ["| precision wanted | probability | recall |", "|---|---|---|"]
    for precision in (0.5, 0.7, 0.8, 0.9, 0.95):
        line = model.threshold("nl", precision=precision, base_rate=base_rate)
        rows.append(f"| {precision:.0%} | {line.probability:.4f} | {line.recall:.2f} |")
    return rows


def by_language(probabilities, dev, model) -> list[str]:
    names = np.array(model.languages)
    guess, true = names[probabilities.argmax(1)], dev.language.to_numpy(str)
    rows = ["| language | training rows | test rows | recall | precision | F1 |", "|---|---|---|---|---|---|"]
    for code in sorted(set(true), key=lambda code: -(true == code).sum()):
        n = (true == code).sum()
        if n >= 250 and code in names:
            recall = (guess[true == code] == code).mean()
            precision = (true[guess == code] == code).mean() if (guess == code).any() else 0
            rows.append(
                f"| {name(code)} (`{code}`) | {model.about['rows'].get(code, 0):,} | {n} | {recall:.3f} | {precision:.3f} | {f1(guess == code, true == code):.3f} |"
            )
    return rows


def real_pages(model) -> list[str]:
    """Figures on pages of a web corpus."""
    found = evaluate.pages(model)
    rows = [
        ("pages of unseen domains, right", "unseen", 0.88), ("the same under generic endings", "generic", 0.80),
        ("mean over languages with 8 rows or more", "mean_of_languages", 0.85), ("pages that name their language", "with_code", 0.95),
        ("pages of domains that training saw", "seen", 0.92), ("expected calibration error", "calibration_error", 0.03),
    ]  # fmt: skip
    lines = []
    for low, high in ((0.95, 1.01), (0.85, 0.95), (0.75, 0.85), (0.65, 0.75), (0.5, 0.65), (0, 0.5)):
        some = {code: n for code, (share, n) in found["by_language"].items() if low <= share < high}
        lines.append(
            f"| {f'{low:.2f} or more' if low else 'less'} | {', '.join(f'{code} {n}' for code, n in some.items())} |"
        )
    return [
        "## Real pages", "", "The third of `urls/pages_dev.parquet` that training leaves out: page URLs of a web corpus, labelled by reading the pages.",
        "Priors are uniform over its languages. The slope of pages and the noise share were fitted on these rows, and settings chosen with them.", "",
        "| | measured | target |", "|---|---|---|", *(f"| {text} | {found[key]:.3f} | {goal} |" for text, key, goal in rows), "",
        "| share right, unseen domains | languages and how many rows they have |", "|---|---|", *lines, "",
    ]  # fmt: skip


def card() -> str:
    model = linksight.load()
    dev = pq.read_table(DATA / "urls/dev.parquet").to_pandas()
    probabilities = model.predict_proba(dev.url.tolist())
    right = np.array(model.languages)[probabilities.argmax(1)] == dev.language.to_numpy(str)
    curated = (dev.trust == 1).to_numpy()
    reliability(probabilities[curated], right[curated], ROOT / "docs/pictures/reliability.svg")
    large = {code for code, n in model.about["rows"].items() if n >= 1000}
    now = figures(probabilities, dev, list(model.languages), large)
    asked = one_at_a_time(model, dev)
    lines = [f"| {text} | {now[key]:.3f} | {goal} |" for key, (text, goal) in TARGETS.items()]
    lines.insert(
        4,
        f"| the same, asked one language at a time (`priors` of one half, probability above .5) | {asked:.3f} | 0.945 |",
    )
    for text, (score, recall, false) in zip(
        ("the likeliest language", "probability above .5"), listings.told_apart(model, DATA), strict=True
    ):
        lines.append(
            f"| Dutch against the rest, F1, {text} (recall {recall:.3f} on unseen directory listings, false hits {false:.4f}) | {score:.3f} | 0.95 |"
        )
    kinds = []
    generic = dev.domain.str.rpartition(".")[2].isin(GENERIC).to_numpy()
    for label, rows in (
        ("home pages", dev.kind == "host"),
        ("pages", dev.kind == "page"),
        ("generic top-level domains", generic),
        ("other top-level domains", ~generic),
    ):
        some = rows & curated
        kinds.append(f"| {label} | {some.sum():,} | {right[some].mean():.3f} |")
    head = (ROOT / "recipes/model_card_head.md").read_text(encoding="utf-8")
    tail = (ROOT / "recipes/model_card_tail.md").read_text(encoding="utf-8")
    size = (ROOT / "src/linksight/data/urls.linksight").stat().st_size
    return "\n".join(
        [head.format(languages=len(model.languages), words=len(model.words.entries), megabytes=size / 1e6, digest=model.about["train_sha256"][:16]).rstrip(), "",
         "## Figures", "", "Measured on `urls/dev.parquet`: curated lists, other registered domains than training. Two slopes and small offsets of home pages",
         "were fitted on these rows.", "", "| | measured | target |", "|---|---|---|", *lines, "",
         "| curated rows (trust 1) | URLs | accuracy |", "|---|---|---|", *kinds, "",
         "![Reliability diagram: the share that is right against the probability given](pictures/reliability.svg)", "",
         "## How sure to be of Dutch", "", "The answer of `threshold` where 1.8 % of the pages are Dutch. It holds on dev and on directory listings in other",
         "languages. Some pages under `.nl` and `.be` are not Dutch, and their URLs do not show it.", "",
         *promises(model), "", *real_pages(model), "## By language", "", "All rows of dev, curated or not; languages with 250 rows or more.", "",
         *by_language(probabilities, dev, model), "", tail]
    )  # fmt: skip


if __name__ == "__main__":
    (ROOT / "docs/model-card.md").write_text(card(), encoding="utf-8")
    print("docs/model-card.md")
