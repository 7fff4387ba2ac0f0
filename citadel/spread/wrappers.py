"""Functions that cases put around a call, as people read them: text by framework."""

from __future__ import annotations

FORWARD_MODE = '''def in_forward_mode(function):
    """The function, differentiated in forward mode."""

    def dual(x):
        real = isinstance(x, torch.Tensor) and x.is_floating_point()
        return torch.autograd.forward_ad.make_dual(x, torch.ones_like(x)) if real else x

    def call(*given):
        with torch.autograd.forward_ad.dual_level():
            result = function(*map(dual, given))
        return result

    return call
'''
CHECKED = '''def checked(function):
    """The function, with an assertion about its result."""

    def call(*given):
        result = function(*given)
        assert {value}
        return result

    return call
'''
UNRANKED = '''def without_ranks(function):
    """The function as a graph of tensors whose ranks are not known when it is made."""

    def call(*given):
        specs = [tf.TensorSpec(None, x.dtype) for x in given]
        return tf.function(function, input_signature=specs, autograph=False)(*given)

    return call
'''
WITHIN = '''def within(function):
    """The function, called in these surroundings."""

    def call(*given):
        with {value}:
            return function(*given)

    return call
'''
SWITCHED = '''def switched_on(function):
    """The function, called with this setting."""

    def call(*given):
        {value}(True)
        try:
            return function(*given)
        finally:
            {value}(False)

    return call
'''
# Where the function is smooth, one-sided differences bound each derivative; where it has a kink,
# only NaN is wrong.
GRADIENTS = {
    "torch": '''def is_real(x):
    return isinstance(x, torch.Tensor) and x.is_floating_point()


def total(function, given):
    """The sum of all real results, with the same random numbers each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        found = torch.utils._pytree.tree_leaves(function(*given))
    return sum(x.sum() for x in found if is_real(x))


def gradients(function):
    """The gradients of the sum of the results."""

    def call(*given):
        given = [x.clone().requires_grad_() if is_real(x) else x for x in given]
        inputs = [x for x in given if is_real(x)]
        summed = total(function, given)
        return torch.autograd.grad(summed, inputs, create_graph=True, materialize_grads=True)

    return call


def slopes(at, x, direction):
    """One-sided differences along a direction and against it; NaN where they have no limit."""
    found, middle = [], at(x)
    for side in (1.0, -1.0):
        far, near = ((at(x + side * step * direction) - middle) / step for step in (1e-6, 1e-7))
        found.append(side * far if abs(far - near) <= 0.01 * (1.0 + abs(near)) else float("nan"))
    return found


def differences(function):
    """The gradients, within the bounds of one-sided differences in double precision."""

    def call(*given):
        found = [x.detach().clone() for x in gradients(function)(*given)]
        exact = [x.detach().double() if is_real(x) else x for x in given]
        try:
            noise = 1e-8 * abs(float(total(function, exact)))
        except Exception:  # double precision tells nothing
            return tuple(found)
        for number, gradient in zip((n for n, x in enumerate(exact) if is_real(x)), found):

            def at(x, number=number):
                return float(total(function, [*exact[:number], x, *exact[number + 1 :]]))

            x = exact[number]
            size = x.abs().clamp(min=1.0)
            places = min(x.numel(), 6)
            bounds = []
            for place in range(places):
                along = torch.zeros(x.numel(), dtype=x.dtype)
                along[place] = 1.0
                bounds.append(slopes(at, x, along.reshape(x.shape) * size))
            first = (torch.arange(x.numel()) < places).reshape(x.shape)
            both = slopes(at, x, first * size)
            sums = [sum(side) for side in zip(*bounds)]
            smooth = all(abs(a - b) <= 0.01 * (1.0 + abs(b)) for a, b in zip(both, sums))
            for place, bound in enumerate(bounds):
                index = torch.unravel_index(torch.tensor(place), x.shape)
                low, high = (end / float(size[index]) for end in sorted(bound))
                own = float(gradient[index])
                if own != own and abs(low) + abs(high) < float("inf"):
                    gradient[index] = (low + high) / 2
                elif smooth and abs(low - high) <= 0.01 * (1.0 + abs(low)):
                    gradient[index] = min(max(own, low - noise), high + noise)
        return tuple(found)

    return call
''',
    "tf": '''def is_real(x):
    return tf.is_tensor(x) and x.dtype.is_floating


def total(function, given):
    """The sum of all real results, with the same random numbers each time."""
    tf.random.set_seed(0)
    found = [x for x in tf.nest.flatten(function(*given)) if is_real(x)]
    return tf.add_n([tf.reduce_sum(tf.cast(x, tf.float64)) for x in found])


def gradients(function):
    """The gradients of the sum of the results."""

    def call(*given):
        inputs = [x for x in given if is_real(x)]
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            summed = total(function, given)
        found = tape.gradient(summed, inputs, unconnected_gradients="zero")
        return tuple(map(tf.convert_to_tensor, found))

    return call


def slopes(at, x, direction):
    """One-sided differences along a direction and against it; NaN where they have no limit."""
    found, middle = [], at(x)
    for side in (1.0, -1.0):
        far, near = ((at(x + side * step * direction) - middle) / step for step in (1e-6, 1e-7))
        found.append(side * far if abs(far - near) <= 0.01 * (1.0 + abs(near)) else np.nan)
    return found


def differences(function):
    """The gradients, within the bounds of one-sided differences in double precision."""

    def call(*given):
        found = [np.array(x) for x in gradients(function)(*given)]
        exact = [tf.cast(x, tf.float64) if is_real(x) else x for x in given]
        try:
            noise = 1e-8 * abs(float(total(function, exact)))
        except Exception:  # double precision tells nothing
            return tuple(map(tf.constant, found))
        for number, gradient in zip((n for n, x in enumerate(exact) if is_real(x)), found):

            def at(x, number=number):
                changed = [*exact[:number], tf.constant(x), *exact[number + 1 :]]
                return float(total(function, changed))

            x = exact[number].numpy()
            size = np.maximum(abs(x), 1.0)
            places = min(x.size, 6)
            bounds = []
            for place in range(places):
                along = np.arange(x.size).reshape(x.shape) == place
                bounds.append(slopes(at, x, along * size))
            first = np.arange(x.size).reshape(x.shape) < places
            both = slopes(at, x, first * size)
            sums = [sum(side) for side in zip(*bounds)]
            smooth = all(abs(a - b) <= 0.01 * (1.0 + abs(b)) for a, b in zip(both, sums))
            for place, bound in enumerate(bounds):
                index = np.unravel_index(place, x.shape)
                low, high = (end / size[index] for end in sorted(bound))
                own = gradient[index]
                if own != own and abs(low) + abs(high) < np.inf:
                    gradient[index] = (low + high) / 2
                elif smooth and abs(low - high) <= 0.01 * (1.0 + abs(low)):
                    gradient[index] = min(max(own, low - noise), high + noise)
        return tuple(map(tf.constant, found))

    return call
''',
}
MAPPED = {
    "torch": '''def mapped(function):
    """The function, mapped over a batch of one."""

    def call(*given):
        if not given:
            return function()
        result = torch.func.vmap(function)(*(x[None] for x in given))
        return torch.utils._pytree.tree_map(lambda x: x[0], result)

    return call
''',
    "tf": '''def mapped(function):
    """The function, mapped over a batch of one."""

    def call(*given):
        if not given:
            return function()
        batch = tuple(tf.expand_dims(x, 0) for x in given)
        result = tf.vectorized_map(lambda one: function(*one), batch)
        return tf.nest.map_structure(lambda x: x[0], result)

    return call
''',
}
# Large numbers of both signs decide what a maximum, a minimum, a limit or a sign is.
SLOPED = {
    "torch": '''def is_real(x):
    return isinstance(x, torch.Tensor) and x.is_floating_point()


def summed(function, given):
    """The sum of all real results, with the same random numbers each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        found = torch.utils._pytree.tree_leaves(function(*given))
    return sum(x.double().sum() for x in found if is_real(x))


def sloped(function):
    """The function, if its real results change with its inputs: then it has a gradient."""

    def call(*given):
        near = [x + 0.001 * (x.abs() + 1.0) if is_real(x) else x for x in given]
        assert summed(function, given) != summed(function, near)
        return function(*given)

    return call
''',
    "tf": '''def is_real(x):
    return tf.is_tensor(x) and x.dtype.is_floating


def summed(function, given):
    """The sum of all real results."""
    found = tf.nest.flatten(function(*given))
    return sum(float(tf.reduce_sum(tf.cast(x, tf.float64))) for x in found if is_real(x))


def sloped(function):
    """The function, if its real results change with its inputs: then it has a gradient."""

    def call(*given):
        near = [x + 0.001 * (tf.abs(x) + 1.0) if is_real(x) else x for x in given]
        assert summed(function, given) != summed(function, near)
        return function(*given)

    return call
''',
}
NAN_THROUGH = {
    "torch": '''def is_real(x):
    return isinstance(x, torch.Tensor) and x.is_floating_point()


def has_nan(x):
    return is_real(x) and bool(x.isnan().any())


def results(function, given):
    """All real results."""
    return [x for x in torch.utils._pytree.tree_leaves(function(*given)) if is_real(x)]


def nan_through(function):
    """The function; NaN wherever it gives none at all, though one of its inputs matters and has."""

    def call(*given):
        result, found = function(*given), results(function, given)
        if any(map(has_nan, found)) or not any(map(has_nan, given)):
            return result
        one, again, other = (
            results(function, [x.nan_to_num(number) if is_real(x) else x for x in given])
            for number in (1e4, 1e4, -1e4)
        )
        if all(map(torch.equal, one, other)) or not all(map(torch.equal, one, again)):
            return result  # the input does not matter, or the results are random
        nan = float("nan")
        return torch.utils._pytree.tree_map(lambda x: x * nan if is_real(x) else x, result)

    return call
''',
    "tf": '''def is_real(x):
    return tf.is_tensor(x) and x.dtype.is_floating


def has_nan(x):
    return is_real(x) and bool(tf.reduce_any(x != x))


def filled(x, number):
    return tf.where(x != x, tf.cast(number, x.dtype), x)


def results(function, given):
    """All real results."""
    return [x for x in tf.nest.flatten(function(*given)) if is_real(x)]


def same(one, other):
    return all(bool(tf.reduce_all(a == b)) for a, b in zip(one, other))


def nan_through(function):
    """The function; NaN wherever it gives none at all, though one of its inputs matters and has."""

    def call(*given):
        result, found = function(*given), results(function, given)
        if any(map(has_nan, found)) or not any(map(has_nan, given)):
            return result
        one, again, other = (
            results(function, [filled(x, number) if is_real(x) else x for x in given])
            for number in (1e4, 1e4, -1e4)
        )
        if same(one, other) or not same(one, again):
            return result  # the input does not matter, or the results are random
        return tf.nest.map_structure(lambda x: x * np.nan if is_real(x) else x, result)

    return call
''',
}
FAKE = """def on_fake_tensors(function):
    \"\"\"The function on tensors without numbers; so is its result.\"\"\"

    def emptied(x):
        if not isinstance(x, torch.Tensor):
            return x
        if x.layout != torch.strided:
            return torch.empty(x.shape, dtype=x.dtype, device='meta')
        return torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device='meta')

    def call(*given):
        with torch._subclasses.FakeTensorMode() as mode:
            result = function(*map(mode.from_tensor, given))
        return torch.utils._pytree.tree_map(emptied, result)

    return call
"""
# How a dimension of one element or none is stepped through says nothing.
DESCRIPTION = {
    "torch": '''def described(function):
    """The dtype, shape and strides of each result, in place of its numbers."""

    def told(x):
        if not isinstance(x, torch.Tensor) or x.layout != torch.strided:
            return x
        strides = [n for n, size in zip(x.stride(), x.shape) if size > 1 and x.numel()]
        return (str(x.dtype), *x.shape, *strides)

    def call(*given):
        return torch.utils._pytree.tree_map(told, function(*given))

    return call
''',
    "tf": '''def described(function):
    """The dtype and shape of each result, in place of its numbers."""

    def told(x):
        return (x.dtype.name, *x.shape) if isinstance(x, tf.Tensor) else x

    def call(*given):
        return tf.nest.map_structure(told, function(*given))

    return call
''',
}
