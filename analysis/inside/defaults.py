"""Python source of default values, for signatures."""


def source(value, named):
    """Source that makes the value; `...` where there is none.

    `named` gives the source of a value of the framework (a dtype), None for all others.
    """
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return 'float("{}")'.format(value)
    if isinstance(value, (type(None), bool, int, float, complex, str, bytes)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        inner = ", ".join(source(item, named) for item in value)
        if isinstance(value, list):
            return "[" + inner + "]"
        return "(" + inner + (",)" if len(value) == 1 else ")")
    if isinstance(value, dict) and not value:
        return "{}"
    return named(value) or "..."
