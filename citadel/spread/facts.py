"""Facts about arguments that can be brought into a valid call.

A variation (`citadel.evidence.variations`) takes a fact away from an argument; a fact of this list
brings it back. Facts about a call as a whole are in `citadel.spread.modes`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis import parsing
from citadel.evidence.variations import EXTENTS, VARIATIONS, Variation, way
from citadel.spread.fact import PLAIN, Fact, Takes, expressions, with_value
from citadel.spread.modes import MODES
from harvest.report.text import shorten

LESS = 4
"""How much less a milder number is: it is in range where one is just beyond."""
MOST_CHARACTERS = 60
"""Of a value in a sentence."""
NUMBERS = "dtype(x).startswith(('float', 'bfloat', 'complex'))"
MAKES_TENSOR = "{quoted}.startswith(('torch.tensor', 'tf.constant'))"
DENSE = "layout(x) == 'strided'"
FLOATING = "dtype(x).startswith(('float', 'bfloat'))"
SIGNED = "dtype(x).startswith(('float', 'bfloat', 'int'))"

FACTS: tuple[Fact, ...] = (
    Fact(
        name="mistyped",
        says="has another dtype than the result",
        only="out",
        brings_back=("default", "wider", "float32", "int64"),
        ways=(
            way(
                "role == 'out'",
                torch="x.to(torch.float64 if x.dtype != torch.float64 else torch.float32)",
            ),
        ),
        elsewhere=(
            (
                way(
                    "role == 'out'",
                    torch="x.to(torch.int64 if x.dtype != torch.int64 else torch.bool)",
                ),
            ),
        ),
    ),
    Fact(
        name="overlapping",
        says="shares a part of its memory with an input",
        role="out",
        brings_back=("alone",),
        other={"torch": "torch.cat([x.flatten(), x.flatten()[:1]])[:-1].view(x.shape)"},
        ways=(way("role == 'out'", torch="torch.as_strided(other, x.shape, x.stride(), 1)"),),
    ),
    Fact(
        name="whole",
        says="holds whole numbers of dtype {value}",
        takes=Takes.WHOLE,
        brings_back=("wider", "int64"),
        preserves=True,
        harmless=True,
        together=True,
        examples={
            "torch": ("int32", "torch.tensor([0, 2])", "torch.tensor([0, 2], dtype=torch.int32)"),
            "tf": ("int64", "tf.constant([0, 2])", "tf.constant([0, 2], tf.int64)"),
        },
        ways=(
            way(
                "dtype(x).startswith(('int', 'uint')) and 'int' in '{value}'",
                torch="x.to(torch.{value})",
                tf="tf.cast(x, tf.{value})",
            ),
        ),
    ),
    Fact(
        name="dtype",
        says="has dtype {value}",
        takes=Takes.DTYPE,
        promotes=True,
        brings_back=("wider", "float32", "int64"),
        examples={
            "torch": ("bool", "torch.tensor([0.5, -1.0])", "torch.tensor([True, False])"),
            "tf": ("float64", "tf.constant([0.5, 1.0])", "tf.constant([0.5, 1.0], tf.float64)"),
        },
        ways=(
            way("role == 'out'", torch="x.to(torch.{value})"),
            way("'{value}' == 'bool' and dtype(x)[:1] in 'fib' and dtype(x)", torch="x > 0"),
            way(
                "'{value}' == 'bool' and dtype(x)[:1] in 'fib' and dtype(x)",
                tf="tf.greater(x, tf.cast(0, x.dtype))",
            ),
            way(
                "dtype(x).startswith(('float', 'bfloat'))",
                torch="x.to(torch.{value})",
                tf="tf.cast(x, tf.{value})",
            ),
            way(
                "dtype(x).startswith('complex') and '{value}'.startswith('complex')",
                torch="x.to(torch.{value})",
                tf="tf.cast(x, tf.{value})",
            ),
            way(
                "dtype(x).startswith(('int', 'uint')) and 'int' in '{value}'",
                torch="x.to(torch.{value})",
                tf="tf.cast(x, tf.{value})",
            ),
            way("dtype(x) == 'bool'", torch="x.to(torch.{value})", tf="tf.cast(x, tf.{value})"),
        ),
        layer={"torch": ".to(torch.{value})"},
    ),
    Fact(
        name="far",
        says="holds an index that is out of range",
        brings_back=("first-index",),
        examples={
            "torch": ("", "torch.tensor([0, 2])", "torch.tensor([1000, 2])"),
            "tf": ("", "tf.constant([0, 2])", "tf.constant([1000, 2])"),
        },
        ways=(
            way(
                "dtype(x) in ('int32', 'int64') and shape(x) and 0 not in shape(x)",
                torch="x.flatten().index_fill(0, torch.tensor(0), 1000).reshape(x.shape)",
                tf="tf.reshape(tf.concat([tf.constant([1000], x.dtype),"
                " tf.reshape(x, [-1])[1:]], 0), x.shape)",
            ),
        ),
    ),
    Fact(
        name="holding",
        says="holds {value}",
        takes=Takes.NUMBER,
        brings_back=("finite", "first-index"),
        of_numbers=("small", "nonzero"),
        examples={
            "torch": (
                "nan",
                "torch.tensor([1.0, -2.0])",
                "torch.tensor([float('nan'), -2.0])",
            ),
            "tf": ("7", "tf.constant([1, 2])", "tf.constant([7, 2])"),
        },
        ways=(
            way("number(x)", "{number}"),
            way(
                f"{DENSE} and dtype(x) and 0 not in shape(x) and"
                " (dtype(x)[:1] in 'fbc' or '{value}'.lstrip('+-').isdigit())",
                torch="x.flatten().index_fill(0, torch.tensor(0), {number}).reshape(x.shape)",
                tf="tf.reshape(tf.concat([tf.cast([{number}], x.dtype),"
                " tf.reshape(x, [-1])[1:]], 0), x.shape)",
            ),
        ),
        elsewhere=(
            (
                way("number(x)", "{number}"),
                way(
                    f"{DENSE} and dtype(x) and 0 not in shape(x) and"
                    " (dtype(x)[:1] in 'fbc' or '{value}'.lstrip('+-').isdigit())",
                    torch="x.flatten().index_fill(0, torch.tensor(x.numel() - 1), {number})"
                    ".reshape(x.shape)",
                    tf="tf.reshape(tf.concat([tf.reshape(x, [-1])[:-1],"
                    " tf.cast([{number}], x.dtype)], 0), x.shape)",
                ),
            ),
        ),
    ),
    Fact(
        name="scaled",
        says="is multiplied by {value}",
        takes=Takes.NUMBER,
        brings_back=("small",),
        examples={
            "torch": ("1e30", "torch.tensor([1.0, -2.0])", "torch.tensor([1e30, -2e30])"),
            "tf": ("100.0", "tf.constant([1.0, 2.0])", "tf.constant([100.0, 200.0])"),
        },
        ways=(
            way(NUMBERS, "x * {value}"),
            way("number(x)", "x * {value}"),
        ),
    ),
    Fact(
        name="zero",
        says="holds zeros",
        brings_back=("nonzero",),
        examples={
            "torch": ("", "torch.tensor([1.0, -2.0])", "torch.tensor([0.0, 0.0])"),
            "tf": ("", "tf.constant([1, 2])", "tf.constant([0, 0])"),
        },
        ways=(
            way("number(x)", "0 * x"),
            way("dtype(x)", torch="torch.zeros_like(x)", tf="tf.zeros_like(x)"),
        ),
    ),
    Fact(
        name="full",
        says="holds {value} alone",
        takes=Takes.NUMBER,
        brings_back=("small",),
        examples={
            "torch": ("0", "torch.tensor([1.0, -2.0])", "torch.tensor([0.0, 0.0])"),
            "tf": ("0", "tf.constant([1, 2])", "tf.constant([0, 0])"),
        },
        ways=(
            way("number(x)", "{number}"),
            way(
                "dtype(x) and (dtype(x)[:1] in 'fbc' or '{value}'.lstrip('+-').isdigit())",
                torch="torch.full_like(x, {number})",
                tf="tf.fill(x.shape, tf.cast({number}, x.dtype))",
            ),
        ),
    ),
    Fact(
        name="huge",
        says="is as large as its dtype can hold",
        brings_back=("small",),
        examples={
            "torch": (
                "",
                "torch.tensor([1.0, -2.0], dtype=torch.float16)",
                "torch.tensor([16376.0, -32752.0], dtype=torch.float16)",
            ),
            "tf": (
                "",
                "tf.constant([1.0, -2.0], tf.float16)",
                "tf.constant([16376.0, -32752.0], tf.float16)",
            ),
        },
        ways=(
            way(
                "dtype(x).startswith(('float', 'bfloat')) and 0 not in shape(x)",
                torch="x / x.abs().max() * (torch.finfo(x.dtype).max / 2)",
                tf="x / tf.reduce_max(tf.abs(x)) * (x.dtype.max / 2)",
            ),
        ),
    ),
    Fact(
        name="negative",
        says="holds negative numbers",
        brings_back=("positive",),
        examples={
            "torch": ("", "torch.tensor([1.0, -2.0])", "torch.tensor([-1.0, -2.0])"),
            "tf": ("", "tf.constant([1, 2])", "tf.constant([-1, -2])"),
        },
        ways=(
            way("number(x)", "-abs(x)"),
            way(
                "dtype(x).startswith(('float', 'bfloat', 'int'))", torch="-x.abs()", tf="-tf.abs(x)"
            ),
        ),
    ),
    Fact(
        name="empty",
        says="has no elements",
        brings_back=("filled", *EXTENTS, "same-shape"),
        examples={
            "torch": ("", "torch.ones(2, 3)", "torch.ones(0, 3)"),
            "tf": ("", "tf.ones([2, 3])", "tf.ones([0, 3])"),
        },
        # A view would leave the elements where they are: what reads them finds them.
        ways=(way("shape(x) and shape(x)[0]", torch="x[:0].clone()", tf="x[:0]"),),
        elsewhere=(
            (
                way(
                    "len(shape(x)) > 1 and shape(x)[-1]",
                    torch="x[..., :0].clone()",
                    tf="x[..., :0]",
                ),
            ),
        ),
    ),
    Fact(
        name="long",
        says="has 64 times as many elements",
        brings_back=("short",),
        examples={
            "torch": ("", "torch.ones(2, 3)", "torch.ones(128, 3)"),
            "tf": ("", "tf.ones([2, 3])", "tf.ones([128, 3])"),
        },
        ways=(
            way(
                "shape(x) and 0 not in shape(x)",
                torch="torch.cat([x] * 64)",
                tf="tf.concat([x] * 64, 0)",
            ),
        ),
        elsewhere=(
            (
                way(
                    "shape(x) and 0 not in shape(x)",
                    torch="torch.cat([x] * 64, -1)",
                    tf="tf.concat([x] * 64, -1)",
                ),
            ),
        ),
    ),
    Fact(
        name="unbatched",
        says="lacks its first dimension",
        brings_back=("batched",),
        examples={
            "torch": ("", "torch.ones(2, 3)", "torch.ones(3)"),
            "tf": ("", "tf.ones([2, 3])", "tf.ones([3])"),
        },
        ways=(way("shape(x) and shape(x)[0]", "x[0]"),),
    ),
    Fact(
        name="scalar",
        says="has no dimensions",
        brings_back=("one-dimensional",),
        examples={
            "torch": ("", "torch.tensor([1.0, 2.0])", "torch.tensor(1.0)"),
            "tf": ("", "tf.constant([1.0, 2.0])", "tf.constant(1.0)"),
        },
        ways=(
            way(
                "shape(x) and 0 not in shape(x)",
                torch="x.flatten()[0]",
                tf="tf.reshape(x, [-1])[0]",
            ),
        ),
    ),
    Fact(
        name="strided",
        says="is not contiguous",
        preserves=True,
        harmless=True,
        brings_back=("contiguous",),
        examples={
            "torch": ("", "torch.eye(2)", "torch.eye(2).t()"),
        },
        ways=(
            way(f"{DENSE} and len(shape(x)) > 1", torch="x.mT.contiguous().mT"),
            way(f"{DENSE} and shape(x)", torch="torch.stack([x, x], -1)[..., 0]"),
        ),
        elsewhere=(
            (
                way(
                    f"{DENSE} and len(shape(x)) == 4",
                    torch="x.contiguous(memory_format=torch.channels_last)",
                ),
                way(
                    f"{DENSE} and len(shape(x)) == 5",
                    torch="x.contiguous(memory_format=torch.channels_last_3d)",
                ),
            ),
        ),
    ),
    Fact(
        name="expanded",
        says="has elements that share their memory",
        role="written",
        preserves=True,
        brings_back=("contiguous",),
        examples={
            "torch": ("", "torch.ones(2, 3)", "torch.ones(1, 3).expand(2, 3)"),
        },
        ways=(
            way("role == 'out' and shape(x)", torch="x[:1].expand(x.shape)"),
            way(f"{DENSE} and shape(x) and shape(x)[0] > 1", torch="x[:1].expand(x.shape)"),
        ),
    ),
    Fact(
        name="negated",
        says="is a negative view",
        preserves=True,
        harmless=True,
        brings_back=("resolved",),
        examples={"torch": ("", "torch.ones(2)", "torch._neg_view(torch.tensor([-1.0, -1.0]))")},
        ways=(
            way(
                "dtype(x) in ('float32', 'float64')",
                torch="torch.complex(torch.zeros_like(x), -x).conj().imag",
            ),
            way("dtype(x).startswith('complex')", torch="x.conj().resolve_conj().conj()"),
        ),
    ),
    Fact(
        name="sparse",
        says="is sparse ({value})",
        takes=Takes.LAYOUT,
        preserves=True,
        brings_back=("dense",),
        examples={
            "torch": ("coo", "torch.eye(2)", "torch.eye(2).to_sparse()"),
            "tf": ("coo", "tf.eye(2)", "tf.sparse.eye(2)"),
        },
        ways=(
            way(f"{DENSE} and shape(x) and '{{value}}' == 'coo'", torch="x.to_sparse()"),
            way(
                f"{DENSE} and len(shape(x)) > 1 and '{{value}}' != 'coo'",
                torch="x.to_sparse_{value}()",
            ),
            way(f"{DENSE} and shape(x)", tf="tf.sparse.from_dense(x)"),
        ),
    ),
    Fact(
        name="gradients",
        says="requires gradients",
        preserves=True,
        brings_back=("detached",),
        examples={"torch": ("", "torch.ones(2)", "torch.ones(2).requires_grad_()")},
        ways=(way(NUMBERS, torch="x.clone().requires_grad_()"),),
    ),
    Fact(
        name="meta",
        says="is on the device meta",
        brings_back=("cpu",),
        known_by=("device", "meta"),
        examples={"torch": ("", "torch.ones(2)", "torch.ones(2, device='meta')")},
        ways=(way("dtype(x)", torch="x.to('meta')"),),
        layer={"torch": ".to('meta')"},
    ),
    Fact(
        name="is",
        says="is {value}",
        takes=Takes.VALUE,
        fixed=True,
        examples={
            "torch": ("torch.tensor([True])", "torch.ones(2, 3)", "torch.tensor([True])"),
            "tf": ("tf.constant([True])", "tf.ones([2, 3])", "tf.constant([True])"),
        },
        ways=(
            way(f"{MAKES_TENSOR} and (dtype(x) or x is None)", "{value}"),
            way(f"not {MAKES_TENSOR} and not dtype(x)", "{value}"),
        ),
    ),
    Fact(
        name="minus-one",
        says="is -1 where the trigger is, which a check from below refuses",
        told="-1 in its place, which is refused",
        refuses=True,
        ways=(way("role == 'bad' and number(x)", "-1.0"),),
    ),
    Fact(
        name="thousand",
        says="is 1000 where the trigger is, which a check from above refuses",
        told="1000 in its place, which is refused",
        refuses=True,
        ways=(way("role == 'bad' and number(x)", "1000.0"),),
    ),
    Fact(
        name="refused",
        says="holds what the plain call refuses",
        role="any",
        refused=True,
        examples={
            "torch": ("", "torch.tensor([1.0, -2.0])", "torch.tensor([-2.0, -3.0])"),
            "tf": ("", "tf.constant([1, -2])", "tf.constant([-2, -3])"),
        },
        ways=(
            way("number(x)", "-abs(x) - 1"),
            way(SIGNED, torch="-x.abs() - 1", tf="-tf.abs(x) - 1"),
        ),
        elsewhere=(
            (
                way("number(x)", "0 * x"),
                way("dtype(x)", torch="torch.zeros_like(x)", tf="tf.zeros_like(x)"),
            ),
            (
                way("number(x)", "abs(x) + 2"),
                way(SIGNED, torch="x.abs() + 2", tf="tf.abs(x) + 2"),
            ),
            (
                way("number(x)", "abs(x) + 1000"),
                way(SIGNED, torch="x.abs() + 1000", tf="tf.abs(x) + 1000"),
            ),
            (
                way("number(x)", "float('nan')"),
                way(FLOATING, "x * float('nan')"),
            ),
        ),
    ),
)


def _taken(variation: Variation) -> Fact:
    return Fact(
        name=variation.name,
        says=f"is made so: {variation.puts}",
        told=variation.puts,
        ways=variation.ways,
        preserves=True,
    )


TAKEN: tuple[Fact, ...] = tuple(_taken(one) for one in VARIATIONS if one.preserves)
"""The variations that keep the right result, as ways to make a call."""
BY_NAME: Mapping[str, Fact] = {one.name: one for one in (PLAIN, *FACTS, *MODES, *TAKEN)}


@dataclass(frozen=True, slots=True)
class Given:
    """A fact with the value that it names."""

    fact: Fact
    value: str = ""

    def __str__(self) -> str:
        return f"{self.fact.name} {self.value}".strip()

    @property
    def told(self) -> str:
        """What people are told of it as one of two ways to make a call."""
        return self.fact.told.format(value=self.value) or str(self)

    @property
    def sentence(self) -> str:
        """Completes "`input` ..."."""
        return self.fact.says.format(value=shorten(self.value, MOST_CHARACTERS))

    @property
    def milder(self) -> str:
        """A number of a quarter of the size, where the fact names one; else ""."""
        try:
            number = parsing.literal(self.value) if self.fact.fixed else None
        except ValueError:
            return ""
        if type(number) is int:
            return str(number // LESS if number > 0 else -(-number // LESS))
        return repr(number / LESS) if type(number) is float else ""

    def record(self, root: str, roles: Sequence[str] = ()) -> dict[str, Any]:
        """As `analysis/inside/spread.py` reads it."""
        whole = {
            "run": self.fact.run.get(root, ""),
            "setup": with_value(self.fact.setup.get(root, ""), self.value),
            "layer": with_value(self.fact.layer.get(root, ""), self.value),
            "other": self.fact.other.get(root, ""),
            "fixed": self.fact.fixed,
            "refused": self.fact.refused,
            "refuses": self.fact.refuses,
            "together": self.fact.together,
        }
        milder = expressions(self.fact.ways, root, self.milder) if self.milder else []
        # What is made by a function around the call needs no change of the arguments.
        ways = [] if whole["run"] else [self.fact.ways, *self.fact.elsewhere]
        each = [expressions(one, root, self.value) for one in ways if one]
        told = {"each": each or [[]], "milder": [milder] if milder else []}
        return {"roles": list(roles), **told, **whole}
