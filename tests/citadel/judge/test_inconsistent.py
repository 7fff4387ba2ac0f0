"""Refused in one place, accepted in another."""

import pytest

from citadel.judge.inconsistent import refused_in_part, same_words

WRONG = ("ValueError", "out of range")


@pytest.mark.parametrize(
    ("accepted", "refused", "found"),
    [
        (({(2, 3)}, 7), ({(2, 3)}, 7), {(1, "ValueError")}),
        (({(2, 3)}, 7), ({(5, 5)}, 7), {(1, "ValueError")}),  # one may be of a graph
        (({(2, 3)}, 7), ({(2, 3)}, 8), set()),
        (({(2, 3)}, 7), ({(2, 3, 4)}, 7), set()),
        (({(2, 3)}, {(2,)}), ({(2, 3)}, [1, 2]), {(1, "ValueError")}),
        (({(2, 3)}, {(1, 2)}), ({(2, 3)}, [[1, 2]]), {(1, "ValueError")}),
        (({(2, 3)}, {(2,)}), ({(2, 3)}, [[1, 2]]), set()),
        (({(2, 3)}, 7), ({(2, 3)}, "bad"), set()),
    ],
)
def test_of_the_same_arguments(call, accepted, refused, found):
    calls = [
        call("torch.f", *accepted, number=1, site=0, result={(2,)}),
        call("torch.f", *refused, number=2, site=1, raised=WRONG),
    ]
    assert refused_in_part(calls) == found


def test_what_is_refused_everywhere_is_no_inconsistency(call):
    assert refused_in_part([call("torch.f", 7, raised=WRONG)]) == frozenset()


def test_another_keyword_is_another_case(call):
    calls = [call("torch.f", 7, axis=0, result=1), call("torch.f", 7, axis=1, site=1, raised=WRONG)]
    assert refused_in_part(calls) == frozenset()


def test_what_is_let_through_where_nothing_is_traced_is_refused_in_part(call):
    calls = [call("torch.f", 7, raised=WRONG)]
    assert refused_in_part(calls, all_of_it=True) == {(0, "ValueError")}


@pytest.mark.parametrize(
    ("kind", "message", "site", "found"),
    [
        ("NotImplementedError", "\"g_cpu\" not implemented for 'Long'", 1, True),
        ("NotImplementedError", "\"g_cpu\" not implemented for 'Long'", 2, False),  # elsewhere
        ("NotImplementedError", "no such layout", 1, False),
        ("RuntimeError", "\"g_cpu\" not implemented for 'Long'", 1, False),
    ],
)
def test_two_are_refused_in_one_place_in_the_same_words(call, kind, message, site, found):
    own = [
        call("torch.f", 7, raised=("NotImplementedError", "\"f_cpu\" not implemented for 'Long'"))
    ]
    others = [
        call("torch.g", 7, result=1, site=1),
        call("torch.g", 7, site=site, raised=(kind, message)),
    ]
    assert same_words(own, others, {0: 1}, ("torch.f", "torch.g")) is found
