"""Observations are put together from what a stranger's process wrote, whatever that is."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.target.observation import MOST_SEEN, Outcome, observe
from analysis.target.sandbox import SandboxKind

END = {"how": "exit", "code": 0}
CALL = {"e": "call", "n": 1, "s": 0, "o": 1, "d": 0, "f": "f", "form": "other"}
CALL |= {"self": None, "args": [], "kwargs": {}}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)
fields = st.sampled_from(["e", "n", "s", "o", "d", "f", "self", "args", "kwargs", "types", "value"])
forged = st.dictionaries(fields | st.just("frames"), json_values)


@settings(deadline=None)
@given(
    st.lists(
        st.builds(
            lambda kind, rest: {**CALL, **rest, "e": kind},
            st.sampled_from(["call", "return", "raise", "exception", "done", "x"]),
            forged,
        ),
        max_size=4,
    )
)
def test_any_events_make_an_observation(events):
    assert observe(events, END, "none").outcome in (Outcome.OK, Outcome.EXIT, Outcome.EXCEPTION)


def test_a_call_without_its_end_is_unfinished():
    assert not observe([CALL], END, "none").calls[0].finished


def test_a_flood_of_values_is_cut():
    events = [{"e": "watch", "k": 0, "o": n, "v": {"k": "int", "v": "1"}} for n in range(9000)]
    assert len(observe(events, END, "none").seen) == MOST_SEEN


FORGED = {
    "garbage": "bytes(range(256)) * 50",
    "deep": "b'[' * 100_000",
    "deep_but_closed": "b'{\"a\":' * 900 + b'1' + b'}' * 900",
    "digits": "b'{\"e\": ' + b'9' * 900_000 + b'}'",
    "endless_line": "b'x' * (3 << 20)",
    "infinite": 'b\'{"e": "exception", "frames": [[1, 1e999, 2]], "types": 5}\'',
    "list_for_number": 'b\'{"e": "return", "n": [1]}\'',
    "surrogate": 'b\'{"e": "exception", "types": ["\\\\\\\\ud800"], "message": ""}\'',
    "end": 'b\'{"id": 1, "end": {"how": "exit", "code": 3}}\'',
    "not_an_object": "b'[1]'",
}


@pytest.fixture(scope="module")
def plain_session(bare):
    with bare(SandboxKind.BUBBLEWRAP) as session:
        yield session


@pytest.mark.parametrize("name", FORGED)
def test_forged_events_harm_nobody(plain_session, name):
    seen = plain_session.run(f"""
import os
data = {FORGED[name]} + b"\\n"
while data: data = data[os.write(3, data):]
""")
    assert seen.outcome is Outcome.OK
    json.dumps([repr(seen)], ensure_ascii=False).encode()
    assert plain_session.run("print(2)").stdout == "2\n"


def test_tensors_in_lists_of_lists_are_known_by_their_numbers():
    pair = {"k": "tuple", "items": [{"k": "tensor", "id": 3}, {"k": "tensor", "id": 4}]}
    deep = {"k": "list", "items": [{"k": "list", "items": [{"k": "list", "items": [pair]}]}]}
    given = {"k": "list", "items": [pair, {"k": "tensor", "id": 5}]}
    (call,) = observe([{**CALL, "args": [given, deep]}], END, "none").calls
    assert [one.ids for one in call.arguments] == [(3, 4, 5), (3, 4)]
