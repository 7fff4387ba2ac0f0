"""The walk over the public names of real builds."""

import ast
from collections import Counter

import pytest

from analysis.catalog.model import ApiKind, Provenance

pytestmark = pytest.mark.slow

UNIVERSE = {
    "torch",
    "torch.Tensor",
    "torch.nn",
    "torch.nn.functional",
    "torch.linalg",
    "torch.fft",
    "torch.special",
    "torch.sparse",
    "torch.signal.windows",
    "torch.optim",
    "torch.optim.lr_scheduler",
}


def names(catalog, name, overload=0):
    return catalog.resolve(name).signatures[overload].names()


def test_most_names_and_their_signatures_are_found(catalog):
    canonical = [api for api in catalog.apis.values() if api.kind is not ApiKind.OP]
    public = {api.name for api in canonical} | {
        alias
        for api in canonical
        for alias in api.aliases
        if not any(part.startswith("_") for part in alias.split(".")[:-1])
    }
    assert len(canonical) >= 2250
    assert len(public) >= 3000
    assert len(catalog.apis) >= 3700
    universe = [api for api in canonical if api.name.rpartition(".")[0] in UNIVERSE]
    known = [api for api in universe if api.signatures]
    assert len(known) / len(universe) >= 0.97


def test_every_object_is_listed_once(walk):
    assert [name for name, times in Counter(r["n"] for r in walk).items() if times > 1] == []


@pytest.mark.parametrize(
    ("alias", "canonical"),
    [
        ("torch.distributions.transforms.ExpTransform", "torch.distributions.ExpTransform"),
        ("torch.nn.quantized.Conv2d", "torch.ao.nn.quantized.Conv2d"),
        ("torch.conv2d", "torch.nn.functional.conv2d"),
        ("torch.nn.modules.conv.Conv2d", "torch.nn.Conv2d"),
        ("torch.functional.einsum", "torch.einsum"),
        ("torch._C._nn.gelu", "torch.nn.functional.gelu"),
        ("torch._C._linalg.linalg_inv", "torch.linalg.inv"),
        ("torch.ops.aten.add.Tensor", "torch.ops.aten.add"),
        ("torch.ops.quantized.add.default", "torch.ops.quantized.add"),
        ("torch._tensor.Tensor.clamp", "torch.Tensor.clamp"),
        ("torch._C._nn.upsample_nearest1d", "torch.ops.aten.upsample_nearest1d"),
    ],
)
def test_aliases_resolve_to_the_most_specific_public_name(catalog, alias, canonical):
    assert canonical in catalog.apis
    assert alias not in catalog.apis
    assert catalog.resolve(alias) is catalog.apis[canonical]


@pytest.mark.parametrize(
    "name",
    [
        "torch.float32",
        "torch.Size",
        "torch.FloatStorage",
        "torch.set_num_threads",
        "torch.is_grad_enabled",
        "torch.no_grad",
        "torch.autograd.enable_grad",
        "torch.nn.utils.rnn.PackedSequence_",
        "torch.utils.data.Dataset",
        "torch.Tensor._make_subclass",
        "torch.nn.functional.boolean_dispatch",
        "torch.nn.functional.handle_torch_function",
        "torch.ops.aten.list",
        "torch.Tensor.__class__",
        "torch.Tensor.__torch_function__",
        "torch._initExtension",
        "torch._nnpack_available",
        "torch.ops.aten.__and__",
    ],
)
def test_types_settings_and_helpers_are_no_apis(catalog, name):
    assert catalog.resolve(name) is None


@pytest.mark.parametrize(
    "name",
    [
        "torch.zeros",
        "torch.get_device",
        "torch.nn.functional.pad",
        "torch.svd_lowrank",
        "torch.Tensor.__matmul__",
        "torch.Tensor.__getitem__",
        "torch.Tensor.add_",
        "torch.nn.utils.rnn.pad_sequence",
        "torch.distributions.Normal",
        "torch.optim.SGD",
        "torch.optim.swa_utils.AveragedModel",
        "torch.ao.nn.quantized.functional.conv2d",
        "torch.nn.utils.prune.l1_unstructured",
        "torch.nn.utils.rnn.PackedSequence",
        "torch.autograd.graph.saved_tensors_hooks",
        "torch.utils.data.TensorDataset",
        "torch.utils.checkpoint.checkpoint",
        "torch.quasirandom.SobolEngine",
        "torch.fft.rfft2",
        "torch.ops.aten.convolution_backward",
    ],
)
def test_functions_methods_classes_and_operators_are_apis(catalog, name):
    assert name in catalog.apis


@pytest.mark.parametrize(
    "name",
    [
        "torch._convert_indices_from_csr_to_coo",
        "torch._fft_c2c",
        "torch._embedding_bag",
        "torch._ctc_loss",
        "torch.Tensor._nnz",
        "torch.Tensor._values",
        "torch._C._nn._upsample_bicubic2d_aa",
        "torch.ops.aten._ctc_loss",
        "torch.ops.aten._ctc_loss.default",
    ],
)
def test_operators_with_an_underscore_are_apis_without_documentation(catalog, name):
    api = catalog.resolve(name)
    assert not api.documented
    assert {signature.provenance for signature in api.signatures} == {Provenance.SCHEMA}


def test_a_function_with_an_underscore_and_its_operator_are_two_apis(catalog):
    assert catalog.resolve("torch._fft_c2c").kind is ApiKind.FUNCTION
    assert catalog.resolve("torch.ops.aten._fft_c2c").kind is ApiKind.OP
    assert names(catalog, "torch._fft_c2c") == ("input", "dim", "normalization", "forward")


@pytest.mark.parametrize(
    ("name", "operators", "out"),
    [
        ("torch.abs", ["abs"], True),
        ("torch.Tensor.abs_", ["abs_"], False),
        ("torch.Tensor.__iadd__", ["add_"], False),
        ("torch.linalg.inv", ["linalg_inv"], True),
        ("torch.median", ["median"], True),
        ("torch.tensordot", ["tensordot"], True),
        ("torch.nn.functional.avg_pool2d", ["avg_pool2d"], True),
        ("torch.nn.functional.interpolate", [], False),
        ("torch.ops.aten.abs", ["abs"], True),
        ("torch.nn.Conv2d", [], False),
    ],
)
def test_operators_and_output_arguments(walk, name, operators, out):
    record = next(record for record in walk if record["n"] == name)
    assert (record["o"], record["out"]) == (operators, out)


def test_an_output_overload_that_python_cannot_reach_is_none(walk):
    """Schemas have `celu.out` and `convolution.out`, which their functions refuse."""
    out = {record["n"]: record["out"] for record in walk}
    assert not out["torch.convolution"]
    assert not out["torch.celu"]


def test_kinds(catalog):
    kinds = {
        "torch.add": ApiKind.FUNCTION,
        "torch.Tensor.add": ApiKind.METHOD,
        "torch.nn.ReLU": ApiKind.MODULE,
        "torch.optim.Adam": ApiKind.CLASS,
        "torch.ops.aten.add": ApiKind.OP,
    }
    assert {name: catalog.apis[name].kind for name in kinds} == kinds


def test_schemas_give_types_defaults_and_all_overloads(catalog):
    conv = catalog.resolve("torch.nn.functional.conv2d")
    assert len(conv.signatures) == 2
    first = conv.signatures[0]
    assert first.provenance is Provenance.SCHEMA
    by_name = {parameter.name: parameter for parameter in first.parameters}
    assert [p.name for p in first.parameters if p.required] == ["input", "weight"]
    assert by_name["bias"].type == "Tensor?"
    assert (by_name["stride"].type, by_name["stride"].default) == ("int[2]", "[1, 1]")
    randint = catalog.resolve("torch.randint").signatures[0].parameters
    assert {p.name: p.default for p in randint}["dtype"] == "torch.int64"
    assert next(p for p in randint if p.name == "dtype").keyword_only


def test_functions_call_their_first_tensor_input_and_methods_self(catalog):
    assert names(catalog, "torch.clamp") == ("input", "min", "max")
    assert names(catalog, "torch.Tensor.clamp") == ("self", "min", "max")
    assert names(catalog, "torch.ops.aten.clamp") == ("self", "min", "max")


def test_the_documented_overload_comes_first(catalog):
    assert names(catalog, "torch.median") == ("input",)
    assert names(catalog, "torch.Tensor.median") == ("self", "dim", "keepdim")


def test_no_overload_takes_an_output(catalog):
    takers = [
        api.name
        for api in catalog.apis.values()
        for signature in api.signatures
        if "out" in signature.names()
    ]
    assert takers == []


def test_python_functions_are_read_by_inspect(catalog):
    interpolate = catalog.resolve("torch.nn.functional.interpolate").signatures
    assert [s.provenance for s in interpolate] == [Provenance.INSPECT]
    assert interpolate[0].names()[:4] == ("input", "size", "scale_factor", "mode")


def test_wrappers_that_pass_everything_on_have_the_signature_of_their_target(catalog):
    assert names(catalog, "torch.nn.functional.max_pool2d")[:4] == (
        "input",
        "kernel_size",
        "stride",
        "padding",
    )
    assert names(catalog, "torch.nn.init.constant") == ("tensor", "val")
    assert names(catalog, "torch.einsum")[:2] == ("equation", "tensors")


def test_layers_have_constructor_and_call(catalog):
    conv = catalog.resolve("torch.nn.Conv2d")
    required = [p.name for p in conv.signatures[0].parameters if p.required]
    assert required == ["in_channels", "out_channels", "kernel_size"]
    assert conv.call_signatures[0].names() == ("input",)
    assert names(catalog, "torch.nn.LSTM")[:3] == ("input_size", "hidden_size", "num_layers")
    assert catalog.resolve("torch.nn.Sigmoid").signatures[0].parameters == ()


def test_operators_of_the_language_take_what_python_gives_them(catalog):
    assert names(catalog, "torch.Tensor.__iadd__") == ("self", "other")
    assert names(catalog, "torch.Tensor.__rxor__") == ("self", "other")


def test_torchscript_versions_do_not_shadow_the_documented_parameters(catalog):
    signature = catalog.resolve("torch.tensor").signatures[0]
    assert signature.provenance is Provenance.DOC
    assert signature.names()[0] == "data"


def test_every_default_is_python(catalog):
    for api in catalog.apis.values():
        for signature in (*api.signatures, *api.call_signatures):
            for parameter in signature.parameters:
                if parameter.default is not None:
                    ast.parse(parameter.default, mode="eval")


def test_constructors_of_one_dtype_are_functions_of_data_or_sizes(catalog):
    for name in ("torch.FloatTensor", "torch.Tensor"):
        assert catalog.resolve(name).name == name
        assert catalog.resolve(name).kind is ApiKind.FUNCTION
        assert [names(catalog, name, n) for n in (0, 1)] == [("data",), ("size",)]
    assert names(catalog, "torch.Tensor.new") == ("self", "data")


def test_operators_of_other_libraries_are_not_those_of_the_same_name(catalog):
    assert names(catalog, "torch.ops.quantized.elu")[:3] == ("self", "output_scale",
                                                            "output_zero_point")  # fmt: skip
    assert catalog.resolve("torch.ops.quantized.elu").operators == ("quantized::elu",)
    assert catalog.resolve("torch.ops.prim.min") is None
