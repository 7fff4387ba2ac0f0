"""Families across reports do not depend on the order in which findings come."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citadel.store.database import open_to_write
from citadel.store.families import family_of

MARKS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=3, unique=True)


def parts(ordered):
    """The findings, numbered, that ended up together."""
    with tempfile.TemporaryDirectory() as folder, open_to_write(Path(folder, "s.db")) as store:
        with store.transaction() as db:
            db.execute("INSERT INTO symptoms (id, kind) VALUES ('s', 'raises')")
            for number, marks in ordered:
                family = family_of(store, "torch", marks, "root")
                db.execute(
                    "INSERT INTO findings (id, framework, api, kind, state, symptom, family, added)"
                    " VALUES (?, 'torch', 'a', 'status', 's', 's', ?, 0.0)",
                    [str(number), family],
                )
        found = {}
        for number, family in store.db.execute("SELECT id, family FROM findings"):
            found.setdefault(family, set()).add(number)
        known = {one for (one,) in store.db.execute("SELECT id FROM families")}
        assert known == found.keys()
        return {frozenset(part) for part in found.values()}


@settings(max_examples=25, deadline=None)
@given(st.lists(MARKS, min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_any_order_gives_the_same_families(marks, random):
    numbered = list(enumerate(marks))
    shuffled = random.sample(numbered, len(numbered))
    assert parts(numbered) == parts(shuffled)


def test_two_families_become_one_when_something_connects_them():
    assert len(parts([(1, ["a"]), (2, ["b"])])) == 2
    assert len(parts([(1, ["a"]), (2, ["b"]), (3, ["a", "b"])])) == 1


def test_frameworks_are_apart(store):
    with store.transaction():
        assert family_of(store, "torch", ["a"], "") != family_of(store, "tensorflow", ["a"], "")
        with pytest.raises(ValueError, match="at least one mark"):
            family_of(store, "torch", [], "")
