"""Facts about a call as a whole: differentiated, mapped, traced or compiled; the mildest first.

The code that they put around a call is in `citadel.spread.wrappers`.
"""

from __future__ import annotations

from citadel.spread.fact import Fact, Takes
from citadel.spread.wrappers import (
    CHECKED,
    DESCRIPTION,
    FAKE,
    FORWARD_MODE,
    GRADIENTS,
    MAPPED,
    NAN_THROUGH,
    SLOPED,
    SWITCHED,
    UNRANKED,
    WITHIN,
)


def _described(mode: Fact) -> Fact:
    """The dtypes, shapes and strides of what a mode gives."""
    setup = {
        root: "\n\n".join(filter(None, (mode.setup.get(root), DESCRIPTION[root])))
        for root in mode.run
    }
    return Fact(
        name=f"{mode.name}-described",
        told=f"{mode.told or mode.name}, its results described",
        says=f"{mode.says}, and its results are described",
        run={root: f"described({run})" for root, run in mode.run.items()},
        setup=setup,
        against="plain-described",
        compiles=mode.compiles,
    )


_MODES: tuple[Fact, ...] = (
    Fact(
        name="within",
        says="is made within {value}",
        takes=Takes.CONTEXT,
        run={"torch": "within({})", "tf": "within({})"},
        setup={"torch": WITHIN, "tf": WITHIN},
    ),
    Fact(
        name="set",
        says="is made after {value}(True)",
        takes=Takes.SWITCH,
        run={"torch": "switched_on({})", "tf": "switched_on({})"},
        setup={"torch": SWITCHED, "tf": SWITCHED},
    ),
    Fact(
        name="forward-ad",
        says="is a dual tensor of forward-mode differentiation",
        brings_back=("primal",),
        run={"torch": "in_forward_mode({})"},
        setup={"torch": FORWARD_MODE},
        called=("torch.func.jvp", "torch.func.jacfwd"),
    ),
    Fact(
        name="backward",
        says="is differentiated",
        run={"torch": "gradients({})", "tf": "gradients({})"},
        setup=GRADIENTS,
        called=(
            "torch.Tensor.backward",
            "torch.autograd.backward",
            "torch.autograd.grad",
            "torch.autograd.gradcheck",
            "torch.func.grad",
            "torch.func.vjp",
            "torch.func.jacrev",
            "tf.GradientTape",
            "tf.gradients",
        ),
        against="differences",
        beyond="sloped",
    ),
    Fact(
        name="differences",
        says="is differentiated numerically",
        run={"torch": "differences({})", "tf": "differences({})"},
        setup=GRADIENTS,
    ),
    Fact(
        name="backward-twice",
        says="is differentiated twice",
        run={"torch": "gradients(gradients({}))", "tf": "gradients(gradients({}))"},
        setup=GRADIENTS,
        called=(
            "torch.Tensor.backward create_graph",
            "torch.autograd.backward create_graph",
            "torch.autograd.grad create_graph",
            "torch.autograd.gradgradcheck",
            "tf.GradientTape",
        ),
        against="differences-of-gradients",
        beyond="backward",
    ),
    Fact(
        name="differences-of-gradients",
        says="is differentiated, and its gradients numerically",
        run={"torch": "differences(gradients({}))", "tf": "differences(gradients({}))"},
        setup=GRADIENTS,
    ),
    Fact(
        name="sloped",
        says="is made where its results change with its inputs",
        run={"torch": "sloped({})", "tf": "sloped({})"},
        setup=SLOPED,
    ),
    Fact(
        name="nan-through",
        says="is NaN where a NaN that matters is lost",
        told="NaN where one that matters is put in",
        run={"torch": "nan_through({})", "tf": "nan_through({})"},
        setup=NAN_THROUGH,
        documented="nan",
    ),
    Fact(
        name="checked",
        says="has a result with {value}",
        told="the condition {value}",
        takes=Takes.CONDITION,
        run={"torch": "checked({})", "tf": "checked({})"},
        setup={"torch": CHECKED, "tf": CHECKED},
    ),
    Fact(
        name="fake",
        says="is on fake tensors",
        run={"torch": "on_fake_tensors({})"},
        setup={"torch": FAKE},
        known_by=("text", "torch._subclasses.fake_tensor.FakeTensor"),
    ),
    Fact(
        name="vmap",
        says="is mapped over a batch",
        run={"torch": "mapped({})", "tf": "mapped({})"},
        setup=MAPPED,
        called=("torch.func.vmap", "tf.vectorized_map"),
    ),
    Fact(
        name="traced",
        says="is traced by torch.jit",
        run={"torch": "lambda *given: torch.jit.trace({}, given, check_trace=False)(*given)"},
        called=("torch.jit.trace",),
    ),
    Fact(
        name="compiled",
        says="is compiled (aot_eager)",
        run={"torch": 'torch.compile({}, backend="aot_eager")'},
        called=("torch.compile",),
        compiles=True,
    ),
    Fact(
        name="inductor",
        says="is compiled (inductor)",
        run={"torch": 'torch.compile({}, backend="inductor")'},
        beyond="compiled",
        called=("torch.compile",),
        compiles=True,
    ),
    Fact(
        name="graph",
        says="is a graph",
        run={"tf": "tf.function({}, autograph=False)"},
        called=("tf.function",),
    ),
    Fact(
        name="unranked",
        says="is a graph of tensors with ranks that are not known",
        run={"tf": "without_ranks({})"},
        setup={"tf": UNRANKED},
        known_by=("shape", None),
        against="graph",
        beyond="graph",
    ),
    Fact(
        name="xla",
        says="is compiled by XLA",
        run={"tf": "tf.function({}, autograph=False, jit_compile=True)"},
        called=("tf.function jit_compile",),
        compiles=True,
    ),
)
_AS_IT_IS = Fact(
    name="plain", says="is made as it is", told="the plain call", run={"torch": "{}", "tf": "{}"}
)
DESCRIBED: dict[str, Fact] = {
    one.name: _described(one)
    for one in (_AS_IT_IS, *_MODES)
    if one.name in ("plain", "fake", "compiled", "inductor", "graph", "xla")
}
"""By the mode whose results they describe."""
MODES: tuple[Fact, ...] = (*_MODES, *DESCRIBED.values())
