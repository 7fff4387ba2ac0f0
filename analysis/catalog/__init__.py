"""Which public APIs a framework build has, under which names, and how each may be called."""
