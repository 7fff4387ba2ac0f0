"""Whatever the text around the call: it stays as it was, and Python can still read it."""

import ast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis.catalog.model import ApiKind
from analysis.target.instrument import instrument
from citadel.rewrite.steps import code_of

CONV = "input: Tensor, weight: Tensor, bias: Tensor? = None, stride: int[2] = 1, groups: int = 1"

SPACES = st.sampled_from(["", " ", "  ", "\n    ", "  # why\n      ", "\\\n "])
BEFORE = st.sampled_from(
    [
        "",
        "# -*- coding: utf-8 -*-\n",
        '"""Doc\ttext."""\n',
        "x = 1 ;y=2\n",
        "if True:\n\tx = [ 1,\n  2]\n",
        "def f( a ,*, b = 3 ) :\n    return a\n\n\n",
        "s = 'conv2d(x, w, groups=0)'\n",
        "\n\n#torch.conv2d(x, w)\n",
    ]
)
AFTER = st.sampled_from(["", "\n", "\nprint( y )  # end", "\n\n\nclass C: pass\n\n"])
FRAMES = st.sampled_from(
    [
        "{}",
        "y = {}",
        "print({}, 1)",
        "y = [{} for _ in range(2)]",
        "with a as b: y = {}",
        "f = lambda x: {}",
        "y = f'{{{}}}'",
        "y = ({}).sum()",
        "y = not({})",
        "y = {{'a' : {}}}",
        "@decorate({})\ndef g(): pass",
        "for i in {}: pass",
        "y = 1 if {} else 2",
        "print(*{})",
    ]
)
ARGUMENTS = st.sampled_from(["x", "x[0]", "x + 1", "f(x,  y)", "(yield_ or x)", "x if y else z"])


@st.composite
def calls(draw, space=SPACES):
    """`torch.conv2d(x, w, groups=0)` in any layout."""
    s = [draw(space) for _ in range(8)]
    one, two = draw(ARGUMENTS), draw(ARGUMENTS)
    end = draw(st.sampled_from(["", ","]))
    equal = draw(st.sampled_from(["=", " = "]))
    return (
        f"torch.conv2d({s[0]}{one}{s[1]},{s[2]}{two}{s[3]},{s[4]}groups{equal}0{s[5]}{end}{s[6]})"
    )


def texts(space=SPACES):
    inline = st.sampled_from(["", " "])
    framed = st.tuples(FRAMES, calls(space), calls(inline)).map(
        lambda t: (t[0], t[2] if "f'" in t[0] else t[1])
    )
    return st.tuples(BEFORE, framed, AFTER).map(lambda t: (f"{t[0]}import torch\n", *t[1], t[2]))


def parses(text):
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


@pytest.fixture
def built(case, api, call):
    def make(text, name="torch.conv2d"):
        made = call(name, {(1, 4, 8, 8)}, {(4, 4, 3, 3)}, groups=0)
        return case(text, api(name, CONV), f"{name}(", made)

    return make


relaxed = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@given(texts())
@relaxed
def test_an_api_rewritten_to_itself_is_the_same_text(built, parts):
    before, frame, conv, after = parts
    text = before + frame.format(conv) + after
    made = built(text)
    (way,) = made.written(made.plan(made.invocation.api))
    assert way.code == text
    assert way.edits == ()


@given(texts())
@relaxed
def test_another_name_changes_nothing_but_the_name(built, api, parts):
    before, frame, conv, after = parts
    (way,) = built(before + frame.format(conv) + after).ways(api("torch.convolve", CONV))
    renamed = conv.replace("torch.conv2d", "torch.convolve", 1)
    assert way == before + frame.format(renamed) + after


@given(texts())
@relaxed
def test_rewriting_is_idempotent(built, api, parts):
    before, frame, conv, after = parts
    target = api("torch.convolve", CONV)
    (once,) = built(before + frame.format(conv) + after).ways(target)
    (twice,) = built(once, "torch.convolve").ways(target)
    assert twice == once


TARGETS = {
    "method": ("torch.Tensor.conv", "self: Tensor, weight: Tensor, groups: int", "method", None),
    "layer": ("torch.nn.Conv", "groups: int", "module", "input: Tensor, weight: Tensor"),
    "fewer": ("torch.abs", "input: Tensor", "function", None),
    "more": ("torch.more", "input: Tensor, weight: Tensor, p: float, q: Tensor", "function", None),
    "lifted": ("torch.conv3d", CONV, "function", None),
    "lowered": ("torch.conv1d", CONV, "function", None),
    "swapped": ("torch.swap", "weight: Tensor, groups: int, input: Tensor", "function", None),
}


@given(texts(), st.sampled_from(sorted(TARGETS)))
@relaxed
def test_whatever_changes_the_rest_stays_and_all_parses(built, api, parts, target):
    before, frame, conv, after = parts
    name, signature, kind, called = TARGETS[target]
    text = before + frame.format(conv) + after
    head, tail = (before + frame.format("\0") + after).split("\0")
    assert parses(text)
    for way in built(text).ways(api(name, signature, kind=ApiKind(kind), call=called)):
        assert parses(way)
        assert way.startswith(head)
        assert way.endswith(tail)
        assert way != text


@given(texts(), st.sampled_from(sorted(TARGETS)))
@relaxed
def test_sites_lead_to_the_same_calls(built, api, parts, target):
    before, frame, conv, after = parts
    name, signature, kind, called = TARGETS[target]
    made = built(before + frame.format(conv) + after)
    failing = made.invocation.call.site
    plan = made.plan(api(name, signature, kind=ApiKind(kind), call=called))
    for way in made.written(plan):
        new = [code_of(node) for node in instrument(way.code).nodes]
        assert new[way.sites[failing]] in way.code
        assert name.rpartition(".")[2] in new[way.sites[failing]]
        outside = (site for site in way.sites if code_of(made.source.nodes[site]) not in conv)
        for site in outside:
            old = code_of(made.source.nodes[site])
            assert new[way.sites[site]] == old or conv in old
