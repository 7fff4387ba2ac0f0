"""How an instance of a class that is not called is used: what counts as the call of that class.

In: an instance. Out: a function without parameters that has it do its work once, so that the
operators of `keras.optimizers.Adam` are those of a step; None where constructing is all there is.
What the work needs is made here, before anything is recorded.
"""

import keras


def exercise(instance):
    """The function that uses an instance once, None where nothing is known to do."""
    for kind, prepared in (
        (keras.optimizers.Optimizer, step),
        (keras.optimizers.schedules.LearningRateSchedule, schedule),
        (keras.regularizers.Regularizer, penalty),
    ):
        if isinstance(instance, kind):
            return prepared(instance)
    return None


def step(optimizer):
    """One step on one variable."""
    variable = keras.Variable([1.0, 2.0])
    gradient = keras.ops.convert_to_tensor([0.5, -0.5])
    optimizer.build([variable])
    return lambda: optimizer.apply_gradients([(gradient, variable)])


def schedule(rate):
    """The learning rate of one step."""
    return lambda: rate(1)


def penalty(regularizer):
    """The penalty of one matrix."""
    weights = keras.ops.convert_to_tensor([[1.0, -2.0], [3.0, 4.0]])
    return lambda: regularizer(weights)
