"""Pairs of equal APIs in a file, and what they link on a build."""

import json

import pytest

from analysis.errors import CitadelError
from citadel.match.matches import Matches, read_matches, write_matches
from harvest.importers.pairs import Equality, Pair


def pair(one, other, equality=Equality.VALUE, score=None):
    return Pair(one=one, other=other, equality=equality, score=score)


def test_what_is_written_is_read(tmp_path):
    given = [pair("torch.a", "torch.b", Equality.STATUS), pair("torch.c", "torch.d")]
    write_matches(tmp_path / "m", given)
    assert read_matches(tmp_path / "m").pairs == (given[1], given[0])  # the strongest first


def test_both_ends_of_a_pair_lead_to_the_other(api, build):
    apis = [api("torch.a"), api("torch.b"), api("torch.c")]
    catalog = build(apis).catalog
    given = Matches(
        pairs=(
            pair("torch.b", "torch.a"),
            pair("torch.a", "torch.c", Equality.STATUS),
            pair("torch.a", "torch.a"),
            pair("torch.a", "tf.gone"),
        )
    )
    assert given.of(apis[0], catalog) == {"torch.b": "value", "torch.c": "status"}
    assert given.of(apis[1], catalog) == {"torch.a": "value"}
    assert Matches().of(apis[0], catalog) == {}


@pytest.mark.parametrize(
    "line",
    [
        b"\x00\xff",
        b"[1, 2]",
        b'{"apis": ["a"], "equality": "value"}',
        b'{"apis": ["a", "b"], "equality": "other"}',
        b"[" * 10_000,
    ],
)
def test_a_line_that_is_no_pair(line, tmp_path):
    good = json.dumps({"apis": ["torch.a", "torch.b"], "equality": "value"}).encode()
    (tmp_path / "m").write_bytes(good + b"\n\n" + line)
    with pytest.raises(CitadelError, match="line 3: no pair") as problem:
        read_matches(tmp_path / "m")
    assert "\xff" not in problem.value.message


def test_no_file(tmp_path):
    with pytest.raises(CitadelError, match="cannot be read"):
        read_matches(tmp_path / "missing")
