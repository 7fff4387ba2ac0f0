"""The functions that layers of several inputs come to: sums, products, attention.

In: a suspect with the inputs `x0` and `x1`. Out: as in `functions`, which has those of one input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from harvest.sources.function import Function, called
from harvest.sources.suspects import Suspect

_NAMES = ("x0", "x1")
_TENSORS = tuple(f"torch.tensor({name})" for name in _NAMES)
_PROJECTED = {"query": "x0", "key": "x1", "value": "x1"}
"""What attention over a second input makes of which one."""
_HEADS = "btf,fhd->bthd"


def _merged(prefix: str, given: tuple[str, ...], found: Suspect) -> Function | None:
    return called(f"{prefix}.{found.kind.lower()}", *given) if len(found.shapes) == 2 else None


def _joined(name: str, axis: str, given: tuple[str, ...], found: Suspect) -> Function | None:
    where = f"{axis}={found.config.get('axis', -1)!r}"
    return called(name, f"[{', '.join(given)}]", where) if len(found.shapes) == 2 else None


def _attention(found: Suspect) -> Function | None:
    """The projections of `MultiHeadAttention` as sums, what lies between them as its function."""
    if len(found.shapes) != 2 or {len(shape) for shape in found.shapes} != {3}:
        return None
    biased = found.config.get("use_bias", True)
    weights, before = list[str](), list[str]()
    for name, x in _PROJECTED.items():
        weights += [f"{name}_kernel", *([f"{name}_bias"] if biased else [])]
        more = f" + {name}_bias" if biased else ""
        before.append(f'{name} = np.einsum("{_HEADS}", {x}, {name}_kernel){more}')
    weights += ["kernel", *(["bias"] if biased else [])]
    made = called("keras.ops.dot_product_attention", *_PROJECTED)
    call = f'np.einsum("bthd,hdo->bto", {made.call}, kernel)' + (" + bias" if biased else "")
    return Function(name=made.name, call=call, weights=tuple(weights), before=tuple(before))


_MERGED = "Add|Subtract|Multiply|Maximum|Minimum"
MERGING: Mapping[str, Mapping[str, Callable[[Suspect], Function | None]]] = {
    "tensorflow": {
        _MERGED: partial(_merged, "tf", _NAMES),
        "Concatenate": partial(_joined, "tf.concat", "axis", _NAMES),
    },
    "torch": {
        _MERGED: partial(_merged, "torch", _TENSORS),
        "Concatenate": partial(_joined, "torch.cat", "dim", _TENSORS),
    },
    "keras": {
        _MERGED: partial(_merged, "keras.ops", _NAMES),
        "Concatenate": partial(_joined, "keras.ops.concatenate", "axis", _NAMES),
        "MultiHeadAttention": _attention,
    },
}
"""By backend and kind of layer, a regular expression."""
