"""The guards behind each verdict, on the page of a family."""

from dataclasses import replace

from citadel.model import VerdictKind
from citadel.report.guarded import guards_passed
from citadel.report.markdown import family_markdown


def guarded(finding, *guards):
    return replace(finding, verdict=replace(finding.verdict, guards=guards))


def test_guards_of_all_verdicts_that_they_decide(target, make_finding, make_triage):
    triage = make_triage(
        guarded(make_finding("a.clean", VerdictKind.CLEAN), "the sibling is called", "right"),
        guarded(make_finding("a.expected", VerdictKind.EXPECTED, reason="a pole | here"), "finite"),
        guarded(make_finding("a.bug"), "the same | words"),
        guarded(make_finding("a.too"), "the same | words"),
        make_finding("a.none", VerdictKind.CLEAN),
        guarded(make_finding("a.other", VerdictKind.NOT_ADAPTED, reason="no"), "called"),
    )
    page = family_markdown(target, triage)
    rows = page[page.index("Guards behind each verdict") :].split("</details>")[0].splitlines()
    assert rows[4:-1] == [
        "| bug | `the same \\| words` |  | `a.bug`, `a.too` |",
        "| expected | `finite` | `a pole \\| here` | `a.expected` |",
        "| clean | `the sibling is called; right` |  | `a.clean` |",
    ]


def test_without_guards_there_is_no_table(make_finding):
    assert guards_passed([make_finding("a.clean", VerdictKind.CLEAN)]) == ""
