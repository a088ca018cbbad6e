"""Draws the pictures of docs/explanation/concepts.md with the bundled model: python recipes/concept_pictures.py"""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))
PICTURES = ROOT / "docs" / "pictures"
ADDRESSES = (
    "https://example.com/producten/fietsen-kopen",
    "https://www.lemonde.fr/economie/",
    "http://luckyjob.eu/?lang=it",
)
FOR, AGAINST, INK, PAPER, GREY = "#1b7f4d", "#b3261e", "#1d2329", "#ffffff", "#5f6b76"


def svg(width: int, height: int, body: str, title: str) -> str:
    """A picture with a ground of its own, so that it can be read on a dark page too."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">'
        f"<title>{escape(title)}</title>"
        f'<rect width="{width}" height="{height}" rx="8" fill="{PAPER}"/>'
        f'<g font-family="DejaVu Sans, Verdana, sans-serif" fill="{INK}">{body}</g></svg>\n'
    )


def text(x: float, y: float, words: str, size: int = 14, **more: str) -> str:
    """Words at a place."""
    extra = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in more.items())
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}"{extra}>{escape(words)}</text>'


def evidence() -> str:
    """Addresses with every letter as it favoured the best language (green) or the next (red)."""
    import linksight

    model = linksight.load()
    parts, y, step = [], 34.0, 13.2
    for address in ADDRESSES:
        told = model.explain(address)
        first, second = (told.languages[i] for i in told.order[:2])
        weights = told.characters()
        most = max(abs(float(weight)) for weight in weights) or 1.0
        for i, (letter, weight) in enumerate(zip(told.text, weights, strict=False)):
            share = float(weight) / most
            colour = FOR if share > 0 else AGAINST
            parts.append(
                f'<rect x="{24 + i * step:.1f}" y="{y - 17:.1f}" width="{step:.1f}" height="24" fill="{colour}" fill-opacity="{0.75 * abs(share):.2f}"/>'
            )
            parts.append(
                text(
                    24 + (i + 0.5) * step,
                    y,
                    letter,
                    17,
                    text_anchor="middle",
                    font_family="DejaVu Sans Mono, monospace",
                )
            )
        found = model.detect(address)
        parts.append(
            text(
                24,
                y + 30,
                f"{found.language}, probability {found.probability:.2f}: green favours {first}, red {second}",
                13,
                fill=GREY,
            )
        )
        y += 76
    return svg(680, int(y - 20), "".join(parts), "Which letters of an address favoured which language")


def patterns() -> str:
    """From links of a site to patterns."""
    import linksight

    hubs = [
        [f"http://shop.example/{kind}/{20 * hub + i}" for i in range(20) for kind in ("item", "author")]
        + ["http://shop.example/about"]
        for hub in range(5)
    ]
    found = linksight.learn_patterns(hubs)
    parts = [
        text(24, 34, "links on pages of search results (hubs)", 14, font_weight="bold"),
        text(420, 34, "patterns", 14, font_weight="bold"),
    ]
    for row, url in enumerate([*hubs[0][:4], hubs[1][0], hubs[1][1], "http://shop.example/about"]):
        parts.append(
            text(
                24, 66 + 26 * row, url.removeprefix("http://"), 14, font_family="DejaVu Sans Mono, monospace"
            )
        )
    arrow = f'<path d="M330 150 h60 m-12 -9 l12 9 l-12 9" stroke="{INK}" stroke-width="2" fill="none"/>'
    parts.append(arrow)
    for row, pattern in enumerate(sorted(found, key=lambda one: -one.n_urls)):
        parts.append(
            text(
                420,
                96 + 52 * row,
                pattern.text.removeprefix("http://"),
                15,
                font_family="DejaVu Sans Mono, monospace",
                fill=FOR,
            )
        )
        parts.append(
            text(
                420,
                116 + 52 * row,
                f"{pattern.n_urls} URL{'s' * (pattern.n_urls > 1)} on {pattern.n_hubs} hubs",
                12,
                fill=GREY,
            )
        )
    return svg(720, 250, "".join(parts), "Links of a site become patterns")


def loop() -> str:
    """The crawl's circle: decide, fetch, label, learn."""
    boxes = [
        (40, 40, "a link", "URL, anchor, referrer"),
        (230, 40, "decide", "log-odds added up"),
        (420, 40, "fetch", "politely; WARC"),
        (420, 150, "label", "language of the bytes"),
        (230, 150, "learn", "site, folder, words"),
        (40, 150, "rejected", "a sample is fetched"),
    ]
    parts = []
    for x, y, name, note in boxes:
        parts.append(f'<rect x="{x}" y="{y}" width="150" height="64" rx="8" fill="#eef3f8" stroke="{GREY}"/>')
        parts.append(text(x + 75, y + 28, name, 16, text_anchor="middle", font_weight="bold"))
        parts.append(text(x + 75, y + 49, note, 11, text_anchor="middle", fill=GREY))
    for path in (
        "M190 72 h36",
        "M380 72 h36",
        "M495 104 v42",
        "M420 182 h-36",
        "M305 150 v-42",
        "M250 104 L160 148",
    ):
        parts.append(f'<path d="{path}" stroke="{INK}" stroke-width="2" fill="none" marker-end="url(#tip)"/>')
    tip = f'<defs><marker id="tip" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 L10 5 L0 10 z" fill="{INK}"/></marker></defs>'
    return svg(610, 250, tip + "".join(parts), "A crawl decides, fetches, labels and learns")


def main() -> None:
    """Write all pictures."""
    for name, draw in (
        ("concept-evidence", evidence),
        ("concept-patterns", patterns),
        ("concept-loop", loop),
    ):
        (PICTURES / f"{name}.svg").write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
