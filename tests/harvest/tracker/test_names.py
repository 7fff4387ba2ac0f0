"""Names of the files beside a harvest."""

from pathlib import Path

import pytest

from analysis.errors import CitadelError
from citadel.hunt.inputs import reports_of
from harvest.report.model import Report
from harvest.tracker.kept import kept_reports, without_parts
from harvest.tracker.names import files_path, harvest_of, hits_path, other_part, queue_path

PARTS = ("found.queue.jsonl", "found.hits.jsonl")
LINE = '{"number": 1, "title": "t", "body": "```python\\nimport torch\\ntorch.rand(3)\\n```"}\n'


def test_they_lie_beside_the_harvest_and_lead_back_to_it():
    harvest = Path("a/found.jsonl")
    assert [queue_path(harvest).name, hits_path(harvest).name] == list(PARTS)
    assert files_path(harvest) == Path("a/found.files")
    assert [harvest_of(name) for name in PARTS] == ["found.jsonl"] * 2
    assert other_part("found.jsonl") is other_part("found.json") is None


@pytest.mark.parametrize("part", PARTS)
def test_they_are_no_harvests(tmp_path, part):
    (tmp_path / "found.jsonl").write_text(LINE)
    (tmp_path / part).write_text("{}\n")
    names = [str(tmp_path / "found.jsonl"), str(tmp_path / part)]
    assert without_parts(names) == names[:1]
    assert without_parts(names[1:]) == names[1:]
    with pytest.raises(CitadelError, match=r"is the (queue|record of hits) of a harvest"):
        list(kept_reports(tmp_path / part))


def test_a_folder_with_hits_holds_one_harvest(tmp_path):
    (tmp_path / "found.jsonl").write_text(LINE)
    (tmp_path / "found.hits.jsonl").write_text("{}\n")
    (found,) = reports_of([str(tmp_path)])
    assert isinstance(found, Report)
    assert found.number == 1
