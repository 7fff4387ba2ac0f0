"""What docstrings say about parameters: descriptions of the `Args:` section, types, examples.

TensorFlow's functions have no annotations, but describe their parameters in one style:

    Args:
      x: A `Tensor`. Must be one of the following types: `float32`, `int32`.
      axis: (Optional) An `int`, the dimension to ...

Types are in the language of `opdefs_tensorflow`, with `SparseTensor`, `RaggedTensor`, `Variable`
and `list` (of what is not said).
"""

import doctest
import re
import textwrap

SECTIONS = re.compile(r"^(Args|Arguments|Inputs|Call arguments|Input shape|Attributes):\s*$")
ENTRY = re.compile(r"^( *)`?\*{0,2}(\w+)`?(?: *\([^)]*\))? *:(?: +|$)(.*)$")
FENCE = re.compile(r"^( *)```(?:python|py|Python)?[ \t]*\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
OPTIONAL = re.compile(
    r"^\W*(?:optional|required|an? |the |one or more |either |python |scalar |non-?negative "
    r"|positive |\d-d(?:imensional)? |rank[- ]\d |numeric |non-empty |dense |single |\W)+",
    re.IGNORECASE,
)
LISTED = re.compile(r"^(?:list|tuple|sequence|iterable)s?\b(?:/\w+)?(?: (?:or \w+ )?of\b)?", re.I)
KINDS = (
    ("SparseTensor", r"`?(?:tf\.)?(?:sparse\.)?sparse ?tensor"),
    ("RaggedTensor", r"`?(?:tf\.)?ragged ?tensor"),
    ("Variable", r"(?:mutable |resource )?`?(?:tf\.)?variable|`?resource`?\b"),
    ("type", r"`?(?:tf\.)?(?:dtypes?\.)?(?:d-?type|data ?type|tf\.(?:float|int)\d|type of the)"),
    ("shape", r"`?(?:tf\.)?tensorshape|shape (?:of|tuple)|the shape"),
    ("func", r"`?callable|function|lambda|`?activation function"),
    ("Tensor", r"(?:\w+[- ]){0,2}`?(?:tf\.)?(?:keras)?(?:\w+-)?tensors?\b|array|numpy|n-d"),
    ("bool", r"`?bool(?:ean)?\b|whether|if `?true|`?true`? "),
    ("int", r"`?int(?:eger)?s?\b|number of|`?int(?:32|64)`?\b(?! `?tensor)"),
    ("float", r"`?floats?\b|`?double\b"),
    ("string", r"`?str(?:ing)?s?\b|name (?:of|for)|one of `?[\"']|`?[\"']"),
)
_KINDS = [(kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in KINDS]
DTYPES = re.compile(r"`((?:u?int|float|bfloat|complex)\d+|bool|string|half|double)`")


def described(doc):
    """Description of each parameter that the docstring lists: name -> text."""
    found, current, indent, inside = {}, None, 0, False
    for line in textwrap.dedent("\n" + (doc or "").replace("\t", "  ")).splitlines():
        bare = line.strip()
        if SECTIONS.match(bare):
            inside, current, indent = True, None, None
            continue
        if not inside or not bare:
            continue
        match = ENTRY.match(line)
        depth = len(line) - len(line.lstrip())
        if match and (indent is None or depth <= indent):
            if indent is not None and depth < indent:
                inside = False  # a section of another kind begins
                continue
            indent, current = depth, match.group(2)
            found.setdefault(current, match.group(3).strip())
        elif depth < (indent or 0):
            inside = False
        elif current is not None:
            found[current] += " " + bare
    return found


def type_of(text):
    """The type that a description begins with, None where it names none."""
    rest = OPTIONAL.sub("", text or "")
    match = LISTED.match(rest)
    if match is not None:
        inner = type_of(rest[match.end() :])
        return "list" if inner is None else inner if inner.endswith("[]") else inner + "[]"
    for kind, pattern in _KINDS:
        if pattern.match(rest):
            return kind
    return None


def dtypes_of(text):
    """Names of the dtypes that a description mentions, in order."""
    names = {"half": "float16", "double": "float64"}
    return [names.get(item, item) for item in DTYPES.findall(text or "")]


def statements(doc):
    """Source of the examples in a docstring: those with prompts, then fenced blocks."""
    doc = doc or ""
    try:
        prompted = doctest.DocTestParser().get_examples(doc)
    except ValueError:  # the indentation of some is broken
        prompted = []
    found = [example.source for example in prompted]
    fenced = [textwrap.dedent(match.group(2)) for match in FENCE.finditer(doc)]
    return found + [block for block in fenced if ">>>" not in block]
