"""A call that worked, as the host keeps it: `{"a": values, "k": keywords}`, of a layer with "c",
its constructor's. Values are described by `values`.
"""

from values import describe


def describe_call(call):
    """The record of (arguments, keywords, the constructor's or None)."""
    args, kwargs, built = call
    record = {
        "a": [describe(item) for item in args],
        "k": {str(key): describe(item) for key, item in kwargs.items()},
    }
    if built is not None:
        record["c"] = describe_call((built[0], built[1], None))
    return record


def outline(described):
    """What makes a sample worth keeping beside another one: ranks, kinds and keywords."""
    parts = [
        (value["k"], len(value.get("shape") or ()), value.get("dtype"))
        for value in [*described["a"], *described["k"].values()]
    ]
    inner = outline(described["c"]) if "c" in described else None
    return (tuple(parts), tuple(described["k"]), inner)
