"""Whether a function of each element goes up and down, on PyTorch."""

import pytest

from analysis.target.instrument import instrument

NETWORK = """
import torch
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3, padding=1), {layer})
print(model(torch.randn({shape})))
"""
CALL = "import torch\nprint({call}(torch.linspace(-4, 4, 99)))\n"

LAYER = "torch.nn.modules.activation.{}"


def network(layer, shape="1, 1, 9, 9"):
    return NETWORK.format(layer=layer, shape=shape)


@pytest.mark.parametrize(
    ("code", "name", "told"),
    [
        (network("torch.nn.SiLU(inplace=True)"), LAYER.format("SiLU"), [False]),
        (network("torch.nn.ReLU6(inplace=True)"), LAYER.format("ReLU6"), [True]),
        (network("torch.nn.SiLU(inplace=True)", "1, 1, 2, 2"), LAYER.format("SiLU"), []),
        (network("torch.nn.Softmax(0)"), "torch.nn.modules.conv.Conv2d", []),
        (
            CALL.format(call="torch.nn.functional.hardswish"),
            "torch.nn.functional.hardswish",
            [False],
        ),
        (
            CALL.format(call="torch.nn.functional.hardtanh_"),
            "torch.nn.functional.hardtanh_",
            [True],
        ),
        (CALL.format(call="torch.nn.functional.dropout"), "torch.nn.functional.dropout", []),
        (CALL.format(call="torch.neg"), "torch.neg", [True]),
        (CALL.format(call="torch.cumsum"), "torch.cumsum", []),  # it fails
    ],
)
def test_functions_that_go_up_and_down(torch_session, code, name, told):
    seen = torch_session.run(
        code,
        traced=instrument(code).traced,
        entry="monotone:run",
        arguments={"names": [name]},
    )
    assert [event["holds"] for event in seen.extra if event.get("e") == "monotone"] == told
