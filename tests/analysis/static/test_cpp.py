"""C++ and CUDA to functions."""

from analysis.static.cpp import extract


def functions(text, language="cpp"):
    return {row[0]: row for row in extract(text.encode(), language).rows}


SOURCE = """
namespace at { namespace native {
namespace {
template <typename T>
static inline T twice(const T& a, int b = 3) { return add<T>(a) + at::mul(b); }
}
struct TORCH_API Runner : Base {
  Runner(int x) : x_(x) { start(); }
  void run(int q) const { q_.go(); [&](int z) { inner(z); }(q); }
  bool operator==(const Runner& o) const { return o.same(*this); }
};
void Runner::stop(Tensor& self, c10::optional<int64_t> v, int (*cb)(int), Tensor xs[3]) {
  at::native::halt(self);
  functor::X<D, T>()(self);
}
auto listed() -> std::vector<Tensor> { return make(); }
TORCH_IMPL_FUNC(max_out_cpu)
(const Tensor& input, IntArrayRef k) {
  AT_DISPATCH_ALL_TYPES(t, "m", [&] { kernel<scalar_t>(k); });
}
TORCH_META_FUNC2(add, Tensor)(const Tensor& self) { build(self); }
TORCH_LIBRARY_IMPL(aten, CPU, m) { m.impl("x", TORCH_FN(f)); }
TEST(Suite, Case) { check(); }
int at::native::elsewhere() = delete;
}}
"""


def test_names_kinds_and_callees():
    found = functions(SOURCE)
    place = "at::native::"
    assert {name.removeprefix(place): row[1] for name, row in found.items()} == {
        "twice": "function",
        "Runner::Runner": "constructor",
        "Runner::run": "method",
        "Runner::operator==": "method",
        "Runner::stop": "method",
        "listed": "function",
        "structured_max_out_cpu::impl": "structured",
        "structured_add_Tensor::meta": "meta",
    }
    assert found[place + "twice"][6] == ["add", "at::mul"]
    assert found[place + "Runner::stop"][6] == ["at::native::halt", "functor::X"]


def test_calls_in_lambdas_belong_to_the_function_around():
    found = functions(SOURCE)
    run = found["at::native::Runner::run"]
    assert run[6] == [".go", "inner"]
    assert run[7] == 1
    assert found["at::native::structured_max_out_cpu::impl"][6] == [
        "AT_DISPATCH_ALL_TYPES",
        "kernel",
    ]


def test_parameters_and_results():
    found = functions(SOURCE)
    assert found["at::native::twice"][4:6] == [[["const T&", "a"], ["int", "b"]], "T"]
    assert found["at::native::Runner::stop"][4] == [
        ["Tensor&", "self"],
        ["c10::optional<int64_t>", "v"],
        ["int()", "cb"],
        ["Tensor[]", "xs"],
    ]
    assert found["at::native::listed"][5] == "std::vector<Tensor>"


def test_cuda_kernels_and_launches():
    text = (
        "template <typename T>\nC10_LAUNCH_BOUNDS_1(512)\n__global__ void fill(T* out) "
        "{ out[0] = one<T>(); }\n__device__ __forceinline__ int one() { return uno(); }\n"
        "void run(int* p) { fill<int><<<1, 2, 0, at::cuda::getStream()>>>(p); }"
    )
    found = functions(text, "cuda")
    assert {name: row[1] for name, row in found.items()} == {
        "fill": "kernel",
        "one": "function",
        "run": "function",
    }
    assert found["run"][6] == ["fill", "at::cuda::getStream"]


def test_broken_text_is_counted_and_the_rest_is_found():
    found = extract(b"void f() { a(); }\n}}} ??? void (((\nvoid g() { b(); }\n", "cpp")
    assert found.errors
    assert "f" in {row[0] for row in found.rows}
