"""Windows with a 1 at either end."""

import pytest

from analysis.values import Value
from citadel.plan.ends import with_ends
from citadel.plan.model import Step


def window(*sizes, kind="list"):
    return Value(kind=kind, items=tuple(Value(kind="int", text=str(size)) for size in sizes))


TWO = Value(kind="int", text="2")
RAW = [window(1, 2, 2, 1), window(1, 3, 1, 1)]
INNER = (Step(name="inner"),)


def ends(amount):
    return (Step(name="ends", amount=amount),)


@pytest.mark.parametrize(
    ("value", "given", "known", "steps"),
    [
        (TWO, (), RAW, ends(2)),
        (window(2, 2), (), RAW, ends(2)),
        (window(2, 2, kind="tuple"), (), RAW, ends(2)),
        (window(2, 2, 2), (), RAW, ()),
        (window(2, 2, 2), (Step(name="resize", amount=2),), RAW, ends(2)),
        (window(1, 2, 2, 1), (), RAW, ()),
        (TWO, (), [window(1, 2, 2, 1), window(1, 2, 2, 2, 1)], ()),
        (TWO, (), [window(2, 2)], ()),
        (TWO, (), [], ()),
        (window(1, 2, 2, 1), (), [window(2, 2)], INNER),
        (window(1, 2, 2, 1), (), [TWO], INNER),
        (window(1, 2, 2, 1), (), [window(2, 2, 2)], ()),
        (window(1, 2, 2, 1), (), [], ()),
        (Value(kind="str", text="'a'"), (), RAW, ()),
        (Value(kind="list", length=999), (), RAW, ()),
        (Value(kind="list", items=()), (), RAW, ()),
    ],
)
def test_ends(value, given, known, steps):
    assert with_ends(value, given, known) == steps
