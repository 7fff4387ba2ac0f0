"""What goes wrong elsewhere spoils no finding."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from analysis.errors import CitadelError
from analysis.target.session import Limits
from citadel.commands.placing import Placing, placed
from harvest.report.model import Report
from harvest.report.understand import understand

READING = understand(Report(source="a", title="int fails", body="```python\nimport torch\n```"))


def broken(*_, **__):
    raise CitadelError("torch in /p does not work", "run: import torch")


@pytest.fixture
def where():
    info = SimpleNamespace(framework="torch", backend="", python="/p", version="2.0")
    notes = []
    return notes, Placing(
        target=SimpleNamespace(info=info, session=broken),
        catalog=SimpleNamespace(apis={}),
        backends=broken,
        others=(
            SimpleNamespace(python="/q", frameworks=("keras",)),
            SimpleNamespace(python="/r", frameworks=("torch",), target=broken),
        ),
        limits=Limits(),
        note=notes.append,
    )


def test_each_place_that_does_not_work_is_a_note(where, make_triage, make_finding):
    notes, there = where
    plain = make_triage(make_finding("builtins.float"))
    done = replace(plain, case=replace(plain.case, check="assert 0\n"))
    found = placed(done, READING, there)
    assert replace(found, elsewhere=done.elsewhere) == done
    assert (found.elsewhere.ways, found.elsewhere.releases) == ((), ())
    assert "/q has no torch" in notes
    assert [one for one in notes if "does not work" in one] == [
        "not run: torch in /p does not work"
    ] * 3  # the backends, the ways, and the other release


def test_a_case_that_is_no_test_is_run_nowhere(where, make_triage):
    notes, there = where
    done = make_triage()
    assert placed(done, READING, there) is done
    assert notes == []
