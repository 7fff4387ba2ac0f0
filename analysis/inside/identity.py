"""What is known of things, each told by being that very object; plain Python, any framework."""


class Known:
    """A table from object to value: the objects need no hash, and what equals another is not it.

    It keeps its objects. A number that `id` gave is given again once the object is gone, and many
    are made anew whenever they are asked for (a method of a class in C).
    """

    def __init__(self):
        self._found = {}

    def __setitem__(self, thing, value):
        self._found[id(thing)] = thing, value

    def __getitem__(self, thing):
        return self._found[id(thing)][1]

    def __contains__(self, thing):
        return id(thing) in self._found

    def get(self, thing, default=None):
        """What is known of an object."""
        return self._found.get(id(thing), (thing, default))[1]

    def setdefault(self, thing, value):
        """What is known of an object, or what is to be known from now on."""
        return self._found.setdefault(id(thing), (thing, value))[1]

    def items(self):
        """`(object, value)` in the order in which they were met."""
        return list(self._found.values())

    def values(self):
        """What is known, in the order of `items`."""
        return [value for _, value in self._found.values()]
