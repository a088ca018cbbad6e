"""What people made of the patterns of a site, done once more when the site is learnt again.

A pattern is known again by what it matches: a site that went to https, or to slashes at the end, has the same ones.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

from linksight.sites.patterns.pattern import Form, Pattern, PatternSet
from linksight.system.plural import counted


@dataclass(frozen=True)
class Annotations:
    """The patterns as they were learnt, and as people left them.

    >>> learnt = PatternSet.from_texts(["http://a.org/faq/*", "http://a.org/help/*", "http://a.org/p/*"])
    >>> people = Annotations(learnt, learnt.merge(0, 1, name="support").discard(2))
    >>> again = PatternSet.from_texts(["https://a.org/faq/*", "https://a.org/help/*", "https://a.org/p/*"])
    >>> people.redone(again)
    (<PatternSet of 1 pattern: support: https://a.org/faq/* | https://a.org/help/*>, 'merged 2 patterns and discarded 1')
    """

    learnt: PatternSet
    left: PatternSet

    def named(self, patterns: PatternSet) -> PatternSet:
        """The patterns with the names and colours that they had; of one that fell apart the largest part has them."""
        merged, left = self._merged(patterns), _by_form(self.left)
        heirs: dict[int, Pattern] = {}
        for pattern in sorted(patterns, key=lambda pattern: -pattern.n_urls):
            was = _same(pattern, left)
            if was and was.id not in merged:  # a merged one has its name back with its parts
                heirs.setdefault(was.id, pattern)
        given = {heir.id: self.left[number] for number, heir in heirs.items()}
        known = ((pattern, given.get(pattern.id, pattern)) for pattern in patterns)
        return replace(
            patterns, patterns=tuple(replace(new, name=was.name, colour=was.colour) for new, was in known)
        )

    def redone(self, patterns: PatternSet) -> tuple[PatternSet, str]:
        """The patterns merged and discarded as before, and what was done, in words: empty where nothing was."""
        merged, done = self._merged(patterns), []
        learnt, left = _by_form(self.learnt), _by_form(self.left)
        gone = [pattern.id for pattern in patterns if _same(pattern, learnt) and not _same(pattern, left)]
        for number, parts in merged.items():
            patterns = _as_one(patterns, parts, self.left[number])
        if merged:
            done.append(f"merged {counted(sum(map(len, merged.values())), 'pattern')}")
        if gone:
            done.append(f"discarded {len(gone):,}")
        return patterns.discard(*gone) if gone else patterns, " and ".join(done)

    def _merged(self, patterns: PatternSet) -> dict[int, list[int]]:
        """Of each pattern that people merged of several, those that are its parts now, if they are several."""
        learnt, left = _by_form(self.learnt), _by_form(self.left)
        parts: dict[int, list[int]] = {}
        for pattern in patterns:
            was = _same(pattern, left)
            if was and len({part.id for form in was.forms if (part := learnt.get(_key(form)))}) > 1:
                parts.setdefault(was.id, []).append(pattern.id)
        return {number: several for number, several in parts.items() if len(several) > 1}


def _as_one(patterns: PatternSet, parts: list[int], was: Pattern) -> PatternSet:
    merged = patterns.merge(*parts, name=was.name)
    rows = (replace(p, colour=was.colour or p.colour) if p.id == min(parts) else p for p in merged)
    return replace(merged, patterns=tuple(rows))


def _key(form: Form) -> Hashable:
    """What a form matches, however it is shown."""
    return form.tokens, form.runs, form.tail


def _by_form(patterns: PatternSet) -> dict[Hashable, Pattern]:
    return {_key(form): pattern for pattern in patterns for form in pattern.forms}


def _same(pattern: Pattern, known: Mapping[Hashable, Pattern]) -> Pattern | None:
    """The pattern that had this one's main form, or else another of its forms."""
    return next((found for form in pattern.forms if (found := known.get(_key(form)))), None)
