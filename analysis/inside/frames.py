"""Which Python functions of a framework run in a call.

In: prefixes of the framework's modules, and of those that are no API's own doing. Out: module and
qualified name of each function that was entered, such as "torch.nn.functional.relu".
"""

import sys


class Frames:
    """A context that notes the functions that run in it."""

    def __init__(self, of, without=()):
        self.of = of
        self.without = without
        self.names = set()
        self.codes = set()
        self.importing = 0

    def __enter__(self):
        sys.setprofile(self.follow)
        return self

    def __exit__(self, *problem):
        sys.setprofile(None)

    def follow(self, frame, event, _):
        """Note a call; what runs while a module is imported belongs to no API."""
        code = frame.f_code
        if code.co_name == "_find_and_load" and event in ("call", "return"):
            self.importing += 1 if event == "call" else -1
        elif event == "call" and not self.importing and code not in self.codes:
            self.codes.add(code)
            module = (frame.f_globals.get("__name__") or "") + "."
            if self.counts(module) and not code.co_name.startswith("<"):
                self.names.add(module + (getattr(code, "co_qualname", None) or code.co_name))

    def counts(self, module):
        """Whether the functions of a module, named with a dot behind it, are noted."""
        return module.startswith(self.of) and not module.startswith(self.without)
