"""What an exception says, without what differs between siblings: `innermost`, then `normalise`.

Keras and tf.function wrap the message that counts in layers of their own; TensorFlow adds the names
of nodes and devices. Numbers, shapes, dtypes, names of APIs and operators, and source lines differ
legitimately between APIs that share a bug.
"""

from __future__ import annotations

import re

from analysis.rules import Phrase
from citadel.oracle.abstractions import ABSTRACTIONS

MAX_PATTERN = 300
MOST_WRAPPERS = 10
MOST_LINE = 1000
"""Characters of a line that are looked at: some rules take quadratic time."""

_ANSI = Phrase(
    "message/colour",
    r"\x1b\[[0-9;]*m",
    finds=("\x1b[1mbad\x1b[0m",),
    spares=("[1m",),
)
_BY_LAYER = Phrase(
    "message/layer-wrapper",
    r"Exception encountered when calling [^\n]*\n+(?P<inner>.*?)"
    r"(?:\n+(?:Call a|A)rguments received by .*)?",
    re.DOTALL,
    finds=("Exception encountered when calling layer 'a' (type A).\n\nbad",),
    spares=("bad",),
)
_USER_CODE = Phrase(
    "message/user-code-wrapper",
    r"in user code:\n.*",
    re.DOTALL,
    finds=("in user code:\n    ValueError: bad",),
    spares=("user code",),
)
_ERROR_LINE = Phrase(
    "message/error-line",
    r"^\s*(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception): ",
    re.MULTILINE,
    finds=("    ValueError: bad",),
    spares=("an error: bad",),
)
_GRAPH = Phrase(
    "message/graph-wrapper",
    r"Graph execution error:\n.*",
    re.DOTALL,
    finds=("Graph execution error:\nbad",),
    spares=("Graph error",),
)
_FRAME = Phrase(
    "message/frame",
    r"\s*File \"|Node: ",
    finds=('  File "a.py", line 1', "Node: 'G'"),
    spares=("a.py",),
)
_ORIGINAL = Phrase(
    "message/original-trace",
    r"(?<!\n)\n+Original stack trace for .*",
    re.DOTALL,
    finds=("bad\n\nOriginal stack trace for 'G':\n",),
    spares=("bad",),
)
"""What sessions put behind the message: where the operator was made."""
_NODES = Phrase(
    "message/node-mark",
    r"\{\{function_node [^}]*\}\} ?|\s?\s?\[\[\{\{node [^}]*\}\}\]\]|\s?\[Op:\w+\](?: name:.*)?",
    finds=("x [[{{node G}}]]", "bad [Op:MatMul] name: "),
    spares=("node G",),
)

_LABELLED = Phrase(
    "message/labelled-tensor",
    r"^(\w{1,40}): ?(?=tensor\()",
    re.MULTILINE,
    finds=("numerical:tensor([0.])",),
    spares=("numerical: 3",),
)

WRAPPED: tuple[tuple[str, str], ...] = (
    ("Exception encountered when calling Reshape.call().\n\n\x1b[1mThe total size.\x1b[0m\n\n"
     "Arguments received by Reshape.call():\n  • args=(3,)", "The total size."),
    ("Exception encountered when calling layer 'a' (type A).\n\nbad\n\nCall arguments received by "
     "layer 'a' (type A):\n  • x=1", "bad"),
    ("Exception encountered when calling layer 'm' (type M).\nException encountered when calling "
     "layer 'a' (type A).\nbad", "bad"),
    ("in user code:\n\n    File \"a.py\", line 1, in g  *\n        return f(x)\n\n    ValueError: "
     "Dimensions must be equal\n", "Dimensions must be equal"),
    ("in user code:\nTypeError: Input 'y' has type int32", "Input 'y' has type int32"),
    ("Graph execution error:\n\nDetected at node 'G' defined at (most recent call last):\n"
     "    File \"a.py\", line 22, in h\n      return f(x)\nNode: 'G'\nindices[0] = 9\n"
     "\t [[{{node G}}]] [Op:__inference_h_574]", "indices[0] = 9"),
    ("Graph execution error:\n\nDetected at node G defined at (most recent call last):\n"
     "  File \"a.py\", line 23, in h\n\n  File \"a.py\", line 22, in h\n\nindices[0] = 9\n"
     "\t [[{{node G}}]] [Op:__inference_h_549]", "indices[0] = 9"),
    ("Graph execution error:\n\nDetected at node 'G' defined at (most recent call last):\n"
     "    File \"a.py\", line 4, in <module>\nNode: 'G'\nindices[0] = 9\n\t [[{{node G}}]]\n\n"
     "Original stack trace for 'G':\n  File \"a.py\", line 4, in <module>\n", "indices[0] = 9"),
    ("{{function_node __wrapped__Reshape_device_/device:CPU:0}} Input has 6 values [Op:Reshape]",
     "Input has 6 values"),
    ("Matrix size-incompatible [Op:MatMul] name: \n", "Matrix size-incompatible"),
    ("plain\nsecond line", "plain\nsecond line"),
    ("Graph execution error:", "Graph execution error:"),
)  # fmt: skip
"""(message as it is raised, what it says)."""


def innermost(message: str) -> str:
    """The message below what Keras, tf.function and TensorFlow's sessions wrap around it."""
    text = _ANSI.sub("", message).strip()
    for _ in range(MOST_WRAPPERS):
        inner = _unwrapped(text)
        if not inner or inner == text:
            break
        text = inner
    return _NODES.sub("", text).strip()


def _unwrapped(text: str) -> str:
    layer = _BY_LAYER.fullmatch(text)
    if layer is not None:
        return layer["inner"].strip()
    if _USER_CODE.fullmatch(text):
        errors = list(_ERROR_LINE.finditer(text))
        return text[errors[-1].end() :].strip() if errors else text
    if _GRAPH.fullmatch(text):
        return _behind_frames(text)
    return text


def _behind_frames(text: str) -> str:
    """What follows the last line that names a file or a node, and the line of code below it."""
    lines = _ORIGINAL.sub("", text).splitlines()
    last = max((n for n, line in enumerate(lines) if _FRAME.match(line)), default=None)
    if last is None:
        return text
    code = last + 1 < len(lines) and lines[last + 1].startswith(" " * 6)
    return "\n".join(lines[last + 1 + code :]).strip()


def normalise(message: str) -> str:
    """The message's first line with everything abstracted that differs between siblings.

    >>> normalise("max_pool1d() Invalid computed output size: -2")
    'API() Invalid computed output size: N'
    """
    text = first_line(message)[:MOST_LINE]
    for pattern, replacement in ABSTRACTIONS:
        text = pattern.sub(replacement, text)
    return text.strip()[:MAX_PATTERN]


def told_numbers(message: str) -> tuple[tuple[str, str], ...]:
    """What an exception says of the tensors that it names line by line, as gradcheck's do: the
    label of each, and "nan", "inf" or "finite", whichever of them is found first.

    >>> told_numbers("Jacobian mismatch,\\nnumerical:tensor([0., nan])\\nanalytical:tensor([1.])")
    (('numerical', 'nan'), ('analytical', 'finite'))
    """
    parts = _LABELLED.split(message)
    return tuple(
        (label, next((kind for kind in ("nan", "inf") if kind in shown), "finite"))
        for label, shown in zip(parts[1::2], parts[2::2], strict=True)
    )


def first_line(message: str) -> str:
    """The first line that says something, of the innermost message."""
    return next((line.strip() for line in innermost(message).splitlines() if line.strip()), "")
