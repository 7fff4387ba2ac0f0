"""Which API the tracer takes a callable of PyTorch for."""

import pytest

from analysis.target.instrument import instrument

pytestmark = pytest.mark.torch


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("torch._fft_c2c(x, [0], 0, True)", "torch._fft_c2c"),
        ("torch.ops.aten._fft_c2c(x, [0], 0, True)", "torch.ops.aten._fft_c2c"),
        (
            "torch._C._nn._upsample_nearest_exact1d(x.real[None, None], [8])",
            "torch._C._nn._upsample_nearest_exact1d",
        ),
        ("torch.nn.functional.softmax(x.real, 0)", "torch.nn.functional.softmax"),
        ("x.__pow__(2)", "torch.Tensor.__pow__"),  # a wrapper that calls itself `pow`
        ("x.pow(2)", "torch.Tensor.pow"),
        ("torch.FloatTensor([1, 2])", "torch.FloatTensor"),
        ("torch.Tensor(2, 3)", "torch.Tensor"),
    ],
)
def test_public_and_private_functions_have_the_names_they_are_called_by(torch_session, call, name):
    code = f"import torch\nx = torch.ones(4, dtype=torch.cfloat)\ny = {call}\n"
    seen = torch_session.run(code, traced=instrument(code).traced)
    assert seen.exception is None
    assert seen.calls[-1].name == name
