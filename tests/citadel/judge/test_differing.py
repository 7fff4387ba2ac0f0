"""Arguments in which the calls differ whose results a report compares."""

from types import SimpleNamespace

import pytest

from citadel.judge.coincidences import differing


@pytest.mark.parametrize(
    ("paired", "referred", "keys"),
    [(True, False, {"kw:axis", "arg:1"}), (False, False, set()), (True, True, set())],
)
def test_what_the_compared_calls_differ_in(call, paired, referred, keys):
    calls = (
        call("f", {(2, 3)}, 1, axis=0, alpha=2.0),
        call("f", {(3, 2)}, 2, axis=1, alpha=2.0),
        call("g", {(3, 2)}, 2, axis=1, alpha=5.0),
    )
    source = SimpleNamespace(
        oracle=SimpleNamespace(paired=paired),
        referred=referred,
        call=calls[0],
        observation=SimpleNamespace(calls=calls),
    )
    assert differing(source) == keys
