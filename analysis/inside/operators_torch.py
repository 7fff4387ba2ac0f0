"""Calls that operators get from others, forward and backward: samples of what nobody calls by name.

In: calls of the databases of samples. Out: per operator of `torch.ops.aten`, the arguments that it
was given while such a call ran and its gradients, of first and second order, were computed.
"""

from contextlib import suppress

import torch
from recorder_torch import copied
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten

ORDERS = 2
"""How many times a result is differentiated."""
PREFIX = "torch.ops.aten."
MOST_CALLS = 2


class Reached(TorchDispatchMode):
    """Notes the first calls of each operator, but for those that are `known` by other calls."""

    def __init__(self, known):
        super().__init__()
        self.known = known
        self.calls = {}

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        packet = str(getattr(function, "overloadpacket", ""))
        name = PREFIX + packet.partition("aten.")[2]
        if packet.startswith("aten.") and name not in self.known:
            calls = self.calls.setdefault(name, [])
            if len(calls) < MOST_CALLS:
                calls.append((copied(args), copied(kwargs), None))
        return function(*args, **kwargs)


def reached(run, known):
    """{operator: calls} of what a function and its gradients reach; what fails ends it."""
    mode = Reached(known)
    with suppress(Exception), mode:
        differentiated(run())
    return mode.calls


def differentiated(result):
    """Compute gradients of all results, and gradients of these."""
    for _ in range(ORDERS):
        outputs = [one for one in tree_flatten(result)[0] if wanting(one)]
        if not outputs:
            return
        inputs = leaves(outputs)
        ones = [torch.ones_like(one) for one in outputs]
        result = torch.autograd.grad(outputs, inputs, ones, create_graph=True, allow_unused=True)


def wanting(value):
    """Whether it is a tensor that can be differentiated."""
    return isinstance(value, torch.Tensor) and value.requires_grad and value.grad_fn is not None


def leaves(outputs):
    """The tensors that results were made of, as far as they want gradients."""
    found, seen, waiting = {}, set(), [one.grad_fn for one in outputs]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        variable = getattr(node, "variable", None)
        if variable is not None:
            found[id(variable)] = variable
        waiting += [other for other, _ in node.next_functions]
    return list(found.values())
