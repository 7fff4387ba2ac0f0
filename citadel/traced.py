"""What a traced call is: its public API, its name in plain words, who made what it was given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analysis.catalog.model import Api, Catalog
from analysis.target.observation import Call

LAYER_FORMS = ("module", "inner")
OPERATOR_FORMS = ("operator", "reflected")


def leaf(name: str) -> str:
    """The last part of a dotted name, without in-place underscores, in lower case."""
    return name.rsplit(".", 1)[-1].strip("_").lower()


def spelt(name: str) -> str:
    """The last part of a dotted name, in whatever style: functions and layers differ in no more.

    >>> spelt("F.soft_margin_loss"), spelt("nn.SoftMarginLoss"), spelt("nn.CrossEntropyLoss")
    ('softmargin', 'softmargin', 'crossentropy')
    """
    plain = leaf(name).replace("_", "")
    return plain.removesuffix("loss") or plain


def spellings(name: str) -> frozenset[str]:
    """A dotted name as `spelt`; of a method also as operators are named that do what it does.

    >>> sorted(spellings("tf.data.Dataset.window")), sorted(spellings("tf.math.top_k"))
    (['window', 'windowdataset'], ['topk'])
    """
    owner = name.rpartition(".")[0].rpartition(".")[2]
    method = {f"{spelt(name)}{owner.lower()}"} if owner[:1].isupper() else set()
    return frozenset((spelt(name), *method))


def resolve(call: Call, catalog: Catalog) -> Api | None:
    """The public API of a traced call; a layer's call and its construction are the layer class."""
    if call.form == "other":
        return None
    if call.form in OPERATOR_FORMS:
        owner, _, dunder = call.name.rpartition(".")
        name = dunder.strip("_")
        in_place = (f"{owner}.{name[1:]}_",) if name.startswith("i") else ()
        found = (catalog.resolve(form) for form in (*in_place, f"{owner}.{name}", call.name))
        return next((api for api in found if api is not None), None)
    return catalog.resolve(call.name)


def alike(one: Call, other: Call) -> bool:
    """Whether two calls are given the same, of tensors as many numbers of one kind."""

    def outline(call: Call) -> list[tuple[str, object]]:
        named = [(str(n), a) for n, a in enumerate(call.arguments)] + list(call.keywords)
        values = ((name, argument.value) for name, argument in named)
        return [
            (name, (value.shape, value.dtype) if value.is_shaped else (value.text, value.items))
            for name, value in values
        ]

    return outline(one) == outline(other)


def is_call_of(call: Call, api: Api, catalog: Catalog) -> bool:
    """Whether a call is one of this API.

    An operator stands for the method of that name and for itself: `x ** y` is `Tensor.pow` and
    `Tensor.__pow__`.
    """
    found = resolve(call, catalog)
    return call.name == api.name or (found is not None and found.name == api.name)


def makers(call: Call, calls: Sequence[Call]) -> Iterator[Call]:
    """The calls that made the values a call was given, nearest first, transitively.

    In-place calls return what they were given: the last one to return a value made it.
    """
    made_by: dict[int, list[Call]] = {}
    for earlier in calls:
        for number in earlier.result.ids if earlier.result is not None else ():
            made_by.setdefault(number, []).append(earlier)
    seen: set[int] = set()
    queue = [call]
    while queue:
        current = queue.pop(0)
        for number in (number for value in current.inputs() for number in value.ids):
            known = made_by.get(number, ())
            maker = next((m for m in reversed(known) if m.number < current.number), None)
            if maker is not None and maker.number not in seen:
                seen.add(maker.number)
                yield maker
                queue.append(maker)


def constructor_of(call: Call, calls: Sequence[Call]) -> Call | None:
    """Where the layer of a `module` call was constructed, if that was traced."""
    if call.form not in LAYER_FORMS or call.receiver is None or call.receiver.id is None:
        return None
    for earlier in calls:
        built = earlier.result if earlier.form == "class" else None
        if built is not None and built.id == call.receiver.id:
            return earlier
    return None
