"""How many siblings of a bug does a triage find, of families whose members all have code?

usage: python -m benchmarks.families PYTHON [FAMILY.toml...] [--every | --truth] [--json FILE]
                                      [--keep FOLDER]

PYTHON is an interpreter under test; by default, all families of its framework are measured. First
the code of every member is run, with the trigger and without: on another build than the family's
own, this is what counts, and what differs from the file is told. Then the report of each family is
triaged as a user would (`--every`: one report per member that shows the bug; `--truth`: none).

Printed per report: of the members that show the bug, beside the one reported and its forms, how
many are found, and by which road (call: the report's call carried over; trigger: the sibling's own
call under the report's trigger); of those that do not show it, how many are presented all the same;
and how many operations are presented that the family does not list: of them nothing is known.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.target.observation import Outcome
from analysis.target.target import Target, probe
from benchmarks.families.family import Family, read

FOLDER = Path(__file__).parent
ROADS = ("call", "trigger")


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What a triage presents of one report, by what is known of it."""

    family: str
    api: str
    true: int
    found: Mapping[str, str]
    """The members found, each with the road."""
    false: tuple[str, ...]
    """Those presented though they do not show the bug."""
    tried: int
    """Members that do not show it."""
    unlisted: int
    """Operations presented that are no members."""
    skipped: str
    seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("python", help="an interpreter under test")
    parser.add_argument("families", nargs="*", type=Path, help="default: all of its framework")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--every", action="store_true", help="a report per member")
    what.add_argument("--truth", action="store_true", help="run the members alone")
    parser.add_argument("--json", type=Path, help="write the scores as JSON, too")
    parser.add_argument("--keep", type=Path, help="a folder for reports, triages and cases")
    given = parser.parse_args()
    target = probe(given.python)
    try:
        known = [read(file) for file in given.families or sorted(FOLDER.glob("*.toml"))]
    except (OSError, ValueError) as problem:
        parser.error(str(problem))
    families = [one for one in known if one.framework == target.info.framework]
    if not families:
        parser.error(f"no family of {target.info.framework} is given")
    changed = 0
    truths = []
    for family in families:
        truths.append(run(family, target))
        changed += len(_told(family, truths[-1]))
    if given.truth:
        sys.exit(int(bool(changed)))
    scores = []
    for family, truth in zip(families, truths, strict=True):
        apis = [family.of] if truth.get(family.of) else []
        if given.every:
            apis = [api for api, bug in truth.items() if bug]
        with tempfile.TemporaryDirectory() as folder:
            kept = Path(folder) if given.keep is None else Path(given.keep, family.name)
            for score in scored(family, truth, apis, given.python, kept):
                scores.append(score)
                print(_line(score), flush=True)
    print(_total(scores))
    if given.json:
        given.json.write_text(json.dumps([_record(one) for one in scores], indent=1) + "\n")


def run(family: Family, target: Target) -> dict[str, bool | None]:
    """Whether each member shows the bug on a build; None where its control does not run through, or
    the call does not end."""
    found: dict[str, bool | None] = {}
    with target.session() as session:
        for api in family.members:
            control = session.run(family.script(api, control=True))
            seen = session.run(family.script(api))
            told = control.outcome is Outcome.OK and seen.outcome is not Outcome.TIMEOUT
            found[api] = family.shows(seen) if told else None
    return found


def scored(
    family: Family,
    truth: Mapping[str, bool | None],
    apis: Sequence[str],
    python: str,
    folder: Path,
) -> Iterator[Score]:
    """The triages of the reports of these members, which are left in a folder."""
    for api in apis:
        # The report is called after the family where it is about the member that stands for it.
        name = family.name if api == family.of else f"{family.name}-{api}"
        report, out = folder / f"{name}.md", folder / f"{name}.json"
        folder.mkdir(parents=True, exist_ok=True)
        report.write_text(family.report(api), encoding="utf-8")
        out.unlink(missing_ok=True)
        command = [sys.executable, "-m", "citadel", "triage", str(report), "--python", python]
        command += ["--out", str(folder / "cases"), "--json", str(out)]
        # Status 3 says that nothing was found.
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if not out.exists():
            raise SystemExit(f"{family.name}: {api}: {done.stderr.strip()}")
        yield score(family, truth, api, json.loads(out.read_text())["reports"][0])


def score(
    family: Family, truth: Mapping[str, bool | None], api: str, report: Mapping[str, Any]
) -> Score:
    """A triage beside what is known of the family."""
    roads: dict[str, str] = {}
    unlisted = set()
    for one in report["siblings"]:
        if one["verdict"] == "bug" and one["alias_of"] is None:
            names = [one["api"], *one["aliases"]]
            roads.update(dict.fromkeys(names, one["road"]))
            if not family.members.keys() & set(names):
                unlisted.add(one["operation"] or one["api"])
    others = {
        name: bug
        for name, bug in truth.items()
        if name != api and not (family.members[name].form and api == family.of)
    }
    return Score(
        family=family.name,
        api=api,
        true=sum(bug is True for bug in others.values()),
        found={name: roads[name] for name, bug in others.items() if bug and name in roads},
        false=tuple(name for name, bug in others.items() if bug is False and name in roads),
        tried=sum(bug is False for bug in others.values()),
        unlisted=len(unlisted),
        skipped=report["skipped"] or "",
        seconds=sum(report["seconds"].get(name) or 0.0 for name in ("verify", "siblings")),
    )


def _told(family: Family, truth: Mapping[str, bool | None]) -> list[str]:
    """Prints the members that do not do what the file says; gives their names."""
    changed = [name for name, one in family.members.items() if truth[name] is not one.bug]
    for name in changed:
        words = {True: "shows the bug", False: "does not show it", None: "does not work"}
        print(f"{family.name}: {name} {words[truth[name]]} on this build", flush=True)
    return changed


def _line(one: Score) -> str:
    by = Counter(one.found.values())
    roads = ", ".join(f"{road} {by[road]}" for road in ROADS)
    told = f"skipped: {one.skipped}" if one.skipped else f"found {len(one.found)} of {one.true}"
    return (
        f"{one.family} ({one.api}): {told} ({roads}); {len(one.false)} of {one.tried} that do not "
        f"show it; {one.unlisted} not listed; {one.seconds:.0f} s"
    )


def _total(scores: Sequence[Score]) -> str:
    found, true = sum(len(one.found) for one in scores), sum(one.true for one in scores)
    false, tried = sum(len(one.false) for one in scores), sum(one.tried for one in scores)
    shares = [len(one.found) / one.true for one in scores if one.true]
    mean = sum(shares) / len(shares) if shares else 0.0
    return (
        f"{len(scores)} reports: recall {found}/{true} = {found / max(1, true):.2f} "
        f"(mean of reports {mean:.2f}), presented though they do not show it {false} of {tried}"
    )


def _record(one: Score) -> dict[str, Any]:
    names = ("family", "api", "true", "tried", "unlisted", "skipped", "seconds")
    told = {name: getattr(one, name) for name in names}
    return {**told, "found": dict(one.found), "false": list(one.false)}


if __name__ == "__main__":
    main()
