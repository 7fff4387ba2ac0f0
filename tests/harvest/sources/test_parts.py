"""Bugs of activations and of wrapped layers are theirs, not those of what has them."""

import numpy as np
import pytest

from harvest.sources.given import Given
from harvest.sources.parts import narrowed
from harvest.sources.suspects import Suspect, confirm

pytestmark = [pytest.mark.keras, pytest.mark.slow]
IMAGE = ((2, 9, 10, 4),)
WORDS = ((2, 12, 4),)
GRU = {"class": "GRU", "config": {"units": 4}}


@pytest.mark.parametrize(
    ("kind", "config", "shapes", "part"),
    [
        ("SeparableConv2D", {"filters": 4, "kernel_size": 2}, IMAGE, "Activation"),
        ("Dense", {"units": 3}, WORDS, "Activation"),
        ("AveragePooling2D", {"pool_size": 3, "strides": 1, "padding": "same"}, IMAGE, None),
        # It is wrong without its activation, too: which of the bugs shows is not known.
        ("Conv2D", {"filters": 4, "kernel_size": 2, "padding": "same"}, IMAGE, None),
        ("Bidirectional", {"layer": GRU}, WORDS, "GRU"),
    ],
)
def test_the_part_that_shows_it_alone_is_to_blame(planted_backends, kind, config, shapes, part):
    if kind not in ("Bidirectional", "AveragePooling2D"):
        config = {**config, "activation": "elu"}
    found = confirm(planted_backends, Suspect(kind=kind, config=config, shapes=shapes))
    assert found.judgement.vote.odd == ("tensorflow",)
    told = narrowed(planted_backends, found).suspect
    assert told.kind == (part or kind)
    if part == "Activation":
        assert told.config == {"activation": "elu"}
    if part == "GRU":
        assert told.config == {"units": 4, "go_backwards": True}


def test_numbers_that_a_layer_was_given_go_through_it_to_its_activation(planted_backends):
    suspect = Suspect(kind="Dense", config={"units": 2, "activation": "softplus"}, shapes=((1, 3),))
    weights = (np.full((3, 2), 2, "float32"), np.zeros(2, "float32"))
    given = Given(inputs=(np.float32([[5, 5, 5]]),), weights=weights)
    found = confirm(planted_backends, suspect, given=given)
    told = narrowed(planted_backends, found)
    assert told.suspect.kind == "Activation"
    np.testing.assert_allclose(told.given.inputs[0], [[30, 30]])
