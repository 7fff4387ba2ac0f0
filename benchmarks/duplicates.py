"""How well the issue that a finding is known by is found in a tracker.

usage: python -m benchmarks.duplicates HARVEST TRIAGE.json...

HARVEST is that of a tracker, TRIAGE.json what `citadel triage --json` wrote of issues in it
(`--only-reproduce` is enough). Asked are the API and the symptom that a run shows, never a word of
the report; the right issue is the report itself. Printed is the mean reciprocal rank, beside that
of a plain search for the name, the newest issue first.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from citadel.casefile import read_symptom
from citadel.report.headline import headline
from harvest.report.model import Report
from harvest.tracker.search import Tracker, open_tracker
from harvest.tracker.stored import read_harvest

LOOKED_AT = 50
_WORDS = 300


def main() -> None:
    """Print both figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("harvest", type=Path)
    parser.add_argument("triages", type=Path, nargs="+")
    given = parser.parse_args()
    issues = [one for one in read_harvest(given.harvest) if isinstance(one, Report)]
    reports = list(_reproduced(given.triages))
    with open_tracker(given.harvest) as tracker:
        searched = [_rank(_searched(tracker, one), _place(one)) for one in reports]
    listed = [_rank(_listed(issues, one), _place(one)) for one in reports]
    print(f"{len(reports)} cases in a tracker of {len(issues)} issues")
    for name, ranks in (("search", searched), ("name, newest first", listed)):
        score = fmean(1 / rank if rank else 0.0 for rank in ranks)
        first = sum(rank == 1 for rank in ranks)
        print(f"{name:20} mean reciprocal rank {score:.2f}, the right one first {first} times")


def _reproduced(paths: Sequence[Path]) -> Iterator[dict[str, Any]]:
    for path in paths:
        for report in json.loads(path.read_text(encoding="utf-8"))["reports"]:
            if report["case"] is not None and report["case"]["reproduces"]:
                yield report


def _place(report: dict[str, Any]) -> str:
    return f"{report['repository'] or ''}#{report['number']}"


def _searched(tracker: Tracker, report: dict[str, Any]) -> list[str]:
    case = report["case"]
    api, told = case["api"], headline(read_symptom(case["symptom"]), _WORDS)
    framework = {"tf": "tensorflow"}.get(api.partition(".")[0], api.partition(".")[0])
    return [one.place for one in tracker.about(api, framework, told, most=LOOKED_AT)]


def _listed(issues: Sequence[Report], report: dict[str, Any]) -> list[str]:
    leaf = report["case"]["api"].rpartition(".")[2].strip("_").lower()
    named = [one for one in issues if leaf in f"{one.title} {one.body}".lower()]
    named.sort(key=lambda one: -(one.number or 0))
    return [f"{one.repository or ''}#{one.number}" for one in named]


def _rank(places: Sequence[str], wanted: str) -> int:
    """The place of the right one, from 1 on; 0 where it is not among them."""
    return places.index(wanted) + 1 if wanted in places else 0


if __name__ == "__main__":
    main()
