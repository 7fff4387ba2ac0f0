"""Calls as text, and what the engine says of a pair of executions."""

import numpy as np
import pytest


class World:
    """Arrays of NumPy instead of a framework."""

    class Incomparable(Exception):
        pass

    def __init__(self):
        self.drawn = 0
        self.modules = {"np": np, "world": self}

    def state(self):
        return self.drawn

    def leaves(self, value):
        if isinstance(value, str):
            raise self.Incomparable
        array = np.asarray(value)
        return [(array.dtype.name, array)]


@pytest.fixture
def run(inside):
    """The runner's word for a pair of texts over x = [1, 2]."""
    pair_of = inside("eagle_pairs").Pair

    def seen(reference, result, **others):
        world = World()
        runner = inside("eagle_run").Runner(world)
        inputs = {"x": np.array([1.0, 2.0])}
        return runner.run(pair_of("7", "v", "np.f", inputs, reference, result, **others))

    return seen


@pytest.mark.parametrize(
    ("reference", "result", "state"),
    [
        ("x + 1", "1 + x", "equal"),
        ("x", "x + 1e-3", "differs"),
        ("x", "x.nothing", "status"),
        ("x.nothing", "x", "invalid"),
        ("x.nothing", "x.nothing", "invalid"),
        ("setattr(world, 'drawn', 1) or x", "x", "random"),
        ("'text'", "'text'", "incomparable"),
    ],
)
def test_states(run, reference, result, state):
    assert run(reference, result).state == state


class Drawing(World):
    """A world with random numbers; `told` says whether its state can be had."""

    def __init__(self, told):
        super().__init__()
        self.told = told

    def state(self):
        return self.drawn if self.told else None

    def draw(self):
        self.drawn += 1
        return float(self.drawn)


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize(
    ("result", "state"), [("world.draw() + 0", "equal"), ("world.draw() + 1", "differs")]
)
def test_random_numbers_are_drawn_from_one_seed_on_both_sides(inside, told, result, state):
    lines = "def seeded(function, *given):\n    world.drawn = 7\n    return function(*given)\n"
    pair = inside("eagle_pairs").Pair("7", "v", "np.f", {}, "world.draw()", result)
    runner = inside("eagle_run").Runner(Drawing(told))
    assert runner.run(pair).state == "random"
    assert runner.run(pair.seeded(lines)).state == state


def test_what_makes_a_function_draws_no_numbers_of_its_calls(inside):
    pairs = inside("eagle_pairs")
    inputs = {"x": 1, "y": 2}
    pair = pairs.Pair("1", "v", "np.f", inputs, "f(x, y)", "made(f)(x, y)", optimised="made(f)")
    assert pair.seeded("").reference == "seeded(lambda: f(x, y))"
    assert pair.seeded("").result == "seeded(seeded(lambda: made(f)), x, y)"


def test_where_both_are_claimed_to_work_either_may_fail(run):
    seen = run("x.nothing", "x", told=True)
    assert (seen.state, seen.side) == ("status", "reference")


def test_an_input_that_cannot_be_made_is_no_failure_of_the_call(run):
    assert run("x", "np.abs(x.nothing)", given=["x.nothing"]).state == "invalid"
    assert run("x", "np.abs(x).nothing", given=["x"]).state == "status"


def test_setup_comes_before_both(run):
    assert run("y", "x * 2", setup="y = x + x\n").state == "equal"
    assert run("y", "x", setup="y = nothing\n").state == "invalid"


def test_calls_name_their_inputs_once(inside):
    pairs = inside("eagle_pairs")
    one, other = np.ones(2), np.zeros(2)
    is_array = lambda value: isinstance(value, np.ndarray)  # noqa: E731
    call = pairs.call_of("f", [one, [other, one], (3,)], {"dim": 1, "w": other}, is_array)
    assert call.text() == "f(x, [y, x], (3,), dim=1, w=y)"
    assert call.text(lambda name: f"g({name})") == "f(g(x), [g(y), g(x)], (3,), dim=1, w=g(y))"
    assert call.without("dim").text() == "f(x, [y, x], (3,), w=y)"
    method = pairs.call_of("torch.Tensor.expand", [one, 3], {}, is_array, method=True)
    assert method.text() == "x.expand(3)"


def test_what_has_no_text_is_no_call(inside):
    pairs = inside("eagle_pairs")
    with pytest.raises(pairs.NoLiteral):
        pairs.call_of("f", [object()], {}, lambda _: False)


def test_rounds_have_all_samples_once(inside):
    share = inside("eagle_plans").share
    items = list(range(13))
    assert [one for step in range(3) for one in share(items, step)] == items


@pytest.mark.parametrize(
    ("rule", "spent", "state"),
    [
        ("1", [0.5, 0.5], "long"),
        ("1", [0.5, 0.0], "equal"),  # what runs for the first time imports, say
        ("1", [0.0], "equal"),
        ("7", [0.5, 0.5], "equal"),
    ],
)
def test_what_takes_long_as_it_is_is_not_compiled(inside, monkeypatch, rule, spent, state):
    module = inside("eagle_run")
    now = [0.0]
    monkeypatch.setattr(module.time, "process_time", lambda: now[0])
    world = World()
    world.work = lambda: now.__setitem__(0, now[0] + (spent.pop(0) if spent else 0.0)) or 1
    pair = inside("eagle_pairs").Pair(rule, "v", "np.f", {}, "world.work()", "1")
    assert module.Runner(world, 10.0).run(pair).state == state
