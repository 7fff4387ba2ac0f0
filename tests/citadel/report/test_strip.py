"""Strips of measured ratios."""

from citadel.report.strip import WIDTH, strips


def test_one_line_per_api_on_one_logarithmic_axis():
    first, second, axis = strips([("torch.f", (1.0, 1.0, 4.0)), ("torch.longer", (2.0,))]).split(
        "\n"
    )
    assert first == "torch.f               1 |:" + " " * (WIDTH - 2) + ".|"
    middle = second.partition("|")[2]
    assert middle.index(".") in (WIDTH // 2 - 1, WIDTH // 2)
    assert axis.split() == ["1", "4"]
    assert len(axis) == len(first)


def test_equal_and_negative_samples_have_a_place():
    assert "#" in strips([("f", [1.5] * 9)])
    assert strips([("f", (-2.0, 2.0))]).count(".") == 2


def test_without_samples_there_is_nothing():
    assert strips([("f", ())]) == ""
