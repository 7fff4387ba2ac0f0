"""What is spread: facts about arguments by their roles, and the two ways that should agree.

>>> print(read("out: dtype float64", "plain, meta"))
`out` has dtype float64 (the plain call against meta)
>>> print(read("inputs: scaled 1e30; inputs: dtype float32"))
`inputs` is multiplied by 1e30 and `inputs` has dtype float32
"""

from __future__ import annotations

from dataclasses import dataclass

from analysis.catalog.model import Api
from analysis.errors import CitadelError
from citadel.model import SymptomKind
from citadel.spread.fact import FRAMEWORKS, PLAIN, Fact, Takes
from citadel.spread.facts import BY_NAME, Given
from citadel.spread.modes import DESCRIBED

ROLES = ("inputs", "input", "out", "written", "number", "any")
"""All tensors (together, then each alone), one tensor, what `out=` is given, what is written to (in
place the first tensor, else `out=`), a plain number, any one of all these; any other word is a
parameter's name.
`a|b`: the first that a call has."""


@dataclass(frozen=True, slots=True)
class Infection:
    """A fact, and the roles of the arguments that it is brought into."""

    roles: tuple[str, ...]
    given: Given

    def __str__(self) -> str:
        return f"`{self.roles[0]}` {self.given.sentence}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """What is brought into valid calls, and in which two ways these are made. `sampled`: the second
    one is made in the same way, without the trigger."""

    infections: tuple[Infection, ...]
    ways: tuple[Given, Given]
    sampled: bool
    kind: SymptomKind | None = None
    """The symptom that counts; None where any does."""

    apart: bool = False
    """Whether a call counts only if it works where all tensors have what one of them has: what is
    refused then is that they are unlike."""

    guessed: bool = False
    """Whether it is a fact of the report's call that no cure takes away: no run tells that it
    matters."""

    whole: bool = False
    """Whether it is all of the report's call that is brought in: if that does not show the bug,
    these are not the two ways that the report is about."""

    def __str__(self) -> str:
        facts = " and ".join(map(str, self.infections)) + " alone" * self.apart
        if self.sampled:
            return facts if self.ways[0].fact is PLAIN else f"{facts} ({self.ways[0].told})"
        ways = f"{self.ways[0].told} against {self.ways[1].told}"
        return f"{facts} ({ways})" if facts else ways

    @property
    def fails(self) -> bool:
        """Whether it is a failure that is asked for, which the report tells of."""
        return self.sampled or self.kind in (SymptomKind.RAISES, SymptomKind.FALSE)

    @property
    def asked(self) -> str:
        """What a result should be, as an expression; "" where two results are compared."""
        return self.ways[1].value if self.ways[1].fact.name == "checked" else ""

    @property
    def described(self) -> bool:
        """Whether dtypes, shapes and strides are compared, and no numbers."""
        return self.ways[0].fact in DESCRIBED.values()

    @property
    def compiles(self) -> bool:
        """Whether a compiler runs, which takes a hundred times as long."""
        return any(one.fact.compiles for one in self.ways)

    @property
    def preserves(self) -> bool:
        """Whether the right result is the same with the trigger as without it."""
        return all(one.given.fact.preserves for one in self.infections)

    @property
    def harmless(self) -> bool:
        """Whether a call fails for a trigger that is no reason to refuse it: in whichever words it
        does is then no matter."""
        facts = [one.given.fact for one in self.infections]
        harmless = (one.harmless or (self.apart and one.promotes) for one in facts)
        return self.sampled and bool(facts) and all(harmless)

    @property
    def promotes(self) -> bool:
        """Whether it is about the dtypes of tensors, which may be unlike."""
        return bool(self.infections) and all(one.given.fact.promotes for one in self.infections)

    def documented(self, api: Api) -> bool:
        """Whether an API is documented to do otherwise than it is asked to: then it is no bug."""
        begins = tuple(one.fact.documented for one in self.ways if one.fact.documented)
        return bool(begins) and any(word.startswith(begins) for word in api.words.split())

    def lacking(self, framework: str) -> str:
        """The first fact that a framework has not; "" where it has all."""
        root = FRAMEWORKS.get(framework, framework)
        given = (*(one.given for one in self.infections), *self.ways)
        named = (one.fact for one in given if one.fact is not PLAIN)
        return next((one.name for one in named if not one.available(root)), "")


def read(trigger: str, ways: str = "") -> Relation:
    """What a person writes: `ROLE: FACT [VALUE]`, several parted by ";", and two ways by ",".

    Raises:
        CitadelError: when a fact is not known, or does not take such a value.
    """
    infections = []
    for part in filter(None, map(str.strip, trigger.split(";"))):
        roles, colon, fact = part.partition(":")
        if not colon or not fact.strip():
            raise CitadelError(
                f"a trigger is ROLE: FACT, which {part!r} is not",
                "for example 'out: dtype float64'",
            )
        names = tuple(filter(None, map(str.strip, roles.split("|"))))
        named = given(fact)
        if not named.fact.ways:
            raise CitadelError(
                f"{named.fact.name} is a way to make a call, and nothing about its arguments",
                f"for example --ways plain,{named.fact.name}",
            )
        infections.append(Infection(names or ROLES[:1], named))
    both = _ways(ways)
    refused = any(one.given.fact.refused for one in infections)
    if refused and [one.fact for one in both].count(PLAIN) != 1:
        raise CitadelError(
            "what is refused is asked of the plain call and another way",
            "for example --ways plain,inductor",
        )
    checks = [one.fact.refuses for one in both]
    numbers = any(set(one.roles) - {"inputs", "input", "out", "written"} for one in infections)
    if any(checks) and (checks != [False, True] or both[0].fact is not PLAIN or not numbers):
        raise CitadelError(
            f"{both[checks.index(True)].fact.name} is asked of a number that passes plainly",
            "for example --trigger \"number: is float('nan')\" --ways plain,minus-one",
        )
    if not infections and both[0] == both[1]:
        raise CitadelError("there is nothing to spread", "give --trigger, --ways or both")
    return Relation(infections=tuple(infections), ways=both, sampled=both[0] == both[1])


def _ways(text: str) -> tuple[Given, Given]:
    """Two ways, of which the second one may have commas. What both calls are made within stands
    alone."""
    if not text.strip():
        return Given(PLAIN), Given(PLAIN)
    name, _, value = text.strip().partition(" ")
    fact = BY_NAME.get(name)
    around = fact is not None and fact.takes in (Takes.CONTEXT, Takes.SWITCH)
    if fact is not None and around and fact.takes_value(value.strip()):
        return Given(fact, value.strip()), Given(fact, value.strip())
    both = [*map(given, text.split(",", 1))]
    if len(both) != 2:
        raise CitadelError("--ways takes two ways, parted by a comma", "for example plain,meta")
    if both[0].fact is both[1].fact and both[0].fact.setup:  # their functions have one name
        raise CitadelError(
            f"both ways are {both[0].fact.name}", f"for example plain,{both[0].fact.name} ..."
        )
    return both[0], both[1]


def given(text: str) -> Given:
    """A fact and its value: "dtype float64".

    Raises:
        CitadelError: see `read`.
    """
    name, _, value = text.strip().partition(" ")
    fact = BY_NAME.get(name)
    if fact is None:
        raise CitadelError(f"no fact is called {name!r}", "known: " + ", ".join(BY_NAME))
    if not fact.takes_value(value.strip()):
        raise CitadelError(f"{name} {_wanted(fact)}", f"for example '{_example(fact)}'")
    return Given(fact, value.strip())


_EXAMPLES = {
    Takes.CONDITION: "(result >= 0).all()",
    Takes.CONTEXT: "torch.no_grad()",
    Takes.SWITCH: "torch.use_deterministic_algorithms",
}


def _wanted(fact: Fact) -> str:
    return "takes no value" if fact.takes is Takes.NOTHING else f"takes a {fact.takes}"


def _example(fact: Fact) -> str:
    if fact.takes in _EXAMPLES:
        return f"{fact.name} {_EXAMPLES[fact.takes]}"
    values = [value for value, _, _ in fact.examples.values()]
    return f"{fact.name} {values[0] if values else ''}".strip()
