"""Cases that run once more with some of their calls made otherwise, on real frameworks."""

from textwrap import dedent

import pytest

from analysis.target.instrument import instrument, watched
from analysis.target.observation import Outcome

pytestmark = pytest.mark.torch

RESULTS = [
    "torch.sort(x).values",
    "torch.sort(x)[1]",
    "torch.split(x, 1)[0]",
    "[torch.sort(x, out=(v, i)), v][1]",
    "[torch.add(x, 1, out=v), v][1]",
    "torch.abs(x)",
]
PRECISE = [
    "torch.cat([x, x]).dtype",
    "torch.stack(tensors=(x, x)).dtype",
    "torch.abs(x).dtype",
    "x.abs().dtype",
]


def shown(session, expression, entry, name):
    """What an expression comes to, where the calls of a name are made otherwise."""
    code = dedent(
        f"""
        import torch
        x = torch.tensor([3.0, 1.0, 2.0])
        v, i = torch.empty(3), torch.empty(3, dtype=torch.int64)
        print({expression})
        """
    )
    case = instrument(code)
    sites = [n for n, node in enumerate(case.nodes) if name in case.module.code_for_node(node)]
    run = session.run(
        code, traced=watched(case).traced, entry=entry, arguments={"sites": sites[-1:]}
    )
    assert run.outcome is Outcome.OK, run.stderr
    plain = session.run(code, traced=watched(case).text)
    return run.seen[0].value, plain.seen[0].value


@pytest.mark.parametrize("expression", RESULTS)
def test_what_depends_on_a_call_changes_with_its_result(bubblewrap_session, expression):
    name = next(
        n for n in ("torch.sort", "torch.split", "torch.add", "torch.abs") if n in expression
    )
    other, plain = shown(bubblewrap_session, expression, "perturb:run", name)
    assert other.numbers.few != plain.numbers.few
    assert other.shape == plain.shape


@pytest.mark.parametrize("expression", PRECISE)
def test_double_precision_is_given_in_lists_as_well(bubblewrap_session, expression):
    name = expression.partition("(")[0]
    precise, plain = shown(bubblewrap_session, expression, "perturb:doubled", name)
    assert (plain.text, precise.text) == ("torch.float32", "torch.float64")


@pytest.mark.parametrize(
    ("numbers", "others", "told"),
    [
        ("5.0, 5.0, 3.0", "1.0, 2.0, 3.0", 2),
        ("5.0, 4.0, 3.0", "1.0, 2.0, 3.0", 0),
        ("5.0, 4.0, 3.0", "1.0, 1.0, 1.0", 0),
        ("5.0, 5.0, 5.0", "1.0, 1.0, 1.0", 2),
    ],
)
def test_indices_of_equal_elements_are_told(bubblewrap_session, numbers, others, told):
    code = dedent(
        f"""
        import torch

        def place(x, weights):
            return torch.argmax(x)

        x, weights = torch.tensor([{numbers}]), torch.tensor([{others}])
        print(place(x, weights))
        print(1 - place(x, weights))
        """
    )
    case = instrument(code)
    sites = [
        n for n, node in enumerate(case.nodes) if case.module.code_for_node(node)[:5] == "place"
    ]
    given = {"sites": sites, "spots": [[0, 1], [1, 1]]}
    traced = watched(case).traced
    run = bubblewrap_session.run(code, traced=traced, entry="selected:run", arguments=given)
    assert (run.outcome, len(run.seen)) == (Outcome.OK, told)
