"""Samples that reports teach."""

import pytest

from analysis.dynamic.learned import MOST_PER_API, learn, merged, read_learned
from analysis.dynamic.model import CallValues, Provider, Sample
from analysis.values import Value


def sample(number, provider=Provider.REPORT, constructor=None):
    value = Value(kind="int", text=str(number))
    call = CallValues(arguments=(value,), keywords={"dim": value})
    return Sample(provider=provider, call=call, constructor=constructor)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "index" / "build.learnt"


def test_what_was_learnt_is_there_next_time(path):
    built = CallValues(arguments=(Value(kind="tensor", shape=(2, 3), dtype="float32"),))
    layer = sample(1, constructor=built)
    learn(path, {"torch.f": (sample(1),), "torch.nn.F": (layer,)})
    learn(path, {"torch.f": (sample(1), sample(2))})
    assert read_learned(path) == {"torch.f": (sample(1), sample(2)), "torch.nn.F": (layer,)}


def test_nothing_is_written_twice(path):
    learn(path, {"torch.f": (sample(1),)})
    size = path.stat().st_size
    learn(path, {"torch.f": (sample(1),)})
    assert path.stat().st_size == size


def test_an_api_learns_only_so_much(path):
    for number in range(9):
        learn(path, {"torch.f": (sample(number),)})
    assert len(read_learned(path)["torch.f"]) == MOST_PER_API


def test_damaged_lines_cost_themselves(path):
    learn(path, {"torch.f": (sample(1),)})
    with path.open("ab") as file:
        file.write(b'\xff\x00\n[1]\n["torch.g", 5]\n["torch.g", {"a": 5, "k": {}}]\n["torch')
    assert read_learned(path) == {"torch.f": (sample(1),)}


def test_a_place_that_cannot_be_written_is_no_problem(tmp_path):
    (tmp_path / "file").write_text("")
    learn(tmp_path / "file" / "x.learnt", {"torch.f": (sample(1),)})
    assert read_learned(tmp_path / "file" / "x.learnt") == {}


def test_the_order_of_trust():
    known = {
        "torch.f": (sample(1, Provider.OPINFO), sample(2, Provider.SYNTHESIS)),
        "torch.g": (sample(3, Provider.SYNTHESIS),),
    }
    found = merged(known, {"torch.f": (sample(4), sample(5)), "torch.h": (sample(6),)}, 3)
    assert [s.call.arguments[0].text for s in found["torch.f"]] == ["1", "4", "5"]
    assert found["torch.g"] == known["torch.g"]
    assert found["torch.h"] == (sample(6),)
