"""Named files parsed with libclang."""

import json
from importlib.util import find_spec

import pytest

from analysis.errors import CitadelError
from analysis.static import precise
from analysis.static.model import Kind

needs_clang = pytest.mark.skipif(find_spec("clang") is None, reason="no libclang: extra `clang`")

SOURCE = """
#include <small.h>
#define TORCH_IMPL_FUNC(name) void structured_##name::impl
namespace at { namespace native {
struct structured_acos_out { void impl(const Tensor& self, const Tensor& out); };
extern Stub acos_stub;
template <typename T> T twice(const T& x) { return x + helper(x); }
TORCH_IMPL_FUNC(acos_out)(const Tensor& self, const Tensor& out) {
  acos_stub(self, out);
  auto each = [&](int i) { return at::add(self, i); };
  self.resize(each(1).size());
}
}}
"""
HEADER = """
namespace at {
struct Tensor { Tensor(int); void resize(int) const; int size() const; };
struct Stub { void operator()(const Tensor&, const Tensor&); };
Tensor add(const Tensor& a, int b);
template <typename T> T helper(T x);
}
"""


@pytest.fixture
def root(tree):
    return tree({"Ops.cpp": SOURCE, "Other.cpp": "int f() { return g(); }", "inc/small.h": HEADER})


@needs_clang
def test_names_are_those_of_declarations(root, quick):
    flags = ["-std=c++17", f"-I{root}/inc"]
    sources = quick(root, precise=["Ops.cpp"], flags=flags)
    found = {record.name: record for record in sources.functions.values()}
    assert set(found) == {"at::native::structured_acos_out::impl", "at::native::twice", "f"}
    impl = found["at::native::structured_acos_out::impl"]
    assert impl.kind is Kind.STRUCTURED
    assert impl.parameters == (("const Tensor &", "self"), ("const Tensor &", "out"))
    assert set(impl.callees) == {"acos_stub", "each", "at::add", ".resize", ".size"}
    assert impl.lambdas == 1
    assert "helper" in {name.rpartition("::")[2] for name in found["at::native::twice"].callees}


@needs_clang
def test_flags_from_a_compilation_database(root, quick):
    command = f"g++ -std=c++17 -Iinc -c -o Ops.o {root}/Ops.cpp"
    entry = {"directory": str(root), "file": "Ops.cpp", "command": command}
    (root / "compile_commands.json").write_text(json.dumps([entry]))
    sources = quick(root, precise=["Ops.cpp"])
    assert any(".resize" in record.callees for record in sources.functions.values())


@needs_clang
def test_without_any_function_there_is_an_error(tree, quick):
    root = tree({"Empty.cpp": "int x;", "Other.cpp": "int f() { return g(); }"})
    with pytest.raises(CitadelError, match=r"Empty.cpp") as problem:
        quick(root, precise=["Empty.cpp"])
    assert "-I" in problem.value.hint


def test_a_file_that_is_not_there(root, quick):
    with pytest.raises(CitadelError, match=r"Gone.cpp"):
        quick(root, precise=["Gone.cpp"])


def test_a_broken_compilation_database(root, quick, monkeypatch):
    monkeypatch.setattr(precise, "find_spec", lambda name: object())
    (root / "compile_commands.json").write_text("{")
    with pytest.raises(CitadelError, match="compilation database"):
        quick(root, precise=["Ops.cpp"])


def test_without_libclang(root, quick, monkeypatch):
    monkeypatch.setattr(precise, "find_spec", lambda name: None)
    with pytest.raises(CitadelError, match="libclang") as problem:
        quick(root, precise=["Ops.cpp"])
    assert "[clang]" in problem.value.hint
