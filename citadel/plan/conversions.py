"""Convert an argument to what the sibling's parameter accepts: one rule per conversion.

In: one of the report's values, the parameter that it goes to, and what valid calls of the sibling
give to that parameter. Out: the steps that change the value; () where it stays as it is.

A change of dimensions comes first (see `lifting`). Where there is none, the first rule of `SHAPES`
that applies changes the value. Then every rule of `KINDS` that applies adds its steps. A rule is
asked about the kinds of values that it can change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.catalog.model import Api
from analysis.rules import Registry, Rule
from analysis.values import Value
from citadel.match.family import parse
from citadel.plan.assign import acts_as_tensor
from citadel.plan.dimensions import spatial
from citadel.plan.ends import with_ends
from citadel.plan.frameworks import as_tensorflow
from citadel.plan.lexicon import Lexicon
from citadel.plan.lifting import Lift, lifted, window_lifted
from citadel.plan.model import FIRST, NUMBER, SourceValue, Step
from citadel.plan.places import Place, is_receiver
from citadel.plan.quantised import quantised
from citadel.plan.receivers import as_receiver
from citadel.plan.types import (
    INT,
    NONE,
    SEED,
    TENSORS,
    accepted,
    becomes_number,
    becomes_tensor,
    fits,
    kind_of,
    takes_tensor,
    wraps,
)
from citadel.traced import leaf

WRAP = Step(name="list")
_ONE = Value(kind="int", text="1")
_ENDS = ("batch", "channels")
Steps = tuple[Step, ...]


@dataclass(slots=True, kw_only=True)
class Argument:
    """One of the report's values on its way to a parameter of a sibling.

    `valid` is what valid calls of the sibling give to the parameter; `samples` are those calls.
    `windows` are the names of the sibling's parameters that are windows.
    """

    value: SourceValue
    place: Place
    source: Api
    target: Api
    lift: Lift
    lexicon: Lexicon
    samples: Sequence[dict[str, Value]]
    valid: Sequence[Value]
    windows: frozenset[str]

    @property
    def declared(self) -> str | None:
        """The declared type of the parameter."""
        return self.place.parameter.type


Conversions = Registry[[Argument], Steps]
_WORDS: Conversions = Registry("convert")
_INTEGERS: Conversions = Registry("convert")
_LISTS: Conversions = Registry("convert")
_TENSORS: Conversions = Registry("convert")
SHAPES = {"str": _WORDS, "int": _INTEGERS, "list": _LISTS, "tensor": _TENSORS}
"""As many numbers as the parameter takes, a word as it is spelled there; by the kind of the value,
as tens of thousands of values are converted for one report. The first rule decides."""
_OF_NUMBERS: Conversions = Registry("convert")
_OF_LISTS: Conversions = Registry("convert")
_OF_TENSORS: Conversions = Registry("convert")
KINDS = {
    **dict.fromkeys(("int", "float", "complex"), _OF_NUMBERS),
    **{"list": _OF_LISTS, "tensor": _OF_TENSORS},
}
"""Tensors of numbers, of several tensors one, and the like. All rules that apply decide."""


def converted(argument: Argument) -> Steps:
    """The steps that make a value what the parameter accepts."""
    value, place, target = argument.value.value, argument.place, argument.target
    kind = "list" if value.items else value.kind
    steps = lifted(argument.value, argument.lift)
    if not steps and kind in SHAPES:
        steps = SHAPES[kind].first(argument) or ()
    if as_tensorflow(target.name):
        steps += _with_ends(argument, steps) or ()
    for more in KINDS[kind].each(argument) if kind in KINDS else ():
        steps += more
    if is_receiver(place, target):
        steps += _to_receiver(argument) or ()
    return steps


@_INTEGERS.rule("number-per-dimension-of-window")
def _window(argument: Argument) -> Steps | None:
    """A number that stands for all spatial dimensions becomes one number for each of them."""
    if not argument.lift.unit:
        return None
    lists = [one.items or () for one in argument.valid if one.kind in ("list", "tuple")]
    known = any(len(items) == argument.lift.after for items in lists)
    known = known or argument.place.parameter.name in argument.lexicon.windows
    return (known and window_lifted(argument.value, argument.lift, argument.declared)) or None


@_WORDS.rule("upper-or-lower-case")
def _spelled(argument: Argument) -> Steps | None:
    """`"same"` becomes `"SAME"` where the sibling's default and its valid calls write a word in
    capitals; where it has neither, those of its neighbours count."""
    value, parameter = argument.value.value, argument.place.parameter
    word = (value.literal() or "")[1:-1]
    if argument.target is argument.source or not word.isidentifier():
        return None
    known = [one.literal() for one in argument.valid if one.kind == "str"]
    usual = parameter.default or ""
    known += [usual] if usual.startswith(("'", '"')) else []
    known = known or list(argument.lexicon.words(argument.target.name, parameter.name))
    texts = [text[1:-1] for text in known if text and len(text) > 2]
    for change in (str.upper, str.lower) if texts else ():
        alike = all(text == change(text) and text.isidentifier() for text in texts)
        if alike and word != change(word):
            return (Step(name="say", text=repr(change(word))),)
    return None


@_LISTS.rule("single-seed")
def _one_seed(argument: Argument) -> Steps | None:
    """`seed=[1, 2]` becomes `seed=1` where the sibling takes a single number."""
    items = argument.value.value.items
    first = items[0].literal() if items else None
    if first is None or not accepted(argument.declared) <= {INT, NONE}:
        return None
    seed = SEED.fullmatch(argument.place.parameter.name)
    return None if seed is None else (Step(name="say", text=first),)


@_LISTS.rule("equal-numbers-to-number")
def _equal_numbers(argument: Argument) -> Steps | None:
    """`kernel_size=(3, 3)` becomes `kernel_size=3` where valid calls have one number."""
    if not _has_numbers(argument) or not _may_change(argument):
        return None
    same = len({item.text for item in argument.value.value.items or ()}) == 1
    single = _takes_single(argument) or _are_single(_numbers_of(argument))
    return (FIRST,) if same and single else None


@_LISTS.rule("last-numbers-of-list")
def _last_numbers(argument: Argument) -> Steps | None:
    """A list with one number per dimension keeps as many of the last as valid calls have; one, if
    nothing is known of a sibling whose name is the report's without the number of dimensions."""
    items = argument.value.value.items or ()
    if not _has_numbers(argument) or not _may_change(argument) or len(items) < 2:
        return None
    if spatial(argument.source.name) != len(items):
        return None
    known, single = _numbers_of(argument), _takes_single(argument)
    if not (known or single):
        return (Step(name="last", amount=1),) if _is_simpler(argument) else None
    return _last(known, len(items), single=single) or None


@_INTEGERS.rule("number-to-list")
def _one_number(argument: Argument) -> Steps | None:
    """`3` becomes `[3]` where valid calls have lists of one number."""
    if not _may_change(argument):
        return None
    known = _numbers_of(argument)
    alone = known and all(len(one.items or ()) == 1 or one.shape == (1,) for one in known)
    return (WRAP,) if alone and not wraps(argument.value.value, argument.declared) else None


@_TENSORS.rule("tensor-to-number")
def _as_number(argument: Argument) -> Steps | None:
    """A tensor of no dimensions becomes a Python number where the sibling takes no tensor."""
    if argument.target is argument.source or not takes_tensor(argument.value.type):
        return None
    made = becomes_number(argument.value.value, argument.declared)
    return None if made is None else (Step(name=NUMBER, text=made),)


def _ends_of_window(argument: Argument, given: Steps) -> Steps | None:
    """`[2, 2]` becomes `[1, 2, 2, 1]` where valid calls have a 1 for batch and channels, or the
    other way round.

    Valid calls tell of this parameter or, where there are none, of the sibling's other windows.
    Keras has nothing but spatial dimensions in any.
    """
    value, known, named = argument.value.value, argument.valid, argument.place.parameter.name
    if not known and named in argument.windows:
        names = argument.windows
        others = (one[n] for one in argument.samples for n in sorted(names & one.keys()))
        known = [one for one in others if one.kind != "str"]  # padding="SAME"
        known = known or ([_ONE] if "keras" in argument.target.name.split(".") else [])
    steps = with_ends(value, given, known)
    digits = parse(argument.target.name, argument.target.kind).dimension.strip("d")
    # `(1, 2, 1)` may be all there is of three dimensions.
    whole = digits.isdigit() and len(value.items or ()) != int(digits) + len(_ENDS)
    return None if whole and any(step.name == "inner" for step in steps) else steps or None


@_OF_NUMBERS.rule("number-to-tensor")
def _made_tensor(argument: Argument) -> Steps | None:
    """A number becomes a tensor where only tensors are taken: of one element where valid calls have
    vectors, and of their dtype where that is of another size than a number's.

    TensorFlow makes tensors of numbers itself.
    """
    value = argument.value.value
    if as_tensorflow(argument.target.name) or acts_as_tensor(argument.value):
        return None
    if not becomes_tensor(value, argument.declared):
        return None
    vectors = {valid.rank for valid in argument.valid} == {1}
    made = Step(name="tensor", text=_width(value, argument.valid))
    return (WRAP, made) if vectors else (made,)


@_OF_LISTS.rule("first-of-tensors")
def _first_tensor(argument: Argument) -> Steps | None:
    """The state `(h, c)` becomes `h` where valid calls have one tensor under the same name."""
    if kind_of(argument.value.value) != TENSORS or acts_as_tensor(argument.value):
        return None
    known = _of_same_name(argument)
    return (FIRST,) if known and all(valid.is_tensor for valid in known) else None


@_OF_TENSORS.rule("tensor-several-times")
def _several_tensors(argument: Argument) -> Steps | None:
    """The state `h` becomes `(h, h)` where valid calls have a tuple under the same name."""
    known = _of_same_name(argument)
    lengths = {len(valid.items or ()) for valid in known if kind_of(valid) == TENSORS}
    always = all(valid.kind in ("tuple", "list") for valid in known)
    return (Step(name="each", amount=lengths.pop()),) if always and len(lengths) == 1 else None


@_OF_TENSORS.rule("dense-to-quantized")
def _quantised(argument: Argument) -> Steps | None:
    """A tensor of real numbers is quantised where all valid calls have quantised ones."""
    return quantised(argument.value.value, argument.valid) or None


def _received(argument: Argument) -> Steps | None:
    """A value becomes an object of the class whose method is called on it."""
    return as_receiver(argument.value, argument.target.name) or None


def _value_to_list(value: Value, declared: str | None) -> Step | None:
    """A value goes into a list where the sibling takes only lists of its kind."""
    return WRAP if wraps(value, declared) else None


_with_ends = Rule("convert/ends-of-window", _ends_of_window)
_to_receiver = Rule("convert/value-to-receiver", _received)
to_list = Rule("convert/value-to-list", _value_to_list)


def _has_numbers(argument: Argument) -> bool:
    """Whether the value is a list of whole numbers."""
    items = argument.value.value.items
    return bool(items) and all(item.kind == "int" for item in items or ())


def _may_change(argument: Argument) -> bool:
    """Whether the value is what the source is declared to take. A list where the source wants a
    number may be the bug itself."""
    value = argument.value
    proper = fits(value.value, value.type) or acts_as_tensor(value)
    return proper and argument.target is not argument.source


def _numbers_of(argument: Argument) -> list[Value]:
    return [one for one in argument.valid if one.kind != "none"]


def _takes_single(argument: Argument) -> bool:
    """Whether the parameter takes a single number, by its declaration."""
    return argument.value.type is not None and accepted(argument.declared) <= {INT, NONE}


def _of_same_name(argument: Argument) -> list[Value]:
    """What valid calls give to the parameter, if it has the name of the source's."""
    if argument.value.name != argument.place.parameter.name:
        return []
    return [valid for valid in argument.valid if valid.kind != "none"]


def _is_simpler(argument: Argument) -> bool:
    """Whether its name is that of the source without the number of dimensions, inverse or not:
    `rfft` and `irfft` for `rfft2d`."""
    own, digits = leaf(argument.source.name), spatial(argument.source.name)
    names = {own.replace(f"{digits}d", ""), leaf(argument.target.name)}
    return own not in names and len({name.removeprefix("i") for name in names}) == 1


def _are_single(known: Sequence[Value]) -> bool:
    return bool(known) and all(one.kind == "int" for one in known)


def _last(known: Sequence[Value], have: int, *, single: bool) -> Steps:
    """As many of the last of a list's numbers as all valid calls have."""
    if single or _are_single(known):
        return (Step(name="last", amount=1), FIRST)
    lengths = {one.shape[0] if one.shape else len(one.items or ()) for one in known}
    count = lengths.pop() if len(lengths) == 1 else 0
    return (Step(name="last", amount=count),) if 0 < count < have else ()


def _width(number: Value, valid: Sequence[Value]) -> str:
    """The dtype that all of these tensors are of, where a tensor of the number would be wider or
    narrower; nothing where it would be of another kind."""
    made = {"int": ("int64", "int"), "float": ("float32", "float")}
    usual, kind = made.get(number.kind, ("", ""))
    dtypes = {one.dtype or "" for one in valid if one.is_tensor}
    only = dtypes.pop() if len(dtypes) == 1 else usual
    return only if only != usual and only.strip("u0123456789") == kind else ""
