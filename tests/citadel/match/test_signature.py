"""Similarity of names and parameters."""

import numpy as np
import pytest

from analysis.catalog.model import Api, ApiKind
from citadel.match.signature import Signatures


class Model:
    def __init__(self, apis):
        self.names = [item.name for item in apis]
        self.signatures = Signatures(apis)

    def compare(self, source):
        return dict(zip(self.names, self.signatures.compare(source).score[0], strict=True))


@pytest.fixture
def signatures(api):
    apis = [
        api("torch.conv", ("input", "weight", "bias", "stride", "groups")),
        api("torch.conv_transpose", ("input", "weight", "bias", "stride", "groups")),
        api("torch.batch_norm", ("input", "weight", "bias", "eps")),
        api("torch.clamp", ("input", "min", "max")),
        api("torch.hardtanh", ("input", "min_val", "max_val")),
        api("torch.rfft", ("input", "n", "dim")),
        api("torch.irfft", ("input", "n", "dim")),
        api("torch.sort", ("input", "dim", "n")),
        api("torch.relu"),
        api("torch.log"),
        api("torch.log2"),
    ]
    return Model(apis), {item.name: item for item in apis}


def test_an_api_is_like_itself(signatures):
    model, apis = signatures
    for name, item in apis.items():
        assert model.compare(item)[name] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("source", "nearer", "farther"),
    [
        ("torch.conv", "torch.conv_transpose", "torch.batch_norm"),
        ("torch.clamp", "torch.hardtanh", "torch.relu"),
        ("torch.rfft", "torch.irfft", "torch.sort"),
        ("torch.log", "torch.log2", "torch.relu"),
    ],
)
def test_the_like_come_first(signatures, source, nearer, farther):
    model, apis = signatures
    found = model.compare(apis[source])
    assert found[nearer] > found[farther]


def test_one_parameter_apis_with_foreign_names_stay_low(signatures):
    model, apis = signatures
    assert model.compare(apis["torch.relu"])["torch.log"] < 0.4


def test_scores_are_fractions_and_symmetric(signatures):
    model, apis = signatures
    scores = {name: model.compare(item) for name, item in apis.items()}
    for left in apis:
        for right in apis:
            assert 0.0 <= scores[left][right] <= 1.0 + 1e-9
            assert scores[left][right] == pytest.approx(scores[right][left])


def test_all_against_all_is_one_against_all(api):
    apis = [api(f"torch.f{n}", tuple("abcdef"[: n % 5])) for n in range(70)]
    apis.append(Api(name="torch.unknown", kind=ApiKind.FUNCTION))
    model = Signatures(apis)
    rows = np.concatenate([block.score for _, block in model.blocks()])
    assert rows.shape == (71, 71)
    for item, row in zip(apis, rows, strict=True):
        assert model.compare(item).score[0] == pytest.approx(row)
    assert model.compare(apis[-1]).score[0][:-1].max() < 0.3
