"""How many unrelated operations show the symptom, and when that is a flood."""

from fractions import Fraction

from citadel.model import Channels
from citadel.propagate.base_rate import ENOUGH, FLOOD, BaseRate, unrelated

FAR = Channels(signature=0.1)
NEAR = Channels(context=Fraction(1, 2), signature=0.1)


def counted(*shown, channels=FAR):
    found = BaseRate(lambda name: name.rpartition(".")[2])
    for number, shows in enumerate(shown):
        found.note(f"torch.f{number}", channels, shows=shows)
    return found


def test_what_runs_alike_or_is_named_alike_is_related():
    assert unrelated(FAR)
    assert not unrelated(NEAR)
    assert not unrelated(Channels(signature=0.1, family="method"))
    assert not unrelated(Channels(signature=0.9))


def test_the_share_is_of_those_that_came_so_far():
    found = counted(*([True] * 3 + [False] * 9))
    assert (found.counts, found.rate, found.told()) == ((3, 12), 0.25, None)


def test_few_say_nothing():
    assert counted(*([True] * (ENOUGH - 1))).rate is None


def test_forms_of_one_operation_count_once():
    found = counted(*([True] * 10))
    found.note("torch.Tensor.f0", FAR, shows=False)
    assert found.counts == (10, 10)
    assert found.told().startswith("10 of 10 unrelated operations fail the same way; ")


def test_related_ones_do_not_count():
    assert counted(*([True] * 30), channels=NEAR).counts == (0, 0)


def test_so_many_in_a_row_are_a_flood():
    assert not counted(*([True] * (FLOOD - 1)), False, *([True] * (FLOOD - 1))).flooded
    found = counted(*([True] * FLOOD), False)
    assert found.flooded
    assert "only near ones were tried" in found.told()
