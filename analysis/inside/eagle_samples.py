"""Values of sample calls that the host has kept, made again."""

from unpickle import NoLiteral

MOST_ELEMENTS = 4096


def value(record, tensor, modules):
    """A value from the host: {"t": [dtype, shape, elements or None]}, which `tensor` makes,
    {"e": expression}, or {"l": items}, {"u": items} for a list and a tuple.

    >>> value({"u": [{"e": "n + 1"}, {"l": [{"t": ["int8", [1], [5]]}]}]}, print, {"n": 1})
    int8 [1] [5]
    (2, [None])
    """
    if "e" in record:
        return eval(record["e"], dict(modules))
    if "l" in record:
        return [value(item, tensor, modules) for item in record["l"]]
    if "u" in record:
        return tuple(value(item, tensor, modules) for item in record["u"])
    return tensor(*record["t"])


def arguments(record, tensor, modules):
    """The positional arguments and the keywords of a sample call."""
    args, kwargs = record
    return (
        [value(one, tensor, modules) for one in args],
        {name: value(one, tensor, modules) for name, one in kwargs.items()},
    )


def elements(count, fractions):
    """Elements of a tensor that was too large to be kept.

    >>> elements(3, True), elements(3, False)
    ([0.25, 1.125, 2.0], [0, 1, 0])
    """
    if count > MOST_ELEMENTS:
        raise NoLiteral("an input whose elements were not kept")
    if fractions:
        return [0.25 + 1.75 * number / max(count - 1, 1) for number in range(count)]
    return [number % 2 for number in range(count)]
