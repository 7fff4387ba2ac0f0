import pytest

from citadel.places import Place, State, turns


@pytest.mark.parametrize(
    ("states", "told"),
    [
        ({"1": "good", "2": "bad"}, "first bad: 2 (good in 1)"),
        ({"1": "bad", "2": "fails otherwise", "3": "good"}, "first good: 3 (bad in 1)"),
        (
            {"1": "good", "2": "bad", "3": "good"},
            "first bad: 2 (good in 1); first good: 3 (bad in 2)",
        ),
        ({"1": "bad", "2": "bad"}, "bad in 1, 2"),
        ({"1": "has no such API", "2": "good"}, "good in 2"),
        ({"1": "control fails, too"}, "no build says whether the bug is there"),
    ],
)
def test_between_which_releases_it_changed(states, told):
    releases = [Place(version, State(state), "") for version, state in states.items()]
    assert turns(releases) == told
