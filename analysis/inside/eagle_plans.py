"""What EAGLE runs in one go: a plan is a list of entries, each a function that makes pairs."""


class Plan:
    """`entries(names)` are groups, which are run one after the other, of functions of (round,
    random numbers) that yield pairs; later rounds make further ones. `patience` are the seconds
    that a pair may take, `tries` the executions that a reduction may cost. Where `once`, an API
    that has a finding is done. `tells` are further states of pairs that count as covered."""

    __slots__ = ("entries", "once", "patience", "rounds", "tells", "tries")

    def __init__(self, entries, rounds=1, patience=10.0, tries=40, once=False, tells=()):
        self.entries = entries
        self.once = once
        self.tells = tells
        self.rounds = rounds
        self.patience = patience
        self.tries = tries


GROWTH = 3


def most(step):
    """How many items of a list the rounds up to one are about: 1, then 4, then 13."""
    return (GROWTH ** (step + 1) - 1) // (GROWTH - 1)


def share(items, step):
    """The part of a list that one round is about.

    >>> [share(list(range(9)), step) for step in range(3)]
    [[0], [1, 2, 3], [4, 5, 6, 7, 8]]
    """
    return items[most(step - 1) if step else 0 : most(step)]
