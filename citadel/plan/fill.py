"""Fill a required argument that the source does not supply.

Tensors are the source's own again (so that layout, dtype and odd values stay in play), or made like
those of the sibling's valid calls; other values come from such calls, else from the parameter's
type. In: a parameter. Out: the expression of the first rule that knows one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from analysis import parsing
from analysis.catalog.model import Parameter
from analysis.rules import Phrase, Registry
from analysis.values import Value
from citadel.plan.analogy import PLAIN, Analogy, Shape
from citadel.plan.frameworks import as_tensorflow, dtype_text, tensor_text
from citadel.plan.invocation import Invocation
from citadel.plan.lexicon import SAME_WORDS, Lexicon
from citadel.plan.lifting import Lift, lifted
from citadel.plan.model import NOTHING, Expression, Fill, SourceValue, Step, Take
from citadel.plan.quantised import quantised
from citadel.plan.types import (
    ANY,
    BOOL,
    DTYPE,
    FLOAT,
    FLOATS,
    INT,
    INTS,
    NONE,
    STR,
    TENSOR,
    TENSORS,
    accepted,
    choices,
    fits,
    kind_of,
)
from citadel.plan.windows import Window, are_weights

SIZES = ("size", "sizes", "shape", "sizes_", "output_size")
RECEIVER = "self"
"""The tensor that a method is called on: what it makes of arrays is often of its own dtype."""
AXES = ("axis", "axes", "dim", "dims")
MAIN = ("input", "self", "x", "other")
"""Names under which functions without declared types take a tensor."""
OPTIONAL = "?"
"""How operators' schemas end types that admit None, which then stands for nothing at all."""
DEFAULTS = ((INTS, "[1]"), (INT, "1"), (FLOATS, "[1.0]"), (FLOAT, "1.0"), (BOOL, "False"))
_FLAGS = Phrase(
    "type/flags",
    r"^bool\[(\d+)\]$",
    finds=("bool[3]",),
    spares=("bool", "bool[]", "bool[2]?"),
    meaning="As many flags: which of an operator's results are wanted.",
)
_PLAIN = {bool: BOOL, int: INT, float: FLOAT, str: STR}


class Like(Enum):
    """What tensors that are filled in are like."""

    SEEN = auto()
    """Those of valid calls; of whole numbers as many as there, where nothing is certain."""
    SIZED = auto()
    """The same, in sizes that follow from the report's tensors."""
    AGAIN = auto()
    """The report's own tensor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filler:
    """Fills the parameters of one sibling under one change of dimensions.

    `alike`: tensors are made like those of valid calls, where they tell. `window` is what the
    sibling is not given, and gets weights for.
    """

    source: Invocation
    lift: Lift
    lexicon: Lexicon
    analogy: Analogy
    alike: bool
    window: Window | None = None

    def fill(self, parameter: Parameter) -> Expression | None:
        """An expression for the parameter, or None where nothing is known that would do."""
        missing = Missing(parameter=parameter, kinds=accepted(parameter.type), filler=self)
        return FILLS.first(missing)

    def weighs(self, parameter: Parameter) -> bool:
        """Whether the parameter gets weights as long as the window."""
        kinds = accepted(parameter.type)
        missing = Missing(parameter=parameter, kinds=kinds, filler=self)
        return _weights.ask(False, missing) is not None

    def follows(self, parameter: Parameter) -> bool:
        """Whether the parameter is a size of a tensor that the sibling is given."""
        kinds = accepted(parameter.type)
        missing = Missing(parameter=parameter, kinds=kinds, filler=self)
        return any(rule.ask(False, missing) is not None for rule in _SIZES)

    @property
    def root(self) -> str:
        """The framework by its name in code."""
        return self.source.api.name.partition(".")[0]

    def tensor(self, function: str | None, given: str, dtype: str) -> Fill:
        """A tensor on the device of the main one."""
        main = self.source.main
        text = tensor_text(self.root, function, given, dtype)
        device = "cpu" if main is None else main.value.device or "cpu"
        if device != "cpu":
            text = f"{text.removesuffix(')')}, device={device!r})"
        return Fill(text=text, tensor=True)

    def taken(self, value: SourceValue) -> Take:
        """One of the report's values in the sibling's dimensions."""
        return value.take(*lifted(value, self.lift))


@dataclass(slots=True, kw_only=True)
class Missing:
    """A required parameter that the source does not supply, and the coarse types that it takes."""

    parameter: Parameter
    kinds: frozenset[str]
    filler: Filler

    @property
    def name(self) -> str:
        """The name of the parameter."""
        return self.parameter.name

    @property
    def main(self) -> SourceValue | None:
        """The tensor that the report's call works on."""
        return self.filler.source.main

    @property
    def analogy(self) -> Analogy:
        """Valid calls of the sibling."""
        return self.filler.analogy

    @property
    def known(self) -> list[Value]:
        """Values that valid calls give to the parameter."""
        return [s[self.name] for s in self.analogy.samples if self.name in s]


FILLS: Registry[[Missing], Expression] = Registry("fill")
"""Alternatives for a required argument; the first that knows one decides."""


@FILLS.rule("nothing")
def _nothing(missing: Missing) -> Expression | None:
    """None, where an optional tensor may be left out."""
    optional = (missing.parameter.type or "").endswith(OPTIONAL)
    return NOTHING if NONE in missing.kinds and (TENSOR in missing.kinds or optional) else None


@FILLS.rule("default-of-report-parameter")
def _implied(missing: Missing) -> Expression | None:
    """The default of the report's parameter of this name, as long as it is a plain value."""
    api, kinds = missing.filler.source.api, missing.kinds
    given = {value.name for value in missing.filler.source.values}
    for own in (one for s in (*api.signatures, *api.call_signatures) for one in s.parameters):
        if own.name != missing.name or own.name in given or own.default is None:
            continue
        kind = _PLAIN.get(type(_literal(own.default)))
        numbers = kind in (INT, FLOAT) and as_tensorflow(api.name)
        if kind in kinds or (kind == INT and FLOAT in kinds) or (numbers and TENSOR in kinds):
            return Fill(text=own.default, implied=True)
    return None


@FILLS.rule("weights-of-window")
def _weights(missing: Missing) -> Expression | None:
    """Weights as long as the window that the sibling is not given, all ones."""
    known, window, dtype = missing.analogy, missing.filler.window, missing.analogy.dtype
    if window is None or not missing.kinds & {TENSOR, ANY} or not PLAIN.fullmatch(dtype or ""):
        return None
    shape = window.weights(known.shape)
    if shape is None or not are_weights(missing.name, known.main, known.samples):
        return None
    return missing.filler.tensor("ones", str(list(shape)), dtype or "")


@FILLS.rule("number-per-dimension")
def _each(missing: Missing) -> Expression | None:
    """A number for each dimension, where valid calls have one: `multiples`, `shifts`."""
    found = missing.analogy.per_dimension(missing.name)
    if found is None or not missing.kinds & {TENSOR, INTS, ANY}:
        return None
    if missing.filler.follows(missing.parameter):
        return None
    numbers, dtype = found
    text = str(list(numbers))
    return Fill(text=text) if dtype is None else missing.filler.tensor(None, text, dtype)


@FILLS.rule("tensor-of-valid-call")
def _made(missing: Missing) -> Expression | None:
    """The tensor of a valid call, or one of fitting size: ones, or, as indices, zeros."""
    main, analogy = missing.main, missing.analogy
    if main is None and TENSOR in missing.kinds and not _scalar(missing):
        found: tuple[Shape, str, str | None] | None = analogy.example(missing.name)
    else:
        found = analogy.tensor(missing.name) if missing.filler.alike else None
    if found is None or not missing.kinds & {TENSOR, ANY}:
        return None
    shape, dtype, content = found
    if main is None and missing.name == RECEIVER and analogy.dtype is not None:
        dtype = analogy.dtype
    function = None if content is not None else "zeros" if "int" in dtype else "ones"
    return missing.filler.tensor(function, content or str(list(shape)), dtype)


@FILLS.rule("report-tensor-again")
def _own(missing: Missing) -> Expression | None:
    """The source's main tensor again."""
    main = missing.main
    if main is None or not missing.kinds & {TENSOR, TENSORS} or _scalar(missing):
        return None
    wrap = () if TENSOR in missing.kinds else (Step(name="list"),)
    steps = (*lifted(main, missing.filler.lift), *quantised(main.value, missing.known))
    return main.take(*steps, *wrap)


@FILLS.rule("size-of-window")
def _window_size(missing: Missing) -> Expression | None:
    """`kernel_size` is the size of the kernel that the report gives."""
    number = missing.kinds & {INT, INTS}
    window = missing.analogy.window(missing.name) if number else None
    return None if window is None else Fill(text=repr(window))


@FILLS.rule("size-of-tensor")
def _number_size(missing: Missing) -> Expression | None:
    """`num_features` is a size of a tensor that the sibling is given."""
    size = missing.analogy.number(missing.name) if INT in missing.kinds else None
    return None if size is None else Fill(text=str(size))


@FILLS.rule("last-sizes-of-tensor")
def _last_sizes(missing: Missing) -> Expression | None:
    """`normalized_shape` is the last sizes of a tensor that the sibling is given."""
    wanted = INTS in missing.kinds and missing.name not in SIZES
    sizes = missing.analogy.sizes(missing.name) if wanted else None
    return None if sizes is None else Fill(text=str(list(sizes)))


_SIZES = (_window_size, _number_size, _last_sizes)


@FILLS.rule("value-of-like-name")
def _namesake(missing: Missing) -> Expression | None:
    """A value that the source gives under nearly this name (`in_features`, `in2_features`)."""
    for value in missing.filler.source.values:
        like = missing.filler.lexicon.likeness(value.name, missing.name) >= SAME_WORDS
        if like and fits(value.value, missing.parameter.type):
            return missing.filler.taken(value)
    return None


@FILLS.rule("shape-of-tensor")
def _shape(missing: Missing) -> Expression | None:
    """`size` is the shape of the source's main tensor."""
    shape = missing.analogy.shape
    if INTS not in missing.kinds or missing.name not in SIZES or not shape:
        return None
    known = missing.known
    # Sizes of another number are no tensor's, but windows and the like.
    fitting = not known or any(len(one.items or ()) == len(shape) for one in known)
    return Fill(text=str(list(shape))) if fitting else None


@FILLS.rule("value-of-valid-call")
def _sampled(missing: Missing) -> Expression | None:
    """The value of a valid call; the first axis, where the tensor has not the axes of that."""
    for value in missing.known:
        text = value.literal()
        if text is not None and text != "None":
            inside = missing.name not in AXES or _within(value, missing.analogy.shape)
            return Fill(text=text if inside else "0" if value.kind == "int" else "[0]")
    return None


@FILLS.rule("report-tensor-by-name")
def _main_again(missing: Missing) -> Expression | None:
    """The source's main tensor again, for an `input` of no declared type."""
    if ANY not in missing.kinds or missing.main is None or missing.name not in MAIN:
        return None
    return missing.filler.taken(missing.main)


@FILLS.rule("flags")
def _flags(missing: Missing) -> Expression | None:
    """All flags of a list are set."""
    flags = _FLAGS.fullmatch(missing.parameter.type or "")
    return None if flags is None else Fill(text=str([True] * int(flags[1])))


@FILLS.rule("usual-value-of-type")
def _usual(missing: Missing) -> Expression | None:
    """1 for a number, False for a flag; 0 for a dimension and for modes that are numbers."""
    for kind, text in DEFAULTS:
        if kind in missing.kinds:
            first = missing.name == "dim" or missing.name.endswith("mode")
            return Fill(text="0" if first and kind == INT else text)
    return None


@FILLS.rule("dtype-of-report-tensor")
def _dtype(missing: Missing) -> Expression | None:
    """The dtype of the source's main tensor."""
    main = missing.main
    if DTYPE not in missing.kinds or main is None or not main.value.dtype:
        return None
    return Fill(text=dtype_text(missing.filler.root, main.value.dtype))


@FILLS.rule("first-word-of-type")
def _first_word(missing: Missing) -> Expression | None:
    """The first word that a declared type lists."""
    words = choices(missing.parameter.type)
    return Fill(text=repr(words[0])) if words else None


def _scalar(missing: Missing) -> bool:
    """Whether valid calls give numbers alone, though it is declared a tensor: of rank 0; or lists
    of whole numbers, as axes are, where the report's tensor has real ones."""
    known = missing.known
    real = "float" in (missing.analogy.dtype or "")
    lists = [v for v in known if real and v.items is not None and kind_of(v) == INTS]
    numbers = [value for value in known if value.kind in ("int", "float", "bool")]
    return bool(known) and len(numbers) + len(lists) == len(known)


def _within(axes: Value, shape: Shape | None) -> bool:
    """Whether a tensor of this shape has these axes."""
    texts = [item.literal() for item in axes.items or (axes,) if item.kind == "int"]
    numbers = [int(text) for text in texts if text is not None]
    return shape is None or all(-len(shape) <= number < len(shape) for number in numbers)


def _literal(text: str) -> object:
    """The value of a default, or None where its text is no literal."""
    try:
        return parsing.literal(text)
    except (ValueError, SyntaxError):
        return None
