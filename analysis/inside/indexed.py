"""Changes of shape by indexing alone, for frameworks whose tensors are indexed as NumPy's are."""


def lift(value, amount, behind=0):
    """Add dimensions of size 1."""
    return value[(Ellipsis,) + (None,) * amount + (slice(None),) * behind]


def lower(value, amount, behind=0):
    """Drop dimensions, keeping their first entries."""
    return value[(Ellipsis,) + (0,) * amount + (slice(None),) * behind]


def lead(value, amount):
    """Add dimensions of size 1 in front."""
    return value[(None,) * amount]


def behead(value, amount):
    """Drop dimensions in front, keeping their first entries."""
    return value[(0,) * amount]
