"""What an exception says, without what differs between siblings: `innermost`, then `normalise`.

Keras and tf.function wrap the message that counts in layers of their own; TensorFlow adds the names
of nodes and devices. Numbers, shapes, dtypes, names of APIs and operators, and source lines differ
legitimately between APIs that share a bug.
"""

from __future__ import annotations

import re

MAX_PATTERN = 300
MOST_WRAPPERS = 10
MOST_LINE = 1000
"""Characters of a line that are looked at: some rules take quadratic time."""

_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_BY_LAYER = re.compile(
    r"Exception encountered when calling [^\n]*\n+(?P<inner>.*?)"
    r"(?:\n+(?:Call a|A)rguments received by .*)?",
    re.DOTALL,
)
_USER_CODE = re.compile(r"in user code:\n.*", re.DOTALL)
_ERROR_LINE = re.compile(r"^\s*(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception): ", re.MULTILINE)
_GRAPH = re.compile(r"Graph execution error:\n.*", re.DOTALL)
_FRAME = re.compile(r"\s*File \"|Node: ")
_ORIGINAL = re.compile(r"(?<!\n)\n+Original stack trace for .*", re.DOTALL)
"""What sessions put behind the message: where the operator was made."""
_NODES = re.compile(
    r"\{\{function_node [^}]*\}\} ?|\s?\s?\[\[\{\{node [^}]*\}\}\]\]|\s?\[Op:\w+\](?: name:.*)?"
)

_LABELLED = re.compile(r"^(\w{1,40}): ?(?=tensor\()", re.MULTILINE)

_DTYPES = (
    r"(?:torch|tf)\.(?:u?int\d+|b?float\d+\w*|complex\d+|bool|half|double|long|short|q?u?int\d+x?\d*)"
    r"|\b(?:c10::)?(?:Complex)?(?:BFloat16|Float8_\w+|Float|Double|Half)\b"
    r"|\b(?:Long|Int|Short|Char|Byte|Bool|QInt8|QUInt8|QInt32|UInt16|UInt32|UInt64)\b"
    r"|\b(?:float|double|int|long|short|bool|char)\b(?= !=)"
    r"|(?<=!= )(?:float|double|int|long|short|bool|char)\b"
    r"|(?:(?<=\btype )|(?<=\btype: ))(?:float|double|half|int|long|short|bool|char|byte)\b"
    r"|(?:(?<=dtype )|(?<=dtype: ))(?:float|double|half|int|long|short|bool|char|byte)\b"
    r"|\b(?:u?int(?:8|16|32|64)|float(?:16|32|64)|bfloat16|complex(?:64|128))\b"
    r"|\bDT_[A-Z0-9_]+\b"
    r"|\b(?:half|float|double|string|bool|resource|variant)(?= tensor\b)"
)
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    # Python tells one mistake in many ways, by type, operator and release.
    (
        re.compile(
            r"^(?:(?:float|integer|int|complex|floor|Fraction) )*(?:division|modulo)"
            r"(?: or modulo)?(?: by zero)?$|^(?:0\.0|zero|0) (?:cannot be raised )?to a negative"
            r"(?: or complex)? power$"
        ),
        "division by zero",
    ),
    (
        re.compile(r"^(?:list|tuple|string|bytearray|deque|range object) index out of range$"),
        "index out of range",
    ),
    (re.compile(r"0x[0-9a-fA-F]+"), "ADDRESS"),
    # The assertion's file tells where it is; its line moves with every release.
    (
        re.compile(
            r"[\"']?(?<![\w.+/-])(?:[\w.+-]*/)*([\w.+-]+\.(?:cpp|cc|cu|cuh|h|hpp|py))[\"']?:\d+"
        ),
        r"\1",
    ),
    # Autograd calls its nodes after the operation: ExpBackward0, or Exp for short.
    (re.compile(r"\b\w+Backward\d*\b|(?<=output \d of )\w+"), "NODE"),
    # TensorFlow shows the node, and everything about it.
    (
        re.compile(
            r"'?\{\{node [^}]*\}\}"
            r"(?: = \w+\[(?:[^\[\]]|\[[^\[\]]*\])*\](?:\([^)]*\))?)?'?"
        ),
        "NODE",
    ),
    (re.compile(r"\b(?:aten|prims|prim|quantized|mkldnn)::\w+(?:\.\w+)?"), "OP"),
    (re.compile(r"'\w+'(?= Op\b)|(?<=cannot compute )\w+|\b(?:[A-Z][a-z0-9]+)+Op\b"), "OP"),
    # Kernels are named after their operators: "addmm_impl_cpu_" not implemented for 'Half'.
    (re.compile(r"\"\w+\"(?= not implemented for)"), "OP"),
    # What TensorFlow has no kernel of for a compiler, and no gradient; functions are counted.
    (re.compile(r"\w+(?= \(No registered ')|(?<=No registered ')\w+"), "OP"),
    (re.compile(r"(?<=registry has no entry for: )\w+"), "OP"),
    (re.compile(r"\b__(?:inference|forward|backward)_\w+"), "FUNCTION"),
    # Objects are shown with all that they are made of: Normal(loc: 0.0, scale: torch.Size([3])).
    (re.compile(r"(?<![\w.])[A-Z]\w*\((?:[^()]|\([^()]*\))+\)"), "API()"),
    (re.compile(r"(?<=\blayer )(?:\"\w+\"|'\w+')"), "NAME"),
    # The condition of a failed assertion is what tells it from its neighbours; each kernel has
    # names of its own for what it is given: `input.is_sparse()`, `t_.is_sparse()`.
    (re.compile(r"(?<![\w.:>])[a-z]\w*(?=(?:\.|->)\w+\(\).{0,200}INTERNAL ASSERT)"), "NAME"),
    (re.compile(r"\b\w+(?:\.\w+)*\(\)(?!.{0,200}INTERNAL ASSERT)"), "API()"),
    # Sizes by dimension: kernel_size_height: 3 kernel_size_width: 3, (T: 8 H: 1 W: 1).
    (
        re.compile(
            r"\b(\w{1,40}?)_(?:depth|height|width): -?\d+"
            r"(?:,? \1_(?:depth|height|width): -?\d+)*"
        ),
        r"\1 SHAPE",
    ),
    (re.compile(r"\((?:[kd]?[TDHW]: ?-?\d+(?:,? |(?=\))))+\)"), "SHAPE"),
    (
        re.compile(r"\b(\w{1,20}?)[TDHW]: ?-?\d+(?:,? \1[TDHW]: ?-?\d+)*"),
        r"\1 SHAPE",
    ),
    # Which one of several: hidden[0], where a sibling has one alone; indices[0,1].
    (re.compile(r"(?<=[a-z_])\[\d+(?:, ?\d+)*\]"), ""),
    # NumPy's way: [5 5].
    (re.compile(r"\[\s*-?\d+(?:\s+-?\d+)+\s*\]"), "SHAPE"),
    (re.compile(_DTYPES), "DTYPE"),
    (re.compile(r"^(?:torch\.)?(?:[a-z_]\w*\.)*[a-z_]\w*: (?=\S)"), "API: "),
    (
        re.compile(r"^(?=\w*[._])[a-z_][\w.]* (?=(?:cannot|does|expects|expected|requires)\b)"),
        "API ",
    ),
    (re.compile(r"\binfinity\b"), "inf"),
    (re.compile(r"\b(?:torch|tf)\.(?:\w+\.)*\w+"), "API"),
    (re.compile(r"\b\w*[a-z_]\w*_?[1-3]d\w*\b"), "API"),
    (re.compile(r"\[[A-Z]\w+(?:, ?[A-Z]\w*)+[^\]]*\]?"), "[NAMES]"),
    (re.compile(r"[\[(<]\s*-?\d+(?:\s*[,x]\s*-?\d+)*\s*,?\s*[\])>]"), "SHAPE"),
    (re.compile(r"(?<![\w.])-?\d+(?:x-?\d+)+\b"), "SHAPE"),
    (re.compile(r"(?<![A-Za-z_\d])[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?"), "N"),
    (re.compile(r"\bN(?:, ?N)+\b"), "N"),
    (re.compile(r"\s+"), " "),
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
    for pattern, replacement in _RULES:
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
