"""All decision rules of Citadel: `python -m citadel.rulebook` renews docs/rules.md.

Rules are registered when their modules are imported; this module imports them all.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import analysis
import citadel
import harvest
from analysis.rules import VARIABLE, Phrase, Rule, known

PAGE = Path(__file__).resolve().parent.parent / "docs" / "rules.md"
_NOT_OURS = ("analysis.inside", "citadel.__main__")
"""What runs inside the interpreter under test, and what runs when it is imported."""
_OF_TESTS = re.compile(r"(?:^|/)(?:doc)?test-")
"""What tests and examples register for themselves."""
_HEAD = f"""\
# Rules

Every decision that Citadel makes by a rule has an id, `ROOM/NAME`. `citadel triage --json` names
the rules that decided in a report (`rules`), and the one that decided a sibling's verdict (`rule`).
`{VARIABLE}=ID,ID` switches rules off in every process of Citadel: to see what one of them does, and
to tell in a bug report which one is wrong.

`python -m benchmarks.rules FOLDER...` tells how often each rule is asked, answers, and changes what
is read of the reports of a folder.

This page is made by `python -m citadel.rulebook` from the rules themselves.
"""


def all_rules() -> Mapping[str, Rule[..., Any] | Phrase]:
    """All rules by id, those of modules that nothing has imported so far included."""
    for package in (analysis, harvest, citadel):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.startswith(_NOT_OURS):
                importlib.import_module(module.name)
    return {name: one for name, one in known().items() if _OF_TESTS.search(name) is None}


def page() -> str:
    """docs/rules.md: a table per room."""
    rooms: dict[str, list[str]] = {}
    for name, rule in sorted(all_rules().items()):
        room, _, own = name.partition("/")
        meaning = _cell(" ".join(rule.meaning.split("\n\n")[0].split()))
        row = f"| `{own}` | {meaning} | {_example(rule)} |"
        rooms.setdefault(room, []).append(row)
    return "".join([_HEAD, *_tables(rooms)])


def _tables(rooms: Mapping[str, list[str]]) -> Iterator[str]:
    for room, rows in rooms.items():
        yield f"\n## {room}/\n\n| rule | meaning | example |\n| --- | --- | --- |\n"
        yield "".join(f"{row}\n" for row in rows)


def _example(rule: Rule[..., Any] | Phrase) -> str:
    """The first text that a phrase finds; examples of other rules are shown in their tests."""
    if not isinstance(rule, Phrase) or not rule.finds:
        return ""
    first = rule.finds[0].strip().split("\n")[0]
    return f"`{_cell(first)}`" if "`" not in first else _cell(first)


def _cell(text: str) -> str:
    return re.sub(r"([|<>])", r"\\\1", text)


if __name__ == "__main__":
    PAGE.write_text(page())
