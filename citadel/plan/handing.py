"""What the parameters of a sibling are given of the source's values, changed to suit them.

In: which value each parameter is to have. Out: the expressions that take it, with the steps that
change it: to the sibling's dimensions, its spelling of words, its kind of tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from analysis.catalog.model import Api
from analysis.values import Value
from citadel.match.family import parse
from citadel.plan.assign import DESTINATION, acts_as_tensor
from citadel.plan.dimensions import Lift, lifted, spatial, window_lifted
from citadel.plan.ends import with_ends
from citadel.plan.frameworks import as_tensorflow
from citadel.plan.invocation import Invocation
from citadel.plan.lexicon import Lexicon
from citadel.plan.model import FIRST, NUMBER, Expression, Gather, SourceValue, Step
from citadel.plan.places import Place, Places, is_receiver
from citadel.plan.quantised import quantised
from citadel.plan.receivers import as_receiver
from citadel.plan.sizes import one_by_one
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
_NUMBER = Value(kind="int", text="1")
_ENDS = ("batch", "channels")


@dataclass(frozen=True, slots=True, kw_only=True)
class Handing:
    """One overload of a sibling under one change of dimensions; `samples` are valid calls of it."""

    source: Invocation
    target: Api
    places: Places
    lift: Lift
    samples: Sequence[dict[str, Value]]
    lexicon: Lexicon

    def given(
        self, chosen: dict[int, SourceValue], rest: list[SourceValue], *, together: bool = False
    ) -> dict[int, Expression]:
        """The chosen values; a list takes all that the source's `*tensors` had, out of `rest`, or,
        `together`, all of its tensors."""
        found: dict[int, Expression] = {}
        for number, value in chosen.items():
            steps = lifted(value, self.lift) or self._windows(value, number)
            steps = steps or self._spelled(value, number) or self._one_seed(value, number)
            steps = steps or self._as_many(value, number) or self._as_number(value, number)
            if as_tensorflow(self.target.name):
                steps += self._with_ends(value.value, steps, number, self._windowed(chosen))
            steps += self._made_tensor(value, number) or self._of_tensors(value, number)
            steps += quantised(value.value, self._valid(number))
            taken = value.take(*steps, *self._received(value, number))
            found[number] = taken
            whole = any(step.name in ("ends", "each") for step in steps)
            if whole or not wraps(value.value, self.places.named[number].parameter.type):
                continue
            others = [v for v in rest if self._goes_along(v, value, together=together)]
            rest[:] = [v for v in rest if v not in others]
            items = [value, *others]
            if together:
                order = [v.key for v in self.source.values]
                items.sort(key=lambda v: order.index(v.key) if v.key in order else -1)
            listed = (taken if v is value else v.take(*lifted(v, self.lift)) for v in items)
            alone = replace(taken, steps=(*taken.steps, WRAP))
            spread = self._one_by_one(self.places.named[number])
            found[number] = Gather(items=tuple(listed)) if others or spread else alone
        return found

    def _goes_along(self, other: SourceValue, value: SourceValue, *, together: bool) -> bool:
        """Whether a value belongs in the list that begins with another one."""
        if other.value.kind != value.value.kind:
            return False
        joins = together and value.value.is_tensor and not other.key.startswith("attr:")
        return other.name == value.name or (joins and other.name != DESTINATION)

    def _windows(self, value: SourceValue, number: int) -> tuple[Step, ...]:
        """A number that stands for all spatial dimensions, as one for each of them."""
        parameter = self.places.named[number].parameter
        lists = [one.items or () for one in self._valid(number) if one.kind in ("list", "tuple")]
        known = any(len(items) == self.lift.after for items in lists)
        known = known or parameter.name in self.lexicon.windows
        return window_lifted(value, self.lift, parameter.type) if known else ()

    def _made_tensor(self, value: SourceValue, number: int) -> tuple[Step, ...]:
        """A number where only tensors are taken, of one element where valid calls have vectors, and
        of their dtype where that is of another size than a number's.

        TensorFlow makes tensors of numbers itself.
        """
        declared = self.places.named[number].parameter.type
        if as_tensorflow(self.target.name) or acts_as_tensor(value):
            return ()
        if not becomes_tensor(value.value, declared):
            return ()
        known = self._valid(number)
        vectors = {valid.rank for valid in known} == {1}
        made = Step(name="tensor", text=_width(value.value, known))
        return (WRAP, made) if vectors else (made,)

    def _of_tensors(self, value: SourceValue, number: int) -> tuple[Step, ...]:
        """The first of a tuple of tensors where valid calls have one tensor under the same name, or
        the other way round: a recurrent layer's state is `h`, or `(h, c)`."""
        known = [valid for valid in self._valid(number) if valid.kind != "none"]
        if not known or value.name != self.places.named[number].parameter.name:
            return ()
        several = kind_of(value.value) == TENSORS and not acts_as_tensor(value)
        if several and all(valid.is_tensor for valid in known):
            return (FIRST,)
        lengths = {len(valid.items or ()) for valid in known if kind_of(valid) == TENSORS}
        always = all(valid.kind in ("tuple", "list") for valid in known)
        if value.value.is_tensor and always and len(lengths) == 1:
            return (Step(name="each", amount=lengths.pop()),)
        return ()

    def _one_by_one(self, place: Place) -> bool:
        return one_by_one(self.target, place.parameter, self.places.sizes)

    def _received(self, value: SourceValue, number: int) -> tuple[Step, ...]:
        receiver = is_receiver(self.places.named[number], self.target)
        return (as_receiver(value, self.target.name) or ()) if receiver else ()

    def _windowed(self, chosen: dict[int, SourceValue]) -> frozenset[str]:
        """The parameters that are windows by their own names, or by those of what they are given:
        `window_shape`, which is given the `ksize`."""
        names = self.lexicon.windows
        given = (n for n, value in chosen.items() if value.name in names)
        return names | {self.places.named[n].parameter.name for n in given}

    def _with_ends(
        self, value: Value, given: tuple[Step, ...], number: int, windows: frozenset[str]
    ) -> tuple[Step, ...]:
        """What makes a window one as valid calls have it: of this parameter or, where there are
        none, of its other windows. Keras has nothing but spatial dimensions in any."""
        named = self.places.named[number].parameter.name
        known = self._valid(number)
        if not known and named in windows:
            others = (one[n] for one in self.samples for n in sorted(windows & one.keys()))
            known = [one for one in others if one.kind != "str"]  # padding="SAME"
            known = known or ([_NUMBER] if "keras" in self.target.name.split(".") else [])
        steps = with_ends(value, given, known)
        digits = parse(self.target.name, self.target.kind).dimension.strip("d")
        # `(1, 2, 1)` may be all there is of three dimensions.
        whole = digits.isdigit() and len(value.items or ()) != int(digits) + len(_ENDS)
        return () if whole and any(step.name == "inner" for step in steps) else steps

    def _valid(self, number: int) -> list[Value]:
        """What valid calls of the sibling give to a parameter."""
        name = self.places.named[number].parameter.name
        return [sample[name] for sample in self.samples if name in sample]

    def _spelled(self, value: SourceValue, number: int) -> tuple[Step, ...]:
        """`"same"` is `"SAME"` where the sibling's default and valid calls of it write a word in
        capitals; of a sibling that has neither, where those beside it do."""
        word = (value.value.literal() or "")[1:-1] if value.value.kind == "str" else ""
        known = [one.literal() for one in self._valid(number) if one.kind == "str"]
        parameter = self.places.named[number].parameter
        usual = parameter.default or ""
        known += [usual] if usual.startswith(("'", '"')) else []
        known = known or list(self.lexicon.words(self.target.name, parameter.name))
        texts = [text[1:-1] for text in known if text and len(text) > 2]
        if self.target is self.source.api or not (word.isidentifier() and texts):
            return ()
        for change in (str.upper, str.lower):
            alike = all(text == change(text) and text.isidentifier() for text in texts)
            if alike and word != change(word):
                return (Step(name="say", text=repr(change(word))),)
        return ()

    def _as_many(self, value: SourceValue, number: int) -> tuple[Step, ...]:
        """One number of a list that has no other where valid calls have one number, and a list of
        one where they have that; of a list with a number for each dimension that the source's name
        states as many of the last as they have. A list where the source wants a number may be the
        bug itself."""
        known = [one for one in self._valid(number) if one.kind != "none"]
        declared = self.places.named[number].parameter.type
        proper = fits(value.value, value.type) or acts_as_tensor(value)
        single = value.type is not None and accepted(declared) <= {INT, NONE}
        if not proper or self.target is self.source.api:
            return ()
        items = value.value.items or ()
        if items and all(item.kind == "int" for item in items):
            if len({item.text for item in items}) == 1 and (single or _are_single(known)):
                return (FIRST,)
            if spatial(self.source.api.name) != len(items) or len(items) < 2:
                return ()
            if not (known or single):
                return (Step(name="last", amount=1),) if self._is_simpler() else ()
            return _last(known, len(items), single=single)
        alone = known and all(len(one.items or ()) == 1 or one.shape == (1,) for one in known)
        wrapped = wraps(value.value, declared)
        return (WRAP,) if value.value.kind == "int" and alone and not wrapped else ()

    def _is_simpler(self) -> bool:
        """Whether its name is that of the source without the number of dimensions, inverse or not:
        `rfft` and `irfft` for `rfft2d`."""
        own, digits = leaf(self.source.api.name), spatial(self.source.api.name)
        names = {own.replace(f"{digits}d", ""), leaf(self.target.name)}
        return own not in names and len({name.removeprefix("i") for name in names}) == 1

    def _as_number(self, value: SourceValue, number: int) -> tuple[Step, ...]:
        """A Python number where the sibling takes no tensor of one, and the source does."""
        if self.target is self.source.api or not takes_tensor(value.type):
            return ()
        made = becomes_number(value.value, self.places.named[number].parameter.type)
        return (Step(name=NUMBER, text=made),) if made is not None else ()

    def _one_seed(self, value: SourceValue, number: int) -> tuple[Step, ...]:
        """The first number of a seed that has several, where the sibling takes a single one."""
        parameter = self.places.named[number].parameter
        items = value.value.items if value.value.kind in ("list", "tuple") else None
        first = items[0].literal() if items else None
        single = accepted(parameter.type) <= {INT, NONE}
        if first is None or not single or SEED.fullmatch(parameter.name) is None:
            return ()
        return (Step(name="say", text=first),)


def _are_single(known: Sequence[Value]) -> bool:
    return bool(known) and all(one.kind == "int" for one in known)


def _last(known: Sequence[Value], have: int, *, single: bool) -> tuple[Step, ...]:
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
