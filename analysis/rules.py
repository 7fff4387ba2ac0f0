"""Decision rules: named, counted, and switched off one at a time.

A `Rule` is one alternative of a list: a function that answers or returns None. A `Registry` holds
such a list in the order in which its rules are asked. A `Phrase` is a rule about text: a regular
expression with sentences that it must find and sentences that it must leave alone.

Each rule has an id, `ROOM/NAME`, and counts how often it was asked (`tried`), how often it had an
answer (`fired`), and how often that answer was taken (`decided`). `CITADEL_RULES_OFF=ID,ID`
switches rules off in every process of Citadel, for ablation and for bug reports.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec, TypeVar

from analysis.errors import CitadelError

P = ParamSpec("P")
R = TypeVar("R")

VARIABLE = "CITADEL_RULES_OFF"
_ID = re.compile(r"[a-z][a-z0-9-]*/[a-z0-9][a-z0-9-]*")
_LOCK = threading.Lock()
"""Verdicts are reached in several threads."""
_RULES: dict[str, _Counted] = {}
_OFF: set[str] = {one.strip() for one in os.environ.get(VARIABLE, "").split(",") if one.strip()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How often a rule was asked, had an answer, and was followed."""

    tried: int = 0
    fired: int = 0
    decided: int = 0

    def since(self, before: Tally) -> Tally:
        """What has been counted since `before`."""
        return Tally(
            tried=self.tried - before.tried,
            fired=self.fired - before.fired,
            decided=self.decided - before.decided,
        )


class _Counted:
    """What all rules have: an id that no other rule has, counters, a switch."""

    def __init__(self, rule_id: str, meaning: str, examples: Sequence[object]) -> None:
        if _ID.fullmatch(rule_id) is None:
            raise ValueError(f"{rule_id!r} is no ROOM/NAME in small letters")
        if rule_id in _RULES:
            raise ValueError(f"there are two rules {rule_id}")
        self.id = rule_id
        self.meaning = meaning
        self.examples = tuple(examples)
        self.off = rule_id in _OFF
        self._tried = self._fired = self._decided = 0
        _RULES[rule_id] = self

    @property
    def tally(self) -> Tally:
        """The counts of this process so far."""
        return Tally(tried=self._tried, fired=self._fired, decided=self._decided)

    def _count(self, *, fired: bool, decided: bool) -> None:
        with _LOCK:
            self._tried += 1
            self._fired += fired
            self._decided += decided


class Rule(_Counted, Generic[P, R]):
    """One alternative. It is called like its function `act`, and answers None when switched off.

    `examples` are in whatever form suits the registry; its tests run them. A rule that is called
    by itself decides when it answers.
    """

    def __init__(
        self, rule_id: str, act: Callable[P, R | None], examples: Sequence[object] = ()
    ) -> None:
        super().__init__(rule_id, (act.__doc__ or "").strip(), examples)
        self.act = act

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R | None:
        """The rule's answer; None: it does not apply, or is switched off."""
        return self.ask(True, *args, **kwargs)

    def ask(self, decides: bool, /, *args: P.args, **kwargs: P.kwargs) -> R | None:  # noqa: FBT001
        """The same; an answer that is only looked at does not count as one that `decides`."""
        if self.off:
            return None
        answer = self.act(*args, **kwargs)
        if answer is None:
            with _LOCK:  # written out: planning asks hundreds of thousands of times
                self._tried += 1
        else:
            self._count(fired=True, decided=decides)
        return answer


class Registry(Generic[P, R]):
    """Rules of one room, in the order in which they are asked.

    >>> SIGNS: Registry[[int], str] = Registry("doctest-sign")
    >>> @SIGNS.rule("negative", examples=[(-1, "-")])
    ... def _negative(number: int) -> str | None:
    ...     "Below zero."
    ...     return "-" if number < 0 else None
    >>> SIGNS.first(-3), SIGNS.first(3)
    ('-', None)
    """

    def __init__(self, room: str, *rules: Rule[P, R]) -> None:
        self.room = room
        self._rules: list[Rule[P, R]] = list(rules)

    def __iter__(self) -> Iterator[Rule[P, R]]:
        return iter(self._rules)

    def __len__(self) -> int:
        return len(self._rules)

    def rule(
        self, name: str, *, examples: Sequence[object] = ()
    ) -> Callable[[Callable[P, R | None]], Rule[P, R]]:
        """Decorator: the function becomes the last rule, `ROOM/NAME`."""

        def register(act: Callable[P, R | None]) -> Rule[P, R]:
            made = Rule(f"{self.room}/{name}", act, examples)
            self._rules.append(made)
            return made

        return register

    def first(self, *args: P.args, **kwargs: P.kwargs) -> R | None:
        """The first answer."""
        for rule in self._rules:
            if (answer := rule.ask(True, *args, **kwargs)) is not None:
                return answer
        return None

    def decided(self, *args: P.args, **kwargs: P.kwargs) -> tuple[str, R] | None:
        """The first answer, behind the id of the rule that gave it."""
        for rule in self._rules:
            if (answer := rule.ask(True, *args, **kwargs)) is not None:
                return rule.id, answer
        return None

    def each(self, *args: P.args, **kwargs: P.kwargs) -> Iterator[R]:
        """All answers, in order; each is taken."""
        for rule in self._rules:
            if (answer := rule.ask(True, *args, **kwargs)) is not None:
                yield answer


class Phrase(_Counted):
    """A regular expression that reads a report or a message; used like a compiled pattern.

    `finds` are texts in which `search` must find something, `spares` texts in which it must not.
    Switched off, it finds nothing and replaces nothing.
    """

    def __init__(
        self,
        rule_id: str,
        pattern: str,
        flags: int = 0,
        *,
        finds: Sequence[str] = (),
        spares: Sequence[str] = (),
        meaning: str = "",
    ) -> None:
        super().__init__(rule_id, meaning, (*finds, *spares))
        self.compiled = re.compile(pattern, flags)
        self.pattern = self.compiled.pattern
        self.flags = self.compiled.flags
        self.finds, self.spares = tuple(finds), tuple(spares)

    def search(self, text: str, pos: int = 0, endpos: int | None = None) -> re.Match[str] | None:
        """As `re.Pattern.search`."""
        return self._told(self.compiled.search, text, pos, endpos)

    def match(self, text: str, pos: int = 0, endpos: int | None = None) -> re.Match[str] | None:
        """As `re.Pattern.match`."""
        return self._told(self.compiled.match, text, pos, endpos)

    def fullmatch(self, text: str, pos: int = 0, endpos: int | None = None) -> re.Match[str] | None:
        """As `re.Pattern.fullmatch`."""
        return self._told(self.compiled.fullmatch, text, pos, endpos)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """As `re.Pattern.finditer`, counted once."""
        found = [] if self.off else list(self.compiled.finditer(text))
        self._count_text(found)
        return iter(found)

    def findall(self, text: str) -> list[Any]:
        """As `re.Pattern.findall`, counted once."""
        found = [] if self.off else self.compiled.findall(text)
        self._count_text(found)
        return found

    def split(self, text: str, maxsplit: int = 0) -> list[str | Any]:
        """As `re.Pattern.split`, counted once."""
        parts = [text] if self.off else self.compiled.split(text, maxsplit)
        self._count_text(parts[1:])
        return parts

    def sub(self, new: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        """As `re.Pattern.sub`, counted once."""
        changed, times = (text, 0) if self.off else self.compiled.subn(new, text, count)
        self._count_text(times)
        return changed

    def _told(
        self,
        look: Callable[[str, int, int], re.Match[str] | None],
        text: str,
        pos: int,
        endpos: int | None,
    ) -> re.Match[str] | None:
        if self.off:
            return None
        found = look(text, pos, len(text) if endpos is None else endpos)
        if found is None:
            with _LOCK:
                self._tried += 1
        else:
            self._count(fired=True, decided=True)
        return found

    def _count_text(self, found: object) -> None:
        if not self.off:
            self._count(fired=bool(found), decided=bool(found))


def given() -> dict[str, str]:
    """The variable that switches rules off, where it is set: for processes on other machines."""
    return {VARIABLE: os.environ[VARIABLE]} if os.environ.get(VARIABLE) else {}


def known() -> Mapping[str, Rule[..., Any] | Phrase]:
    """All rules of the modules that were imported so far, by id."""
    return {name: one for name, one in _RULES.items() if isinstance(one, Rule | Phrase)}


def counts() -> dict[str, Tally]:
    """The tallies of all rules of this process so far."""
    return {name: one.tally for name, one in _RULES.items()}


def counted_since(before: Mapping[str, Tally]) -> dict[str, Tally]:
    """What has been counted since `counts()` returned `before`, of the rules that were asked."""
    found = {name: now.since(before.get(name, Tally())) for name, now in counts().items()}
    return {name: tally for name, tally in found.items() if tally.tried}


def deciding(before: Mapping[str, Tally]) -> tuple[str, ...]:
    """The ids of the rules whose answers were taken since then, sorted."""
    return tuple(sorted(n for n, tally in counted_since(before).items() if tally.decided))


@contextmanager
def switched_off(*ids: str) -> Iterator[None]:
    """Switch rules off for a while, in this process."""
    check_known(ids)
    before = {name: _RULES[name].off for name in ids}
    try:
        for name in ids:
            _RULES[name].off = True
        yield
    finally:
        for name, was in before.items():
            _RULES[name].off = was


def check_known(ids: Iterable[str] | None = None) -> None:
    """Check that ids (default: those of the environment) are those of imported rules.

    Raises:
        CitadelError: for an id that no rule has.
    """
    for name in sorted(_OFF if ids is None else ids):
        if name not in _RULES:
            room = name.partition("/")[0]
            near = [one for one in sorted(_RULES) if one.startswith(f"{room}/")]
            hint = f"of this room there are {', '.join(near[:8])}" if near else "see docs/rules.md"
            raise CitadelError(f"there is no rule {name}", hint)
