"""An adaptation as data: where each argument of the sibling's call comes from.

`citadel.propagate.probe` applies it to live values (`analysis/inside/probe.py`), `citadel.rewrite`
to the source text. Keys name the source's values: `recv`, `arg:0`, `kw:groups` for the failing
call, `new:0`, `newkw:stride` for the construction of its layer, `attr:weight` for what it has.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from analysis.values import Value


class Form(StrEnum):
    """How the sibling is called."""

    FUNCTION = "function"
    METHOD = "method"
    MODULE = "module"
    CONSTRUCTOR = "constructor"


class Stage(StrEnum):
    """Which of a layer's two calls; all other APIs have only "call"."""

    NEW = "new"
    CALL = "call"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceValue:
    """One argument of the source's call, bound to its parameter's name, or a tensor inside of one.

    `inside`: the steps that lead to such a tensor, whose key begins with that of the argument.
    """

    key: str
    name: str
    value: Value
    type: str | None = None
    """The source parameter's declared type, where known."""
    inside: tuple[Step, ...] = ()

    def take(self, *steps: Step) -> Take:
        """The value, changed by steps."""
        return Take(key=self.key.partition(WITHIN)[0], steps=(*self.inside, *steps))


WITHIN = "/"
"""Between the key of an argument and the place of a tensor in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One change of a value.

    `lift` and `lower` add and drop n dimensions in front of the last `behind` ones, `lead` and
    `behead` in front of all; `repeat` adds them as `lift` does, each as long as the one before;
    `narrow` makes the last dimension n long, `resize` a list but for its first and last `behind`
    entries, of which `last` keeps those at the end; `list` wraps the value in a list, `first` takes
    the first of one, `item` another; `say` replaces it by `text`; `ends` makes n numbers a list
    with a 1 at either end, `inner` takes such ends off; `each` makes n of a number, `number` makes
    one of a tensor of no dimensions, in the type `text`; `extend` puts the number `text` n times in
    front of a list's last `behind`; `indices`, `values` and `shape` are those of a sparse tensor;
    `clone` is a copy that gradients flow through; `tensor` and `variable` make one of an array or a
    list, PyTorch's of the dtype `text`, if there is one; `quantize` makes one of real numbers one
    of the dtype `text`, and `cast` any tensor; `zeros` are as many, `negate` turns their signs;
    `spread` puts one value n times in a list; `dtype` is that of a tensor or an array, in the text
    `text` where the tensor has no name.
    """

    name: str
    amount: int = 0
    behind: int = 0
    text: str = ""

    def to_json(self) -> list[str | int]:
        """As `analysis/inside/probe.py` reads it: the name and its arguments."""
        numbers = (self.amount, self.behind) if self.behind else (self.amount,)
        text = (self.text,) if self.text else ()
        return [self.name, *(numbers if self.amount else ()), *text]


FIRST = Step(name="first")
CAST = "cast"
CAST_BACK = "its result cast to "
"""How an edit begins that tells of a cast behind the call."""
NUMBER = "number"
ZEROS = "zeros"
NEGATE = "negate"
STACK = "stack"
DTYPE = "dtype"
"""What constructors call the dtype that a layer computes in, and the step that takes a tensor's."""
SPREAD = "spread"
OUTPUTS = "outputs"
REDUCED = ("mean", "sum", "max", "min")


@dataclass(frozen=True, slots=True, kw_only=True)
class Take:
    """A value of the source's call, changed by steps."""

    key: str
    steps: tuple[Step, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As `analysis/inside/probe.py` reads it."""
        return {"key": self.key, "steps": [step.to_json() for step in self.steps]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill:
    """A literal that the source does not supply; `text` is Python source, of a `tensor` or not.

    `implied`: it is what the source's call has by default, and adds nothing to that.
    """

    text: str
    tensor: bool = False
    implied: bool = False

    def to_json(self) -> dict[str, Any]:
        """As `analysis/inside/probe.py` reads it."""
        return {"text": self.text}


NOTHING = Fill(text="None", implied=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gather:
    """Several of the source's values in one list, or what is `made` of it: a "sparse" tensor, or a
    "stack" of tensors."""

    items: tuple[Take, ...]
    made: str = ""

    def to_json(self) -> dict[str, Any]:
        """As `analysis/inside/probe.py` reads it."""
        made = {"made": self.made} if self.made else {}
        return {"items": [item.to_json() for item in self.items], **made}


Expression = Take | Fill | Gather


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One argument of the sibling's call; positional when `keyword` is false.

    `star`: the elements of a list become positional arguments.
    """

    name: str
    keyword: bool
    value: Expression
    star: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Adaptation:
    """The plan for one sibling. `plausibility` is between 0 and 1; `edits` tell people.

    `invented` holds the parameters whose tensors the source did not supply (a reused or filled
    one): a complaint about shapes or dtypes is then suspect. `unset` are flags that the source's
    call sets and the sibling has not got, `astray` the keys of what it is not given, or takes for a
    tensor of another name; `renamed` are its parameters with the sibling's names;
    `idle`: it is given none of the tensors that the report's call works on. `after` are steps that
    its result goes through. `loses`: tensors or numbers of the report's call are dropped, rather
    than flags and modes alone; `scant`: more of them than are handed on. `state`: parameters and
    buffers that the layer is to have, by name. `effect`: it is called for what it does, and the
    report's main tensor stands for its result. `symbolic`: the keys of what only a layer can be
    called on, within which the call is made. `reduce`: the step that makes one number of a result
    of several. `cast`: tensors are given in other dtypes than the report's, `mirrored`: with their
    signs turned.
    """

    target: str
    form: Form
    receiver: Expression | None
    new: tuple[Slot, ...]
    call: tuple[Slot, ...]
    edits: tuple[str, ...]
    plausibility: float
    invented: tuple[str, ...] = ()
    unset: tuple[str, ...] = ()
    astray: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    idle: bool = False
    after: tuple[Step, ...] = ()
    loses: bool = False
    state: tuple[Slot, ...] = ()
    effect: bool = False
    scant: bool = False
    symbolic: tuple[str, ...] = ()
    reduce: str = ""
    cast: bool = False
    mirrored: bool = False

    @property
    def filled(self) -> bool:
        """Whether the sibling's call has arguments that the report's has not, not even implied."""
        given = [self.receiver, *(slot.value for slot in (*self.new, *self.call))]
        made = (isinstance(one, Fill) and not one.implied for one in given)
        return bool(self.invented) or any(made)

    @property
    def reshapes(self) -> bool:
        """Whether its result is brought to the dimensions of the report's own."""
        as_wanted = (FIRST.name, SPREAD, OUTPUTS, CAST, *REDUCED)
        return any(step.name not in as_wanted for step in self.after)

    @property
    def stacks(self) -> bool:
        """Whether tensors of the report's are given in one, where others would be dropped."""
        given = (slot.value for slot in (*self.new, *self.call))
        return any(isinstance(one, Gather) and one.made == STACK for one in given)

    def first(self) -> Adaptation:
        """The plan for an API of several outputs, of which the first one is taken."""
        if FIRST in self.after:
            return self
        edits = (*self.edits, "took the first output")
        return replace(self, after=(FIRST, *self.after), edits=edits)

    def spread(self, outputs: int) -> Adaptation:
        """The plan for an API of one output, which stands for each of the report's."""
        if any(step.name == SPREAD for step in self.after):
            return self
        edits = (*self.edits, f"its one output stands for all {outputs}")
        return replace(self, after=(*self.after, Step(name=SPREAD, amount=outputs)), edits=edits)

    def outputs(self, amount: int) -> Adaptation:
        """The plan for an API of more or fewer outputs than the report's: the first ones are taken,
        the last one stands for those that are wanting."""
        if any(step.name in (SPREAD, OUTPUTS) for step in self.after):
            return self
        edits = (*self.edits, f"made {amount} of its outputs")
        return replace(self, after=(*self.after, Step(name=OUTPUTS, amount=amount)), edits=edits)

    def reduced(self, step: str = "") -> Adaptation:
        """The plan for an API that gives several numbers, where one is wanted; by this step, if its
        own parameters name none."""
        if any(step.name in REDUCED for step in self.after):
            return self
        step = self.reduce or step
        edits = (*self.edits, f"took the {step} of its result")
        return replace(self, after=(*self.after, Step(name=step)), edits=edits)

    def as_computed(self) -> Adaptation:
        """The plan without a cast of its result, which would change its values."""
        if all(step.name != CAST for step in self.after):
            return self
        after = tuple(step for step in self.after if step.name != CAST)
        edits = tuple(edit for edit in self.edits if not edit.startswith(CAST_BACK))
        return replace(self, after=after, edits=edits)

    def for_effect(self) -> Adaptation:
        """The plan for an API that gives nothing, as checks do."""
        edits = (*self.edits, "called for its effect alone")
        return replace(self, effect=True, after=(), edits=edits)

    def shaped(self, like: Adaptation) -> Adaptation:
        """The plan with the outputs of another one for the same API."""
        if FIRST in like.after:
            return self.first()
        if any(step.name in REDUCED for step in like.after) and self.reduce:
            return self.reduced()
        spread = (step.amount for step in like.after if step.name == SPREAD)
        return next(map(self.spread, spread), self)

    @property
    def drops(self) -> bool:
        """Whether the report's call has arguments that the sibling's has not."""
        return any(edit.startswith("dropped ") for edit in self.edits)

    @property
    def plain(self) -> bool:
        """Whether each argument is one of the report's as it stands: any call could be made so."""
        given = [slot.value for slot in (*self.new, *self.call)]
        given += [] if self.receiver is None else [self.receiver]
        taken = all(isinstance(one, Take) and not one.steps for one in given)
        return taken and not self.after and not self.state

    def to_json(self) -> dict[str, Any]:
        """As `analysis/inside/probe.py` reads it."""

        def slots(given: tuple[Slot, ...]) -> list[Any]:
            return [
                [s.name if s.keyword else "*" if s.star else None, s.value.to_json()] for s in given
            ]

        return {
            "target": self.target,
            "form": str(self.form),
            "receiver": None if self.receiver is None else self.receiver.to_json(),
            "new": slots(self.new),
            "call": slots(self.call),
            "after": [step.to_json() for step in self.after],
            "state": slots(self.state),
            "symbolic": list(self.symbolic),
            "reduce": self.reduce,
        }


class Obstacle(StrEnum):
    """Why there is no plan for an API."""

    NO_SIGNATURE = "no_signature"
    NOTHING_IN_COMMON = "nothing_in_common"
    UNSOLVABLE_REQUIRED_ARGUMENT = "unsolvable_required_argument"
    NOT_CALLABLE_LIKE_THE_SOURCE = "not_callable_like_the_source"
