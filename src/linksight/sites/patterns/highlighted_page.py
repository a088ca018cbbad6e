"""A page shown with its links coloured by pattern, as one HTML file that is safe to open."""

from __future__ import annotations

from typing import Any

from linksight.errors import BadUrl
from linksight.sites.gathering.fetcher import Page
from linksight.sites.gathering.links import base_of, join, make_movable, parse_html, xml_text
from linksight.sites.patterns.pattern import Pattern, PatternSet
from linksight.system.plural import counted

_URL_ATTRIBUTES = ("srcset", "ping", "action", "formaction")  # attributes with URLs, except links and images
# Browsers parse the text of a style inside svg and math as elements; lxml does not.
_DROPPED_TAGS = (
    "script,iframe,frame,object,embed,applet,noscript,meta,base,link,form,template,svg,math".split(",")
)
_STYLE = (
    "body{margin-right:20em}"
    "#linksight-legend{position:fixed;top:0;right:0;bottom:0;width:18em;overflow:auto;background:#fff;color:#222;"
    "border-left:1px solid #999;padding:1em;font:14px/1.4 sans-serif;z-index:99999}"
    "#linksight-legend li{margin:.3em 0;list-style:none}#linksight-legend ul{padding:0}"
    "#linksight-legend b{color:#fff;padding:0 .4em;border-radius:3px}"
    "#linksight-legend code{display:block;font-size:11px;word-break:break-all}"
    "a.linksight{color:#fff!important;padding:0 .25em;border-radius:3px;text-decoration:none}"
    "a.linksight-none{outline:1px dashed #999}"
    "@media(max-width:48rem){body{margin-right:8px}#linksight-legend{position:static;width:auto;border:0;border-top:1px solid #999}}"
)


def coloured_page(page: Page, patterns: PatternSet) -> str:
    """The page as HTML with coloured links and a legend; scripts, forms and frames are taken out."""
    from lxml import html

    tree = make_movable(parse_html(page))
    base = base_of(tree, page.url)
    counts = _colour_links(tree, base, patterns)
    for element in list(tree.iter()):
        if not isinstance(element.tag, str) or element.tag in _DROPPED_TAGS:  # comments and instructions, too
            element.drop_tree()
    for element in tree.iter():
        for name in list(element.attrib) if isinstance(element.tag, str) else ():
            if name.startswith("on") or name in _URL_ATTRIBUTES:
                del element.attrib[name]
    head, body = _head_and_body(tree)
    head.insert(0, html.Element("meta", charset="utf-8"))
    # Nothing runs, even if something was missed above; images and styles of the page may still load.
    policy = "default-src 'none'; img-src *; style-src * 'unsafe-inline'; font-src *"
    head.insert(1, html.Element("meta", {"http-equiv": "Content-Security-Policy", "content": policy}))
    style = html.Element("style")
    style.text = _STYLE
    head.append(style)
    body.append(_legend(patterns, counts))
    return "<!doctype html>\n" + str(html.tostring(tree, encoding="unicode"))


def _colour_links(tree: Any, base: str, patterns: PatternSet) -> dict[int, int]:
    counts: dict[int, int] = {}
    for link in list(tree.iter("a", "area")):
        url = join(base, (link.get("href") or "").strip())
        if url is None or not url.lower().startswith(("http://", "https://")):
            link.attrib.pop("href", None)  # javascript: and its like
            continue
        link.set("href", xml_text(url))
        try:
            found = patterns.match(url)
        except BadUrl:
            found = None
        _mark(link, found)
        if found:
            counts[found.id] = counts.get(found.id, 0) + 1
    return counts


def _mark(link: Any, pattern: Pattern | None) -> None:
    classes = (link.get("class") or "").split()
    if pattern is None:
        link.set("class", " ".join([*classes, "linksight-none"]))
        return
    link.set("class", " ".join([*classes, "linksight"]))
    link.set("style", f"background:{_colour(pattern)}!important")
    link.set("title", xml_text(str(pattern)))
    link.set("data-pattern", str(pattern.id))


def _legend(patterns: PatternSet, counts: dict[int, int]) -> Any:
    from lxml import html

    aside = html.Element("aside", id="linksight-legend")
    title = html.Element("strong")
    title.text = f"{counted(sum(counts.values()), 'link')}, {counted(len(counts), 'pattern')}"
    aside.append(title)
    rows = html.Element("ul")
    for pattern in sorted(patterns, key=lambda p: -counts.get(p.id, 0)):
        if pattern.id not in counts:
            continue
        row, name, code = html.Element("li"), html.Element("b"), html.Element("code")
        name.text = xml_text(pattern.name or f"pattern {pattern.id}")
        name.tail = f" {counts[pattern.id]}"
        name.set("style", f"background:{_colour(pattern)}")
        code.text = xml_text(pattern.text)
        row.extend([name, code])
        rows.append(row)
    aside.append(rows)
    return aside


def _colour(pattern: Pattern) -> str:
    colour = pattern.colour
    # A colour from a file goes into a style: only a colour may.
    good = len(colour) == 7 and colour[0] == "#" and all(c in "0123456789abcdefABCDEF" for c in colour[1:])
    return colour if good else "#555555"


def _head_and_body(tree: Any) -> tuple[Any, Any]:
    from lxml import html

    root = tree if tree.tag == "html" else tree.getroottree().getroot()
    head, body = root.find("head"), root.find("body")
    if head is None:
        head = html.Element("head")
        root.insert(0, head)
    if body is None:
        body = html.Element("body")
        root.append(body)
    return head, body
