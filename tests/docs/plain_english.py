"""Checks prose for plain English: the length of sentences, and words that hide the actor or the standard term.

The rules are those of a Vale style, in a few lines and without a binary: no sentence above MAX_WORDS words, at most
MAX_MEAN words on average, and no banned word. Code, tables, links' targets and generated figures are not prose.
"""

from __future__ import annotations

import re

MAX_MEAN = 25
MAX_WORDS = 40
MAX_OPTION_HELP = 70

#: A banned pattern -> what to write instead.
BANNED = {
    r"tells?|told": "show, report, name, give",
    r"says?|said": "state, report, mean (a thing does not speak)",
    r"whole(?! number)": "complete, entire, atomically",
    r"none": "no, not a",
    r"anew": "again",
    r"besides|beside": "next to, as well as, compared with",
    r"mend(ed|s|ing)?": "repair",
    r"of its own|of their own|of your own": "its, your, separate",
    r"stands?(?! for| alone)": "is, appears, lists",
    r"(is|are|was|were|to be) had": "is available",
    r"for good": "permanently",
    r"(lead|led|leads) astray": "mislead",
    r"(?<=[.:;] )who (is|wants|knows|has|asks|reads|follows)": "name the actor: a user who",
    r"by itself": "automatically, alone",
    r"hears?|heard|deaf": "use, consider",
    r"speaks?|spoke|voices?": "count for, favour, evidence",
}
_WORD = re.compile(r"[\w'’.,/%-]*\w[\w'’%-]*")
_NOT_PROSE = (
    (re.compile(r"^(`{3,})[^\n]*\n.*?^\1[^\n]*$", re.MULTILINE | re.DOTALL), ""),  # fenced blocks
    (re.compile(r"<!-- figures.*?<!-- (?:end of figures|figures: end) -->", re.DOTALL), ""),
    (re.compile(r"<!--.*?-->", re.DOTALL), ""),
    (re.compile(r"^\|.*$", re.MULTILINE), ""),
    (re.compile(r"^#.*$", re.MULTILINE), ""),
    (re.compile(r"^!\[.*$", re.MULTILINE), ""),
    (re.compile(r"`[^`]*`"), "code"),
    (re.compile(r"\]\([^)]*\)"), ""),
    (re.compile(r"https?://\S+"), "url"),
)
#: Where a sentence or an item ends.
_END = re.compile(r"(?<=[.!?])[\"”)*_]*\s+|\n\s*\n|\n(?=\s*(?:[-*]|\d+\.|:) )")


def prose(markdown: str) -> str:
    """The text of a page without code, tables, headings and targets of links."""
    for pattern, instead in _NOT_PROSE:
        markdown = pattern.sub(instead, markdown)
    return markdown


def sentences(text: str) -> list[str]:
    """The sentences of a text; an item of a list is one, too."""
    found = (" ".join(part.split()) for part in _END.split(text))
    return [part for part in found if _WORD.search(part)]


def is_data(sentence: str) -> bool:
    """Whether a sentence is a list of figures rather than prose: a third of its words or more hold digits."""
    words = _WORD.findall(sentence)
    return 3 * sum(any(letter.isdigit() for letter in word) for word in words) >= len(words)


def n_words(sentence: str) -> int:
    """The number of words."""
    return len(_WORD.findall(sentence))


def problems(text: str) -> list[str]:
    """What is wrong with a text, with the sentence and the remedy."""
    found = [
        f"{n_words(one)} words: {one}"
        for one in sentences(text)
        if n_words(one) > MAX_WORDS and not is_data(one)
    ]
    flat = re.sub(r"--[\w-]+ \w+", "option", " ".join(text.split()))  # an option with its value is code
    for pattern, remedy in BANNED.items():
        for match in re.finditer(rf"(?<![-\w])(?:{pattern})\b", flat, re.IGNORECASE):
            around = flat[max(0, match.start() - 40) : match.end() + 30]
            found.append(f"“{match[0]}” (write: {remedy}): …{around}…")
    return found


def mean_words(text: str) -> float:
    """The average length of a sentence, in words."""
    lengths = [n_words(one) for one in sentences(text) if not is_data(one)]
    return sum(lengths) / len(lengths) if lengths else 0.0
