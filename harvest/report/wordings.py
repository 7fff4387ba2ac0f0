"""Lists of phrases that are read as one regular expression, each with an id of its own.

A list tells of its phrases which one has matched, and finds what `first|second|third` would find:
the leftmost match, and of those that begin there the first phrase of the list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from analysis.rules import Phrase


@dataclass(frozen=True, slots=True)
class Wording:
    """One alternative of a list: its id, its pattern, sentences with it and without it."""

    id: str
    pattern: str
    finds: Sequence[str]
    spares: Sequence[str] = ()


class Wordings:
    """Alternatives with the same `before` and `after` around them; used like a pattern.

    The text is searched once, for all of them; the phrases are only asked where something is found.

    >>> FRUIT = Wordings(
    ...     Wording("doctest-fruit/apple", "apples?", ("two apples",)),
    ...     Wording("doctest-fruit/pear", "pears?", ("a pear",)),
    ...     before=r"\\b",
    ... )
    >>> [found[0] for found in FRUIT.finditer("pears and apples")]
    ['pears', 'apples']
    >>> [one.tally.fired for one in FRUIT]
    [1, 1]
    """

    def __init__(
        self, *alternatives: Wording, before: str = "", after: str = "", flags: int = 0
    ) -> None:
        self._around = (before, after)
        self._patterns = tuple(one.pattern for one in alternatives)
        self._flags = flags
        self._phrases = tuple(
            Phrase(one.id, self._joined([one.pattern]), flags, finds=one.finds, spares=one.spares)
            for one in alternatives
        )
        self._all = re.compile(self._joined(self._patterns), flags)

    def __iter__(self) -> Iterator[Phrase]:
        return iter(self._phrases)

    def search(self, text: str) -> re.Match[str] | None:
        """As `re.Pattern.search`."""
        if self._all.search(text) is None:
            return None
        found = self._known().search(text)
        return None if found is None else self._told(text, found)

    def match(self, text: str) -> re.Match[str] | None:
        """As `re.Pattern.match`."""
        if self._all.match(text) is None:
            return None
        found = self._known().match(text)
        return None if found is None else self._told(text, found)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """As `re.Pattern.finditer`."""
        if self._all.search(text) is None:
            return iter(())
        return (self._told(text, found) for found in self._known().finditer(text))

    def sub(self, new: str | Callable[[re.Match[str]], str], text: str) -> str:
        """As `re.Pattern.sub`."""

        def replaced(found: re.Match[str]) -> str:
            told = self._told(text, found)
            return told.expand(new) if isinstance(new, str) else new(told)

        return text if self._all.search(text) is None else self._known().sub(replaced, text)

    def _told(self, text: str, found: re.Match[str]) -> re.Match[str]:
        """The match of the phrase that has found something, which counts it."""
        for phrase in self._phrases:
            if (told := phrase.match(text, found.start())) is not None:
                return told
        return found

    def _known(self) -> re.Pattern[str]:
        """The pattern of the phrases that are not switched off."""
        on = [
            pattern
            for pattern, phrase in zip(self._patterns, self._phrases, strict=True)
            if not phrase.off
        ]
        if len(on) == len(self._patterns):
            return self._all
        return re.compile(self._joined(on) if on else r"(?!)", self._flags)  # `re` keeps a cache

    def _joined(self, patterns: Sequence[str]) -> str:
        before, after = self._around
        return f"{before}(?:{'|'.join(patterns)}){after}"
