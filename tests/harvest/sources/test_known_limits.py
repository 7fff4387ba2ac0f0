"""What a backend refuses rightly is no bug of it, and what it breaks at is."""

import pytest

from harvest.sources.backends import Failure
from harvest.sources.judging import Judgement
from harvest.sources.known_limits import REFUSED, limit_of
from harvest.sources.model import HitKind
from harvest.sources.voting import Vote


def crashed(*names, **failure):
    odd = ("torch",)
    told = {"types": ("TypeError",), "message": "keepdims must be bool", **failure}
    return Judgement(
        layer="layer",
        kind=HitKind.CRASH,
        vote=Vote(odd=odd, majority=("tensorflow", "jax")),
        error=0.0,
        failures={name: Failure(layer="layer", **told) for name in names},
    )


KIND = "GlobalMaxPooling2D"


@pytest.mark.parametrize(
    ("value", "judged", "limit"),
    [
        (-1, crashed("torch"), REFUSED),
        (None, crashed("torch"), REFUSED),
        (True, crashed("torch"), ""),
        # It is the one that accepts it, or does not end as a refusal does.
        (-1, crashed("tensorflow", "jax"), ""),
        (-1, crashed("torch", died="signal SIGSEGV"), ""),
        (-1, crashed("torch", message="x INTERNAL ASSERT FAILED at y"), ""),
    ],
)
def test_who_refuses_nonsense_is_right(value, judged, limit):
    assert limit_of(KIND, {"keepdims": value}, judged) == limit
