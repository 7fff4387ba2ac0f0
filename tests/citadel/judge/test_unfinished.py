"""An object is no result: it may refuse later what it was made with."""

import pytest

from analysis.values import Value
from citadel.judge.coincidences import unfinished
from citadel.model import SymptomKind
from citadel.oracle.value import Spot, ValueOracle

SPOT = Spot(point=0)
ORACLE = ValueOracle(kind=SymptomKind.ACCEPTS, spots=(SPOT,))
NUMBER, OBJECT = (
    Value(kind="tensor", shape=(), dtype="float32"),
    Value(kind="other", text="partial"),
)


@pytest.mark.parametrize(
    ("had", "has", "is_so"),
    [
        (NUMBER, OBJECT, True),
        (NUMBER, Value(kind="module", text="Layer"), True),
        (NUMBER, NUMBER, False),
        (NUMBER, Value(kind="float", text="4.0"), False),
        (OBJECT, OBJECT, False),  # the report's own is one: an optimizer is accepted as such
    ],
)
def test_what_does_its_work_later_has_accepted_nothing_yet(had, has, is_so):
    assert unfinished(ORACLE, {SPOT: had}, {SPOT: has}) is is_so
