"""Crashes, hangs and refusals of samples cost only themselves. A session is played by a script."""

import pytest

from analysis.dynamic.run import MOST_AT_ONE_ENTRY, MOST_RESTARTS, Job, reason, run_part
from analysis.target.session import TaskOutcome


class Script:
    """Stands in for a session: two entries of two calls, of which some die."""

    def __init__(self, deadly=None, *, in_making=()):
        self.deadly = dict(deadly or {})
        self.in_making = dict(in_making)
        self.asked = []

    def task(self, name, arguments, *, wall, on_event, preload):
        assert (name, arguments["names"]) == ("examples", [])
        self.asked.append(arguments)
        died = None
        for record in self.records(arguments):
            if "died" in record:
                died = record["died"]
                break
            on_event(record)
        return TaskOutcome(records=(), died=died)

    def records(self, arguments):
        for entry in range(arguments["first"], 2):
            yield {"entry": entry, "of": 2}
            if entry in self.in_making:
                yield {"died": self.in_making[entry]}
            worked = []
            for number in range(2):
                key = f"torch.f{entry}#{number}"
                if key in arguments["skip"]:
                    continue
                yield {"at": key}
                if key in self.deadly:
                    yield {"died": self.deadly[key]}
                worked.append({"a": [number], "k": {}})
            if worked:
                yield ran(f"torch.f{entry}", worked)
            else:
                yield {"n": f"torch.f{entry}", "f": "no samples", "v": "example"}


def ran(name, samples):
    return {"n": name, "v": "example", "s": {"forward": ["aten::f"]}, "x": samples}


def run(script, past=()):
    seen, kept = [], []
    job = Job(task="examples", given={"names": []})
    part = run_part(
        script, job, progress=lambda *step: seen.append(step), past=past, keep=kept.append
    )
    return part, seen, kept


def test_all_is_well():
    part, seen, _ = run(Script())
    assert part.sets == {name: {"forward": {"aten::f"}} for name in ("torch.f0", "torch.f1")}
    assert part.whole
    assert not part.problems
    assert seen[-1] == (2, 2)


def test_a_crash_costs_one_sample_and_earlier_entries_are_not_repeated():
    script = Script({"torch.f1#0": "signal SIGSEGV"})
    part, _, _ = run(script)
    assert part.deaths == {"torch.f1#0": "crash SIGSEGV"}
    assert len(part.samples["torch.f1"]) == 1
    assert len(part.samples["torch.f0"]) == 2
    assert [arguments["first"] for arguments in script.asked] == [0, 1]
    assert part.whole


def test_a_hang_and_a_crash_of_one_entry_leave_the_other_entry():
    script = Script({"torch.f0#0": "signal SIGALRM", "torch.f0#1": "signal SIGABRT"})
    part, _, _ = run(script)
    assert part.deaths == {"torch.f0#0": "hang", "torch.f0#1": "crash SIGABRT"}
    assert part.problems == {"torch.f0": "no samples"}
    assert set(part.sets) == {"torch.f1"}


def test_an_entry_whose_samples_cannot_be_made_is_passed_over():
    part, _, _ = run(Script(in_making={0: "signal SIGSEGV"}))
    assert set(part.sets) == {"torch.f1"}
    assert part.whole


@pytest.mark.parametrize("died", ["lost", "timeout"])
def test_what_ends_without_a_signal_accuses_no_sample(died):
    part, _, _ = run(Script({"torch.f0#1": died}))
    assert part.deaths == {}
    assert set(part.sets) == {"torch.f0", "torch.f1"}
    assert part.whole


def test_samples_that_are_seen_again_after_a_crash_count_once():
    class Late(Script):
        def records(self, arguments):
            yield {"entry": 0, "of": 1}
            yield ran("torch.f", [{"a": [1], "k": {}}])
            if not arguments["skip"]:
                yield {"at": "torch.g#0"}
                yield {"died": "signal SIGSEGV"}

    part, _, _ = run(Late())
    assert len(part.samples["torch.f"]) == 1


def test_an_entry_that_dies_without_end_is_given_up():
    class Deadly(Script):
        def records(self, arguments):
            for entry in range(arguments["first"], 2):
                yield {"entry": entry, "of": 2}
                if entry == 0:
                    yield {"at": f"torch.f0#{len(arguments['skip'])}"}
                    yield {"died": "signal SIGSEGV"}
                yield ran("torch.f1", [])

    script = Deadly()
    part, _, _ = run(script)
    assert len(script.asked) == MOST_AT_ONE_ENTRY + 1
    assert part.whole
    assert "torch.f1" in part.sets


@pytest.mark.parametrize("known", range(1, 9))
def test_a_part_that_was_cut_short_goes_on_where_it_was(known):
    deadly = {"torch.f0#1": "signal SIGSEGV"}
    whole, _, kept = run(Script(deadly))
    script = Script(deadly)
    again, _, _ = run(script, past=kept[:known])
    assert (again.sets, again.deaths, again.samples) == (whole.sets, whole.deaths, whole.samples)
    if {"entry": 1, "of": 2} in kept[:known]:
        assert all(arguments["first"] == 1 for arguments in script.asked)


def test_a_part_that_was_done_is_not_run_again():
    whole, _, kept = run(Script())
    script = Script()
    again, seen, _ = run(script, past=kept)
    assert script.asked == []
    assert again == whole
    assert seen == [(2, 2)]


def test_a_target_that_dies_at_once_is_not_asked_for_ever():
    class Dead:
        asked = 0

        def task(self, name, arguments, *, wall, on_event, preload):
            self.asked += 1
            return TaskOutcome(records=(), died="lost")

    dead = Dead()
    part, _, _ = run(dead)
    assert dead.asked < MOST_RESTARTS
    assert not part.whole
    assert part.problems == {"examples": "lost"}


@pytest.mark.parametrize(
    ("died", "expected"),
    [
        ("signal SIGALRM", "hang"),
        ("signal SIGFPE", "crash SIGFPE"),
        ("exception ImportError: no module", "exception ImportError"),
    ],
)
def test_reasons(died, expected):
    assert reason(died) == expected


class Blocking(Script):
    """Both calls of the first entry do not return."""

    def __init__(self):
        super().__init__({"torch.f0#0": "signal SIGALRM", "torch.f0#1": "signal SIGALRM"})

    def records(self, arguments):
        for record in super().records(arguments):
            yield {**record, "call": "text"} if "at" in record else record


@pytest.mark.parametrize(("once", "deaths"), [(True, 1), (False, 2)])
def test_what_blocks_is_not_called_again_where_its_calls_are_alike(once, deaths):
    job = Job(task="examples", given={"names": []}, blocks_once=once)
    part = run_part(Blocking(), job, progress=lambda *_: None)
    assert len(part.deaths) == len(part.calls) == deaths
    assert "torch.f1" in part.sets


def test_processes_learn_from_each_other():
    class Learning(Script):
        def task(self, name, arguments, **options):
            known.append(arguments.pop("known"))
            return super().task(name, arguments, **options)

        def records(self, arguments):
            yield {"entry": 0, "of": 2}
            if not arguments["skip"]:
                yield {"known": ["table", "how"]}
                yield {"at": "torch.queue#handle", "seeks": "queue"}
                yield {"died": "signal SIGSEGV"}
            yield ran("torch.f", [])

    known = []
    job = Job(task="examples", given={"names": []}, known={})
    run_part(Learning(), job, progress=lambda *_: None)
    assert known == [{}, {"table": "how", "queue": None}]
