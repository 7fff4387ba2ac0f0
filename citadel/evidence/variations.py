"""Variations: small, named changes of one argument, under which a call should go well.

An entry says which fact about the argument it takes away. `preserves`: the right result stays the
same (a contiguous copy, a wider dtype). All others repair: they give the call an argument that is
less unusual (finite numbers, one element in place of none).

Each way to make the change has a condition and an expression, by framework; in both, `x` is the
argument, `largest` the shape of the largest one of the call's other tensors, and `first`, `second`
and `last` three of its extents (0 where it has none). The condition may use `dtype(x)`, `shape(x)`,
`layout(x)` and `device(x)` of a tensor or array ("" or () of all else), `number(x)` for a plain
number of Python, `sizes(x)` for a list of whole ones, `is_dtype(x)`, and `named` for what is given
by keyword. Whether anything is altered is measured when the case runs (`analysis/inside/vary.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

DEFAULT = "default"
"""The variation that leaves an argument out."""
PLAIN = "plain"
"""The expressions that are the same in all frameworks."""
BESIDE = {
    "largest": r"\((?:(?:\d{1,19}, )*\d{1,19},?)?\)",
    **dict.fromkeys(("first", "second", "last"), r"\d{1,19}"),
}
"""What expressions say of the other arguments, and as what it is written in a case."""
FLOATS = ("float16", "bfloat16", "float32", "float64")
"""Of real numbers, the coarsest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to make a change: where `when` holds, `x` becomes what the expression of the
    framework comes to."""

    when: str
    to: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variation:
    """One fact about an argument, and how it is taken away.

    `fact` completes "`input` ..." for a tensor, `of_plain` for all else; both may name `{dtype}`,
    `{device}`, `{layout}`, `{shape}` and `{value}`. `cured` completes "(...: works)", and names
    those of what it puts there.
    """

    name: str
    fact: str
    cured: str
    ways: tuple[Way, ...]
    examples: Mapping[str, tuple[str, str]]
    """By framework: an argument, and what becomes of it; nothing else of it changes."""
    of_plain: str = "is {value}"
    preserves: bool = False
    apart: bool = False
    """Whether it is made alone: most other arguments would no longer fit."""
    of_time: bool = False
    """Whether it is made only where time is measured."""

    @property
    def puts(self) -> str:
        """What it puts there, whatever it is made on."""
        return self.cured.format(dtype="a wider dtype")

    def ways_in(self, root: str) -> list[list[str]]:
        """[condition, expression] for each way that this framework (`torch`, `tf`, `keras`) has."""
        found = ((way.when, way.to.get(root, way.to.get(PLAIN, ""))) for way in self.ways)
        return [[when, text] for when, text in found if text]


def way(when: str, plain: str = "", **to: str) -> Way:
    """A way; `plain` stands for all frameworks that have no expression of their own."""
    return Way(when=when, to={**({PLAIN: plain} if plain else {}), **to})


def _as_long(extent: str, new: str, *, before: str, after: str) -> Variation:
    """A tensor of one dimension made as long as a dimension of the largest tensor beside it, which
    no other variation does where that is `new`."""
    return Variation(
        name=f"{extent}-extent",
        fact="has shape {shape}",
        cured=f"as long as the {extent} dimension of the largest tensor beside it",
        examples={
            "torch": (f"torch.tensor([{before}])", f"torch.tensor([{after}])"),
            "tf": (f"tf.constant([{before}])", f"tf.constant([{after}])"),
            "keras": (f"keras.ops.array([{before}])", f"keras.ops.array([{after}])"),
        },
        ways=(
            way(
                f"shape(x) == [0] and {extent} and {new}",
                torch=f"torch.ones({extent}, dtype=x.dtype)",
                tf=f"tf.ones([{extent}], x.dtype)",
                keras=f"keras.ops.ones([{extent}], x.dtype)",
            ),
            way(
                f"len(shape(x)) == 1 and 0 < shape(x)[0] < {extent} and {new}",
                torch=f"x.repeat({extent})[:{extent}]",
                tf=f"tf.tile(x, [{extent}])[:{extent}]",
                keras=f"keras.ops.tile(x, {extent})[:{extent}]",
            ),
        ),
    )


VARIATIONS: tuple[Variation, ...] = (
    Variation(
        name="contiguous",
        fact="is not contiguous",
        cured="contiguous",
        preserves=True,
        examples={
            "torch": (
                "torch.arange(6.0).reshape(2, 3).t()",
                "torch.tensor([[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]])",
            )
        },
        ways=(way("layout(x) == 'strided'", torch="x.contiguous()"),),
    ),
    Variation(
        name="innermost",
        fact="is contiguous",
        cured="another dimension innermost",
        preserves=True,
        of_time=True,
        examples={
            "torch": (
                "torch.arange(6.0).reshape(2, 3)",
                "torch.tensor([[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]).t()",
            )
        },
        ways=(
            way(  # as images are laid out with their channels last
                "layout(x) == 'strided' and len(shape(x)) > 3 and x.is_contiguous()",
                torch="x.movedim(1, -1).contiguous().movedim(-1, 1)",
            ),
            way(
                "layout(x) == 'strided' and len(shape(x)) > 1 and x.is_contiguous()",
                torch="x.movedim(0, -1).contiguous().movedim(-1, 0)",
            ),
        ),
    ),
    Variation(
        name="resolved",
        fact="is a conjugate or negative view",
        cured="resolved",
        preserves=True,
        examples={"torch": ("torch.tensor([1 + 2j]).conj()", "torch.tensor([1 - 2j])")},
        ways=(way("dtype(x)", torch="x.resolve_conj().resolve_neg()"),),
    ),
    Variation(
        name="dense",
        fact="is {layout}",
        cured="dense",
        preserves=True,
        examples={
            "torch": ("torch.eye(2).to_sparse()", "torch.eye(2)"),
            "tf": ("tf.sparse.eye(2)", "tf.eye(2)"),
        },
        ways=(
            way("layout(x) == 'quantized'", torch="x.dequantize()"),
            way("layout(x) == 'nested'", torch="x.to_padded_tensor(0)"),
            way(
                "layout(x) not in ('', 'strided')",
                torch="x.to_dense()",
                tf="tf.sparse.to_dense(x) if isinstance(x, tf.SparseTensor) else x.to_tensor()",
            ),
        ),
    ),
    Variation(
        name="cpu",
        fact="is on the device {device}",
        cured="on the CPU",
        examples={
            "torch": (
                "torch.empty(2, dtype=torch.int64, device='meta')",
                "torch.ones(2, dtype=torch.int64)",
            )
        },
        ways=(
            way("device(x) == 'meta'", torch="torch.ones(x.shape, dtype=x.dtype)"),
            way("device(x) not in ('', 'cpu', 'meta')", torch="x.cpu()"),
            way("str(x) in ('meta', 'cuda')", torch="'cpu'"),
        ),
    ),
    Variation(
        name="alone",
        fact="shares memory with another argument, or with itself",
        cured="a copy",
        preserves=True,
        examples={"torch": ("torch.ones(1).expand(3)", "torch.ones(3)")},
        ways=(way("layout(x) == 'strided'", torch="x.clone()"),),
    ),
    Variation(
        name="detached",
        fact="requires gradients",
        cured="detached",
        preserves=True,
        examples={"torch": ("torch.ones(2, 2).t().requires_grad_()", "torch.ones(2, 2).t()")},
        ways=(way("getattr(x, 'requires_grad', False)", torch="x.detach()"),),
    ),
    Variation(
        name="primal",
        fact="is a dual tensor of forward-mode differentiation",
        cured="its primal",
        preserves=True,
        examples={
            "torch": (
                "(torch.autograd.forward_ad.enter_dual_level(),"
                " torch.autograd.forward_ad.make_dual(torch.ones(2), torch.ones(2)))[1]",
                "torch.ones(2)",
            )
        },
        ways=(way("dtype(x)", torch="torch.autograd.forward_ad.unpack_dual(x).primal"),),
    ),
    Variation(
        name="wider",
        fact="has dtype {dtype}",
        cured="{dtype}",
        preserves=True,
        examples={
            "torch": (
                "torch.ones(2, 3, dtype=torch.float16).t()",
                "torch.ones(2, 3, dtype=torch.float64).t()",
            ),
            "tf": ("tf.constant([1, 2], tf.int8)", "tf.constant([1, 2], tf.int64)"),
            "keras": ("keras.ops.ones(2, 'float32')", "keras.ops.ones(2, 'float64')"),
        },
        ways=(
            way(
                "dtype(x) in ('float16', 'bfloat16', 'float32')",
                torch="x.to(torch.float64)",
                tf="tf.cast(x, tf.float64)",
                keras="keras.ops.cast(x, 'float64')",
            ),
            way(
                "dtype(x) in ('complex32', 'complex64')",
                torch="x.to(torch.complex128)",
                tf="tf.cast(x, tf.complex128)",
                keras="keras.ops.cast(x, 'complex128')",
            ),
            way(
                "dtype(x) in ('int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32')",
                torch="x.to(torch.int64)",
                tf="tf.cast(x, tf.int64)",
                keras="keras.ops.cast(x, 'int64')",
            ),
        ),
    ),
    Variation(
        name="float32",
        fact="has dtype {dtype}",
        cured="float32",
        examples={
            "torch": ("torch.tensor([True, False])", "torch.tensor([1.0, 0.0])"),
            "tf": ("tf.constant([1, 2])", "tf.constant([1.0, 2.0])"),
            "keras": ("keras.ops.array([1, 2])", "keras.ops.array([1.0, 2.0])"),
        },
        ways=(
            way("dtype(x).startswith('complex')", torch="x.real.float()"),
            way(
                "dtype(x) not in ('', 'float32', 'string')",
                torch="x.to(torch.float32)",
                tf="tf.cast(x, tf.float32)",
                keras="keras.ops.cast(x, 'float32')",
            ),
            way("is_dtype(x)", torch="torch.float32", tf="tf.float32", keras="'float32'"),
        ),
    ),
    Variation(
        name="int64",
        fact="has dtype {dtype}",
        cured="int64",
        examples={
            "torch": ("torch.tensor([True, False])", "torch.tensor([1, 0])"),
            "tf": ("tf.constant([1, 2])", "tf.constant([1, 2], tf.int64)"),
            "keras": ("keras.ops.array([1.0, 2.0])", "keras.ops.array([1, 2], 'int64')"),
        },
        ways=(
            way(
                "dtype(x) not in ('', 'int64', 'string') and not dtype(x).startswith('complex')",
                torch="x.to(torch.int64)",
                tf="tf.cast(x, tf.int64)",
                keras="keras.ops.cast(x, 'int64')",
            ),
            way("is_dtype(x)", torch="torch.int64", tf="tf.int64", keras="'int64'"),
        ),
    ),
    Variation(
        name="finite",
        fact="holds NaN or infinities",
        cured="finite",
        examples={
            "torch": (
                "torch.tensor([[float('nan'), 2.0], [3.0, float('inf')]]).t()",
                "torch.tensor([[1.0, 2.0], [3.0, 1.0]]).t()",
            ),
            "tf": ("tf.constant([float('nan'), 2.0])", "tf.constant([1.0, 2.0])"),
            "keras": ("float('nan')", "1.0"),
        },
        ways=(
            way(
                "dtype(x).startswith(('float', 'bfloat'))",
                torch="torch.nan_to_num(x, nan=1.0, posinf=1.0, neginf=1.0)",
                tf="tf.where(tf.math.is_finite(x), x, tf.ones_like(x))",
                keras="keras.ops.where(keras.ops.isfinite(x), x, 1)",
            ),
            way("isinstance(x, float) and not (abs(x) < float('inf'))", "1.0"),
        ),
    ),
    Variation(
        name="filled",
        fact="has shape {shape}",
        cured="one element in place of none",
        examples={
            "torch": (
                "torch.empty(0, 3, dtype=torch.int64)",
                "torch.ones(1, 3, dtype=torch.int64)",
            ),
            "tf": ("tf.zeros([0, 3])", "tf.ones([1, 3])"),
            "keras": ("[0, 3]", "[1, 3]"),
        },
        ways=(
            way(
                "0 in shape(x)",
                torch="torch.ones([n or 1 for n in x.shape], dtype=x.dtype)",
                tf="tf.ones([n or 1 for n in x.shape], x.dtype)",
                keras="keras.ops.ones([n or 1 for n in x.shape], x.dtype)",
            ),
            way("sizes(x) and 0 in x", "[n or 1 for n in x]"),
        ),
    ),
    _as_long("first", "first", before="5", after="5, 5"),
    _as_long("second", "second != first", before="5, 7", after="5, 7, 5"),
    _as_long("last", "last not in (first, second)", before="5, 7", after="5, 7, 5, 7"),
    Variation(
        name="same-shape",
        fact="has shape {shape}",
        cured="the shape of the largest tensor beside it",
        examples={
            "torch": ("torch.zeros(0, 3)", "torch.ones(2, 3, 4)"),
            "tf": ("tf.zeros([0])", "tf.ones([2, 3, 4])"),
            "keras": ("keras.ops.zeros([0])", "keras.ops.ones([2, 3, 4])"),
        },
        ways=(
            way(
                "0 in shape(x) and 0 not in largest",
                torch="torch.ones(largest, dtype=x.dtype)",
                tf="tf.ones(largest, x.dtype)",
                keras="keras.ops.ones(largest, x.dtype)",
            ),
        ),
    ),
    Variation(
        name="one-dimensional",
        fact="has no dimensions",
        cured="one dimension",
        examples={
            "torch": ("torch.tensor(2.0)", "torch.tensor([2.0])"),
            "tf": ("tf.constant(2.0)", "tf.constant([2.0])"),
            "keras": ("keras.ops.array(2.0)", "keras.ops.array([2.0])"),
        },
        ways=(
            way(
                "dtype(x) and shape(x) == ()",
                torch="x.reshape(1)",
                tf="tf.reshape(x, [1])",
                keras="keras.ops.reshape(x, [1])",
            ),
        ),
    ),
    Variation(
        name="positive",
        fact="holds negative numbers",
        cured="positive",
        examples={
            "torch": (
                "torch.tensor([[-1.0, 2.0], [3.0, -4.0]]).t()",
                "torch.tensor([[1.0, 2.0], [3.0, 4.0]]).t()",
            ),
            "tf": ("tf.constant([-1, 2])", "tf.constant([1, 2])"),
            "keras": ("-3", "3"),
        },
        ways=(
            way("number(x) and x < 0", "-x"),
            way("sizes(x) and min(x) < 0", "[abs(n) for n in x]"),
            way(
                "dtype(x) and dtype(x)[:1] in 'fib'",
                torch="x.abs()",
                tf="tf.abs(x)",
                keras="keras.ops.abs(x)",
            ),
        ),
    ),
    Variation(
        name="nonzero",
        fact="holds zeros",
        cured="one",
        examples={
            "torch": ("torch.tensor([0, 2])", "torch.tensor([1, 2])"),
            "tf": ("tf.constant([0.0, 2.0])", "tf.constant([1.0, 2.0])"),
            "keras": ("0", "1"),
        },
        ways=(
            way("number(x) and x == 0", "x + 1"),
            way(
                "dtype(x)",
                torch="torch.where(x == 0, torch.ones_like(x), x)",
                tf="tf.where(x == 0, tf.ones_like(x), x)",
                keras="keras.ops.where(x == 0, keras.ops.ones_like(x), x)",
            ),
        ),
    ),
    Variation(
        name="small",
        fact="holds large numbers",
        cured="at most 1",
        examples={
            "torch": ("torch.tensor([4e30, -2e30])", "torch.tensor([1.0, -0.5])"),
            "tf": ("tf.constant([99, 0])", "tf.constant([1, 0])"),
            "keras": ("[1000, 1]", "[1, 1]"),
        },
        ways=(
            way("isinstance(x, int) and number(x) and abs(x) > 16", "1"),
            way("isinstance(x, float) and abs(x) > 16", "1.0"),
            way("sizes(x) and max(map(abs, x)) > 16", "[max(-1, min(n, 1)) for n in x]"),
            way(  # what depends on ratios alone stays as it is
                "dtype(x).startswith(('float', 'bfloat')) and 0 not in shape(x)",
                torch="x / x.abs().max().clamp(min=1)",
                tf="x / tf.maximum(tf.reduce_max(tf.abs(x)), tf.cast(1, x.dtype))",
                keras="x / keras.ops.maximum(keras.ops.max(keras.ops.abs(x)), 1)",
            ),
            way(
                "dtype(x).startswith(('int', 'uint'))",
                torch="x.clamp(-1, 1)",
                tf="tf.minimum(tf.maximum(x, tf.cast(-1, x.dtype)), tf.cast(1, x.dtype))",
                keras="keras.ops.clip(x, -1, 1)",
            ),
        ),
    ),
    Variation(
        name="first-index",
        fact="holds indices beyond 0",
        cured="0 in their place",
        examples={
            "torch": ("torch.tensor([5, 7])", "torch.tensor([0, 0])"),
            "tf": ("tf.constant([5, 7])", "tf.constant([0, 0])"),
            "keras": ("keras.ops.array([5, 7])", "keras.ops.array([0, 0])"),
        },
        ways=(
            way(
                "dtype(x).startswith(('int', 'uint'))",
                torch="torch.zeros_like(x)",
                tf="tf.zeros_like(x)",
                keras="keras.ops.zeros_like(x)",
            ),
        ),
    ),
    Variation(
        name="short",
        fact="has shape {shape}",
        cured="2 elements along each dimension",
        examples={
            "torch": ("torch.arange(8).reshape(2, 4)", "torch.arange(8).reshape(2, 4)[:, :2]"),
            "tf": ("tf.range(4)", "tf.range(2)"),
            "keras": ("keras.ops.arange(4)", "keras.ops.arange(2)"),
        },
        ways=(way("any(n > 2 for n in shape(x))", "x[tuple(slice(2) for _ in x.shape)]"),),
    ),
    Variation(
        name="batched",
        apart=True,
        fact="has shape {shape}",
        cured="one dimension more in front",
        examples={
            "torch": ("torch.ones(2, 3)", "torch.ones(1, 2, 3)"),
            "tf": ("tf.ones([2, 3])", "tf.ones([1, 2, 3])"),
            "keras": ("keras.ops.ones([2, 3])", "keras.ops.ones([1, 2, 3])"),
        },
        ways=(way("shape(x) and shape(x)[0] != 1", "x[None]"),),
    ),
    Variation(
        name=DEFAULT,
        fact="is given",
        of_plain="is given ({value})",
        cured="left out",
        examples={},
        ways=(way("named", "LEFT_OUT"),),
    ),
)
BY_NAME = {one.name: one for one in VARIATIONS}
EXTENTS = ("first-extent", "second-extent", "last-extent")
PRESERVING = frozenset(one.name for one in VARIATIONS if one.preserves)


def in_framework(root: str, *, timed: bool = False) -> list[Variation]:
    """The variations that a framework has; with `timed` those under which the same job is done."""
    chosen = (one for one in VARIATIONS if (one.preserves if timed else not one.of_time))
    return [one for one in chosen if one.ways_in(root)]
