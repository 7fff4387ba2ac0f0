"""How an instance of a class is used, by its base class: what counts as the call of that class.

In: an instance. Out: a function that uses it as its users do: layers, transforms and whatever else
is callable are called, distributions drawn from and asked for probabilities, optimisers and
schedules stepped. The arguments of the call are passed on.
"""

from functools import partial

import torch

SCHEDULES = getattr(torch.optim.lr_scheduler, "LRScheduler", torch.optim.lr_scheduler._LRScheduler)


def exercise(instance):
    """The function that uses an instance; it takes the arguments of the sample's call.

    What the use needs beside them is made here, so that it does not count as the class's work.
    """
    for kind, use in USES:
        if isinstance(instance, kind):
            return use(instance)
    return partial(used, instance)


def drawn(distribution):
    """Samples of a distribution, their probability, and what else it can tell."""
    if distribution.has_rsample:
        value = distribution.rsample()
    else:
        value = distribution.sample()
    found = [value]
    for ask in (
        lambda: distribution.log_prob(value.detach()),
        lambda: distribution.entropy(),
        lambda: distribution.mean,
        lambda: distribution.variance,
        lambda: distribution.cdf(value.detach()),
    ):
        try:
            found.append(ask())
        except (NotImplementedError, ValueError):
            continue  # not every distribution knows everything
    return found


def transforming(transform):
    """How a transform is used: on the values given, else on some between 0 and 1."""
    some = torch.linspace(0.1, 0.9, 6).reshape(2, 3).requires_grad_()
    return lambda *args: transformed(transform, *(args or (some,)))


def transformed(transform, value):
    """A value there and back, and the logarithm of the determinant on the way."""
    there = transform(value)
    found = [there, transform.inv(there)]
    try:
        found.append(transform.log_abs_det_jacobian(value, there))
    except NotImplementedError:
        pass  # it is no bijection
    return found


def stepping(optimizer):
    """How an optimiser is used: two steps over gradients of ones, the second with state.

    The gradients are dense where it takes those, else sparse.
    """
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    dense = [torch.ones_like(parameter) for parameter in parameters]
    sparse = [gradient.to_sparse() for gradient in dense]
    loss = torch.ones(())

    def step(gradients):
        for parameter, gradient in zip(parameters, gradients):
            parameter.grad = gradient
        for _ in range(2):
            optimizer.step(lambda: loss)

    def steps():
        try:
            step(dense)
        except RuntimeError:
            step(sparse)

    return steps


def scheduling(schedule):
    """How a schedule is used: two steps, with its optimiser; some want to know how well it goes."""

    def steps():
        for _ in range(2):
            schedule.optimizer.step()
            try:
                schedule.step()
            except TypeError:
                schedule.step(1.0)

    return steps


def used(instance, *args, **kwargs):
    """Anything else: called, entered as a context, or just looked at."""
    if isinstance(instance, torch.Tensor):
        return instance
    if callable(instance):
        return instance(*args, **kwargs)
    if hasattr(type(instance), "__enter__"):
        with instance:
            ones = torch.ones(2, 3, requires_grad=True)
            return (ones * 2).sum()
    if hasattr(type(instance), "__iter__"):
        return [item for _, item in zip(range(4), instance)]
    return instance


USES = (
    (torch.nn.Module, lambda layer: layer),
    (torch.distributions.Distribution, lambda distribution: partial(drawn, distribution)),
    (torch.distributions.Transform, transforming),
    (torch.optim.Optimizer, stepping),
    (SCHEDULES, scheduling),
)
"""How instances are used, by base class: the instance given, a function of the call's arguments."""
