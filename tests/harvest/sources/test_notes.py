"""What a search notes comes back as it was, and only to an equal search."""

import json

import numpy as np
import pytest

from analysis.errors import CitadelError
from harvest.sources.audee.causes import Causes
from harvest.sources.layers import LAYERS
from harvest.sources.lemon.mutants import Mutant
from harvest.sources.notes import Written
from harvest.sources.packing import pack, unpack
from harvest.sources.seeds import FAMILIES, seed_network
from harvest.sources.suspects import Suspect

QUESTION = {"source": "made", "seed": 0, "models": [["a", 1, 2.5]]}


def through_json(value):
    return unpack(json.loads(json.dumps(pack(value))))


@pytest.mark.parametrize(
    "value",
    [
        None,
        {"a": (1, 2.5, True, "x"), 3: [None]},
        {("pair", 0), ("pair", 1)},
        float("inf"),
        Causes(kind="Dense", mends={"units": (3, 4)}, fails=("axis",)),
        np.random.default_rng(5).bit_generator.state,
    ],
)
def test_values_come_back_as_they_were(value):
    again = through_json(value)
    assert again == value
    assert type(again) is type(value)


@pytest.mark.parametrize("spec", LAYERS, ids=lambda spec: f"{spec.kind}-{spec.rank}")
def test_every_value_of_the_table_of_parameters_can_be_noted(spec):
    for one in spec.parameters:
        for value in (*one.legal, *one.invalid):
            suspect = Suspect(kind=spec.kind, config={one.name: value}, shapes=((1, 2),))
            again = through_json(suspect)
            assert repr(again) == repr(suspect)  # NaN equals nothing, but is written alike


def test_arrays_come_back_and_are_written_once():
    network = seed_network(FAMILIES[0], 0)
    shared = np.arange(6, dtype="float32").reshape(2, 3)
    one, other = (
        Mutant(seed="s", network=network, weights={"a": (shared,)}, shapes={"a": (2, 3)}, acc=acc)
        for acc in (0.5, 0.25)
    )
    packed = pack([one, other])
    assert len(packed["arrays"]) == 1
    first, second = unpack(json.loads(json.dumps(packed)))
    assert (first.network, second.acc, first.shapes) == (network, 0.25, {"a": (2, 3)})
    np.testing.assert_array_equal(second.weights["a"][0], shared)
    assert second.weights["a"][0].dtype == shared.dtype


@pytest.mark.parametrize(
    "packed",
    [
        {"value": {"data": ["Path", [["name", "x"]]]}, "arrays": []},
        {"value": {"call": ["os.system", "x"]}, "arrays": []},
        {"value": {"array": 0}, "arrays": [["|O", [1], "AAAAAAAAAAA="]]},
    ],
)
def test_nothing_else_can_be_made_of_a_file(packed):
    with pytest.raises((KeyError, ValueError)):
        unpack(packed)


def test_what_is_not_known_is_no_note():
    with pytest.raises(TypeError, match="cannot keep object"):
        pack({"a": object()})


@pytest.fixture
def notes(tmp_path):
    def made(question=QUESTION):
        return Written(tmp_path / "made.search", question, [tmp_path / "made.jsonl"])

    return made


def test_an_equal_search_goes_on(notes):
    first = notes()
    assert (first.read(), first.resumed) == ({}, False)
    first.write(lambda: {"next": 3, "keys": {"a"}})
    second = notes()
    assert second.read() == {"next": 3, "keys": {"a"}}
    assert second.resumed


def test_another_search_starts_over(notes):
    notes().write(lambda: {"next": 3})
    assert notes({**QUESTION, "seed": 1}).read() == {}
    assert notes({**QUESTION, "models": [["a", 1, 3.5]]}).read() == {}


def test_a_search_that_came_to_its_end_starts_over(notes):
    first = notes()
    first.write(lambda: {"next": 3})
    first.clear()
    assert notes().read() == {}
    first.clear()  # also where there is nothing


def test_notes_count_for_nothing_without_what_was_found(notes, tmp_path):
    found = tmp_path / "made.jsonl"
    found.write_text("a case\n")
    notes().write(lambda: {"next": 3})
    found.write_text("a case\nanother\n")
    assert notes().read() == {"next": 3}
    found.unlink()
    assert notes().read() == {}


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"schema": 0}', '{"schema": 1}'])
def test_a_damaged_file_counts_for_nothing(notes, tmp_path, damage):
    notes().write(lambda: {"next": 3})
    (tmp_path / "made.search").write_text(damage)
    assert notes().read() == {}


def test_notes_are_written_now_and_then(notes, monkeypatch):
    moments = iter([0.0, 0.2, 1.0, 4.3, 4.4])  # the first one took a fifth of a second
    monkeypatch.setattr("harvest.sources.notes.time.monotonic", lambda: next(moments))
    mine, made = notes(), []

    def state():
        made.append(1)
        return {"next": len(made)}

    for _ in range(3):
        mine.write(state)
    assert len(made) == 2


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    notes = Written(tmp_path / "file" / "made.search", QUESTION, ())
    with pytest.raises(CitadelError, match="cannot be written"):
        notes.write(dict)
