"""How an instance of a class is used, by its base class: what counts as the call of that class.

In: an instance. Out: a function that uses it as its users do: layers, transforms and whatever else
is callable are called, distributions drawn from and asked for probabilities, optimisers and
schedules stepped. The arguments of the call are passed on.
"""

import torch

SCHEDULES = getattr(torch.optim.lr_scheduler, "LRScheduler", torch.optim.lr_scheduler._LRScheduler)


def exercise(instance):
    """The function that uses an instance; it takes the arguments of the sample's call."""
    for kind, use in USES:
        if isinstance(instance, kind):
            return lambda *args, **kwargs: use(instance, *args, **kwargs)
    return lambda *args, **kwargs: used(instance, *args, **kwargs)


def called(instance, *args, **kwargs):
    """The result of calling the instance."""
    return instance(*args, **kwargs)


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


def transformed(transform, *args):
    """A value there and back, and the logarithm of the determinant on the way."""
    value = args[0] if args else torch.linspace(0.1, 0.9, 6).reshape(2, 3)
    there = transform(value)
    found = [there, transform.inv(there)]
    try:
        found.append(transform.log_abs_det_jacobian(value, there))
    except NotImplementedError:
        pass  # it is no bijection
    return found


def stepped(optimizer):
    """Two steps of an optimiser over gradients of ones, the second with state."""
    parameters = [p for group in optimizer.param_groups for p in group["params"]]

    def loss():
        return sum((p.detach() ** 2).sum() for p in parameters)

    for sparse in (False, True):
        for parameter in parameters:
            ones = torch.ones_like(parameter)
            parameter.grad = ones.to_sparse() if sparse else ones
        try:
            optimizer.step(loss)
            optimizer.step(loss)
            return
        except RuntimeError:
            if sparse:
                raise  # neither dense nor sparse gradients


def scheduled(schedule):
    """Two steps of a learning rate schedule; some want to know how well it goes."""
    for _ in range(2):
        schedule.optimizer.step()
        try:
            schedule.step()
        except TypeError:
            schedule.step(1.0)
    return None


def used(instance, *args, **kwargs):
    """Anything else: called, entered as a context, or just looked at."""
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
    (torch.nn.Module, called),
    (torch.distributions.Distribution, drawn),
    (torch.distributions.Transform, transformed),
    (torch.optim.Optimizer, stepped),
    (SCHEDULES, scheduled),
)
