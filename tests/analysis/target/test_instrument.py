"""Tracing is transparent: same lines, same values, same output, same tracebacks."""

import ast
import operator
import re
import types

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.errors import CitadelError
from analysis.target.instrument import instrument, watched
from analysis.target.sandbox import SandboxKind

CORPUS = {
    "decorators": """
import functools
def twice(times=2):
    def wrap(function):
        @functools.wraps(function)
        def inner(*args): return [function(*args) for _ in range(times)]
        return inner
    return wrap
@twice(times=3)
def f(x): return x
print(f(1), f.__name__)
class A:
    @property
    def p(self): return len("abc")
    @staticmethod
    def s(): return abs(-1)
print(A().p, A.s())
""",
    "comprehensions": """
print([abs(x) for x in range(-3, 3) if bool(x)])
print({str(k): len(v) for k, v in zip("ab", ["c", "dd"])})
print(sum(x * x for x in range(5)), list(map(str, (y for y in range(3)))))
print(dict(a for a in [(1, 2)]), sorted((x for x in [3, 1]), key=lambda v: -v))
""",
    "f_strings": """
x = 3.14159
print(f"{round(x, 2)!r:>8}|{x:.{int(2)}f}|{max([1, 2])}" f"{len('a')}")
""",
    "walrus": """
if (n := len("four")) > 3: print(n)
print(max(m := 3, 2), m, [y := abs(-1), y])
""",
    "async": """
import asyncio
async def f(x):
    await asyncio.sleep(0)
    return x + 1
async def gen():
    for i in range(3): yield await f(i)
async def main():
    print(await f(1), [x async for x in gen()], await asyncio.gather(f(1), f(2)))
asyncio.run(main())
""",
    "starred": """
def f(*args, **kwargs): return args, sorted(kwargs.items())
print(f(*[1, 2], *range(2), a=1, **{"b": 2}, **dict(c=3)), f(*(), **{}), f(site=1, function=2))
print(*map(str, [1, 2]), sep="-")
""",
    "chained": """
print("a-b".upper().replace("-", " ").split()[0].join(["x", "y"]).strip(" "))
print((lambda f: f(2))(lambda x: x + 1), [len][0]("abc"), (abs)(-1), {"f": str}["f"](1))
""",
    "multi_line": """
value = max(
    1,  # one
    min(
        2,
        3,
    ),
)
print(
    value
    + abs(
        -1
    )
)
def fails():
    return int(
        "no"
    )
fails(
)
""",
    "super": """
class A:
    def __init__(self, x): self.x = x
    def f(self): return self.x
class B(A):
    def __init__(self): super().__init__(x=abs(-5)); super(B, self).f()
    def f(self): return super().f() + 1
print(B().f())
""",
    "frames": """
def f(a):
    b = abs(a)
    exec("c = 1")
    return sorted(locals()), eval("a + b"), "f" in globals()
print(f(-1), sorted(vars(type("T", (), {"k": 1})))[-1], "print" in dir(__builtins__))
import sys
print(sys._getframe().f_code.co_name)
""",
    "generators": """
def g():
    got = yield len("a")
    print(got)
    yield from map(abs, [-1, -2])
it = g(); print(next(it), it.send("x"), list(it))
""",
    "match": """
def kind(value):
    match value:
        case int(): return "int"
        case str(x) if len(x) > 2: return "long"
        case {"a": [first, *rest]}: return first, list(rest)
        case _: return None
print(kind(1), kind("abc"), kind({"a": [1, 2, 3]}), kind(set()))
""",
    "operators": """
x = [1, 2, 3]; x[0] += abs(-2); x[1:2] = [7, 8]; del x[-1]
print(x, x[::-1], 1 < 2 < 3, 1 < 2 > 5, not x, -x[0], 2 ** -1)
print("%d" % 3, x + [1] * 2, 5 // 2 @ 1 if 0 else 6)
y = {}; y["k"] = 1; y["k"] |= 6; print(y, "k" in y, x is None, 1 and 2 or 3)
""",
    "with_and_try": """
import contextlib
@contextlib.contextmanager
def c(x):
    try: yield x
    finally: print("left")
with c(1) as a, c(2) as b: print(a, b)
try: int("x")
except ValueError as problem: print(problem)
else: print("no")
finally: print("finally")
assert len("a") == 1, str(1)
""",
    "raises_in_default": """
def f(x=int("12"), *, y: int = len("ab")) -> list[int]: return [x, y]
print(f(), f.__annotations__["y"])
raise KeyError(str(1)) from ValueError("cause")
""",
    "attribute_of_none": "x = dict(a=1)\nx.get('b').c(1)\n",
    "wrong_arguments": "def f(a): pass\nf(1, 2)\n",
    "not_callable": "x = 5\nx(1)\n",
    "type_error_inside": "len(5)\n",
    "class_keywords": """
class M(type):
    def __new__(m, n, b, d, **k): return super().__new__(m, n, b, d)
class A(metaclass=M, k=len("a")): x = [abs(y) for y in (-1,)]
print(A.x, type(A) is M)
""",
    "global_names": "def f():\n    global z\n    z = max(1, 2)\nf(); print(z)\n",
    "semicolons_and_tabs": "if 1:\n\tprint( 1 ) ;print (2)\n\tx=[ abs( -1 ) ]\n",
    "carriage_returns": "print(\r\n  1,\r\n  abs(-2))\r\nint('x')\r\n",
    "last_line_without_end": "print(abs(-1))",
}


@pytest.fixture(scope="module")
def plain_session(bare):
    with bare(SandboxKind.BUBBLEWRAP) as session:
        yield session


def without_carets(text):
    """A traceback without its marks of columns, which are those of the traced text."""
    return [line for line in text.splitlines() if line.strip(" ^~")]


@pytest.mark.parametrize("name", CORPUS)
def test_tracing_changes_nothing(plain_session, name):
    code = CORPUS[name]
    traced = instrument(code).traced
    assert traced != code
    assert traced.count("\n") == code.count("\n")
    plain, seen = plain_session.run(code), plain_session.run(code, traced=traced)
    assert seen.outcome is plain.outcome
    assert seen.stdout == plain.stdout
    assert without_carets(seen.stderr) == without_carets(plain.stderr)
    assert seen.exception == plain.exception


@pytest.mark.parametrize(
    "code", ["f(", "def f(:\n  pass", "(" * 5000 + ")" * 5000, "lambda:" * 9000, "\0"]
)
def test_what_does_not_parse_is_refused(code):
    with pytest.raises(CitadelError, match="cannot parse the case"):
        instrument(code)


def test_sites_number_the_calls_of_the_text():
    found = instrument("f(g(1), h(x)(2))\n")
    names = [found.module.code_for_node(node) for node in found.nodes]
    assert names == ["f(g(1), h(x)(2))", "g(1)", "h(x)(2)", "h(x)"]
    assert found.traced.startswith("__citadel__(0, f,__citadel__(1, g,1), ")


numbers = st.integers(-9, 9).map(str)


def unbinding(text):
    """Whether an expression may stand where Python allows no assignment."""
    return ":=" not in text


def compound(inner):
    spaced = st.sampled_from(["{}, {}", "{},{}", "\n {},\n {}\n", " {} , {} "])
    two = st.builds(lambda form, a, b: form.format(a, b), spaced, inner, inner)
    operators = st.sampled_from(["+", "-", "*", "|", "<", "==", "and", "or", "if 1 else", "\n+"])
    return st.one_of(
        st.builds("({} {} {})".format, inner, operators, inner),
        st.builds("max({})".format, two),
        st.builds("pair({})".format, two).map("sum({})".format),
        st.builds("sum(x + {} for x in [{}])".format, inner, inner.filter(unbinding)),
        st.builds("(lambda *a, k=1: sum(a) + k)(*[{}], k={})".format, inner, inner),
        st.builds("[{}][0]".format, inner),
        st.builds("[{}, 5][-1:][0]".format, inner),
        st.builds("(y := {})".format, inner),
        st.builds(
            "int(f'{{abs({})}}')".format, inner.filter(lambda t: "'" not in t and "\n" not in t)
        ),
        st.builds("-abs(~{})".format, inner.map("({})".format)),
    )


@settings(deadline=None)
@given(st.recursive(numbers, compound, max_leaves=12))
def test_traced_expressions_have_the_same_value(expression):
    code = f"result = ({expression})\n"
    traced = instrument(code).traced
    plain, seen = {"pair": lambda a, b: (a, b)}, {"pair": lambda a, b: (a, b)}
    seen["__citadel__"] = lambda site, function, /, *args, **kwargs: function(*args, **kwargs)
    seen["__citadel_operators__"] = types.SimpleNamespace(slice=slice, **vars(operator))
    exec(code, plain)
    exec(traced, seen)
    assert traced.count("\n") == code.count("\n")
    assert repr(seen["result"]) == repr(plain["result"])


@pytest.mark.parametrize(
    ("code", "kept"),
    [
        ("compile(f, fullgraph=True)", False),
        ("optimize('eager', nopython=flag)(f)", False),
        ("torch.export.export(f, x, strict=True)", False),
        ("export(f, x, strict=True)", False),
        ("zip(x, y, strict=True)", True),
        ("print(fullgraph, 'fullgraph=True')", True),
    ],
)
def test_compiled_code_may_call_the_tracer(code, kept):
    case = instrument(code)
    assert case.module.code == code
    assert ("=False" in case.traced) is not kept
    assert ("True" in case.traced) is (kept and "True" in code)


@pytest.mark.parametrize(
    ("code", "changed"),
    [
        ("@tf.function\ndef f(x):\n    return tf.abs(x)\n", True),
        ("@tf.function(jit_compile=True)\ndef f(x):\n    return tf.abs(x)\n", True),
        ("g = tf.function(lambda x: tf.abs(x))\n", True),
        ("g = tf.function(f, autograph=True)\n", False),
        ("g = tf.function(**options)\n", False),
        ("g = tf.function(f, None, True)\n", False),
        ("g = tf.function(f, experimental_autograph_options=options)\n", False),
        ("g = other.function(f)\n", False),
        ("@tf.function\ndef f(x):\n    if x > 0:\n        x = -x\n    return x\n", False),
        ("@tf.function\ndef f(x):\n    return [g(y) for y in x]\n", False),
        ("@tf.function\ndef f(x):\n    print(x)\n    return x\n", False),
        ("for x in y:\n    tf.function(g)(x)\n", True),
        ("def f(x):\n    return tf.abs(x) if x > 0 else x\ntf.function(tf.abs)(f(1))\n", True),
        ("def f(x):\n    return g(x)\ndef g(x):\n    return x or 1\nh = tf.function(f)\n", False),
        (
            "class A:\n    def f(self, x):\n        return not x\na = A()\n"
            "g = tf.function(lambda x: a.f(x))\n",
            False,
        ),
        ("def f(x):\n    return not x\ng = tf.function(jit_compile=True)(f)\n", False),
        ("def f(x):\n    return not x\nfor g in (f, tf.abs):\n    tf.function(g)(1)\n", False),
        ("def f(x):\n    return not x\ng = tf.function(lambda h, x: h(x))\ng(f, 1)\n", False),
        ("def f(b):\n    g = tf.function(tf.abs) if b else tf.abs\n    return g(1)\n", True),
    ],
)
def test_functions_are_traced_as_they_stand_where_nothing_is_converted(code, changed):
    case = instrument(code)
    assert case.module.code == code
    assert ("autograph=False" in case.traced) is changed
    assert "autograph=False" not in watched(case).text


F = "def f(x):\n    return tf.abs(x)\n"


@pytest.mark.parametrize(
    ("code", "given"),
    [
        (f"{F}tf.data.Dataset.range(3).map(f)\n", ["f"]),
        (f"{F}tf.data.Dataset.range(3).map(f).filter(lambda x: x)\n", ["f", "lambda x: x"]),
        (f"{F}tf.data.Dataset.range(3).interleave(f, cycle_length=n)\n", ["f"]),
        (f"{F}tf.vectorized_map(fn=f, elems=x)\n", ["f"]),
        ("tf.map_fn(lambda x: y, x)\n", ["lambda x: y"]),
        ("tf.map_fn(tf.abs, x)\n", []),
        ("tf.data.Dataset.range(3).map(a.f)\n", []),
        ("def f(x):\n    return -x if x > 0 else x\ntf.data.Dataset.range(3).map(f)\n", []),
        ("a.map(f)\n", []),
    ],
)
def test_functions_that_are_handed_over_are_not_converted_where_nothing_would_be(code, given):
    case = instrument(code)
    assert re.findall(r"__citadel_unconverted__\((.*?)\)", case.traced) == given
    assert watched(case).traced.count("unconverted") == len(given)


@pytest.mark.parametrize("code", ["x[0:2] = 1, 2\n", "x += 1, 2\n"])
def test_a_bare_tuple_is_one_operand(code):
    parts = ast.walk(ast.parse(instrument(code).traced))
    call, *_ = (one for one in parts if isinstance(one, ast.Call))
    assert ast.unparse(call.args[-1]) == "(1, 2)"


@pytest.mark.parametrize(
    "code",
    [
        "assert(x) == 1\n",
        "assert(f(x)).g(1), 2\n",
        "lambda: 1 if(x)@x else-x\n",
        "y = not(x)@x\n",
        "y = [i for i in[1]+x]\n",
        "def f(x):\n    return-x\n",
        "def f(x):\n    return(x).sum()\n",
        "with(x).f() as g:\n    pass\n",
    ],
)
def test_a_keyword_may_touch_what_is_traced(code):
    case = instrument(code)
    compile(case.traced, "case", "exec")
    compile(watched(case).traced, "case", "exec")


def test_contexts_tell_how_long_they_last():
    code = "with f(1) as a, b, g():\n    h()\nasync def k():\n    async with f():\n        pass\n"
    assert instrument(code).traced.splitlines()[0] == (
        "with __citadel_entered__(0, __citadel__(0, f,1)) as a, b, "
        "__citadel_entered__(1, __citadel__(1, g)):"
    )
    assert instrument(code).traced.count("entered") == 2


@pytest.mark.parametrize(
    "code", ["x\nx, 2\n", "x = 1\ny = *x, 1\n", "x, y = f(), 1\nwith x:\n    z()\n"]
)
def test_a_bare_tuple_is_one_value(code):
    shown = watched(instrument(code))
    for text in (shown.text, shown.traced):
        calls = [one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Call)]
        watchers = [one for one in calls if ast.unparse(one.func) == "__citadel_watch__"]
        assert watchers
        assert all(len(one.args) == 2 for one in watchers)


def test_a_rewritten_case_keeps_the_numbers_of_what_is_watched():
    code = "import torch\nx = torch.ones(2)  # two\nprint('sum', x.sum())\n"
    original = watched(instrument(code))
    assert original.points[0].origin.calls == {"x.sum", "torch.ones"}
    other = instrument(code.replace("x.sum()", "torch.mean(x)"))
    again = watched(other, original.points)
    assert [point.number for point in again.points] == [point.number for point in original.points]
    assert "__citadel_watch__(0, torch.mean(x))" in again.text
    assert "__citadel_watch__(0, __citadel__(" in again.traced
    assert not again.points[0].origin.calls  # nobody asks


def test_deep_nesting_is_refused_wherever_it_is_met():
    code = "x = " + "(" * 90 + "1" + ")" * 90 + "\nprint(x)\n"
    case = instrument(code)
    assert case.traced.count("print") == 1
    with pytest.raises(CitadelError, match="cannot parse the case"):
        instrument("x = " + "-" * 5000 + "1")
