"""A folder as the source of a harvest: resumed, grown, limited, with every file in it once."""

import pytest

from harvest.importers.folder import Folder
from harvest.importers.source import FuzzerFolder, skipped
from harvest.importers.table import find
from harvest.report.filters import Preset, choose
from harvest.report.model import Report
from harvest.tracker.gather import gather
from harvest.tracker.kept import is_harvest, kept_reports
from harvest.tracker.queue import write_queue
from harvest.tracker.stored import read_harvest
from tests.harvest.importers.conftest import refuse
from tests.harvest.importers.layouts import DIAGONAL, freefuzz, write


@pytest.fixture
def harvest(tmp_path):
    def run(root, name="freefuzz", limit=None):
        path = tmp_path / "out.jsonl"
        source = FuzzerFolder(find(name), Folder(root), refuse, limit=limit)
        return path, gather(source, path, limit=limit)

    return run


def test_a_case_comes_back_as_it_was_found(tmp_path, harvest):
    path, done = harvest(freefuzz(tmp_path / "ff"))
    assert (done.issues, done.complete) == (4, True)
    reports = [item for item in read_harvest(path) if isinstance(item, Report)]
    assert [report.number for report in reports] == [1, 2, 3, 4]
    first = reports[1]
    assert first.code == DIAGONAL
    assert first.repository == "freefuzz/ff"
    assert first.source == "ff/crash-oracle/potential-bug/torch.diagonal_scatter/1.py"
    assert skipped(read_harvest(path)) == {
        "success: not a bug by the fuzzer's crash-oracle": 1,
        "an API that crashed the process; the fuzzer kept no input of it": 2,
    }


def test_a_second_import_reads_only_what_is_new_or_changed(tmp_path, harvest, lines):
    root = freefuzz(tmp_path / "ff")
    path, _ = harvest(root)
    before = path.read_bytes()
    assert harvest(root)[1].fetched == 0
    assert path.read_bytes() == before
    changed = "crash-oracle/potential-bug/torch.diagonal_scatter/1.py"
    write(root, {changed: DIAGONAL + "# again\n", changed.replace("1.py", "2.py"): DIAGONAL})
    _, done = harvest(root)
    assert (done.fetched, done.issues) == (2, 5)
    assert path.read_bytes().startswith(before)
    found = {item.number: item for item in read_harvest(path) if isinstance(item, Report)}
    assert found[2].code.endswith("# again\n")
    assert found[5].source.endswith("/2.py")


def test_a_number_is_never_given_twice(tmp_path, harvest):
    root = freefuzz(tmp_path / "ff")
    path, _ = harvest(root)
    last = next(one for one in read_harvest(path) if getattr(one, "number", 0) == 4)
    emptied = root / last.source.removeprefix("ff/")
    code = emptied.read_text()
    emptied.write_text("")
    harvest(root)
    added = "crash-oracle/potential-bug/torch.diagonal_scatter/2.py"
    write(root, {added: DIAGONAL})
    harvest(root)
    emptied.write_text(code + "# again\n")
    harvest(root)
    found = {item.number: item for item in read_harvest(path) if isinstance(item, Report)}
    assert found[5].source.endswith("/2.py")
    assert "# again" in found[4].code


def test_the_limit_is_of_cases_and_a_larger_one_goes_on(tmp_path, harvest, lines):
    root = freefuzz(tmp_path / "ff")
    path, done = harvest(root, limit=2)
    assert (done.issues, done.complete) == (2, False)
    harvest(root, limit=3)
    _, done = harvest(root)
    assert (done.issues, done.complete) == (4, True)
    told = lines(path)
    files = [line.get("url") or line["source"] for line in told]
    assert len(files) == len(set(files)) == 7


def test_pages_end_in_positions_that_any_of_them_can_go_on_from(tmp_path, lines, monkeypatch):
    monkeypatch.setattr("harvest.importers.source.PAGE", 2)
    root = freefuzz(tmp_path / "ff")
    source = FuzzerFolder(find("freefuzz"), Folder(root), refuse)
    pages = list(source.pages(None, {}))
    whole = [entry.line for page in pages for entry in page.entries]
    for at, page in enumerate(pages):
        rest = [entry.line for one in source.pages(page.position, {}) for entry in one.entries]
        done = [entry.line for one in pages[: at + 1] for entry in one.entries]
        assert done + rest == whole


def test_a_harvest_is_an_input_of_its_own(tmp_path, harvest):
    path, _ = harvest(freefuzz(tmp_path / "ff"))
    assert is_harvest(str(path))
    assert not is_harvest(str(path) + ".missing")
    assert len([one for one in kept_reports(path) if isinstance(one, Report)]) == 4
    write_queue(path, choose(Preset.WIDE, (), ()))
    assert [report.number for report in kept_reports(path)] == [1, 2, 3, 4]
    write_queue(path, choose(Preset.PAPER, (), ()))
    assert list(kept_reports(path)) == []
