"""Operators to functions: PyTorch's listing and TensorFlow's registrations."""

import pytest

from analysis.static.operators import read_entries

LISTING = """\
- func: conv1d(Tensor input, Tensor weight) -> Tensor
- func: relu_(Tensor(a!) self) -> Tensor(a!)
  dispatch:
    CPU, CUDA: relu_inplace
    MPS: at::native::relu_mps_
- func: acos(Tensor self) -> Tensor
  structured_delegate: acos.out
- func: acos.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  dispatch:
    CPU: acos_out
- func: missing(Tensor self) -> Tensor
"""
NATIVE = """\
namespace at {
namespace meta { TORCH_META_FUNC(acos)(const Tensor& self) { build_unary(self); } }
namespace native {
Tensor conv1d(const Tensor& input, const Tensor& weight) { return convolution(input, weight); }
Tensor& relu_inplace(Tensor& self) { return clamp_(self); }
TORCH_IMPL_FUNC(acos_out)(const Tensor& self, const Tensor& out) { acos_stub(self); }
}}
"""


def test_operators_of_a_checkout(tree, quick):
    folder = "aten/src/ATen/native/"
    root = tree({folder + "native_functions.yaml": LISTING, folder + "Ops.cpp": NATIVE})
    sources = quick(root)
    names = {
        name: sorted(sources.functions[one].name.removeprefix("at::") for one in ids)
        for name, ids in sources.operators.items()
    }
    assert names == {
        "aten::conv1d": ["native::conv1d"],
        "aten::relu_": ["native::relu_inplace"],
        "aten::acos": ["meta::structured_acos::meta", "native::structured_acos_out::impl"],
    }
    assert sources.counts["operators"] == 5
    assert sources.counts["mapped_operators"] == 4


@pytest.mark.parametrize("text", [b"{", b"3", b"a: b", b"\xff\xfe\x00"])
def test_a_listing_that_is_none(text):
    with pytest.raises(ValueError, match=r".+"):
        read_entries(text)


TENSORFLOW = """\
REGISTER_OP("Conv2D")
    .Input("input: T")
    .Input("filter: T")
    .Output("output: T")
    .Attr("T: {half, float}")
    .SetShapeFn([](InferenceContext* c) { return Conv2DShape(c); });
REGISTER_OP("Abs").Input("x: T").Attr("T: type");

template <typename Device, typename T>
class Conv2DOp : public OpKernel {
 public:
  explicit Conv2DOp(OpKernelConstruction* context) : OpKernel(context) { Init(context); }
  void Compute(OpKernelContext* context) override {
    OP_REQUIRES(context, ok, errors::InvalidArgument("no"));
    LaunchConv2DOp<Device, T>()(context);
  }
};
namespace functor {
template <typename T> struct abs { T operator()(T x) const { return fabs(x); } };
}

#define REGISTER_CPU(T)                                         \\
  REGISTER_KERNEL_BUILDER(                                      \\
      Name("Conv2D").Device(DEVICE_CPU).TypeConstraint<T>("T"), \\
      Conv2DOp<CPUDevice, T>);
TF_CALL_half(REGISTER_CPU);
REGISTER2(UnaryOp, CPU, "Abs", functor::abs, float, double);
"""


def test_tensorflow_registrations(tree, quick):
    sources = quick(tree({"tensorflow/core/kernels/conv_ops.cc": TENSORFLOW}))
    names = {
        name: [sources.functions[one].name for one in ids]
        for name, ids in sources.operators.items()
    }
    assert names == {"Conv2D": ["Conv2DOp::Compute"], "Abs": ["functor::abs::operator()"]}
    (compute,) = sources.operators["Conv2D"]
    assert "LaunchConv2DOp" in sources.functions[compute].callees


def test_kernels_of_one_family_are_one_group(tree, quick):
    kernel = """
class Pool{n}DOp : public OpKernel {{
  void Compute(OpKernelContext* context) override {{
    auto size = GetWindowedOutputSize(context);
    LaunchPool{n}D(context, size);
  }}
}};
REGISTER_KERNEL_BUILDER(Name("Pool{n}D").Device(DEVICE_CPU), Pool{n}DOp);
"""
    root = tree({f"tensorflow/core/kernels/pool{n}d.cc": kernel.format(n=n) for n in (2, 3)})
    sources = quick(root)
    assert sources.groups_of("Pool2D") == sources.groups_of("Pool3D") != frozenset()


KERNEL = """
class {name}Op : public OpKernel {{
  void Compute(OpKernelContext* context) override {{
    auto size = GetWindowedOutputSize(context);
    LaunchPooling(context, size);
  }}
}};
REGISTER_OP("{name}"){parts};
REGISTER_KERNEL_BUILDER(Name("{name}").Device(DEVICE_CPU), {name}Op);
"""


@pytest.mark.parametrize(
    ("parts", "alike"),
    [
        ('.Input("value: T").Attr("ksize: list(int)").Attr("T: {half}")', True),
        ('.Input("value:T").Attr( "ksize: list(int)" ).Attr("strides: list(int)")', True),
        ('.Input("handle: resource").Input("indices: int32")', False),
    ],
)
def test_what_operators_take_decides_whether_their_kernels_are_alike(tree, quick, parts, alike):
    first = '.Input("value: T").Attr("ksize: list(int)").Attr("strides: list(int)")'
    text = KERNEL.format(name="Pool", parts=first) + KERNEL.format(name="Other", parts=parts)
    sources = quick(tree({"tensorflow/core/kernels/pool.cc": text}))
    shared = sources.groups_of("Pool") & sources.groups_of("Other")
    assert bool(shared) is alike
