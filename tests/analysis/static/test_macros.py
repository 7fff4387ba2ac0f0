"""Functions made by macros of the same file."""

from analysis.static.cpp import extract


def functions(text):
    return {row[0]: row for row in extract(text.encode(), "cpp").rows}


FAMILY = """
namespace at {
#define MAKE(func, stub) \\
  Tensor func(const Tensor& self) { \\
    return stub(self, #func); /* a comment */ \\
  }
#define BOTH(op) MAKE(op, op##_stub) MAKE(op##_, op##_inplace_stub)
namespace native {
MAKE(acos, acos_stub)
BOTH(sin);
}
}
"""


def test_each_use_is_a_function_at_its_line():
    found = functions(FAMILY)
    assert set(found) == {"at::native::acos", "at::native::sin", "at::native::sin_"}
    assert found["at::native::acos"][6] == ["acos_stub"]
    assert found["at::native::sin_"][6] == ["sin_inplace_stub"]
    assert found["at::native::sin_"][2] == 10


def test_structured_macros_in_the_body_get_their_names():
    text = (
        "#define CREATE(out, stub) TORCH_IMPL_FUNC(out)(const Tensor& a, const Tensor& b)"
        " { stub(a); }\nnamespace at { namespace native {\nCREATE(acos_out, acos_stub)\n}}"
    )
    (row,) = functions(text).values()
    assert row[0] == "at::native::structured_acos_out::impl"
    assert row[4] == [["const Tensor&", "a"], ["const Tensor&", "b"]]


def test_macros_that_make_statements_are_left_alone():
    text = "#define LOOP(i) for (int i = 0; i < 3; i++) { f(i); }\nvoid g() {\nLOOP(j);\n}"
    assert set(functions(text)) == {"g"}


def test_only_directives_define():
    text = "  #  define MAKE(f) void f() { g(); }\n// #define OTHER(f) void f() { g(); }\n"
    assert set(functions(text + "MAKE(one)\nOTHER(two)\n")) == {"one"}


def test_hostile_macros_end():
    rounds = "#define A(x) void f##x() { B(x) }\n#define B(x) A(x) A(x) A(x)\nA(1)\n"
    endless = "#define A(x) void f() { g(x); }\n" + "A(((((\n" * 500
    for text in (rounds, endless, "#define A(x) void f() {" + "{" * 50_000 + "\nA(1)"):
        functions(text)
