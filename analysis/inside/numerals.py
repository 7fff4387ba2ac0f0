"""Numbers in lists that functions make tensors of."""


def of_floats(value):
    """Whether it is a number that need not be whole, or a list with such among its numbers."""
    if not isinstance(value, (list, tuple)):
        return isinstance(value, float)
    parts = [part for part in value if type(part) is not int]
    return bool(parts) and all(map(of_floats, parts))
