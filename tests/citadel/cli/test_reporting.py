"""What `citadel report` reads of a store, and what it tells of it."""

import json

import pytest

from citadel.commands import reporting
from citadel.commands.reporting import ReportRequest, run_report
from citadel.report.hunted import MOST_NAMES
from citadel.store import labels, reports, results
from citadel.store.codec import report_id
from citadel.store.findings import Kin
from citadel.store.labels import LabelKind
from citadel.store.queries import Filter
from harvest.report.model import Report
from tests.citadel.store.conftest import known, make_finding, make_triage, store  # noqa: F401

MEMBERS = 30


@pytest.fixture
def family(store, known):  # noqa: F811
    """The path of a store with one large family, whose last member has two labels."""
    found = [make_finding(f"torch.b{number:02}") for number in range(MEMBERS)]
    report = known(1)
    with store.transaction():
        results.save_findings(store, report, "b1", make_triage("torch.a", *found), Kin(marks={}))
    (last,) = store.db.execute("SELECT id FROM findings WHERE api = 'torch.b29'").fetchone()
    labels.add(store, last, LabelKind.CONFIRMED, None, "")
    labels.add(store, last, LabelKind.FIXED_IN, "2.14.0", "")
    return store.path


@pytest.fixture
def read(monkeypatch):
    """How many findings were read with all that is known of them, one number per question."""
    numbers = []
    whole = reporting.detailed

    def counted(opened, rows):
        numbers.append(len(rows))
        return whole(opened, rows)

    monkeypatch.setattr(reporting, "detailed", counted)
    return numbers


@pytest.mark.parametrize("only_new", [False, True])
def test_only_what_is_printed_is_read(family, read, capsys, only_new):
    run_report(ReportRequest(store=family, builds=("b1",), wanted=Filter(only_new=only_new)))
    assert read == [MOST_NAMES]
    shown = MEMBERS - only_new  # what is fixed is new no more
    told = capsys.readouterr().out
    assert f"... and {shown - MOST_NAMES} more (--all shows them)" in told
    assert told.count("torch.b") == MOST_NAMES


def test_all_of_a_family_are_read_together(family, read, capsys):
    run_report(ReportRequest(store=family, builds=("b1",), wanted=Filter(), show_all=True))
    assert read == [MEMBERS]
    assert capsys.readouterr().out.count("torch.b") == MEMBERS


def test_json_has_all_members_with_all_labels(family, read, capsys):
    run_report(ReportRequest(store=family, builds=("b1",), wanted=Filter(), json="-"))
    ((found,),) = [json.loads(capsys.readouterr().out)["families"]]
    assert read == [MOST_NAMES, MEMBERS]
    kinds = [[label["kind"] for label in one["labels"]] for one in found["members"]]
    assert kinds == [*[[]] * (MEMBERS - 1), ["confirmed", "fixed-in"]]
    assert found["members"][0]["reports"] == ["some/where#1"]


def test_what_a_search_has_drawn_is_told_once_per_family(store, known, capsys):  # noqa: F811
    drawn = "/h/cradle.files/0123.svg"
    searched = Report(
        source="s", title="t", body="", repository="fuzz/cradle", number=1, files=(drawn,)
    )
    with store.transaction():
        reports.add_report(store, searched, ())
    assert reports.report_of(store, report_id(searched)) == searched
    for key in (known(1), report_id(searched)):
        found = [make_finding(f"torch.b{number}") for number in range(2)]
        with store.transaction():
            triage = make_triage("torch.a", *found)
            results.save_findings(store, key, "b1", triage, Kin(marks={}))
    run_report(ReportRequest(store=store.path, builds=("b1",), wanted=Filter()))
    assert capsys.readouterr().out.count(f"  drawn when it was found: {drawn}\n") == 1
    run_report(ReportRequest(store=store.path, builds=("b1",), wanted=Filter(), json="-"))
    ((family,),) = [json.loads(capsys.readouterr().out)["families"]]
    assert [one["drawn"] for one in family["members"]] == [[drawn], [drawn]]
