"""A plan goes on behind what crashes or hangs, and does not go on for ever."""

import pytest

from analysis.dynamic.model import CallValues, Provider, Sample
from analysis.target.session import TaskOutcome
from analysis.values import Value
from harvest.sources.eagle import drive
from harvest.sources.eagle.drive import Plan, run_plan
from harvest.sources.eagle.plans import worthwhile

PLAN = Plan(name="eager", until=1.0, grace=1.0, given={"names": []})
BEGIN = [{"total": 9, "rounds": 1}, {"entry": 3, "round": 0}]


class Scripted:
    """A session whose tasks yield what is written down, one after the other."""

    def __init__(self, *outcomes):
        self.outcomes = list(outcomes)
        self.asked = []

    def task(self, name, arguments, *, wall, on_event=lambda _: None, preload=()):
        self.asked.append((name, arguments))
        records, died = self.outcomes.pop(0)
        for record in records:
            on_event(record)
        return TaskOutcome(records=tuple(records), died=died)


def run(session, seconds=100.0):
    told = []
    return list(run_plan(session, PLAN, seconds, 7, told.append)), told


def at(key):
    return {"at": key, "rule": "1", "api": "torch.exp"}


def test_what_is_done_is_not_asked_again():
    session = Scripted(([*BEGIN, at("a"), {"done": "all"}], None))
    found, told = run(session)
    records = [one for one in told if "state" not in one]
    assert (found, len(records), len(session.asked)) == ([], 5, 1)
    assert told[-1]["worked"] >= 0
    assert session.asked[0][1]["draw"] == 7


def test_another_search_goes_on_where_one_was_killed(record):
    told_of = {"finding": record()}
    entry = {"entry": 5, "round": 0}
    session = Scripted(
        ([*BEGIN, told_of, at("a")], "signal SIGSEGV"),
        ([{"finding": record(state="crash")}], None),
        ([*BEGIN, entry, at("b")], None),  # killed in the entry
    )
    _, told = run(session)
    state = [one["state"] for one in told if "state" in one][-1]
    later = Scripted(([{"total": 9, "rounds": 1}, {"done": "all"}], None))
    records = []
    assert not list(run_plan(later, PLAN, 100.0, 7, records.append, before=state))
    asked = later.asked[0][1]
    assert (asked["place"], asked["skip"]) == ((0, 5), ["a"])
    assert asked["told"] == [("12", "torch.exp", "")]
    assert [one["state"]["done"] for one in records if "state" in one] == [True]


def test_a_crash_is_described_and_left_out(record):
    described = {"finding": record(state="crash")}
    session = Scripted(
        ([*BEGIN, at("a"), at("b")], "signal SIGSEGV"),
        ([described], None),
        ([*BEGIN, {"done": "all"}], None),
    )
    (found,), _ = run(session)
    assert (found.api, found.how) == ("torch.exp", "crash SIGSEGV")
    assert session.asked[1] == (
        "eagle_run:describe",
        {"names": [], "plan": "eager", "draw": 7, "place": (0, 3), "key": "b"},
    )
    assert session.asked[2][1]["skip"] == ["b"]
    assert session.asked[2][1]["place"] == (0, 3)


def test_a_hang_is_a_hit_too(record):
    session = Scripted(
        ([*BEGIN, at("a")], "signal SIGALRM"),
        ([{"finding": record(state="crash")}], None),
        ([*BEGIN, {"done": "all"}], None),
    )
    (found,), _ = run(session)
    assert found.how == "hang"


def test_what_the_end_of_the_time_cuts_off_is_no_hang(monkeypatch):
    clock = iter(range(0, 1000, 40))
    monkeypatch.setattr(drive.time, "monotonic", lambda: float(next(clock)))
    session = Scripted(([*BEGIN, at("a")], "signal SIGALRM"))
    found, told = run(session, seconds=40.0)
    assert (found, told[-1], len(session.asked)) == ([], {"worked": 40.0}, 1)


def test_only_the_first_start_is_not_of_the_time(monkeypatch):
    clock = iter(range(0, 1000, 10))
    monkeypatch.setattr(drive.time, "monotonic", lambda: float(next(clock)))
    session = Scripted(([*BEGIN, at("a")], "lost"), ([*BEGIN, {"done": "all"}], None))
    told = []
    list(run_plan(session, PLAN, 100.0, 7, told.append))
    assert [asked["warm"] for _, asked in session.asked] == [False, True]
    session = Scripted(([*BEGIN, {"done": "all"}], None))
    list(run_plan(session, PLAN, 100.0, 7, told.append, warm=True))
    assert [asked["warm"] for _, asked in session.asked] == [True]


def test_a_plan_without_the_time_for_a_pair_leaves_it_to_the_others():
    made = (
        Plan(name="eager", until=0.6, grace=1.0, least=5.0),
        Plan(name="quick", until=0.9, grace=1.0, least=3.0),
        Plan(name="slow", until=1.0, grace=1.0, least=15.0),
    )
    shares = {
        budget: [(plan.name, plan.until) for plan in worthwhile(made, budget)]
        for budget in (1.0, 20.0, 200.0)
    }
    assert shares == {
        1.0: [("eager", 1.0)],
        20.0: [("eager", 0.6), ("quick", 1.0)],
        200.0: [("eager", 0.6), ("quick", 0.9), ("slow", 1.0)],
    }


def test_a_server_that_is_lost_accuses_nobody():
    session = Scripted(([*BEGIN, at("a")], "lost"), ([*BEGIN, {"done": "all"}], None))
    found, _ = run(session)
    assert found == []
    assert session.asked[1][1]["skip"] == ["a"]


def test_what_dies_outside_of_a_pair_costs_its_entry():
    session = Scripted((BEGIN, "exception MemoryError"), ([*BEGIN, {"done": "all"}], None))
    run(session)
    assert session.asked[1][1]["place"] == (0, 4)


def test_findings_are_not_told_twice(record):
    session = Scripted(
        ([*BEGIN, {"finding": record()}, at("a")], "lost"), ([*BEGIN, {"done": "all"}], None)
    )
    run(session)
    assert session.asked[1][1]["told"] == [("12", "torch.exp", "")]


def test_what_cannot_begin_is_not_tried_again():
    session = Scripted(([], "exception ImportError: no"))
    assert run(session) == ([], [])


def test_deaths_have_an_end(monkeypatch):
    monkeypatch.setattr(drive, "MOST_DEATHS", 3)
    session = Scripted(*[([*BEGIN, at(str(number))], "lost") for number in range(9)])
    run(session)
    assert len(session.asked) == 3


def test_the_budget_ends_it(monkeypatch):
    clock = iter(range(0, 1000, 40))
    monkeypatch.setattr(drive.time, "monotonic", lambda: float(next(clock)))
    session = Scripted(*[([*BEGIN, at(str(number))], "lost") for number in range(9)])
    run(session, seconds=100.0)
    assert [asked["seconds"] for _, asked in session.asked] == [100.0, 60.0, 20.0]


@pytest.mark.parametrize("framework", ["torch", "tensorflow"])
def test_compilers_only_get_what_the_other_rules_leave(framework, monkeypatch):
    from types import SimpleNamespace

    from harvest.sources.eagle import plans

    monkeypatch.setattr(plans, "load_or_build", lambda _: SimpleNamespace(samples={}))
    target = SimpleNamespace(info=SimpleNamespace(framework=framework, version="2.9.0"))
    made = plans.plans_for(target)
    assert made[0].name == "eager"
    assert [plan.until for plan in made] == sorted(plan.until for plan in made)
    assert made[0].until >= 0.5
    assert made[-1].until == 1.0
    assert [plan.name for plan in plans.plans_for(target, ["eager"])] == ["eager"]


def test_functions_without_samples_of_tests_come_with_their_examples(monkeypatch):
    from types import SimpleNamespace

    from harvest.sources.eagle import plans

    tensor = Value(kind="tensor", dtype="int8", layout="strided", shape=(1,), content="[5]")
    other = Value(kind="other", text="a.B")
    shown, unwritten, made_up = (
        Sample(provider=provider, call=CallValues(arguments=(value,), keywords={}))
        for provider, value in (
            (Provider.EXAMPLE, tensor),
            (Provider.EXAMPLE, other),
            (Provider.SYNTHESIS, tensor),
        )
    )
    samples = {"torch.f": [shown, unwritten, made_up], "torch.g": [made_up], "torch.h_": [shown]}
    monkeypatch.setattr(plans, "load_or_build", lambda _: SimpleNamespace(samples=samples))
    target = SimpleNamespace(info=SimpleNamespace(framework="torch", version="1.13.0a0"))
    (plan,) = plans.plans_for(target)
    call = [[{"t": ["int8", [1], [5]]}], {}]
    assert plan.given["names"] == [["torch.f", [call]], ["torch.g", []]]


def test_old_builds_have_no_compiler(monkeypatch):
    from types import SimpleNamespace

    from harvest.sources.eagle import plans

    monkeypatch.setattr(plans, "load_or_build", lambda _: SimpleNamespace(samples={}))
    target = SimpleNamespace(info=SimpleNamespace(framework="torch", version="1.13.0a0"))
    assert [plan.name for plan in plans.plans_for(target)] == ["eager"]


@pytest.mark.parametrize(
    ("wanted", "there", "hint"),
    [
        ("torch", ("tensorflow",), "an interpreter that has torch"),
        ("keras", ("keras", "torch"), "one of them with --framework"),
        ("", ("keras",), "an interpreter that has one of them"),
    ],
)
def test_a_framework_must_have_rules_and_be_there(wanted, there, hint):
    from types import SimpleNamespace

    from analysis.errors import CitadelError
    from harvest.sources.eagle.source import Eagle

    search = SimpleNamespace(framework=wanted, interpreter=SimpleNamespace(frameworks=there))
    with pytest.raises(CitadelError, match="EAGLE has rules for torch and tensorflow") as problem:
        next(Eagle().generate(search))
    assert hint in problem.value.hint


@pytest.mark.parametrize(
    ("wanted", "searched"),
    [("", [("torch", 30.0), ("tensorflow", 30.0)]), ("tensorflow", [("tensorflow", 60.0)])],
)
def test_the_frameworks_that_are_asked_for_share_the_time(monkeypatch, wanted, searched):
    from types import SimpleNamespace

    from harvest.sources.eagle import source
    from harvest.sources.model import NoNotes

    def run(eagle, search, name, budget, remembered):
        return SimpleNamespace(hits=lambda: [(name, budget)])

    monkeypatch.setattr(source, "_Run", run)
    interpreter = SimpleNamespace(frameworks=("keras", "tensorflow", "torch"))
    search = SimpleNamespace(
        framework=wanted, interpreter=interpreter, budget=60.0, notes=NoNotes()
    )
    assert list(source.Eagle().generate(search)) == searched
