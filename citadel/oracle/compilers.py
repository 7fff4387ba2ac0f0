"""Functions of a framework that make another way to compute the same of a function, or a model.

In: the dotted name of a call. Out: whether it is one of them. What they make is compared with what
it was made of, and is to blame only where the title names nothing else.
"""

from __future__ import annotations

import re

COMPILERS = frozenset(
    (
        *("torch.compile", "torch.jit.script", "torch.jit.trace", "torch.jit.freeze"),
        *("torch.jit.optimize_for_inference", "tf.function", "tf.xla.experimental.compile"),
    )
)
"""Their full names, as catalogs spell them."""
_TENSORFLOW = re.compile(r"^(?:tensorflow|tf)\.(?:compat\.v[12]\.)?")


def is_compiler(name: str) -> bool:
    """Whether a full name is that of a compiler: `tensorflow.function` is `tf.function`.

    >>> is_compiler("torch.jit.trace"), is_compiler("torch.trace")
    (True, False)
    """
    return _TENSORFLOW.sub("tf.", name) in COMPILERS
