"""Golden record: what Citadel answers on a folder of reports, for comparing two versions of it.

usage: python -m benchmarks.golden record FOLDER... PYTHON FILE [--keep FOLDER] [--attempts N] ...
       python -m benchmarks.golden compare FILE FILE

`record` triages every report of the folders on the interpreter PYTHON, and keeps per report the
API, kind, symptom, oracle and why, and per sibling its verdict and edits. A record that was stopped
goes on where it was. `compare` prints what differs, report by report, and exits with 1 if anything
does. Of what is measured (time, memory) only the class of a verdict is kept, no number.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

MEASURED = "performance"
BATCH = 10
"""Reports that one command triages: what a stop costs at most."""
SYMPTOM = ("kind", "exception", "pattern", "signal", "where", "expected")
OPTIONS = ("--attempts", "--replays", "--siblings", "--budget", "--runs", "--jobs")


def record_of(report: Mapping[str, Any]) -> dict[str, Any]:
    """What one entry of a triage's `reports` is compared by."""
    case = report["case"]
    if case is None:
        return {"skipped": report["skipped"], "error": report["error"]}
    measured = case["kind"] == MEASURED
    told = SYMPTOM[:1] if measured else SYMPTOM
    return {
        "api": case["api"],
        "kind": case["kind"],
        "reproduces": case["reproduces"],
        "symptom": {name: case["symptom"].get(name) for name in told},
        "why": [] if measured else [*case["evidence"], *case["doubts"]],
        "cut": report["cut"],
        "tried": report["tried"],
        "siblings": {
            one["api"]: one["verdict"] if measured else [one["verdict"], *one["edits"]]
            for one in report["siblings"]
            if one["alias_of"] is None
        },
    }


def name_of(report: Mapping[str, Any]) -> str:
    """The report's folder and file, wherever the folder lies."""
    path = Path(report["input"])
    return f"{path.parent.name}/{path.stem}"


def reports_of(folders: Sequence[Path]) -> list[Path]:
    """The reports of folders in which also answers lie (`expected.json`, `labels.json`)."""
    files = [file for folder in folders for file in sorted(folder.rglob("*.json"))]
    return [file for file in files if file.stem.isdecimal()]


def triage(
    files: Sequence[Path], python: str, options: Sequence[str], *, off: Sequence[str] = ()
) -> dict[str, Any]:
    """The JSON of `citadel triage` on these reports, with some rules switched off."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "triage.json")
        command = [sys.executable, "-m", "citadel", "triage", *map(str, files)]
        command += ["--python", python, "--json", str(out), "--out", folder, *options]
        environment = {**os.environ, "CITADEL_RULES_OFF": ",".join(off)}
        ran = subprocess.run(
            command,
            check=False,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        if not out.exists():
            sys.exit(f"citadel triage ended with {ran.returncode}: {ran.stderr[-500:]}")
        found: dict[str, Any] = json.loads(out.read_text())
        return found


def record(
    folders: Sequence[Path],
    python: str,
    file: Path,
    options: Sequence[str],
    keep: Path | None = None,
) -> None:
    """Triage what `file` has not got yet, and write it after each batch; the JSON of each triage
    goes to the folder `keep`."""
    kept: dict[str, Any] = {"options": list(options), "target": None, "reports": {}}
    if file.exists():
        kept = json.loads(file.read_text())
        if kept["options"] != list(options):
            sys.exit(f"{file} was recorded with {kept['options']}: choose another file")
    files = reports_of(folders)
    if not files:
        sys.exit("no reports (NUMBER.json) in these folders")
    left = [one for one in files if name_of({"input": one}) not in kept["reports"]]
    for start in range(0, len(left), BATCH):
        found = triage(left[start : start + BATCH], python, options)
        target = {name: found["target"][name] for name in ("framework", "version")}
        kept["target"] = kept["target"] or target
        kept["reports"] |= {name_of(one): record_of(one) for one in found["reports"]}
        if keep is not None:
            keep.mkdir(parents=True, exist_ok=True)
            name = name_of({"input": left[start]}).replace("/", "-")
            Path(keep, f"{name}.json").write_text(json.dumps(found), encoding="utf-8")
        new = file.with_suffix(".new")
        new.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
        new.replace(file)
        print(f"{len(kept['reports'])} of {len(files)} reports", file=sys.stderr, flush=True)


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """What differs between two records, a line each.

    >>> a = {"1": {"api": "f", "siblings": {"g": ["bug", "renamed"], "h": ["clean"]}}}
    >>> b = {"1": {"api": "f", "siblings": {"g": ["clean", "renamed"]}}}
    >>> list(differences(a, b))
    ["1: g: ['bug', 'renamed'] -> ['clean', 'renamed']", "1: h: ['clean'] -> nothing"]
    """
    for report in sorted(before.keys() | after.keys()):
        had, has = before.get(report), after.get(report)
        if had is None or has is None:
            yield f"{report}: only in the {'second' if had is None else 'first'} record"
            continue
        for name in sorted((had.keys() | has.keys()) - {"siblings"}):
            if had.get(name) != has.get(name):
                yield f"{report}: {name}: {had.get(name)} -> {has.get(name)}"
        was, now = had.get("siblings", {}), has.get("siblings", {})
        for sibling in sorted(was.keys() | now.keys()):
            if was.get(sibling) != now.get(sibling):
                told = (one.get(sibling, "nothing") for one in (was, now))
                yield f"{report}: {sibling}: {' -> '.join(map(str, told))}"


def compare(first: Path, second: Path) -> int:
    """Print the differences; 1 if there are any."""
    before, after = (json.loads(file.read_text()) for file in (first, second))
    found = list(differences(before["reports"], after["reports"]))
    for line in found:
        print(line)
    reports = {line.partition(":")[0] for line in found}
    print(f"{len(found)} differences in {len(reports)} of {len(after['reports'])} reports")
    return 1 if found else 0


def main(arguments: Sequence[str]) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.golden", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="triage reports and keep the answers")
    recording.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    recording.add_argument("python", metavar="PYTHON")
    recording.add_argument("file", type=Path, metavar="FILE")
    recording.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="write the JSON of the triages there, too"
    )
    for option in OPTIONS:
        recording.add_argument(option, metavar="N", help="as of `citadel triage`")
    comparing = commands.add_parser("compare", help="say what differs between two records")
    comparing.add_argument("first", type=Path, metavar="FILE")
    comparing.add_argument("second", type=Path, metavar="FILE")
    given = parser.parse_args(arguments)
    if given.command == "compare":
        return compare(given.first, given.second)
    values = {option: getattr(given, option.lstrip("-")) for option in OPTIONS}
    options = [word for option, value in values.items() if value for word in (option, value)]
    record(given.folders, given.python, given.file, options, given.keep)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
