"""`citadel fuzz` with a source that finds what it is told to, and as a user meets it."""

import json
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from analysis.errors import CitadelError
from citadel.commands import fuzzing
from citadel.commands.fuzzing import NOTHING_RAN, run_fuzz
from citadel.commands.progress import Interrupted, Progress
from citadel.report.fuzzed import FuzzRequest
from harvest import plugins
from harvest.importers.model import Case
from harvest.sources import table
from harvest.sources.found import read_hits
from harvest.sources.model import Hit, HitKind
from harvest.tracker.names import files_path, hits_path
from harvest.tracker.queue import read_queue
from harvest.tracker.stored import read_harvest
from tests.citadel.cli.test_import import TORCH, bugs, run
from tests.harvest.importers.layouts import DIAGONAL


class Interpreter:
    """Nothing is run with it."""

    python = "/some/python"
    frameworks = ("torch",)
    versions = {"python": "3.11.7", "torch": "2.13.0"}  # noqa: RUF012


def hit(key, *, case=True, **more):
    code = f"import torch\n\nprint(torch.{key}(torch.ones(2)))\n"
    given = {"kind": HitKind.INCONSISTENCY, "subject": f"torch.{key}", "origin": "by hand"}
    made = Case(title=f"torch.{key} differs", code=code, body="It differs.") if case else None
    return Hit(key=key, title=f"{key} differs", case=made, **given, **more)


class Source:
    """Yields what it was given; an exception among it is raised."""

    name = "made"
    summary = "made by hand"

    def __init__(self, *hits, executed=4):
        self.given, self.executed = hits, executed

    def generate(self, search):
        search.progress()
        search.tally.executed = self.executed
        search.tally.rules.add("rule")
        for one in self.given:
            if isinstance(one, BaseException):
                raise one
            yield one


@pytest.fixture
def fuzzed(tmp_path, monkeypatch):
    """Hits -> the exit status of a search that finds them, and the harvest."""

    def made(*hits, executed=4, seed=0, folder=tmp_path, **more):
        monkeypatch.setattr(table, "SOURCES", {"made": Source(*hits, executed=executed)})
        path = folder / "made.jsonl"
        request = FuzzRequest(
            source="made", budget=5, seed=seed, out=path, json=str(tmp_path / "told.json"), **more
        )
        return run_fuzz(request, Interpreter, Progress()), path

    return made


def test_a_case_becomes_a_report_that_is_queued(fuzzed, tmp_path):
    status, path = fuzzed(hit("exp", measures=(("R", 7.5),)), hit("log"))
    assert status == 0
    first, second = read_queue(path)  # though the two are almost the same
    assert (first.repository, first.number, first.title) == ("fuzz/made", 1, "torch.exp differs")
    assert second.code == "import torch\n\nprint(torch.log(torch.ones(2)))\n"
    told = json.loads((tmp_path / "told.json").read_text())
    assert told["counts"]["cases"] == told["counts"]["harvest"] == 2
    assert told["hits"][0]["measures"] == {"R": 7.5}


@pytest.mark.torch
@pytest.mark.slow
def test_cases_are_triaged_and_hunted_as_reports_are(fuzzed, tmp_path, torch_target, index_of):
    index_of(torch_target)
    found = Case(title="diagonal_scatter crashes", code=DIAGONAL, body="It fails.")
    _, path = fuzzed(hit("exp"), replace(hit("diagonal_scatter"), case=found))
    more = ("--python", TORCH, "--json", "-")
    triage = run("triage", f"{path}#2", *more, "--siblings", "20", cwd=tmp_path)
    (report,) = json.loads(triage.stdout)["reports"]
    assert (report["repository"], report["number"]) == ("fuzz/made", 2)
    assert report["case"]["reproduces"]
    assert "torch.slice_scatter" in bugs(report)
    hunt = json.loads(run("hunt", path, *more, "--per-report", "10", cwd=tmp_path).stdout)
    (build,) = hunt["builds"]
    assert (build["reports"], build["open"], build["failed"]) == (2, 0, 0)
    members = [row for family in hunt["families"] for row in family["members"]]
    assert "torch.slice_scatter" in {row["api"] for row in members}


def test_a_case_leads_to_what_was_drawn_of_it(fuzzed):
    _, path = fuzzed(hit("exp", files=((".svg", "<svg>exp</svg>"),)), hit("log"))
    drawn, plain = read_harvest(path)
    (file,) = map(Path, drawn.files)
    assert (file.parent, file.read_text()) == (files_path(path), "<svg>exp</svg>")
    assert plain.files == ()


def test_hits_without_a_case_are_recorded_with_the_reason(fuzzed, capsys):
    _, path = fuzzed(
        hit("exp", case=False, limit="documented"),
        hit("log", case=False, no_case="shows on two only"),
        hit("cos"),
    )
    rows = read_hits(hits_path(path))
    assert [(row["limit"], row["no_case"], row["case"]) for row in rows.values()] == [
        ("documented", "", None),
        ("", "shows on two only", None),
        ("", "", 1),
    ]
    assert "known limits: 1; became cases: 1; neither: 1" in capsys.readouterr().out


def test_limits_are_counted_by_their_reasons_and_only_the_others_are_named(fuzzed, capsys):
    wide = "an intermediate value of {} is beyond the range of the dtype"
    numbers = ("-21", "1.2e+03", "70000")
    limited = [hit(f"op{n}", case=False, limit=wide.format(one)) for n, one in enumerate(numbers)]
    fuzzed(*limited, hit("log", case=False, no_case="shows on two only"), hit("cos"))
    told = capsys.readouterr().out
    assert (
        "\nknown limit of 3: an intermediate value of ... is beyond the range of the dtype\n"
        in told
    )
    assert "torch.op1" not in told
    assert "shows on two only" in told
    assert "case 1" in told


def test_a_second_search_adds(fuzzed):
    fuzzed(hit("exp"), hit("log", case=False, no_case="not yet"))
    _, path = fuzzed(hit("log"), hit("exp"), hit("cos"), seed=1)
    assert [report.title for report in read_harvest(path)] == [
        "torch.exp differs",
        "torch.log differs",
        "torch.cos differs",
    ]
    rows = read_hits(hits_path(path))
    assert {key: (row["case"], row["seed"]) for key, row in rows.items()} == {
        "exp": (1, 0),
        "log": (2, 1),
        "cos": (3, 1),
    }


def test_what_was_found_before_an_interruption_is_kept(fuzzed):
    with pytest.raises(Interrupted):
        fuzzed(hit("exp"), KeyboardInterrupt(), hit("log"))
    _, path = fuzzed()
    assert [report.number for report in read_harvest(path)] == [1]
    assert [report.number for report in read_queue(path)] == [1]


def test_what_was_found_before_a_failure_is_kept(fuzzed, tmp_path):
    with pytest.raises(CitadelError, match="no backend"):
        fuzzed(hit("exp"), CitadelError("no backend"))
    assert len(list(read_queue(tmp_path / "made.jsonl"))) == 1


def test_the_harvest_of_another_source_is_left_alone(fuzzed, tmp_path, monkeypatch, capsys):
    fuzzed(hit("exp"))
    before = {one.name: one.read_bytes() for one in tmp_path.iterdir()}
    capsys.readouterr()
    monkeypatch.setattr(Source, "name", "other")
    with pytest.raises(CitadelError, match="another question"):
        fuzzed(hit("log"))
    assert capsys.readouterr().out == ""
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == before


def test_hits_are_shown_with_the_numbers_of_their_cases(fuzzed, tmp_path, capsys):
    name = "nn.functional." + "a_long_name_" * 4
    fuzzed(hit("cos"))
    fuzzed(hit("log", case=False, limit="documented"), hit(name), seed=1)
    shown = capsys.readouterr().out.splitlines()
    # Nothing is cut off or wrapped where other programs read.
    assert any(f"torch.{name} " in line and line.rstrip().endswith("case 2") for line in shown)
    told = json.loads((tmp_path / "told.json").read_text())
    assert [one["case"] for one in told["hits"]] == [None, 2]


@pytest.mark.parametrize("place", ["", "harvests/fuzz"])
def test_a_source_that_cannot_start_leaves_no_file_and_no_folder(fuzzed, tmp_path, place):
    with pytest.raises(CitadelError, match="no backend"):
        fuzzed(CitadelError("no backend"), executed=0, folder=tmp_path / place)
    assert list(tmp_path.iterdir()) == []


def test_folders_that_were_there_stay(fuzzed, tmp_path):
    (tmp_path / "harvests").mkdir()
    with pytest.raises(CitadelError):
        fuzzed(CitadelError("no backend"), executed=0, folder=tmp_path / "harvests" / "fuzz")
    assert [one.name for one in tmp_path.rglob("*")] == ["harvests"]


def test_an_interruption_before_the_first_case_is_summed_up_too(fuzzed, tmp_path, capsys):
    with pytest.raises(Interrupted):
        fuzzed(hit("log", case=False, limit="documented"), KeyboardInterrupt())
    shown = capsys.readouterr().out
    assert "4 executed" in shown
    assert "1 hit: 1 inconsistency; 1 new" in shown
    assert json.loads((tmp_path / "told.json").read_text())["counts"]["harvest"] == 0
    assert sorted(one.name for one in tmp_path.iterdir()) == ["made.hits.jsonl", "told.json"]


def test_an_interruption_before_anything_has_run_says_no_more_than_that(fuzzed, tmp_path, capsys):
    with pytest.raises(KeyboardInterrupt):
        fuzzed(KeyboardInterrupt(), executed=0)
    assert capsys.readouterr().out == ""
    assert list(tmp_path.iterdir()) == []


def test_cases_and_records_say_with_which_versions_they_were_found(fuzzed, tmp_path):
    _, path = fuzzed(hit("exp"), hit("log", case=False, no_case="no script"))
    (line,) = path.read_text().splitlines()
    assert json.loads(line)["versions"] == Interpreter.versions
    rows = read_hits(hits_path(path))
    assert [row["versions"] for row in rows.values()] == [Interpreter.versions] * 2
    told = json.loads((tmp_path / "told.json").read_text())
    assert told["target"]["versions"] == Interpreter.versions


def test_files_of_a_hit_lie_beside_the_harvest(fuzzed, tmp_path, capsys):
    bad = hit("../../exp", files=((".s/../vg", "<svg/>"),))
    _, path = fuzzed(bad)
    (found,) = files_path(path).iterdir()
    assert f"1 localisation map in {files_path(path)}" in capsys.readouterr().out.replace("\n", "")
    told = json.loads((tmp_path / "told.json").read_text())
    assert told["hits"][0]["files"] == [str(found)]
    assert found.suffix == ".svg"
    assert found.read_text() == "<svg/>"


def test_measures_that_json_cannot_hold(fuzzed):
    _, path = fuzzed(hit("exp", measures=(("R", float("nan")), ("delta", float("inf")))))
    assert read_hits(hits_path(path))["exp"]["measures"] == {"R": "nan", "delta": "inf"}


def test_a_line_of_the_record_that_was_cut_off_costs_nothing_else(fuzzed):
    _, path = fuzzed(hit("exp"))
    with hits_path(path).open("a") as file:
        file.write('{"key": "lo')
    fuzzed(hit("cos"))
    assert set(read_hits(hits_path(path))) == {"exp", "cos"}


def test_nothing_could_be_run(fuzzed):
    assert fuzzed(executed=0)[0] == NOTHING_RAN


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("random", True, "no random variant"),
        ("models", Path("saved"), "reads no saved models"),
        ("mutants", 100, "makes no mutants"),
        ("framework", "torch", "no choice of frameworks"),
    ],
)
def test_a_setting_is_refused_where_it_means_nothing(fuzzed, monkeypatch, setting, value, said):
    with pytest.raises(CitadelError, match=said):
        fuzzed(**{setting: value})
    monkeypatch.setattr(Source, "settings", (setting,), raising=False)
    assert fuzzed(**{setting: value})[0] == 0


@pytest.mark.parametrize("place", ["missing/told.json", "file/told.json"])
def test_places_are_checked_before_the_search(fuzzed, tmp_path, monkeypatch, place):
    (tmp_path / "file").write_text("regular")
    monkeypatch.setattr(table, "SOURCES", {"made": Source(hit("exp"))})
    request = FuzzRequest(
        source="made", budget=5, seed=0, out=tmp_path / "h.jsonl", json=str(tmp_path / place)
    )
    with pytest.raises(CitadelError, match="cannot write"):
        run_fuzz(request, pytest.fail, Progress())
    assert not (tmp_path / "h.jsonl").exists()


def test_the_clock_starts_with_the_first_tick(monkeypatch):
    moments = iter([100.0, 100.0, 104.0])
    monkeypatch.setattr(fuzzing.time, "monotonic", lambda: next(moments))
    clock = fuzzing.Clock("made", 10, fuzzing.Tally(), Progress())
    assert clock.seconds == 0
    clock.tick()
    monkeypatch.setattr(fuzzing.time, "monotonic", lambda: 104.0)
    assert clock.seconds == 4


def test_an_unknown_source(tmp_path):
    done = run("fuzz", "nonsense", cwd=tmp_path, status=2)
    assert "error: there is no source nonsense" in done.stderr
    assert list(tmp_path.iterdir()) == []


MADE = Source()


def test_other_packages_register_sources(monkeypatch):
    point = EntryPoint("made", "tests.citadel.cli.test_fuzz:MADE", table.GROUP)
    monkeypatch.setattr(plugins, "entry_points", lambda group: [point])
    assert table.find("made") is MADE


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("made", "tests.citadel.cli.test_fuzz:nothing", "cannot be loaded"),
        ("made", "tests.citadel.cli.test_fuzz:HitKind", "is no source made"),
        ("other", "tests.citadel.cli.test_fuzz:MADE", "is no source other"),
    ],
)
def test_what_is_no_source_is_named(monkeypatch, name, value, said):
    point = EntryPoint(name, value, table.GROUP)
    monkeypatch.setattr(plugins, "entry_points", lambda group: [point])
    with pytest.raises(CitadelError, match=said):
        table.known()
