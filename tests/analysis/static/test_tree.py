"""What is looked up by braces and parentheses is what a query over the whole tree finds."""

import functools
import random

import pytest
import tree_sitter

from analysis.static.blank import blank
from analysis.static.grammar import LANGUAGES, grammar
from analysis.static.names import without_templates
from analysis.static.scope import scan
from analysis.static.tree import calls, find

from .conftest import PYTORCH, PYTORCH_CPP

QUERY = """
(function_definition body: (_)) @function
(lambda_expression) @lambda
[(namespace_definition) (class_specifier) (struct_specifier) (union_specifier)] @scope
(ERROR) @error
(call_expression function: [(identifier) (qualified_identifier) (template_function)] @call)
(call_expression function: (field_expression field: (_) @method))
"""

TEXTS = {
    "calls": "int f() { return a(b(1), c::d<T>(2)) + x.e(3)->g<int>(4)(5) + h[0](6) + int(7); }",
    "layout": "int f ( ) { a /* why */ (1); b\n(2); c // so\n (3); x . d (4); return (e)(5); }",
    "scopes": "namespace a::b { struct S { void f() { g(); } union { int i; }; }; class C; }",
    "constructor": "S::S(int i) try : a(b(i)), c{d(i)} { e(); } catch (...) { f(); }",
    "default arguments": "int f(int i = g(), decltype(h()) j = {}) noexcept(k()) { return i; }",
    "lambdas": "auto f() { auto g = [&](int i) mutable { return h([=] { j(); }); }; return g; }",
    "local classes": "int f() { struct L { int m() { return n(); } }; return L{}.m(); }",
    "operators": "S S::operator+(S s) { return s.operator+(*this), operator-(s), (*this)(s); }",
    "conditions": "int f() {\n#if defined(X) && __has_include(<y>)\n g();\n#endif\n return 0; }",
    "strings": 'int f() { g("{(", \'{\', R"(h(){})"); /* i({ */ return 0; } // j({',
    "first": "{ f(); }",
    "no name": "struct { void f() { g(); } } s; namespace { void h() { i(); } }",
    "deleted": "struct S { S() = delete; ~S() = default; virtual void f() = 0; };",
    "a parenthesis missing": "void f() { g(h(1; i(2)); }\nvoid j() { k(; }",
    "a brace missing": "void f() { if (g()) { h();\nvoid i() { j(); }\nclass C { void k() {",
    "signs in between": "void f() { g @ (1); h(2) @ i(3); $ }\nAPI MACRO(x) void j() { k(); }",
    "objects": "@interface X : Y { z(); } - (void)f:(int)i { [self g:h(i)]; } @end",
    "nothing": "",
}
LAUNCH = "__global__ void k(int* p) { f(p); } void g() { k<<<a(1), b>>>(c(2)); k<T><<<1, 2>>>(d); }"


def looked_up(text, language):
    known = grammar(language)
    found = find(known, known.parser.parse(text).root_node, text)
    functions = [one for one in found.functions if one.child_by_field_name("body")]
    places = {place for one in functions for place in calls(known, one, text)}
    scopes = [one for one in found.scopes if one.child_by_field_name("body")]
    return (
        spans(functions),
        spans(scopes),
        inside(functions, found.lambdas),
        places | {p for p in found.unwritten if inside(functions, [p[0]])},
        found.errors,
    )


@functools.cache
def compiled(language):
    return tree_sitter.Query(tree_sitter.Language(LANGUAGES[language]()), QUERY)


def queried(text, language):
    query = compiled(language)
    root = grammar(language).parser.parse(text).root_node
    found = tree_sitter.QueryCursor(query).captures(root)
    functions = found.get("function", [])
    named = [(one, "") for one in found.get("call", [])]
    named += [(one, ".") for one in found.get("method", [])]
    places = {
        (one.start_byte, mark + without_templates(text[one.start_byte : one.end_byte]))
        for one, mark in named
    }
    scopes = [one for one in found.get("scope", []) if one.child_by_field_name("body")]
    return (
        spans(functions),
        spans(scopes),
        inside(functions, [one.start_byte for one in found.get("lambda", [])]),
        {place for place in places if inside(functions, [place[0]])},
        len(found.get("error", [])),
    )


def spans(nodes):
    return sorted((one.start_byte, one.end_byte) for one in nodes)


def inside(functions, starts):
    around = spans(functions)
    return sorted(at for at in starts if any(start <= at < end for start, end in around))


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_text(name, language):
    text = TEXTS[name].encode()
    assert looked_up(text, language) == queried(text, language)


def test_launches_of_kernels():
    found = looked_up(LAUNCH.encode(), "cuda")
    assert found == queried(LAUNCH.encode(), "cuda")
    assert {"f", "k", "a", "c"} <= {name for _, name in found[3]}


def test_broken_texts():
    chance = random.Random(0)
    whole = "\n".join(TEXTS.values()).encode()
    for _ in range(300):
        text = bytearray(whole)
        for _ in range(chance.randint(1, 30)):
            at = chance.randrange(len(text))
            text[at : at + chance.randint(0, 4)] = chance.choice(
                [b"", b"(", b"{", b")", b"}", b";"]
            )
        assert looked_up(bytes(text), "cpp") == queried(bytes(text), "cpp")


@pytest.mark.slow
def test_files_of_pytorch():
    if not (PYTORCH / "aten").is_dir():
        pytest.skip("no PyTorch sources: make sources")
    files = [one for one in scan(PYTORCH, PYTORCH_CPP).candidates if one.language in LANGUAGES]
    for one in random.Random(0).sample([file for file in files if file.size < 200_000], 150):
        text = blank((PYTORCH / one.path).read_bytes())
        assert looked_up(text, one.language) == queried(text, one.language), one.path
