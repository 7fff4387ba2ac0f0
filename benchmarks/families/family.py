"""A family of APIs with one bug: its members, and the report that each of them would be.

A family is a TOML file:

    build = "torch 2.13.0"           # where the members were run
    origin = "pytorch/pytorch#1"     # where the facts are from
    trigger = "..."                  # what brings the bug, and
    cure = "..."                     # what takes it away, in words
    ends = "AssertionError"          # how the code ends while the bug is there; or "signal"
    of = "torch.index_select"        # the member that the report is about
    title = "$api takes ..."
    body = '''... $code ...'''
    code = '''import torch ... $setup ... $call ...'''

    [members."torch.index_select"]
    setup = "x = torch.ones(3)"      # optional
    call = "..."                     # with the trigger
    control = "..."                  # without it
    bug = true                       # whether `call` shows the bug on that build
    form = true                      # optional: a form of the operation that the report is about
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template

from analysis.target.observation import Observation, Outcome

SIGNAL = "signal"
"""What `ends` says where the process dies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """An API with a call under the trigger, and the same without it."""

    call: str
    control: str
    bug: bool
    setup: str = ""
    form: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One bug and the APIs that were tried. `members`: by the name of the API."""

    name: str
    build: str
    origin: str
    trigger: str
    cure: str
    ends: str
    of: str
    title: str
    body: str
    code: str
    members: Mapping[str, Member]

    @property
    def framework(self) -> str:
        """As in the first word of `build`."""
        return self.build.split()[0]

    @property
    def shown(self) -> list[str]:
        """The members that show the bug."""
        return [name for name, one in self.members.items() if one.bug]

    def script(self, api: str, *, control: bool = False) -> str:
        """The code of a member."""
        one = self.members[api]
        call = one.control if control else one.call
        return _filled(self.code, api=api, setup=one.setup.strip(), call=call.strip())

    def report(self, api: str) -> str:
        """The report in Markdown that is about this member."""
        code = self.script(api).strip()
        return f"# {_filled(self.title, api=api)}\n{_filled(self.body, api=api, code=code)}"

    def shows(self, seen: Observation) -> bool:
        """Whether a run ends as it does while the bug is there."""
        if self.ends == SIGNAL:
            return seen.outcome is Outcome.SIGNAL
        return seen.exception is not None and self.ends in seen.exception.types


def read(file: Path) -> Family:
    """The family of a file.

    Raises:
        ValueError: for what is no such file, naming it.
    """
    try:
        given = tomllib.loads(file.read_text(encoding="utf-8"))
        members = {name: Member(**one) for name, one in given.pop("members").items()}
        family = Family(name=file.stem, members=members, **given)
        for api in members:
            family.script(api)
            family.report(api)
    except (KeyError, TypeError, ValueError) as problem:
        raise ValueError(f"{file}: no family: {problem}") from None
    if family.of not in members or not members[family.of].bug:
        raise ValueError(f"{file}: {family.of!r} is no member that shows the bug")
    return family


def _filled(text: str, **given: str) -> str:
    """The text with its words filled in; what has several lines is indented as its word is."""
    lines = []
    for line in text.splitlines():
        filled = Template(line).substitute(given)
        indent = line[: len(line) - len(line.lstrip())]
        lines.append(filled.replace("\n", "\n" + indent))
    return "\n".join(lines) + "\n"
