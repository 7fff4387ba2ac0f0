"""What makes APIs relatives: analogous functions that few APIs start with, and name families."""

import pytest

from citadel.family.kinship import MOST_STARTERS, Kinship
from tests.citadel.match.conftest import api, build  # noqa: F401

SLOW, FAST = "pool_slow", "pool_fast"


@pytest.fixture
def marks(api, build):  # noqa: F811
    """What function gives the marks, for a build whose APIs start with these operators."""

    def of(operators, groups=()):
        apis = [api(name, operators=found) for name, found in operators.items()]
        return Kinship(build(apis, groups=groups)).marks

    return of


def test_apis_that_start_with_analogous_functions_share_a_mark(marks):
    operators = {"torch.alpha": (SLOW,), "torch.beta": (FAST,), "torch.gamma": ("other",)}
    apart = marks(operators)
    assert not set(apart("torch.alpha")) & set(apart("torch.beta"))
    of = marks(operators, groups=((FAST, SLOW),))
    assert set(of("torch.alpha")) & set(of("torch.beta")) == {f"runs {FAST}"}
    assert not set(of("torch.alpha")) & set(of("torch.gamma"))


@pytest.mark.parametrize(("more", "telling"), [(0, True), (1, False)])
def test_what_many_apis_start_with_makes_nobody_a_relative(marks, more, telling):
    many = {f"torch.{'abcdefghij'[n // 10]}{'klmnopqrst'[n % 10]}": (SLOW,) for n in range(100)}
    some = dict(list(many.items())[: MOST_STARTERS + more])
    assert (f"runs {SLOW}" in marks(some)("torch.ak")) is telling


def test_an_api_is_of_the_family_of_its_name(marks):
    of = marks(dict.fromkeys(("torch.conv1d", "torch.nn.functional.conv2d", "torch.sort"), ()))
    assert of("torch.conv1d") == of("torch.nn.functional.conv2d") == ("family conv",)
    assert of("torch.sort") != of("torch.conv1d")


def test_unknown_names_have_no_marks(marks):
    assert marks({"torch.conv1d": (SLOW,)})("torch.conv2d") == ()
