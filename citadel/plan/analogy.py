"""What the other arguments of a sibling look like at the sizes of the report's own tensor.

In every valid call of `conv2d` the second size of `weight` is the second size of `input`, and the
size of `bias` the first of `weight`; so it is in the call that is made up. Sizes that follow from
none of the tensors that it is given are taken as they are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from analysis import parsing
from analysis.values import Value
from citadel.plan.state import is_own

MOST_ELEMENTS = 1 << 20
"""Larger tensors are not made up."""
FEW_ELEMENTS = 4
"""Larger tensors of real numbers are made of ones: which numbers they hold matters little."""
_WHOLE = re.compile(r"u?int\d+|q?u?int\d+x?\d*")
PLAIN = re.compile(r"u?int\d+|b?float\d+|float|double|bool|complex\d+")
PER_DIMENSION = frozenset(("multiples", "reps", "perm", "shifts", "begin", "size", "dims"))
"""What parameters are called that take one number for each dimension."""
Shape = tuple[int, ...]
Sample = dict[str, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Analogy:
    """Valid calls of the sibling; `main` is its parameter that gets the source's main tensor, of
    shape `shape` then. `others` are the shapes of the other tensors that it is given. `sized`: how
    many whole numbers a tensor has follows from these, too, if a single valid call says so."""

    samples: Sequence[Sample]
    main: str | None
    shape: Shape | None
    dtype: str | None = None
    others: Mapping[str, Shape] = field(default_factory=dict)
    sized: bool = False

    def tensor(self, name: str) -> tuple[Shape, str, str | None] | None:
        """Shape, dtype and, where the shape is a sample's, elements of what a parameter takes.

        None where no sample tells, or where the main tensor itself is such a one.
        """
        known = [
            s
            for s, _ in self._pairs(self.main, self.shape)
            if s.get(name, _NOTHING).shape is not None
        ]
        if not known or self.shape is None:
            return None
        first = known[0][name]
        alike = [s for s in known if s[name].rank == first.rank]
        shapes = [s[name].shape or () for s in alike]
        rank = first.rank or 0
        axes = [[one[axis] for one in shapes] for axis in range(rank)]
        shape = tuple(self._size(sizes, n, rank, alike) for n, sizes in enumerate(axes))
        dtype = self._dtype(first.dtype or "")
        # Whole numbers are often sizes, axes and the like, whose number is a coincidence.
        certain = self.sized or len(set(shapes)) > 1
        if first.content is not None and is_whole(dtype) and not certain:
            shape = first.shape or ()
        small = math.prod(shape) <= MOST_ELEMENTS
        same = shape == self.shape and dtype == self.dtype
        if same or not small or not PLAIN.fullmatch(dtype):
            return None
        told = is_whole(dtype) or math.prod(shape) <= FEW_ELEMENTS
        return shape, dtype, first.content if shape == first.shape and told else None

    def example(self, name: str) -> tuple[Shape, str, str | None] | None:
        """Shape, dtype and few elements of the smallest tensor of a valid call, if there is one.

        For a report that has no tensor to take after: one of single precision, where there is such.
        """
        known = [s[name] for s in self.samples if s.get(name, _NOTHING).shape]
        sizes = [(math.prod(v.shape or ()), v) for v in known if PLAIN.fullmatch(v.dtype or "")]
        size, least = min(
            ((size, value) for size, value in sizes if size),
            key=lambda pair: (pair[1].dtype != "float32", pair[0]),
            default=(0, None),
        )
        if least is None:
            return None
        content = least.content if size <= FEW_ELEMENTS else None
        return least.shape or (), least.dtype or "", content

    def number(self, name: str) -> int | None:
        """The number that a parameter takes, where it is a size of the main tensor, or of another
        one.

        A layer's own tensors have the sizes it was constructed with; those of the main one may be
        others, which is then refused, or equal them by chance. Channels in groups are more.
        """
        found: dict[str, int] = {}
        for tensor, shape in self._given.items():
            known = [(_number(s.get(name)), m) for s, m in self._pairs(tensor, shape)]
            pairs = [(n, m) for n, m in known if n is not None]
            sizes, shapes = [n for n, _ in pairs], [m for _, m in pairs]
            at = _place(sizes, shapes, len(shape)) if pairs else None
            if at is not None:
                found[tensor] = shape[at]
        first = next(iter(found.values()), None)
        own = next((size for tensor, size in found.items() if is_own(tensor)), None)
        if first is None or not own:
            return first
        return first if first > own and first % own == 0 else own

    def sizes(self, name: str) -> tuple[int, ...] | None:
        """The list that a parameter takes, where it is the last sizes of the main tensor, or of
        another one.

        As many of them as samples of the same rank have at least: `normalized_shape`.
        """
        for tensor, shape in self._given.items():
            known = [(_numbers(s.get(name)), m) for s, m in self._pairs(tensor, shape)]
            pairs = [(n, m) for n, m in known if n]
            last = all(len(n) <= len(m) and m[len(m) - len(n) :] == n for n, m in pairs)
            fewest = min((len(n) for n, _ in pairs), default=0)
            telling = any(size > 1 for n, _ in pairs for size in n)
            if last and telling and 0 < fewest <= len(shape):
                return shape[len(shape) - fewest :]
        return None

    def window(self, name: str) -> int | tuple[int, ...] | None:
        """The number or the list that stands for all of the last sizes of a tensor other than the
        main one, or of the first ones: `kernel_size`, where the report gives the kernel."""
        for tensor, shape in self.others.items():
            pairs = [(s.get(name), m) for s, m in self._pairs(tensor, shape) if name in s]
            for first in (False, True):
                fewest = min((_run(value, m, first=first) for value, m in pairs), default=0)
                if 1 < fewest <= len(shape):
                    found = shape[:fewest] if first else shape[len(shape) - fewest :]
                    return found[0] if len(set(found)) == 1 else found
        return None

    def per_dimension(self, name: str) -> tuple[tuple[int, ...], str | None] | None:
        """One number for each dimension of the main tensor, where valid calls on tensors of other
        ranks have so many, and the dtype that they are given in, if they are a tensor.

        An order of the dimensions keeps further ones in front; else these get the smallest number.
        Where all calls are on tensors of one rank, the name has to tell.
        """
        pairs = self._pairs(self.main, self.shape)
        known = [(one, len(m)) for s, m in pairs if (one := s.get(name)) is not None]
        listed = [(_whole_numbers(one), rank) for one, rank in known]
        if self.shape is None or not known or any(len(n) != rank or not n for n, rank in listed):
            return None
        if name not in PER_DIMENSION and len({rank for _, rank in listed}) == 1:
            return None
        numbers, wanted = listed[0][0], len(self.shape)
        more = wanted - len(numbers)
        if not more or not wanted:
            return None
        order = sorted(numbers) == list(range(len(numbers)))
        if order and more > 0:
            numbers = (*range(more), *(number + more for number in numbers))
        elif order:
            numbers = tuple(range(wanted))
        elif min(numbers) < 0:
            return None  # counted from the end, a further one would be the same once more
        else:
            numbers = (*[min(numbers)] * more, *numbers)[-wanted:]
        return numbers, known[0][0].dtype

    @property
    def _given(self) -> dict[str, Shape]:
        """The tensors that the sibling is given, the main one first."""
        main = {} if self.main is None or self.shape is None else {self.main: self.shape}
        return {**main, **self.others}

    def _pairs(self, tensor: str | None, shape: Shape | None) -> list[tuple[Sample, Shape]]:
        """Samples in which the shape of a tensor is known, those of the same rank first."""
        if tensor is None or shape is None:
            return []
        known = [(s, s[tensor].shape) for s in self.samples if tensor in s]
        pairs = [(s, m) for s, m in known if m is not None]
        same = [pair for pair in pairs if len(pair[1]) == len(shape)]
        return same or pairs

    def _size(self, sizes: Sequence[int], axis: int, rank: int, samples: Sequence[Sample]) -> int:
        """The size of an axis here, where it has these in samples: one of the main tensor's, else
        of another; those of the same rank tell more."""
        given = sorted(self._given.items(), key=lambda one: len(one[1]) != rank)
        for name, shape in given:
            theirs = [s[name].shape for s in samples if name in s]
            known = [one for one in theirs if one is not None]
            at = _place(sizes, known, len(shape), axis) if len(known) == len(sizes) else None
            if at is not None:
                return shape[at]
        return sizes[0]

    def _dtype(self, sampled: str) -> str:
        """Floating and complex tensors take after the main one, indices and masks do not."""
        if self.dtype is None or is_whole(sampled) or is_whole(self.dtype):
            return sampled
        return self.dtype


_NOTHING = Value(kind="none")


def _place(sizes: Sequence[int], shapes: Sequence[Shape], rank: int, likely: int = 1) -> int | None:
    """Which size of a tensor it is in all samples, counted from an end that fits one of `rank`.

    Where it may be several, the one nearest to the `likely` axis: of a number, the second one, as
    channels come second in most layouts.
    """
    rank = min(rank, *map(len, shapes))
    if max(sizes) <= 1:
        return None  # a size of 1 fits everywhere and says nothing
    for at in sorted(range(-rank, rank), key=lambda at: (at < 0, abs(at - likely))):
        if all(shape[at] == size for shape, size in zip(shapes, sizes, strict=True)):
            return at
    return None


def _number(value: Value | None) -> int | None:
    text = value.literal() if value is not None and value.kind == "int" else None
    return None if text is None else int(text)


def _run(value: Value | None, shape: Shape, *, first: bool) -> int:
    """How many of the last (or `first`) sizes of a shape are a number, or what a list of numbers
    says."""
    number, numbers = _number(value), _numbers(value)
    if number is None:
        ends = shape[: len(numbers)] if first else shape[len(shape) - len(numbers) :]
        return len(numbers) if numbers and ends == numbers else 0
    others = (at for at, size in enumerate(shape if first else reversed(shape)) if size != number)
    return next(others, len(shape))


def _numbers(value: Value | None) -> tuple[int, ...]:
    listed = value is not None and value.kind in ("list", "tuple")
    found = [_number(item) for item in value.items or ()] if value is not None and listed else []
    whole = [number for number in found if number is not None]
    return tuple(whole) if len(whole) == len(found) else ()


def _whole_numbers(value: Value) -> tuple[int, ...]:
    """The whole numbers in a list, or in a tensor of one dimension; none where they are others."""
    if value.rank != 1 or value.content is None or not _WHOLE.fullmatch(value.dtype or ""):
        return _numbers(value)
    try:
        found = parsing.literal(value.content)
    except (ValueError, SyntaxError):
        return ()
    listed = found if isinstance(found, list) else []
    return tuple(one for one in listed if type(one) is int)


def is_whole(dtype: str) -> bool:
    """Whether a dtype is of whole numbers, or of truth values."""
    return dtype == "bool" or _WHOLE.fullmatch(dtype) is not None
