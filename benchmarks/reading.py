"""How well reports are read: the API to blame, whether it reproduces, kind and symptom.

usage: python -m benchmarks.reading PYTHON FOLDER... [--json FILE]

FOLDER holds reports (NUMBER.json) and expected.json: per number `api` and `accept_apis` (names that
are as right), `bug_type`, `reproduces` (yes or no, or per version), and, where it is known,
`symptom`: `class`, and the `exception`, a part of its `message`, or the `signal` that are seen.
Prints what is read otherwise, by report, and the four shares, with their 95 % intervals (Wilson).
With --json the findings of a run are read from FILE if it is there, else written to it.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

KINDS = {
    "raises": ("raises",),
    "crash": ("crashes",),
    "hang": ("hangs",),
    "accepts": ("accepts",),
    "nonfinite": ("non_finite", "disagrees", "false"),
    "wrong": ("disagrees", "false"),
    "slow": ("slow",),
    "memory": ("memory",),
}
"""Class of a symptom in expected.json -> the kinds of Citadel's that say the same."""

QUESTIONS = ("api", "reproduces", "kind", "symptom")


def reproduced(python: str, reports: Sequence[Path], file: Path) -> None:
    """Write to `file` what `citadel triage --only-reproduce` says of these reports."""
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-m", "citadel", "triage", *map(str, reports)]
        options = ["--only-reproduce", "--python", python, "--out", out, "--json", str(file)]
        subprocess.run([*command, *options], check=False, stdout=subprocess.DEVNULL)


def is_api(case: Mapping[str, Any], known: Mapping[str, Any]) -> bool:
    """Whether the case blames one of these names, or the same one in another module."""
    blamed = {case.get("api") or "", *case.get("aliases", ())}
    wanted = {known["api"], *known.get("accept_apis", ())}
    return bool(blamed & wanted) or leaf(case.get("api") or "") in {leaf(name) for name in wanted}


def leaf(name: str) -> str:
    """The last part of a name; that of a function in place is the function's."""
    return name.rsplit(".", 1)[-1].rstrip("_").lower()


def is_symptom(case: Mapping[str, Any], known: Mapping[str, Any]) -> bool:
    """Whether the case shows what the report is about."""
    symptom = case.get("symptom") or {}
    observed = case.get("observed") or ""
    if symptom.get("kind") not in KINDS[known["class"]]:
        return False
    if known["class"] == "raises":
        message = " ".join((known.get("message") or "").split()).lower()
        shown = " ".join(f"{observed} {symptom.get('message') or ''}".split()).lower()
        return symptom.get("exception") == known["exception"] and message in shown
    return known["class"] != "crash" or not known.get("signal") or known["signal"] in observed


def answers(
    case: Mapping[str, Any], known: Mapping[str, Any], version: str
) -> dict[str, bool | None]:
    """Question -> right or wrong; None where nothing is known, or nothing can be."""
    expected = known["reproduces"]
    if isinstance(expected, dict):
        expected = expected.get(version)
    told: bool | None = None
    symptom = known.get("symptom")
    if expected and isinstance(symptom, Mapping) and symptom.get("class") in KINDS:
        told = bool(case.get("reproduces")) and is_symptom(case, symptom)
    return {
        "api": is_api(case, known),
        "reproduces": None if expected is None else bool(case.get("reproduces")) == expected,
        "kind": case.get("kind") == known["bug_type"],
        "symptom": told,
    }


def interval(right: int, of: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    z = 1.96
    middle = (right + z * z / 2) / (of + z * z)
    half = z / (of + z * z) * math.sqrt(right * (of - right) / of + z * z / 4)
    return middle - half, middle + half


def main(arguments: Sequence[str]) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.reading",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("python")
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--json", type=Path, metavar="FILE")
    given = parser.parse_args(arguments)
    known: dict[str, Mapping[str, Any]] = {}
    files = []
    for folder in given.folders:
        expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
        known |= expected
        files += [folder / f"{number}.json" for number in expected]
    with tempfile.TemporaryDirectory() as kept:
        found = given.json or Path(kept, "found.json")
        if not found.exists():
            reproduced(given.python, files, found)
        print("\n".join(scored(json.loads(found.read_text(encoding="utf-8")), known)))
    return 0


def scored(document: Mapping[str, Any], known: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """What is read otherwise, by report, and the shares."""
    version = document["target"]["version"]
    reports = {Path(report["input"]).stem: report for report in document["reports"]}
    told: dict[str, list[bool]] = {question: [] for question in QUESTIONS}
    for number, entry in known.items():
        report = reports.get(number, {})
        case = report.get("case") or {}
        wrong = []
        for question, right in answers(case, entry, version).items():
            if right is not None:
                told[question].append(right)
            if right is False:
                wrong.append(question)
        if wrong:
            seen = case.get("observed") or report.get("skipped") or report.get("error") or "nothing"
            shown = (case.get("symptom") or {}).get("kind", "")
            yield f"{number}  {', '.join(wrong)}"
            yield f"    is    {entry['api']}  {_words(entry.get('symptom'))}"
            yield f"    read  {case.get('api')}  {shown}  {seen[:200]}"
    for question, results in told.items():
        if results:
            low, high = interval(sum(results), len(results))
            share = sum(results) / len(results)
            counted = f"{sum(results)} of {len(results)}"
            yield f"{question:<10}  {counted:>10}  {share:.2f} ({low:.2f} to {high:.2f})"


def _words(symptom: Mapping[str, Any] | str | None) -> str:
    if not isinstance(symptom, Mapping):
        return symptom or ""
    said = (symptom.get(name) for name in ("class", "exception", "signal", "message"))
    return "  ".join(word for word in said if word)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
