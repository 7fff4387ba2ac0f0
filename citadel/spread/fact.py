"""What a fact is: something that can be brought into a valid call, or how else it can be made.

As in a variation, each way to bring a fact about has a condition and an expression per framework;
`x` is the argument, and `{value}` what the fact names ("dtype float16").
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from citadel.evidence.variations import Way

FRAMEWORKS = {"torch": "torch", "tensorflow": "tf", "keras": "keras"}
"""The roots by which expressions name a framework."""


class Takes(StrEnum):
    """What a fact names besides itself."""

    NOTHING = ""
    DTYPE = "dtype"
    NUMBER = "number"
    LAYOUT = "layout"


_VALUES = {
    Takes.DTYPE: re.compile(r"[a-z]{3,9}\d{0,3}"),
    Takes.NUMBER: re.compile(r"[+-]?(\d+\.?\d*(e[+-]?\d+)?|inf)|nan"),
    Takes.LAYOUT: re.compile(r"coo|csr|csc"),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fact:
    """One fact. `says` completes "`input` ..."; `examples` has per framework a value, an argument
    and what becomes of it. `elsewhere` are further ways, to another place of a tensor.
    `brings_back`: the variations that take it away, of plain numbers `of_numbers` if there are any;
    `only` those of the parameter of that name; `role` is the one that it is brought to, where that
    is no other's. `other` is an expression for the first input of the same dtype, which `ways` may
    name so.
    `preserves`: the right result stays the same. `known_by`: the attribute of a `Value`, and what
    it is, by which a tensor of a call is known to be so.

    A fact about the call as a whole has `run`, which is put around a function of its inputs, behind
    the lines of `setup`; `layer` is put behind what constructs a layer. `called`: the APIs (and the
    `keyword` that is true) by which code makes a call so. `against`: the fact that such a call
    should agree with. `documented`: the word by which documentation tells that an API treats it in
    a way of its own.
    """

    name: str
    says: str
    ways: tuple[Way, ...] = ()
    elsewhere: tuple[Way, ...] = ()
    takes: Takes = Takes.NOTHING
    brings_back: tuple[str, ...] = ()
    only: str = ""
    role: str = ""
    other: Mapping[str, str] = field(default_factory=dict)
    of_numbers: tuple[str, ...] = ()
    known_by: tuple[str, str] = ("", "")
    preserves: bool = False
    examples: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    run: Mapping[str, str] = field(default_factory=dict)
    setup: Mapping[str, str] = field(default_factory=dict)
    called: tuple[str, ...] = ()
    keyword: str = ""
    against: str = "plain"
    documented: str = ""
    layer: Mapping[str, str] = field(default_factory=dict)
    compiles: bool = False

    def available(self, root: str) -> bool:
        """Whether a framework (`torch`, `tf`) has it."""
        return bool(expressions(self.ways, root, "") or self.run.get(root))

    def takes_value(self, value: str) -> bool:
        """Whether something may be named by it."""
        if self.takes is Takes.NOTHING:
            return not value
        return _VALUES[self.takes].fullmatch(value) is not None


def expressions(ways: Sequence[Way], root: str, value: str) -> list[list[str]]:
    """[condition, expression] for each way that a framework has, with the value in them."""
    found = ((one.when, one.to.get(root, one.to.get("plain", ""))) for one in ways)
    return [[with_value(when, value), with_value(text, value)] for when, text in found if text]


def with_value(text: str, value: str) -> str:
    """A text with the value in the places for it."""
    number = f"float('{value}')" if value.lstrip("+-") in ("nan", "inf") else value
    return text.replace("{value}", value).replace("{number}", number)


PLAIN = Fact(name="plain", says="as it is")
"""The call as it is."""
