"""How the names of two APIs are related: a channel computed from names alone (paper, section 4.4).

In: two dotted names. Out: a short text such as "dimension", "module" or "dimension, in-place", or
None where the names are not of one family. `torch.nn.LazyConv2d`, `torch.nn.functional.conv3d` and
`torch.ops.aten.conv1d` share the core "conv" and differ in form, dimension and laziness.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from analysis.catalog.model import Api, ApiKind
from analysis.rules import Phrase

# The name of an operation behind a special method, where Python's word for it differs.
OPERATIONS = {
    "truediv": "div",
    "floordiv": "floordivide",
    "mod": "remainder",
    "and": "bitwiseand",
    "or": "bitwiseor",
    "xor": "bitwisexor",
    "invert": "bitwisenot",
    "lshift": "bitwiseleftshift",
    "rshift": "bitwiserightshift",
}
# How layers spell out what functions abbreviate: `AveragePooling2D`, `avg_pool2d`.
ABBREVIATED = {
    "pooling": "pool",
    "average": "avg",
    "convolution": "conv",
    "normalization": "norm",
}
SAME_NAME = "same name"
VARIANTS = ("with_indices", "backward", "forward", "copy", "symint")
# TensorFlow writes these into the names of operations: later versions of one, the form that works
# on a variable's handle, the kernel behind a function, the gradient.
_MARKS = (
    (
        Phrase(
            "name/version",
            r"(?<=[a-zA-Z0-9])(?:V|_v)\d+$",
            finds=("MaxPoolV2", "top_k_v2"),
            spares=("MaxPool", "V2"),
            meaning="A later version of an operation.",
        ),
        "version",
    ),
    (
        Phrase(
            "name/resource",
            r"^(?:Resource|resource_)(?=[A-Za-z])",
            finds=("ResourceGather", "resource_gather"),
            spares=("Resource", "GatherResource"),
            meaning="The form that works on the handle of a variable.",
        ),
        "resource",
    ),
    (
        Phrase(
            "name/native",
            r"(?<=[a-zA-Z0-9])(?:Native|_native)$",
            finds=("DepthwiseConv2dNative", "conv_native"),
            spares=("NativeConv",),
            meaning="The kernel behind a function.",
        ),
        "native",
    ),
    (
        Phrase(
            "name/gradient",
            r"(?<=[a-zA-Z0-9])(?:Grad|_grad)$",
            finds=("MaxPoolGrad", "relu_grad"),
            spares=("GradientTape", "Grad"),
            meaning="The gradient of an operation.",
        ),
        "gradient",
    ),
)
BACKENDS = ("mkldnn", "native", "quantized", "cudnn", "miopen", "slow", "xnnpack")
NAMESPACES = ("linalg", "special", "fft", "sparse", "nested")

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_DIMENSION = Phrase(
    "name/dimension",
    r"([123])d|(?<=fft)[2n](?![a-z0-9])",
    re.IGNORECASE,
    finds=("conv2d", "AvgPool3D", "rfft2", "ifftn"),
    spares=("stack", "fftshift", "norm"),
    meaning="The number of dimensions in the name of an operation.",
)
_NAN = Phrase(
    "name/without-nan",
    r"^nan[a-z]{3}",
    finds=("nanmedian", "nansum"),
    spares=("nan_to_num", "isnan"),
    meaning="The form of an operation that leaves out NaN.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A name taken apart; two names are of one family when their cores are equal."""

    core: str
    form: str
    namespace: str = ""
    dimension: str = ""
    variants: frozenset[str] = frozenset()

    def differences(self, other: Name) -> list[str]:
        """What tells this name from another one of its family."""
        found = []
        if self.dimension != other.dimension:
            found.append("dimension")
        if self.form != other.form:
            found.append(other.form)
        found += sorted(self.variants ^ other.variants)
        if not found and self.namespace != other.namespace:
            found.append(SAME_NAME)
        return found


def relation(source: Api, target: Api) -> str | None:
    """The relation of two APIs of one family; None for strangers and for an API with itself."""
    if source.name == target.name:
        return None
    left, right = parse(source.name, source.kind), parse(target.name, target.kind)
    if left.core != right.core:
        return None
    return ", ".join(left.differences(right)) or SAME_NAME


@cache
def parse(name: str, kind: ApiKind) -> Name:
    """Take a dotted name apart."""
    namespace, _, leaf = name.rpartition(".")
    if leaf.startswith("__") and leaf.endswith("__"):
        core, special = _special(leaf.strip("_"))
        return Name(core=core, form="method", namespace=namespace, variants=special)
    variants: set[str] = set()
    if leaf.endswith("_"):
        variants.add("in-place")
        leaf = leaf.rstrip("_")
    leaf = leaf.lstrip("_")
    if kind.is_class and leaf.startswith("Lazy"):
        variants.add("Lazy")
        leaf = leaf.removeprefix("Lazy")
    if name.startswith("tf."):
        for mark, variant in _MARKS:
            if mark.search(leaf):
                variants.add(variant)
                leaf = mark.sub("", leaf)
    leaf = _inner_namespace(leaf, kind)
    for variant in VARIANTS:
        if leaf.endswith("_" + variant):
            variants.add(variant)
            leaf = leaf.removesuffix("_" + variant)
    for backend in BACKENDS:
        if leaf.startswith(backend + "_"):
            variants.add(backend)
            leaf = leaf.removeprefix(backend + "_")
    if _NAN.match(leaf):
        variants.add("nan")
        leaf = leaf.removeprefix("nan")
    dimension = "".join(match.group(0).lower() for match in _DIMENSION.finditer(leaf))
    return Name(
        core=_core(leaf),
        form=_form(namespace, kind),
        namespace=namespace,
        dimension=dimension,
        variants=frozenset(variants),
    )


def _core(leaf: str) -> str:
    core = _DIMENSION.sub("", leaf).replace("_", "").lower()
    for word, short in ABBREVIATED.items():
        core = core.replace(word, short)
    return core


@cache
def subwords(name: str) -> tuple[str, ...]:
    """Lower-case words of a name of either style.

    >>> subwords("LazyConvTranspose2d"), subwords("max_pool1d")
    (('lazy', 'conv', 'transpose', '2', 'd'), ('max', 'pool', '1', 'd'))
    """
    return tuple(word.lower() for word in _WORD.findall(name))


def _special(leaf: str) -> tuple[str, frozenset[str]]:
    """Core and variants of a special method: reflected and in-place forms are of the family."""
    plain = {
        "add",
        "sub",
        "mul",
        "matmul",
        "pow",
        "div",
        "neg",
        "abs",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
    }
    known = plain | set(OPERATIONS) | {"ge"}
    for prefix, variant in (("", "operator"), ("r", "reflected"), ("i", "in-place")):
        base = leaf.removeprefix(prefix) if leaf.startswith(prefix) else ""
        if base in known:
            return OPERATIONS.get(base, base), frozenset({variant, "operator"})
    return leaf, frozenset({"operator"})


def _inner_namespace(leaf: str, kind: ApiKind) -> str:
    """Operators carry their Python namespace in the name: `linalg_eig`, `fft_rfft`."""
    if kind is ApiKind.OP:
        for namespace in NAMESPACES:
            rest = leaf.removeprefix(namespace + "_")
            if rest != leaf and rest:
                return rest
    return leaf


def _form(namespace: str, kind: ApiKind) -> str:
    if kind is ApiKind.FUNCTION and namespace.endswith("nn.functional"):
        return "functional"
    return f"compat.v1 {kind}" if namespace.startswith("tf.compat.v1") else str(kind)
