"""Other genes for a parameter whose present one was refused, with the advice of a `Hint`."""

from genes_tensorflow import FILLS, FUNCTIONS, plain
from slots_tensorflow import DTYPES, FLOATS, INTEGERS, LISTS, SHAPES, STRINGS, alternatives

LIKELY = 6
"""How many of the alternatives, whose likeliest come first, are tried most."""
SHAPED = ("tensor", "variable", "resource", "ref", "sparse", "ragged", "slices", "array", "dataset")


def mutated(slot, gene, hint, chance, others):
    """Another gene; `chance` is a `random.Random`, `others` the genes of all parameters."""
    if slot.fixed:
        return gene
    if gene is None:
        return slot.start(chance.choice([g[2] for g in others if g and g[0] in SHAPED] or [(2, 3)]))
    if slot.optional and chance.random() < 0.15:
        return None
    free = slot.operator is None and (not slot.kind or slot.base in ("list", "variable"))
    wanted = asked_for(hint, chance, gene) if hint is not None and slot.name in hint.names else []
    if slot.operator is None and wanted and chance.random() < 0.4:
        return chance.choice(wanted)
    if slot.operator is None and chance.random() < (0.4 if free else 0.15):
        kinds = alternatives(chance.choice(shapes_of(others) or [(2, 3)]))
        return kinds[int(chance.expovariate(1 / LIKELY)) % len(kinds)]
    if slot.makers and gene[0] in ("handle", "resource") and chance.random() < 0.5:
        return ("handle", chance.choice(slot.makers), chance.random() < 0.6)
    change = CHANGES.get(gene[0])
    return change(slot, gene, hint, chance, others) if change else slot.start((2, 3))


def asked_for(hint, chance, gene):
    """What a message says that a parameter must be: of a kind, or a word that it quotes."""
    shape = gene[2] if gene[0] in SHAPED and gene[2] else (2, 3)
    found = [plain(word) for word in hint.words]
    for kind in hint.kinds:
        if kind == "int":
            found.append(plain(chance.choice((1, 2, 3, 4))))
        elif kind in ("list", "tuple"):
            counts = [count for count in hint.numbers if 0 < count < 9] or [1, 2, 4]
            made = [chance.choice((1, 1.0, 2))] * chance.choice(counts)
            found.append(plain(tuple(made) if kind == "tuple" else made))
        else:
            found.append((kind, "float32", shape, "unit"))
    return found


def shapes_of(genes):
    """The shapes of those that have one."""
    return [gene[2] for gene in genes if gene is not None and gene[0] in SHAPED]


def shape(old, hint, chance, others):
    """Another shape: what the message asks for, that of another argument, or a small change."""
    known = [other for other in shapes_of(others) if other != old]
    if hint is not None and chance.random() < 0.5:
        wanted = asked(old, hint, chance, known)
        if wanted:
            return tuple(chance.choice(wanted))
    options = known + [SHAPES[rank][0] for rank in (0, 1)]
    if old:
        at = chance.randrange(len(old))
        sizes = [size for other in known for size in other] + [1, 2, 3, 4]
        options += [old[1:], old[:-1], (*old[:at], chance.choice(sizes), *old[at + 1 :])]
    if len(old) < 5:
        options += [(*old, 2), (1, *old)]
    options += [part(other, chance) for other in known if other]
    options += [chance.choice(SHAPES[rank]) for rank in (0, 1, 1, 2, 2, 3, 4)]
    return tuple(chance.choice(options))


def part(other, chance):
    """The first or last sizes of another shape, as biases and batches have them."""
    count = chance.randint(1, len(other))
    return chance.choice((other[:count], other[-count:]))


def asked(old, hint, chance, known):
    """Shapes that a message asks for: of a rank, quoted, or with a size that it mentions."""
    options = []
    for rank in hint.ranks:
        options += [chance.choice(SHAPES[rank])] * 2 if rank in SHAPES else []
        options += [other[-rank:] if rank else () for other in known if len(other) >= rank]
        options += [other[:rank] for other in known if len(other) >= rank]
    options += hint.shapes
    sizes = [number for number in hint.numbers if 0 <= number < 17]
    options += [(size,) for size in sizes if size]
    if old:
        at = chance.randrange(len(old))
        options += [(*old[:at], size, *old[at + 1 :]) for size in sizes]
    return options


def shaped(slot, gene, hint, chance, others):
    """Another shape, content or dtype of a tensor."""
    kind, dtype, old, fill = gene
    draw = chance.random()
    if draw < 0.6:
        return (kind, dtype, shape(old, hint, chance, others), fill if draw < 0.45 else "unit")
    if draw < 0.85 or slot.attribute or (slot.operator and len(slot.choices) < 2):
        options = list(FILLS)
        if hint is not None and hint.numbers:
            options.append(("values", (chance.choice(hint.numbers),)))
        options += [("values", chance.choice(LISTS) or (1,)) for _ in range(2)]
        return (kind, dtype, old, chance.choice(options))
    wanted = (hint.dtypes if hint is not None else []) * 2
    allowed = slot.choices if slot.operator else [*slot.dtypes, *DTYPES]
    wanted = [name for name in wanted if name in allowed]
    return (kind, chance.choice([*wanted, *allowed]), old, fill)


def literal(slot, gene, hint, chance, others):
    """Another number, text or list."""
    value = gene[1]
    numbers = list(hint.numbers) if hint is not None else []
    if isinstance(value, bool):
        return plain(not value)
    if isinstance(value, int):
        if slot.operator is None and chance.random() < 0.3:
            return plain(chance.choice([0.5, [value, value], (value, value)]))
        return plain(chance.choice([*INTEGERS, *numbers]))
    if isinstance(value, float):
        return plain(chance.choice([*FLOATS, *map(float, numbers)]))
    if isinstance(value, str):
        quoted = (hint.words if hint is not None else []) + slot.quoted
        return plain(chance.choice(slot.choices or [*quoted, *quoted, *STRINGS]))
    if isinstance(value, (list, tuple)):
        return plain(items(slot, list(value), hint, chance, others))
    return slot.start((2, 3))


def items(slot, value, hint, chance, others):
    """Another list of plain values."""
    if slot.base == "shape" and slot.listed:
        return [list(shape((), hint, chance, others)) for _ in range(max(len(value), 1))]
    if slot.base == "shape" or slot.role == "shape":
        return list(shape(tuple(value), hint, chance, others))
    if value and isinstance(value[0], str):
        words = slot.choices or [*(hint.words if hint is not None else []), *STRINGS]
        return [chance.choice(words) for _ in range(chance.randint(0, 3))]
    if value and isinstance(value[0], float):
        counts = [] if hint is None else [count for count in hint.numbers if 0 < count < 9]
        count = chance.choice([1, 2, 3, *counts, *counts])
        if chance.random() < 0.5:
            return [chance.choice(FLOATS)] * count
        return [chance.choice(FLOATS) for _ in range(count)]
    options = [list(found) for found in LISTS]
    if hint is not None:
        options += [list(found) for found in hint.shapes]
        options += [[1] * count for count in (*hint.numbers, *hint.ranks) if 0 < count < 9] * 2
    return chance.choice(options)


def listed(slot, gene, hint, chance, others):
    """A list with another length, or with one or all items changed."""
    found = list(gene[1])
    draw = chance.random()
    if draw < 0.3 or not found:
        fresh = found[0] if found else slot.typed((2, 3))
        return ("list", (fresh,) * chance.choice((0, 1, 2, 3, 4)))
    if draw < 0.65:
        return ("list", (single(slot, found[0], hint, chance, others),) * len(found))
    at = chance.randrange(len(found))
    found[at] = single(slot, found[at], hint, chance, others)
    return ("list", tuple(found))


def single(slot, gene, hint, chance, others):
    """Another gene for one item of a list."""
    change = CHANGES.get(gene[0])
    return change(slot, gene, hint, chance, others) if change else gene


def dtype(slot, gene, hint, chance, others):
    """Another dtype."""
    wanted = hint.dtypes if hint is not None else []
    names = [*wanted, *wanted, *(slot.choices or DTYPES)]
    if gene[0] == "dtypes":
        return ("dtypes", (chance.choice(names),) * chance.choice((0, 1, 1, 2, len(gene[1]))))
    return ("dtype", chance.choice(names))


def function(slot, gene, hint, chance, others):
    """Another function; one of a graph with other parameters."""
    name = chance.choice(sorted(FUNCTIONS))
    if gene[0] == "function":
        return ("function", name)
    count = chance.choice((1, 1, 2, 0))
    return ("graph function", name, (chance.choice(("float32", "int64", "int32", "bool")),) * count)


def handle(slot, gene, hint, chance, others):
    """The handle of another maker, with or without contents."""
    return ("handle", chance.choice(slot.makers or [gene[1]]), chance.random() < 0.6)


CHANGES = dict.fromkeys(SHAPED, shaped)
CHANGES.update(
    {
        "plain": literal,
        "list": listed,
        "dtype": dtype,
        "dtypes": dtype,
        "function": function,
        "graph function": function,
        "handle": handle,
    }
)
