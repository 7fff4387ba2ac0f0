"""What the text of a call gives to it: plain arguments, `*args`, `**kwargs`, what was bound before.

A plan knows the values of a call by key (`arg:0`, `kw:groups`). Some keys have an argument of their
own in the text; some stand behind a star; some were bound by `functools.partial` in another place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import libcst as cst

from citadel.plan.model import Expression, Gather, Slot, Take
from citadel.rewrite.scope import Scopes
from citadel.rewrite.steps import ATOMS, code_of

_NONE = cst.SimpleWhitespace("")
Text = Callable[[Slot], "cst.BaseExpression | None"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The arguments of one call by key.

    `args`: with an argument of their own. `stars`: a starred argument and the keys that it covers.
    `parts`: expressions inside the literal that is starred. `bound`: keys that are bound elsewhere.
    """

    args: dict[str, cst.Arg]
    stars: tuple[tuple[cst.Arg, tuple[str, ...]], ...] = ()
    parts: dict[str, cst.BaseExpression]
    bound: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """All keys."""
        behind = (key for _, keys in self.stars for key in keys)
        return (*self.args, *behind, *self.bound)

    def node(self, key: str) -> cst.BaseExpression | None:
        """The expression of a value, also where it is an element of a starred literal."""
        if key in self.args:
            return self.args[key].value
        return self.parts.get(key)

    def reached(self, key: str) -> cst.BaseExpression | None:
        """An expression for a value at the call itself: `pair[0]` for what `*pair` gives."""
        if key in self.args:
            return self.args[key].value
        for arg, keys in self.stars:
            if key in keys and isinstance(arg.value, ATOMS):
                name = key.partition(":")[2]
                index = repr(name) if arg.star == "**" else str(keys.index(key))
                return cst.parse_expression(f"{code_of(arg.value)}[{index}]")
        return None

    def same(self, slots: Sequence[Slot]) -> bool:
        """Whether a call is given just what the text gives it, under the same names."""
        kept = [_unchanged(slot) for slot in slots]
        mine = [key for key in self.keys if ":" in key]
        plain = [key for key in kept if key is not None and _positional(key)]
        return (
            None not in kept
            and sorted(map(str, kept)) == sorted(mine)
            and (plain == sorted(plain, key=_index))
        )

    def written(self, slots: Sequence[Slot], text: Text, *, bound: bool) -> list[cst.Arg] | None:
        """The arguments for some slots; stars are kept where all behind them is.

        `bound`: what is bound elsewhere stays bound, and must be what the slots say.
        """
        kept = {key for slot in slots if (key := _unchanged(slot)) is not None}
        if bound and not set(self.bound) <= kept:
            return None
        whole = [(arg, keys) for arg, keys in self.stars if keys and set(keys) <= kept]
        covered = {key: arg for arg, keys in whole for key in keys}
        made: list[cst.Arg] = []
        last: list[cst.Arg] = []
        ending = self._ending(slots)
        for index, slot in enumerate(slots):
            key = slot.value.key if isinstance(slot.value, Take) else ""
            if bound and key in self.bound:
                continue
            if key in covered:
                star = covered[key]
                line = last if star.star == "**" else made
                if star not in line:
                    line.append(star)
                continue
            value = text(slot)
            if value is None:
                return None
            if slot.star:
                made += _spread(value)
                continue
            made.append(self._argument(slot, value, key, keyword=index >= ending))
        return [*made, *last]

    def _ending(self, slots: Sequence[Slot]) -> int:
        """From which slot on all are given by keyword, in the report or by the plan."""
        ending = len(slots)
        while ending and (slots[ending - 1].keyword or self._by_name(slots[ending - 1])):
            ending -= 1
        return ending

    def _by_name(self, slot: Slot) -> bool:
        """Whether the report gives the same value under the same keyword."""
        arg = self.args.get(slot.value.key) if isinstance(slot.value, Take) else None
        return arg is not None and arg.keyword is not None and arg.keyword.value == slot.name

    def _argument(
        self, slot: Slot, value: cst.BaseExpression, key: str, *, keyword: bool
    ) -> cst.Arg:
        """The argument, in the report's own layout where it was one of its arguments."""
        original = self.args.get(key)
        base = original if original is not None else cst.Arg(value)
        if not keyword:
            return base.with_changes(
                value=value, keyword=None, equal=cst.MaybeSentinel.DEFAULT, star=""
            )
        equal = cst.AssignEqual(whitespace_before=_NONE, whitespace_after=_NONE)
        return base.with_changes(
            value=value,
            keyword=cst.Name(slot.name),
            equal=base.equal if isinstance(base.equal, cst.AssignEqual) else equal,
            star="",
        )


def given(
    call: cst.Call, keys: Sequence[str], prefixes: tuple[str, str], scopes: Scopes, skip: int = 0
) -> Given:
    """What a call gives, where the trace recorded values for `keys`.

    `skip`: as many arguments come first that are not the function's (`map(f, xs)`).
    """
    positional, keyword = prefixes
    count = sum(key.startswith(f"{positional}:") for key in keys)
    names = [key for key in keys if key.startswith(f"{keyword}:")]
    args = call.args[skip:]
    plain = sum(arg.keyword is None and not arg.star for arg in args)
    stars = [arg for arg in args if arg.star == "*"]
    double = [arg for arg in args if arg.star == "**"]
    behind = count - plain if stars else 0
    place = 0 if stars else count - plain
    found: dict[str, cst.Arg] = {}
    groups: list[tuple[cst.Arg, tuple[str, ...]]] = []
    bound = [f"{positional}:{index}" for index in range(place)]
    written = {arg.keyword.value for arg in args if arg.keyword is not None}
    rest = [key for key in names if key.partition(":")[2] not in written]
    for arg in args:
        if arg.star == "*":
            size = behind if len(stars) == 1 else _length(arg.value, scopes)
            groups.append((arg, tuple(f"{positional}:{place + i}" for i in range(size))))
            place += size
        elif arg.star:
            mine = rest if len(double) == 1 else []
            groups.append((arg, tuple(mine)))
        elif arg.keyword is None:
            found[f"{positional}:{place}"] = arg
            place += 1
        else:
            found[f"{keyword}:{arg.keyword.value}"] = arg
    bound += [] if double else rest
    parts = {key: node for arg, held in groups for key, node in _parts(arg, held, scopes)}
    parts |= _partial(call.func, bound, scopes)
    return Given(args=found, stars=tuple(groups), parts=parts, bound=tuple(bound))


def _length(value: cst.BaseExpression, scopes: Scopes) -> int:
    literal = _literal(value, scopes)
    return len(literal.elements) if isinstance(literal, (cst.List, cst.Tuple)) else 0


def _literal(value: cst.BaseExpression, scopes: Scopes) -> cst.BaseExpression | None:
    """The display behind a starred variable."""
    if isinstance(value, (cst.Name, cst.Attribute)):
        binding = scopes.binding(value)
        return None if binding is None or binding.parameter else binding.value
    return value


def _parts(
    arg: cst.Arg, keys: Sequence[str], scopes: Scopes
) -> list[tuple[str, cst.BaseExpression]]:
    literal = _literal(arg.value, scopes)
    if isinstance(literal, (cst.List, cst.Tuple)) and len(literal.elements) == len(keys):
        return [(k, e.value) for k, e in zip(keys, literal.elements, strict=True)]
    named: dict[str, cst.BaseExpression] = {}
    if isinstance(literal, cst.Dict):
        for element in literal.elements:
            if isinstance(element, cst.DictElement) and isinstance(element.key, cst.SimpleString):
                named[str(element.key.evaluated_value)] = element.value
    elif isinstance(literal, cst.Call) and code_of(literal.func) == "dict":
        named = {a.keyword.value: a.value for a in literal.args if a.keyword is not None}
    return [(key, named[name]) for key in keys if (name := key.partition(":")[2]) in named]


def _partial(
    function: cst.BaseExpression, keys: Sequence[str], scopes: Scopes
) -> dict[str, cst.BaseExpression]:
    """What `functools.partial` was given for the keys that are bound."""
    binding = scopes.binding(function)
    made = function if binding is None or binding.parameter else binding.value
    if not isinstance(made, cst.Call) or code_of(made.func).rpartition(".")[2] != "partial":
        return {}
    plain = [arg.value for arg in made.args[1:] if arg.keyword is None and not arg.star]
    named = {arg.keyword.value: arg.value for arg in made.args if arg.keyword is not None}
    found = {key: named[name] for key in keys if (name := key.partition(":")[2]) in named}
    placed = [key for key in keys if _positional(key)]
    return found | dict(zip(placed, plain, strict=False))


def without_steps(slots: Sequence[Slot], keys: frozenset[str]) -> tuple[Slot, ...]:
    """The slots, without the steps of values that are changed where they are made.

    A list of values whose elements become arguments is given as these.
    """
    found: list[Slot] = []
    for slot in slots:
        if slot.star and isinstance(slot.value, Gather):
            items = slot.value.items
            found += [Slot(name=slot.name, keyword=False, value=_plain(i, keys)) for i in items]
        else:
            found.append(replace(slot, value=_plain(slot.value, keys)))
    return tuple(found)


def _plain(value: Expression, keys: frozenset[str]) -> Expression:
    if isinstance(value, Take):
        return replace(value, steps=()) if value.key in keys else value
    if isinstance(value, Gather):
        items = (replace(i, steps=()) if i.key in keys else i for i in value.items)
        return replace(value, items=tuple(items))
    return value


def takes(value: Expression | None) -> tuple[Take, ...]:
    """The values of the report that an argument is made of."""
    if isinstance(value, Gather):
        return value.items
    return (value,) if isinstance(value, Take) else ()


def _spread(value: cst.BaseExpression) -> list[cst.Arg]:
    """The elements of a list as arguments."""
    if isinstance(value, (cst.List, cst.Tuple)):
        return [
            cst.Arg(e.value, star="*" if isinstance(e, cst.StarredElement) else "")
            for e in value.elements
        ]
    return [cst.Arg(value, star="*")]


def _unchanged(slot: Slot) -> str | None:
    """The key of a value that is given on as it was given, under its name or in its place."""
    if not isinstance(slot.value, Take) or slot.value.steps or slot.star:
        return None
    key = slot.value.key
    if _positional(key):
        return None if slot.keyword else key
    return key if key.partition(":")[2] == slot.name else None


def _positional(key: str) -> bool:
    return key.startswith(("arg:", "new:"))


def _index(key: str) -> int:
    return int(key.partition(":")[2])
