"""Which APIs a title speaks of."""

import pytest

from citadel.suspects import spoken


@pytest.mark.parametrize(
    ("name", "title", "found"),
    [
        ("torch.distributions.Beta", "Beta distribution yields wrong results", True),
        ("torch.distributions.Beta", "betas are wrong", False),
        ("torch.tensor", "A tensor is nan", False),  # many titles say so, of anything
        ("torch.Tensor.view", "A view is nan", False),
        ("torch.std", "std is nan", False),  # too short to be sure
        ("torch.where", "where gives a nan gradient", True),
        ("torch.where", "the gradient of where is nan", True),
        ("torch.where", "wrong results in cases where x is 0", False),
        ("torch.mean", "a name does not mean that it is there", False),
        ("torch.nn.MaxPool2d", "Maxpool2d layers are slow", False),
    ],
)
def test_a_title_speaks_of_an_api_by_a_word(api, name, title, found):
    assert spoken(api(name, "input: Tensor"), title) is found
