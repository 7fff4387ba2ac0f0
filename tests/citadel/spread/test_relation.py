"""What a person writes on the command line as a trigger and two ways."""

import pytest

from analysis.errors import CitadelError
from citadel.spread.relation import read


def test_a_trigger_and_two_ways_are_read():
    found = read("out: dtype float64; x|inputs: scaled 1e30", "plain, meta")
    assert [(one.roles, str(one.given)) for one in found.infections] == [
        (("out",), "dtype float64"),
        (("x", "inputs"), "scaled 1e30"),
    ]
    assert list(map(str, found.ways)) == ["plain", "meta"]
    assert not found.sampled


def test_a_condition_may_have_commas():
    found = read("dim: is 0", "plain, checked result.shape == (2, 3)")
    assert found.asked == "result.shape == (2, 3)"
    assert not read("dim: is 0", "plain,meta").asked


def test_without_ways_the_call_without_the_trigger_is_the_other_one():
    assert read("input: holding nan").sampled


def test_surroundings_are_those_of_both_calls():
    found = read("input: dtype float16", " within  torch.autocast('cpu', dtype=torch.float16)")
    assert found.sampled
    assert str(found) == (
        "`input` has dtype float16 (within torch.autocast('cpu', dtype=torch.float16))"
    )
    assert not read("input: empty", "dtype float16,dtype float64").sampled
    other = read("", "set torch.use_deterministic_algorithms,plain")
    assert not other.sampled
    assert str(other) == "set torch.use_deterministic_algorithms against the plain call"


@pytest.mark.parametrize(
    ("trigger", "ways", "told"),
    [
        ("out", "", "a trigger is ROLE: FACT"),
        ("out:", "", "a trigger is ROLE: FACT"),
        ("out: big", "", "no fact is called 'big'"),
        ("out: dtype", "", "dtype takes a dtype"),
        ("out: dtype float64; __import__('os')", "", "a trigger is ROLE: FACT"),
        ("out: scaled __import__('os')", "", "scaled takes a number"),
        ("out: empty 3", "", "empty takes no value"),
        ("dim: is", "", "is takes a value"),
        ("dim: is print(1)", "", "is takes a value"),
        ("dim: is torch.load('f')", "", "is takes a value"),
        ("out: empty", "plain", "--ways takes two ways"),
        ("out: empty", "plain,checked", "checked takes a condition"),
        ("out: empty", "plain,checked result == x", "checked takes a condition"),
        ("out: empty", "plain,checked open('f', result)", "checked takes a condition"),
        ("out: empty", "within", "within takes a context"),
        ("out: empty", "within open('f')", "within takes a context"),
        ("out: empty", "within torch.device(open('f'))", "within takes a context"),
        ("out: empty", "within torch.no_grad(),", "no fact is called ''"),
        ("out: empty", "set torch.f,set torch.g", "both ways are set"),
        ("", "within torch.no_grad()", "there is nothing to spread"),
        ("out: empty", "set torch.f(1)", "set takes a switch"),
        ("inputs: compiled", "", "compiled is a way to make a call"),
        ("", "", "there is nothing to spread"),
    ],
)
def test_what_cannot_be_read_is_told(trigger, ways, told):
    with pytest.raises(CitadelError) as problem:
        read(trigger, ways)
    assert told in problem.value.message
    assert problem.value.hint


def test_a_fact_that_a_framework_lacks_is_told():
    assert read("out: empty", "plain,xla").lacking("torch") == "xla"
    assert read("out: empty", "plain,xla").lacking("tensorflow") == ""
