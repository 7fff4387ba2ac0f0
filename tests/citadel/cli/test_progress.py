"""Findings on stderr while a triage runs."""

import pytest

from citadel.commands.progress import Findings


class Recorded:
    def __init__(self, *, shown):
        self.shown = shown
        self.lines = []

    def note(self, text):
        self.lines.append(text)


@pytest.mark.parametrize(
    ("shown", "count", "lines"),
    [
        (True, 3, ["found: api1", "found: api2", "found: api3"]),
        (True, 45, [*(f"found: api{n}" for n in range(1, 11)), "found: 20 so far",
                    "found: 40 so far"]),
        (False, 9, ["found: api1"]),
        (False, 45, ["found: api1", "found: 10 so far", "found: 20 so far", "found: 40 so far"]),
    ],
)  # fmt: skip
def test_a_flood_of_findings_is_counted(shown, count, lines):
    progress = Recorded(shown=shown)
    findings = Findings(progress)
    for number in range(1, count + 1):
        findings.found(f"api{number}")
    assert progress.lines == lines
