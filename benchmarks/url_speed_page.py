"""What url_speed.py measured, as the table of docs/how-to/lists-of-urls.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kept_figures import write_between

PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "lists-of-urls.md"
MARKS = "<!-- figures: benchmarks/url_speed.py --docs -->", "<!-- end of figures -->"
SYSTEMS = {
    "linksight": "linksight, batches",
    "fastText lid.176.ftz": "fastText, its small language model (lid.176.ftz)",
    "fastText trained": "fastText, trained on the same data (benchmarks/fasttext_peer.py)",
    "scikit-learn": "scikit-learn, hashed n-grams and a linear model",
}


def write_page(found: dict[str, Any]) -> None:
    """Write the table into docs/how-to/lists-of-urls.md."""
    write_between(PAGE, MARKS, rendered(found))


def rendered(found: dict[str, Any]) -> str:
    """The figures as Markdown."""
    lines = [
        "| on one core | URLs/s | linksight is faster by | right on dev | … labels of trust 1 |",
        "|---|---|---|---|---|",
    ]
    for key, name in SYSTEMS.items():
        peer = found[key]
        if isinstance(peer, str):
            lines.append(f"| {name} | {peer} | | | |")
            continue
        ratio = f"{peer['ratio']} ×" if "ratio" in peer else ""
        quality = [f"{peer[part]:.3f}" if part in peer else "" for part in ("right", "right_trust_1")]
        lines.append(f"| {name} | {peer['urls_per_second']:,} | {ratio} | {quality[0]} | {quality[1]} |")
    cold = found["seconds_over_bare_python"]
    lines += _asked(found)
    return "\n".join(
        [
            *lines,
            "",
            f"{found['rows']:,} URLs of the training data, in processor time, on a machine with a load of "
            f"{found['machine']['load']} before the run. Memory grew by {found['memory_growth_mb']} MB from a tenth of the "
            f"rows to all of them. Beyond the start of Python itself `import linksight` takes {cold['import']} s, with the "
            f"model loaded {cold['import and load']} s{_numpy(cold)}, and one answer on the command line {cold['detect one URL']} s.",
            "",
        ]
    )


def _asked(found: dict[str, Any]) -> list[str]:
    """What restriction and base rates cost, where it was measured."""
    if "asked" not in found:
        return []
    share = {name: f"{one['of_plain']:.0%}".replace("%", " %") for name, one in found["asked"].items()}
    return [
        "",
        f"Among two languages (`languages`) the rate is {share['languages']} of that without in the same run, "
        f"with base rates (`priors`) {share['priors']}, with both {share['both']}.",
    ]


def _numpy(cold: dict[str, float]) -> str:
    """How much of the load is not ours."""
    return f" (NumPy's own import is {cold['import numpy']} s of it)" if "import numpy" in cold else ""
