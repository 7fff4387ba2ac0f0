"""What an error message says about how to change the arguments.

In: the message of a refused call and the names of its parameters. Out: a `Hint`: parameters that it
names, ranks and sizes that it asks for, shapes and words that it quotes. Kernels check their
arguments one after the other, so a message that was not seen before is progress.
"""

import re

RANKS = {"scalar": 0, "vector": 1, "matrix": 2, "matrice": 2}
_RANK = re.compile(
    r"(?:rank|ndims?|dims|dimensions?)(?: of | must be | == | >= |[ =:]+)"
    r"(?:at least )?(\d)\b|\b(\d)[- ]?(?:d\b|dimension)|rank of \w+ must be (\d)\b",
    re.IGNORECASE,
)
_RANK_WORD = re.compile(r"\b(scalar|vector|matrix|matrice)s?\b", re.IGNORECASE)
_SHAPE = re.compile(r"[\[(](\d+(?:, ?\d+)*),?[\])]")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?![\w.]*\w)")
_WORD = re.compile(r"[\"'`]([A-Za-z_][\w.\-]{0,24})[\"'`]")
_DTYPE = re.compile(r"\b((?:u?int|float|complex|bfloat|qu?int)\d+|string|bool|half|double|float)\b")
_KINDS = re.compile(
    r"(?:expect(?:ed|s)?|must be|requires?|should be|has to be) (?:an?|the|of type)? ?"
    r"[`'\"]?(?:tf\.)?(?:positive |non-negative |python )?"
    r"(int|integer|list|tuple|indexedslices|sparsetensor|raggedtensor|variable(?! number))\b",
    re.IGNORECASE,
)
KINDS = {"integer": "int", "indexedslices": "slices"}
KINDS.update(sparsetensor="sparse", raggedtensor="ragged")
_EAGER = re.compile(
    r"eager execution|executing eagerly|eager mode|is a ref\b|in eager|building a graph"
    r"|not supported in TF2|outside of a graph|graph mode|has unhandled type",
    re.IGNORECASE,
)
_MISSING = re.compile(r"No registered '|no kernel|not registered|Could not find device", re.I)
_VARYING = re.compile(r"0x[0-9a-f]+|\d+|\{\{.*?\}\}|'[^']*'|\"[^\"]*\"")
_GIVEN = re.compile(
    r"(?<=Attempt to convert a value )\(.*(?= to a Tensor)|(?<=Received)\b.*"
    r"|(?<=for argument ')[^']*' not .*|(?<=Cannot convert ).*?(?= to EagerTensor)",
    re.DOTALL,
)
"""Where a message shows what was given, which says nothing of how far a call came."""
MOST_NUMBER = 64
MOST_MESSAGE = 600
DTYPES = {"half": "float16", "double": "float64", "float": "float32"}


class Hint:
    """What one message says; see the fields."""

    def __init__(self, message, names):
        message = message[:MOST_MESSAGE]
        # A graph's node shows the operator's name and inputs, which say nothing here.
        shown = re.sub(r"\{\{node .*?\}\}|\[Op:\w+\]( name: \w*)?", "", message)
        words = set(re.findall(r"[A-Za-z_]\w*", shown.lower()))
        self.names = [name for name in names if name.lower().strip("_") in words]
        self.ranks = [int(a or b or c) for a, b, c in _RANK.findall(shown)]
        self.ranks += [RANKS[word.lower()] for word in _RANK_WORD.findall(shown)]
        self.shapes = [
            tuple(int(size) for size in found.split(",")) for found in _SHAPE.findall(shown)
        ]
        self.shapes += [()] * bool(re.search(r"shape (?:\[\]|\(\))", shown))
        self.shapes = [s for s in self.shapes if len(s) < 7 and all(n <= MOST_NUMBER for n in s)]
        numbers = [int(found) for found in _NUMBER.findall(shown)]
        self.numbers = [number for number in numbers if -2 <= number <= MOST_NUMBER]
        self.words = [word for word in _WORD.findall(shown) if word not in names]
        kinds = [found.lower() for found in _KINDS.findall(shown)]
        self.kinds = [KINDS.get(kind, kind) for kind in kinds]
        self.dtypes = [DTYPES.get(name, name) for name in _DTYPE.findall(shown)]
        self.wants_graph = bool(_EAGER.search(shown))
        self.no_kernel = bool(_MISSING.search(shown))


def outline(problem):
    """A message without what varies: two refusals for one reason are equal."""
    message = str(problem)[:MOST_MESSAGE]
    return type(problem).__name__ + _VARYING.sub("#", _GIVEN.sub("#", message))[:160]
