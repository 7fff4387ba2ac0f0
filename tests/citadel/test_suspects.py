"""Which APIs a title speaks of."""

import pytest

from analysis.catalog.model import ApiKind
from citadel.suspects import named, spoken
from harvest.report.model import Mention


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


@pytest.mark.parametrize(
    ("name", "mention", "found"),
    [
        ("torch.nn.SoftMarginLoss", "soft_margin_loss", True),
        ("torch.nn.CrossEntropyLoss", "F.cross_entropy", True),
        ("torch.nn.functional.max_pool2d", "MaxPool2d", True),
        ("torch.nn.functional.max_pool2d", "MaxPool3d", False),
        ("torch.nn.SoftMarginLoss", "multilabel_soft_margin_loss", False),
        ("torch.nn.SoftMarginLoss", "loss", False),
    ],
)
def test_a_layer_is_named_by_its_function_and_the_other_way_round(api, name, mention, found):
    module = api(name, kind=ApiKind.MODULE)
    assert named(module, [Mention(name=mention, title=1, body=0)]) is found
