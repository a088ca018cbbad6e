"""How many ways a regular expression can read a text: one, or so many that a stranger can make it take for ever.

An expression is read as an automaton whose states are its characters (Glushkov). Two ways to read the same
text from a state back to itself are two to the power of the rounds; a loop that can hand over to another
loop at any of its rounds, and then fail, is the square of the rounds. Anchors and look-arounds are taken to hold
nowhere and everywhere, whichever is worse, so that what passes is linear and what is stopped may still be harmless.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from re import _constants as op
from re import _parser as parser
from typing import Any

_LETTERS = [*map(chr, range(128)), *"\x80\x85\xa0\xa4\xe9\xffĀяא中٣\u2003\ud7ff\U00010000"]
_ONE = (op.LITERAL, op.NOT_LITERAL, op.IN, op.ANY, op.CATEGORY)
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
_COPIES = 3  # of what is repeated a fixed number of times: more copies have no loop either
Part = tuple[bool, set[int], set[int]]  # whether it can be empty, its first characters, its last ones


class Automaton:
    """The characters of an expression and what can follow each; ``found`` searches at every place of a text."""

    def __init__(self, items: Any, flags: int, *, is_bytes: bool, searches: bool, to_the_end: bool) -> None:
        self.letters: list[frozenset[str]] = []
        self.follow: list[set[int]] = []
        self.inner: list[tuple[Any, int]] = []  # look-arounds, to be judged for themselves
        self.twice = False  # two ways that differ in no character
        self._is_bytes = is_bytes
        _, first, last = self._sequence(items, flags)
        self.ends = set() if to_the_end or _ends_in_a_condition(list(items)) else last
        if searches and not _is_anchored(list(items)):
            start = self._state(frozenset(_LETTERS))
            self.follow[start] = {start} | first

    def is_exponential(self) -> bool:
        """Whether a text can be read in two ways from a character back to itself."""
        return self.twice or any(self._meets_itself(state) for state in range(len(self.letters)))

    def is_quadratic(self) -> bool:
        """Whether a loop can hand over to another, which need not end well, at every round."""
        loops = [state for state in range(len(self.follow)) if state in self._after([state])]
        return any(
            self._hands_over(one, other)
            for one in loops
            for other in loops
            if one != other and other not in self.ends and other in self._after([one])
        )

    def _after(self, states: Iterable[int]) -> set[int]:
        seen: set[int] = set()
        todo = list(states)
        while todo:
            new = self.follow[todo.pop()] - seen
            seen |= new
            todo += new
        return seen

    def _pairs(self, pair: tuple[int, int]) -> set[tuple[int, int]]:
        return {
            (min(a, b), max(a, b))
            for a in self.follow[pair[0]]
            for b in self.follow[pair[1]]
            if self.letters[a] & self.letters[b]
        }

    def _meets_itself(self, state: int) -> bool:
        """From the pair (state, state) to a pair of two states and back."""
        apart = {pair for pair in _reached((state, state), self._pairs) if pair[0] != pair[1]}
        return any((state, state) in _reached(pair, self._pairs) for pair in apart)

    def _hands_over(self, one: int, other: int) -> bool:
        """One text leads from one to one, from one to other, and from other to other without an end."""

        def steps(now: tuple[int, int, int]) -> set[tuple[int, int, int]]:
            return {
                (a, b, c)
                for a in self.follow[now[0]]
                for b in self.follow[now[1]]
                for c in self.follow[now[2]] - self.ends
                if self.letters[a] & self.letters[b] & self.letters[c]
            }

        return (one, other, other) in _reached((one, one, other), steps)

    # --- from the parsed expression to states ---------------------------------------------------

    def _state(self, letters: frozenset[str]) -> int:
        self.letters.append(letters)
        self.follow.append(set())
        return len(self.letters) - 1

    def _sequence(self, items: Any, flags: int) -> Part:
        return self._joined(self._part(item, flags) for item in items)

    def _joined(self, parts: Iterable[Part]) -> Part:
        empty, first, last = True, set[int](), set[int]()
        for can_be_empty, begins, stops in parts:
            for state in last:
                self.follow[state] |= begins
            first |= begins if empty else set()
            last = stops | (last if can_be_empty else set())
            empty = empty and can_be_empty
        return empty, first, last

    def _part(self, item: Any, flags: int) -> Part:
        kind, value = item
        if kind in _ONE:
            state = self._state(_letters_of(kind, value, flags, self._is_bytes))
            return False, {state}, {state}
        if kind is op.SUBPATTERN:
            _, added, removed, items = value
            return self._sequence(items, (flags | added) & ~removed)
        if kind is op.ATOMIC_GROUP:
            return self._sequence(value, flags)
        if kind is op.BRANCH:
            return self._branch([self._sequence(items, flags) for items in value[1]])
        if kind is op.POSSESSIVE_REPEAT and value[:2] == (0, op.MAXREPEAT):
            # It may end after any round and gives nothing back: one character that repeats, its body for itself.
            self.inner.append((value[2], flags))
            state = self._state(frozenset(_LETTERS))
            self.follow[state].add(state)
            return True, {state}, {state}
        if kind in _REPEATS:
            return self._repeat(*value, flags)
        if kind in (op.ASSERT, op.ASSERT_NOT):
            self.inner.append((value[1], flags))
        return True, set(), set()  # anchors, look-arounds, references

    def _branch(self, parts: list[Part]) -> Part:
        self.twice |= sum(part[0] for part in parts) > 1
        return any(part[0] for part in parts), *(set().union(*(part[k] for part in parts)) for k in (1, 2))

    def _repeat(self, least: int, most: Any, items: Any, flags: int) -> Part:
        bounded = most is not op.MAXREPEAT
        empty, first, last = True, set[int](), set[int]()
        before: set[int] = set()
        for copy in range(min(most if bounded else max(least, 1), _COPIES)):
            can_be_empty, begins, stops = self._sequence(items, flags)
            for state in before:
                self.follow[state] |= begins
            first |= begins if empty else set()
            empty = empty and can_be_empty
            last = stops | (last if copy >= least or can_be_empty else set())
            before = stops
        if not bounded:
            self.twice |= any(begins & self.follow[state] for state in stops)
            for state in stops:
                self.follow[state] |= begins
        return empty or least == 0, first, last


def _reached(start: Any, steps: Any) -> set[Any]:
    seen: set[Any] = set()
    todo = [start]
    while todo:
        new = steps(todo.pop()) - seen
        seen |= new
        todo += new
    return seen


def _is_anchored(items: list[Any]) -> bool:
    return bool(items) and items[0][0] is op.AT and "BEGINNING" in str(items[0][1])


def _ends_in_a_condition(items: list[Any]) -> bool:
    return bool(items) and items[-1][0] in (op.AT, op.ASSERT, op.ASSERT_NOT)


def _letters_of(kind: Any, value: Any, flags: int, is_bytes: bool) -> frozenset[str]:
    if kind is op.ANY:
        return frozenset(letter for letter in _LETTERS if flags & re.DOTALL or letter != "\n")
    items = value if kind is op.IN else [(kind, value)]
    narrow = is_bytes or bool(flags & re.ASCII)
    return frozenset(
        letter
        for letter in _LETTERS
        if (ord(letter) < 256 or not is_bytes)
        and any(_has(items, form, narrow) for form in ({letter, letter.lower(), letter.upper()} if flags & re.IGNORECASE else {letter}))
    )  # fmt: skip


def _has(items: list[Any], letter: str, narrow: bool) -> bool:
    found = turned = False
    for kind, value in items:
        if kind is op.NEGATE:
            turned = True
        elif kind is op.LITERAL:
            found |= letter == chr(value)
        elif kind is op.NOT_LITERAL:
            found |= letter != chr(value)
        elif kind is op.RANGE:
            found |= len(letter) == 1 and value[0] <= ord(letter) <= value[1]
        elif kind is op.CATEGORY:
            name = str(value)
            sign = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}[name.rpartition("_")[2]]
            found |= bool(re.match(sign, letter, re.ASCII if narrow else 0)) != ("NOT" in name)
    return found != turned


def trouble(text: str | bytes, flags: int = 0, *, searches: bool = True, to_the_end: bool = False) -> str:
    """``exponential``, ``quadratic``, or nothing for an expression that reads every text in linear time.

    >>> trouble(r"(a+)+b"), trouble(r"<[^>]*>"), trouble(r"<[^<>]*>")
    ('exponential', 'quadratic', '')
    """
    parsed = parser.parse(text.decode("latin-1") if isinstance(text, bytes) else text, flags)
    todo = [(parsed, parsed.state.flags, searches, to_the_end)]
    found = ""
    while todo:
        items, own, searching, whole = todo.pop()
        automaton = Automaton(
            items, own, is_bytes=isinstance(text, bytes), searches=searching, to_the_end=whole
        )
        todo += [(inner, inner_flags, False, True) for inner, inner_flags in automaton.inner]
        if automaton.is_exponential():
            return "exponential"
        if automaton.is_quadratic():
            found = "quadratic"
    return found
