"""What becomes of reports before anything is run: queued, or kept with the reason against it."""

import json
from collections import Counter

import pytest

from analysis.errors import CitadelError
from citadel.hunt.enlist import NEAR, enlist
from citadel.hunt.inputs import reports_of
from citadel.store.database import open_to_write
from harvest.report.filters import Preset, choose
from harvest.tracker.queue import write_queue
from tests.citadel.hunt.scripted import OneBuild

CODE = """```python
import torch
torch.diagonal_scatter(torch.ones(2).to_sparse(), torch.ones(2))
```"""


@pytest.fixture
def store(tmp_path):
    with open_to_write(tmp_path / "citadel.db") as opened:
        yield opened


def issue(number, body):
    return {
        "number": number,
        "title": "diagonal_scatter fails with an internal assertion",
        "body": f"It crashes.\n\n{body}",
        "html_url": f"https://github.com/some/where/issues/{number}",
    }


def refusals(store):
    return dict(store.db.execute("SELECT source, reason FROM refusals").fetchall())


def test_what_says_the_same_is_not_run_and_is_told_with_whom(tmp_path, store):
    path = tmp_path / "h.jsonl"
    issues = [issue(1, CODE), issue(2, CODE), issue(3, "See the screenshot.")]
    path.write_text("".join(json.dumps(one) + "\n" for one in issues))
    write_queue(path, choose(Preset.WIDE, (), ()))
    found = enlist(store, reports_of([str(path)]), OneBuild())
    assert (found.queued, found.refused) == (1, Counter({NEAR: 1}))
    first, second = (one["html_url"] for one in issues[:2])
    assert refusals(store) == {second: f"says almost the same as {first}"}


def test_a_queue_that_is_named_beside_its_harvest_is_no_input_of_its_own(tmp_path):
    path = tmp_path / "h.jsonl"
    path.write_text(json.dumps(issue(1, CODE)) + "\n")
    write_queue(path, choose(Preset.WIDE, (), ()))
    named = sorted(str(one) for one in tmp_path.glob("*.jsonl"))
    assert len(named) == 2
    assert [one.number for one in reports_of(named)] == [1]
    named[1] = f"{tmp_path}/./{named[1].rpartition('/')[2]}"
    assert [one.number for one in reports_of(named)] == [1]
    with pytest.raises(CitadelError, match="is the queue of a harvest"):
        list(reports_of([str(tmp_path / "h.queue.jsonl")]))


def test_what_is_run_after_all_has_no_reason_against_it_any_more(tmp_path, store):
    path = tmp_path / "h.jsonl"
    path.write_text("".join(json.dumps(issue(n, CODE)) + "\n" for n in (1, 2)))
    write_queue(path, choose(Preset.WIDE, (), ()))
    enlist(store, reports_of([str(path)]), OneBuild())
    assert refusals(store)
    write_queue(path, choose(Preset.WIDE, (), ["near_duplicate"]))
    assert enlist(store, reports_of([str(path)]), OneBuild()).queued == 1
    assert refusals(store) == {}
    write_queue(path, choose(Preset.WIDE, (), ()))
    found = enlist(store, reports_of([str(path)]), OneBuild())
    assert (found.queued, found.refused, refusals(store)) == (0, Counter(), {})
