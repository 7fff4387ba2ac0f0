"""Known limits: disagreements that are no bugs, each told by a general property of what was seen.

In: what `eagle_examine` found out about one disagreement. Out: a reason, or "". No limit names an
API; the lists of operators are of those whose documented contract is the storage of their input,
and they only explain away.
"""

import re

INFINITE = float("inf")
SHARE = 0.1
"""The part of a disagreement that must come of rounding for it to count as rounding."""
ROUNDINGS = 8
"""How many roundings of its largest intermediate value a result may be off by, if it is that value
whose rounding changes it."""
REFUSED = re.compile(
    r"not (?:yet )?(?:supported|implemented|available|allowed|compatible|a valid|differentiable)"
    r"|unsupported|unimplemented|does(?:n't| not) support|do(?:n't| not) support|no kernel"
    r"|not support|cannot be (?:used|applied|called|converted|cast)|can(?:not|'t) (?:cast|convert)"
    r"|does(?:n't| not) handle|no longer|cannot do|can be output from|only applicable"
    r"|only .{0,100}(?:supported|allowed)"
    r"|do(?:es)?(?:n't| not) have (?:strides|is_contiguous|storage)"
    r"|can't be safely cast|but (?:a|an) .{0,40} was found|expects? an? (?:real|complex)"
    r"|only (?:supports?|works?|implemented|defined|available|accepts?|valid|takes?|floating)"
    r"|(?:could|can)(?:n't| ?not) (?:run|be run|find|infer|access|call|modify)"
    r"|expected? .{0,80}(?:strided|dense|layout|dtype|type|float|int|bool|complex|sparse)"
    r"|(?:must|should|has to|have to|needs? to) (?:be|have|not be|all be)"
    r"|(?:dtype|type|layout)s?\b.{0,60}(?:mismatch|do(?:es)? not match|differ|same|invalid|"
    r"require|promot|expect)"
    r"|same (?:dtype|data ?type|scalar type|layout)|invalid (?:dtype|type|argument|layout)"
    r"|requires? .{0,60}(?:float|dtype|strided|dense|integer|complex|contiguous|layout|sparse)"
    r"|result type .{0,40} can't be cast|no (?:gradient|sparse)|not defined for"
    r"|view size is not compatible|contiguous|dtype is not|deprecated|is reserved for"
    r"|not in (?:the )?list of allowed|incompatible function arguments"
    r"|conversion requested dtype \w+ for Tensor with dtype u?int"
    r"|object of type '\w*(?:Ragged|Sparse)\w*' has no len",
    re.IGNORECASE,
)
"""Words by which a framework says that it does not do something."""
BROKEN = re.compile(
    r"INTERNAL ASSERT|please report a bug|[Ii]nternal error|Check failed|NoneType|"
    r"unbound|object has no attribute|list index out of range|not enough values|"
    r"out of memory|DefaultCPUAllocator|_dynamo|[Bb]ackend ?[Cc]ompiler",
)
"""Words of what was not meant to happen; they count even where a type names a refusal."""
INTERNAL = re.compile(r"INTERNAL ASSERT|report a bug|[Ii]nternal error|Check failed")
"""Of these, what counts even where an API takes nothing of a kind."""
OF_GRAPHS = re.compile(r"[Ss]ymbolic|graph (?:mode|execution)|eager|compile-time|compilable")
"""Words of what cannot be part of a graph."""
REFUSALS = frozenset(("NotImplementedError", "UnimplementedError", "Unsupported"))
BY_CONTRACT = (
    *("as_strided", "bitcast", "debugnumericsummary", "hash", "resize", "serialize", "set_"),
    *("slice_inverse", "tensorsummary", "view_as"),
)
"""Beginnings of operators that are documented to tell of memory, or of the bits in it."""
UNWRITTEN = ("empty", "new_empty")
"""Beginnings of operators whose result, where it is the last one, nobody has written."""
FEATURES = ("sparsecross",)
"""Beginnings of operators that, as documented, take what is not stored for missing, not for 0."""
RANDOM = ("random", "multinomial", "truncatednormal", "stateless", "candidatesampler")
STATELESS = "stateless"
TAKEN = "the API takes no input of this kind in any sample"
REFUSAL = "the framework says that it does not support this"
FRACTION = "an argument that the whole numbers of the dtype cannot hold"
CONSTRAINTS = frozenset((TAKEN, REFUSAL, FRACTION))
"""Reasons for which inputs are outside of what a rule is about: not even a known limit."""


def refused(types, message):
    """Why an exception is a refusal and no failure; "" if it is a failure.

    >>> refused(["NotImplementedError"], "Could not run 'aten::x' with arguments ...")
    'the framework says that it does not support this'
    >>> refused(["RuntimeError"], "x INTERNAL ASSERT FAILED at y, only supports z")
    ''
    """
    if OF_GRAPHS.search(message):
        return REFUSAL
    if BROKEN.search(message):
        return ""
    if REFUSALS & set(types) or REFUSED.search(message):
        return REFUSAL
    return ""


def explained(facts):
    """The reason why a disagreement is no bug; "" where nothing explains it.

    `facts` may hold: `difference`, `moved` (by rounding of the inputs), `shaken` (by rounding of
    the intermediate values), `largest` intermediate value, the `smallest`, the `unit` of rounding,
    `range` of the narrowest dtype as (low, high), and truths by the names of the reasons below.
    """
    for name, reason in REASONS:
        if facts.get(name):
            return reason
    largest, (low, high) = facts.get("largest", 0.0), facts.get("range", (-INFINITE, INFINITE))
    beyond = largest if largest > high else facts.get("smallest", 0.0)
    if largest > high or beyond < low:
        return "an intermediate value of %.3g is beyond the range of the dtype" % beyond
    difference = facts.get("difference", 0.0)
    if facts.get("moved", 0.0) >= SHARE * difference > 0:
        return "the inputs are ill-conditioned: rounding them changes the result as much"
    rounded = facts.get("shaken", 0.0) >= SHARE * difference
    if rounded and 0 < difference <= ROUNDINGS * facts.get("unit", 0.0) * largest:
        return "rounding of an intermediate value of %.3g" % largest
    return ""


REASONS = (
    ("of_data", "the shape of the result, or the result itself, depends on numbers"),
    ("unstable", "the reference differs from itself when it is run again"),
    ("truncates", "whole numbers cannot hold the fractions of the result"),
    ("floors", "whole numbers cannot hold the fractions of an intermediate value"),
    ("fraction", FRACTION),
    ("text", "text of numbers shows of what dtype they are"),
    ("about", "it tells about the tensor and runs no operator on its elements"),
    ("wraps", "whole numbers that leave the range of the dtype wrap around, as documented"),
    ("scaled", "it scales by the range of whole numbers: each dtype has a result of its own"),
    ("ties", "indices of equal elements may be in any order"),
    ("memory", "the operator addresses memory, or bits, by contract"),
    ("random", "random numbers are drawn, and a compiler may draw others"),
    ("otherwise", "random numbers are drawn, by the dtype and the order in memory"),
    ("half", "of real inputs only half of a symmetric result is told, as documented"),
    ("stored", "it is about the stored elements of a sparse tensor, as documented"),
    ("undefined", "a sparse tensor's unspecified elements take part in no arithmetic"),
    ("domain", "outside of the domain of the real function"),
    ("basis", "a factorisation is unique up to signs and bases only"),
)
