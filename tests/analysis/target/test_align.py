"""Points of a rewritten text: the same places as in the original, whatever came or went."""

import libcst as cst
import pytest

from analysis.target.instrument import instrument, watched
from analysis.target.watch import points_of


def names(original, rewritten):
    """Text of a point -> text of the original's point that it is; what is missing."""
    points = points_of(cst.parse_module(original))
    case = watched(instrument(rewritten), points)
    found = {
        case.points[number].text: points[number].text
        for number in range(len(points))
        if number not in case.missing
    }
    return found, {points[number].text for number in case.missing}


@pytest.mark.parametrize(
    ("original", "rewritten", "found", "missing"),
    [
        ("print(f(x))\n", "print(g(x))\n", {"g(x)": "f(x)"}, set()),
        (
            "y = f(x <= 0, a)\nprint(y)\nassert y == z\n",
            "y = g(a)\nprint(y)\nassert y == z\n",
            {"y": "y", "y == z": "y == z", "z": "z"},
            {"x <= 0", "x"},
        ),
        (
            "print(f(a, b))\nprint(h(a == b))\n",
            "print(g(a, b != 0))\nprint(h(a == b))\n",
            {
                "g(a, b != 0)": "f(a, b)",
                "h(a == b)": "h(a == b)",
                "a == b": "a == b",
                "a": "a",
                "b": "b",
            },
            set(),
        ),
        # Which of two is gone cannot be told by their texts: neither is taken for the other.
        (
            "f(print(p), print(q))\nprint(r)\n",
            "g(print(s))\nprint(r)\n",
            {"r": "r"},
            {"p", "q"},
        ),
    ],
)
def test_places_are_those_of_the_original(original, rewritten, found, missing):
    told, gone = names(original, rewritten)
    assert {new: told[new] for new in found} == found
    assert missing <= gone
    assert not gone & set(told.values())


def test_only_the_original_places_are_watched_by_its_numbers():
    points = points_of(cst.parse_module("print(f(x))\nprint(last)\n"))
    case = watched(instrument("print(g(x, y == 0))\nprint(last)\n"), points)
    assert case.text == (
        "print(__citadel_watch__(0, g(x, y == 0)))\nprint(__citadel_watch__(1, last))\n"
    )
    assert [point.text for point in case.points] == ["g(x, y == 0)", "last"]
