"""How an instance of a class that is not called is used: what counts as the call of that class.

In: an instance. Out: a function without parameters that has it do its work once, so that the
operators of `tf.keras.optimizers.Adam` are those of a step; None where constructing is all there
is. What the work needs is made here, before anything is recorded.
"""

import tensorflow as tf


def exercise(instance):
    """The function that uses an instance once, None where nothing is known to do."""
    keras = tf.keras
    for kind, prepared in (
        (keras.optimizers.Optimizer, step),
        (keras.optimizers.schedules.LearningRateSchedule, schedule),
        (keras.regularizers.Regularizer, penalty),
        (tf.data.Dataset, elements),
        (tf.random.Generator, draw),
        (tf.compat.v1.train.Optimizer, step),
    ):
        if isinstance(instance, kind):
            return prepared(instance)
    return None


def step(optimizer):
    """One step on one variable."""
    variable, gradient = tf.Variable([1.0, 2.0]), tf.constant([0.5, -0.5])
    if callable(getattr(optimizer, "build", None)):
        optimizer.build([variable])  # makes the optimiser's own variables
    return lambda: optimizer.apply_gradients([(gradient, variable)])


def schedule(rate):
    """The learning rate of one step."""
    return lambda: rate(1)


def penalty(regularizer):
    """The penalty of one matrix."""
    weights = tf.constant([[1.0, -2.0], [3.0, 4.0]])
    return lambda: regularizer(weights)


def elements(dataset):
    """The first elements of a dataset."""
    return lambda: list(dataset.take(2))


def draw(generator):
    """One draw of random numbers."""
    return lambda: generator.normal([2])
