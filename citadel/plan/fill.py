"""Fill a required argument that the source does not supply.

Tensors are the source's own again (so that layout, dtype and odd values stay in play), or made like
those of the sibling's valid calls; other values come from such calls, else from the parameter's
type.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from analysis import parsing
from analysis.catalog.model import Parameter
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
_FLAGS = re.compile(r"bool\[(\d+)\]")
"""As many flags: which of an operator's results are wanted."""
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
        kinds = accepted(parameter.type)
        if NONE in kinds and (TENSOR in kinds or (parameter.type or "").endswith(OPTIONAL)):
            return NOTHING
        for way in (
            self._implied,
            self._weights,
            self._each,
            self._made,
            self._own,
            self._size,
            self._namesake,
            self._sampled,
        ):
            found = way(parameter, kinds)
            if found is not None:
                return found
        if ANY in kinds:
            return self._main_again(parameter)
        return self._by_type(parameter, kinds)

    def _implied(self, parameter: Parameter, kinds: frozenset[str]) -> Expression | None:
        """What the source's call has under this name by default, as long as it is a plain value."""
        api = self.source.api
        given = {value.name for value in self.source.values}
        for own in (one for s in (*api.signatures, *api.call_signatures) for one in s.parameters):
            if own.name != parameter.name or own.name in given or own.default is None:
                continue
            kind = _PLAIN.get(type(_literal(own.default)))
            numbers = kind in (INT, FLOAT) and as_tensorflow(api.name)
            if kind in kinds or (kind == INT and FLOAT in kinds) or (numbers and TENSOR in kinds):
                return Fill(text=own.default, implied=True)
        return None

    def weighs(self, parameter: Parameter) -> bool:
        """Whether the parameter gets weights as long as the window."""
        return self._weights(parameter, accepted(parameter.type)) is not None

    def _weights(self, parameter: Parameter, kinds: frozenset[str]) -> Expression | None:
        """Weights as long as the window, all ones; None where they are of something else."""
        known, dtype = self.analogy, self.analogy.dtype
        if self.window is None or not kinds & {TENSOR, ANY} or not PLAIN.fullmatch(dtype or ""):
            return None
        shape = self.window.weights(known.shape)
        if shape is None or not are_weights(parameter.name, known.main, known.samples):
            return None
        return self._tensor("ones", str(list(shape)), dtype or "")

    def _each(self, parameter: Parameter, kinds: frozenset[str]) -> Expression | None:
        """A number for each dimension, where valid calls have one: `multiples`, `shifts`."""
        found = self.analogy.per_dimension(parameter.name)
        if found is None or not kinds & {TENSOR, INTS, ANY} or self.follows(parameter):
            return None
        numbers, dtype = found
        text = str(list(numbers))
        return Fill(text=text) if dtype is None else self._tensor(None, text, dtype)

    def _made(self, parameter: Parameter, kinds: frozenset[str]) -> Expression | None:
        """The tensor of a valid call, or one of fitting size: ones, or, as indices, zeros."""
        main = self.source.main
        if main is None and TENSOR in kinds and not self._scalar(parameter):
            found: tuple[Shape, str, str | None] | None = self.analogy.example(parameter.name)
        else:
            found = self.analogy.tensor(parameter.name) if self.alike else None
        if found is None or not kinds & {TENSOR, ANY}:
            return None
        shape, dtype, content = found
        if main is None and parameter.name == RECEIVER and self.analogy.dtype is not None:
            dtype = self.analogy.dtype
        function = None if content is not None else "zeros" if "int" in dtype else "ones"
        return self._tensor(function, content or str(list(shape)), dtype)

    def _tensor(self, function: str | None, given: str, dtype: str) -> Fill:
        """A tensor on the device of the main one."""
        main = self.source.main
        text = tensor_text(self._root, function, given, dtype)
        device = "cpu" if main is None else main.value.device or "cpu"
        if device != "cpu":
            text = f"{text.removesuffix(')')}, device={device!r})"
        return Fill(text=text, tensor=True)

    def _own(self, parameter: Parameter, kinds: frozenset[str]) -> Expression | None:
        """The source's main tensor again."""
        main = self.source.main
        if main is None or not kinds & {TENSOR, TENSORS} or self._scalar(parameter):
            return None
        wrap = () if TENSOR in kinds else (Step(name="list"),)
        known = [s[parameter.name] for s in self.analogy.samples if parameter.name in s]
        return main.take(*lifted(main, self.lift), *quantised(main.value, known), *wrap)

    def _scalar(self, parameter: Parameter) -> bool:
        """Whether valid calls give numbers alone, though it is declared a tensor: of rank 0; or
        lists of whole numbers, as axes are, where the report's tensor has real ones."""
        known = [s[parameter.name] for s in self.analogy.samples if parameter.name in s]
        real = "float" in (self.analogy.dtype or "")
        lists = [v for v in known if real and v.items is not None and kind_of(v) == INTS]
        numbers = [value for value in known if value.kind in ("int", "float", "bool")]
        return bool(known) and len(numbers) + len(lists) == len(known)

    def follows(self, parameter: Parameter) -> bool:
        """Whether the parameter is a size of a tensor that the sibling is given."""
        return self._size(parameter, accepted(parameter.type)) is not None

    def _size(self, parameter: Parameter, kinds: frozenset[str]) -> Expression | None:
        window = self.analogy.window(parameter.name) if kinds & {INT, INTS} else None
        if window is not None:
            return Fill(text=repr(window))
        size = self.analogy.number(parameter.name) if INT in kinds else None
        if size is not None:
            return Fill(text=str(size))
        wanted = INTS in kinds and parameter.name not in SIZES
        sizes = self.analogy.sizes(parameter.name) if wanted else None
        return None if sizes is None else Fill(text=str(list(sizes)))

    def _namesake(self, parameter: Parameter, _: frozenset[str]) -> Expression | None:
        """A value that the source gives under nearly this name (`in_features`, `in2_features`)."""
        for value in self.source.values:
            like = self.lexicon.likeness(value.name, parameter.name) >= SAME_WORDS
            if like and fits(value.value, parameter.type):
                return self._taken(value)
        return None

    def _sampled(self, parameter: Parameter, kinds: frozenset[str]) -> Expression | None:
        """What a valid call of the sibling has; sizes are those of the source's main tensor."""
        shape = self.analogy.shape
        if INTS in kinds and parameter.name in SIZES and shape:
            known = [s[parameter.name] for s in self.analogy.samples if parameter.name in s]
            # Sizes of another number are no tensor's, but windows and the like.
            if not known or any(len(one.items or ()) == len(shape) for one in known):
                return Fill(text=str(list(shape)))
        for sample in self.analogy.samples:
            value = sample.get(parameter.name)
            text = value.literal() if value is not None else None
            if value is not None and text is not None and text != "None":
                inside = parameter.name not in AXES or _within(value, shape)
                return Fill(text=text if inside else "0" if value.kind == "int" else "[0]")
        return None

    def _main_again(self, parameter: Parameter) -> Expression | None:
        main = self.source.main
        return self._taken(main) if main is not None and parameter.name in MAIN else None

    def _by_type(self, parameter: Parameter, kinds: frozenset[str]) -> Expression | None:
        flags = _FLAGS.fullmatch(parameter.type or "")
        if flags is not None:
            return Fill(text=str([True] * int(flags[1])))
        for kind, text in DEFAULTS:
            if kind in kinds:
                # The first dimension, and the usual one of modes that are numbers.
                first = parameter.name == "dim" or parameter.name.endswith("mode")
                return Fill(text="0" if first and kind == INT else text)
        main = self.source.main
        if DTYPE in kinds and main is not None and main.value.dtype:
            return Fill(text=dtype_text(self._root, main.value.dtype))
        words = choices(parameter.type)
        return Fill(text=repr(words[0])) if words else None

    def _taken(self, value: SourceValue) -> Take:
        return value.take(*lifted(value, self.lift))

    @property
    def _root(self) -> str:
        """What the framework is called in code."""
        return self.source.api.name.partition(".")[0]


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
