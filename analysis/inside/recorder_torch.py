"""Which operators a call runs, forward and backward, by the legacy autograd profiler.

Kineto would do too, but costs four times as much per call. Names come as PyTorch gives them
("aten::conv2d", "ConvolutionBackward0"); the host makes them comparable.
"""

import torch


def names_of(call):
    """(operators that ran, result) of a call without arguments; its exceptions pass through."""
    config = torch.autograd.ProfilerConfig(
        torch.autograd.ProfilerState.CPU,
        False,
        False,
        False,
        False,
        False,
        torch._C._profiler._ExperimentalConfig(),
    )
    torch.autograd._enable_profiler_legacy(config)
    try:
        result = call()
    finally:
        threads = torch.autograd._disable_profiler_legacy()
    return {
        event.name() for events in threads for event in events if event.kind() == "push"
    }, result


def forward_and_backward(call, ignored=()):
    """Operators of a call and of the gradient of what it returns, less the ignored ones.

    The incoming gradients are made outside the profile: summing the result would add its own
    operators to every set.
    """
    names, result = names_of(call)
    outputs = [item for item in tensors(result) if item.requires_grad and item.grad_fn is not None]
    if outputs:
        gradients = [torch.ones_like(item.detach()) for item in outputs]
        try:
            backward, _ = names_of(lambda: torch.autograd.backward(outputs, gradients))
        except (RuntimeError, NotImplementedError):
            backward = set()  # not differentiable after all: the forward names stand
        names |= backward
    return names - set(ignored)


def tensors(result, depth=3):
    """The tensors in a nested result."""
    if isinstance(result, torch.Tensor):
        return [result]
    if depth and isinstance(result, (list, tuple)):
        return [tensor for item in result for tensor in tensors(item, depth - 1)]
    if depth and isinstance(result, dict):
        return tensors(list(result.values()), depth)
    return []


def copied(value, depth=3):
    """A value with fresh tensors of the same content, still asking for gradients."""
    if isinstance(value, torch.Tensor):
        if type(value) is not torch.Tensor:
            return value
        copy = value.detach().clone()
        return copy.requires_grad_() if value.requires_grad else copy
    if depth and type(value) in (list, tuple):
        return type(value)(copied(item, depth - 1) for item in value)
    return value
