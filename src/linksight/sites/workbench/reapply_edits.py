"""Reapply the user's edits of the patterns of a site after it is learnt again.

A pattern is recognised by what it matches: a site that went to https, or to slashes at the end, has the same ones.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

from linksight.sites.patterns.pattern import Form, Pattern, PatternSet
from linksight.system.plural import counted


@dataclass(frozen=True)
class Annotations:
    """The patterns as learnt, and as edited by users.

    >>> learnt = PatternSet.from_texts(["http://a.org/faq/*", "http://a.org/help/*", "http://a.org/p/*"])
    >>> edits = Annotations(learnt, learnt.merge(0, 1, name="support").discard(2))
    >>> again = PatternSet.from_texts(["https://a.org/faq/*", "https://a.org/help/*", "https://a.org/p/*"])
    >>> edits.reapply(again)
    (<PatternSet of 1 pattern: support: https://a.org/faq/* | https://a.org/help/*>, 'merged 2 patterns and discarded 1')
    """

    learnt: PatternSet
    edited: PatternSet

    def restore_names(self, patterns: PatternSet) -> PatternSet:
        """Restore names and colours; the largest part of a pattern that fell apart gets them."""
        merged, edited = self._merged(patterns), _by_form(self.edited)
        heirs: dict[int, Pattern] = {}
        for pattern in sorted(patterns, key=lambda pattern: -pattern.n_urls):
            was = _same(pattern, edited)
            if was and was.id not in merged:  # merged patterns get their names in ``reapply``
                heirs.setdefault(was.id, pattern)
        originals = {heir.id: self.edited[number] for number, heir in heirs.items()}
        known = ((pattern, originals.get(pattern.id, pattern)) for pattern in patterns)
        return replace(
            patterns, patterns=tuple(replace(new, name=was.name, colour=was.colour) for new, was in known)
        )

    def reapply(self, patterns: PatternSet) -> tuple[PatternSet, str]:
        """Merge and discard the patterns as before; also a summary of the changes, empty without any."""
        merged, changes = self._merged(patterns), []
        learnt, edited = _by_form(self.learnt), _by_form(self.edited)
        gone = [pattern.id for pattern in patterns if _same(pattern, learnt) and not _same(pattern, edited)]
        for number, parts in merged.items():
            patterns = _merge_parts(patterns, parts, self.edited[number])
        if merged:
            changes.append(f"merged {counted(sum(map(len, merged.values())), 'pattern')}")
        if gone:
            changes.append(f"discarded {len(gone):,}")
        return patterns.discard(*gone) if gone else patterns, " and ".join(changes)

    def _merged(self, patterns: PatternSet) -> dict[int, list[int]]:
        """For each pattern that users merged, its present parts, if there are several."""
        learnt, edited = _by_form(self.learnt), _by_form(self.edited)
        parts: dict[int, list[int]] = {}
        for pattern in patterns:
            was = _same(pattern, edited)
            if was and len({part.id for form in was.forms if (part := learnt.get(_key(form)))}) > 1:
                parts.setdefault(was.id, []).append(pattern.id)
        return {number: several for number, several in parts.items() if len(several) > 1}


def _merge_parts(patterns: PatternSet, parts: list[int], was: Pattern) -> PatternSet:
    merged = patterns.merge(*parts, name=was.name)
    rows = (replace(p, colour=was.colour or p.colour) if p.id == min(parts) else p for p in merged)
    return replace(merged, patterns=tuple(rows))


def _key(form: Form) -> Hashable:
    """A key for what a form matches, regardless of how it is shown."""
    return form.tokens, form.runs, form.tail


def _by_form(patterns: PatternSet) -> dict[Hashable, Pattern]:
    return {_key(form): pattern for pattern in patterns for form in pattern.forms}


def _same(pattern: Pattern, known: Mapping[Hashable, Pattern]) -> Pattern | None:
    """The known pattern with the first possible form of this one."""
    return next((found for form in pattern.forms if (found := known.get(_key(form)))), None)
