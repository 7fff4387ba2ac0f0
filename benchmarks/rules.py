"""What every decision rule does: how often it is asked, answers, decides, and changes an answer.

usage: python -m benchmarks.rules FOLDER... [--json FILE] [--never]
       python -m benchmarks.rules FOLDER... --python PYTHON --json FILE [--rules ID,...] [...]

Without `--python` the reports of the folders are read, and read again with each rule switched off
that answered: `changed` counts the reports whose reading is another then. With `--python` they are
triaged, and triaged again with each rule switched off that decided there; golden records are
compared (`benchmarks.golden`). That takes a night; FILE is written as it goes, and the same command
goes on where it was. `--rules` looks at some rules only, `--never` lists those that never answer.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from analysis import rules
from analysis.rules import Tally
from benchmarks.golden import OPTIONS, name_of, record_of, reports_of, triage
from citadel.rulebook import all_rules
from harvest.report.inputs import load
from harvest.report.model import Report
from harvest.report.understand import understand


@dataclass(slots=True)
class Effect:
    """What one rule did on some reports: counts, and the reports in which it fired and changed."""

    tried: int = 0
    fired: int = 0
    decided: int = 0
    fired_in: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)

    def add(self, report: str, tally: Tally) -> None:
        """Count what the rule did in one report."""
        self.tried += tally.tried
        self.fired += tally.fired
        self.decided += tally.decided
        if tally.fired:
            self.fired_in.append(report)


Effects = dict[str, Effect]


def of_reading(files: Sequence[Path], only: frozenset[str] = frozenset()) -> Effects:
    """The effects of rules on the readings of these reports, `only` on some rules if any."""
    effects: Effects = {}
    for file in files:
        for report in load([str(file)]):
            if not isinstance(report, Report):
                continue
            before = rules.counts()
            reading = understand(report)
            counted = rules.counted_since(before)
            for name, tally in counted.items():
                effect = effects.setdefault(name, Effect())
                effect.add(name_of({"input": file}), tally)
                if tally.fired and (not only or name in only):
                    with rules.switched_off(name):
                        if understand(report) != reading:
                            effect.changed.append(name_of({"input": file}))
    return effects


def merged(parts: Iterable[Effects]) -> Effects:
    """The effects on all reports, of those on some."""
    found: Effects = {}
    for part in parts:
        for name, one in part.items():
            effect = found.setdefault(name, Effect())
            effect.tried += one.tried
            effect.fired += one.fired
            effect.decided += one.decided
            effect.fired_in += one.fired_in
            effect.changed += one.changed
    return found


def read_all(files: Sequence[Path], only: frozenset[str]) -> Effects:
    """`of_reading`, on all cores."""
    workers = os.cpu_count() or 1
    parts = [files[at::workers] for at in range(workers)]
    with ProcessPoolExecutor(workers) as pool:
        return merged(pool.map(of_reading, parts, [only] * workers))


def of_triage(
    files: Sequence[Path], python: str, options: Sequence[str], only: frozenset[str], kept: Path
) -> Effects:
    """The effects on triages, from and to the file `kept`."""
    state: dict[str, Any] = {"records": {}, "deciding": {}, "ledger": {}, "changed": {}}
    if kept.exists():
        state = json.loads(kept.read_text())
    for file in files:
        name = name_of({"input": file})
        if name not in state["records"]:
            found = triage([file], python, options)
            state["records"][name] = record_of(found["reports"][0])
            state["deciding"][name] = found["reports"][0]["rules"]
            state["ledger"][name] = found["rules"]
            _keep(kept, state)
    deciding: dict[str, list[Path]] = {}
    for file in files:
        for rule in state["deciding"][name_of({"input": file})]:
            if not only or rule in only:
                deciding.setdefault(rule, []).append(file)
    for rule, affected in sorted(deciding.items()):
        if rule not in state["changed"]:
            found = triage(affected, python, options, off=[rule])
            state["changed"][rule] = [
                name_of(one)
                for one in found["reports"]
                if record_of(one) != state["records"][name_of(one)]
            ]
            _keep(kept, state)
            print(f"{rule}: {len(state['changed'][rule])} changed", file=sys.stderr, flush=True)
    effects: Effects = {}
    for name, ledger in state["ledger"].items():
        for rule, counts in ledger.items():
            effects.setdefault(rule, Effect()).add(name, Tally(**counts))
    for rule, changed in state["changed"].items():
        effects[rule].changed = changed
    return effects


def _keep(file: Path, state: Mapping[str, Any]) -> None:
    new = file.with_suffix(".new")
    new.write_text(json.dumps(state, indent=1, sort_keys=True) + "\n")
    new.replace(file)


def show(effects: Mapping[str, Effect], reports: int, *, never: bool) -> None:
    """Print the table, and how many rules do nothing."""
    known = sorted({*all_rules(), *effects})
    asked = [name for name in known if name in effects]
    silent = [name for name in known if not effects.get(name, Effect()).fired]
    print(f"{'rule':44}{'tried':>9}{'fired':>8}{'decided':>9}{'reports':>9}{'changed':>9}")
    for name in sorted(asked, key=lambda name: (-len(effects[name].changed), name)):
        one = effects[name]
        print(
            f"{name:44}{one.tried:9}{one.fired:8}{one.decided:9}"
            f"{len(one.fired_in):9}{len(one.changed):9}"
        )
    by_changes = Counter(min(len(effects[name].changed), 3) for name in asked)
    print(
        f"\n{len(known)} rules, {reports} reports: {len(known) - len(asked)} never asked,"
        f" {len(silent)} never fired, {by_changes[0]} of those asked change no report,"
        f" {by_changes[1]} change one, {by_changes[2]} two, {by_changes[3]} more"
    )
    if never:
        print("never fired:\n  " + "\n  ".join(silent))


def main(arguments: Sequence[str]) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.rules", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--python", metavar="PYTHON", help="triage on this interpreter")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the effects to FILE")
    parser.add_argument("--rules", default="", metavar="ID,...", help="switch off these only")
    parser.add_argument("--never", action="store_true", help="list the rules that never fire")
    for option in OPTIONS:
        parser.add_argument(option, metavar="N", help="as of `citadel triage`")
    given = parser.parse_args(arguments)
    files = reports_of(given.folders)
    if not files:
        parser.error("no reports (NUMBER.json) in these folders")
    all_rules()
    only = frozenset(filter(None, given.rules.split(",")))
    rules.check_known(only)
    if given.python is None:
        effects = read_all(files, only)
        if given.json is not None:
            _keep(given.json, {name: asdict(one) for name, one in effects.items()})
    elif given.json is None:
        parser.error("--python needs --json FILE, where it goes on after a stop")
    else:
        values = {option: getattr(given, option.lstrip("-")) for option in OPTIONS}
        options = [word for option, value in values.items() if value for word in (option, value)]
        effects = of_triage(files, given.python, options, only, given.json)
    show(effects, len(files), never=given.never)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
