"""Where the nodes of a module stand: what they are part of, and in which order they come."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst


class Tree:
    """Parents and order of all nodes of a module, found in one walk."""

    def __init__(self, module: cst.Module) -> None:
        self.module = module
        self.nodes: list[cst.CSTNode] = []
        """All nodes; one comes before the nodes that it consists of."""
        self._parent: dict[int, cst.CSTNode] = {}
        self._order: dict[int, int] = {}
        self._end: dict[int, int] = {}
        waiting: list[tuple[cst.CSTNode, bool]] = [(module, False)]
        while waiting:
            node, done = waiting.pop()
            if done:
                self._end[id(node)] = len(self.nodes) - 1
                continue
            self._order[id(node)] = len(self.nodes)
            self.nodes.append(node)
            waiting.append((node, True))
            for child in reversed(node.children):
                self._parent[id(child)] = node
                waiting.append((child, False))

    def __contains__(self, node: cst.CSTNode) -> bool:
        return id(node) in self._order

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """What a node is directly part of."""
        return self._parent.get(id(node))

    def above(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """All that a node is part of, from the inside out."""
        found = self.parent(node)
        while found is not None:
            yield found
            found = self.parent(found)

    def order(self, node: cst.CSTNode) -> int:
        """The place of a node in the text."""
        return self._order[id(node)]

    def end(self, node: cst.CSTNode) -> int:
        """The place of the last node that a node consists of."""
        return self._end[id(node)]

    def inside(self, node: cst.CSTNode, outer: cst.CSTNode) -> bool:
        """Whether a node is (part of) another one."""
        return self.order(outer) <= self.order(node) <= self.end(outer)
