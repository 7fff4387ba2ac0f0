"""Calls of other APIs as genes, from which a search for one without any can begin.

In: the slots of an API, and values by the names of its parameters, as `described` records them.
Out: lists of genes, one for each slot: what was not recorded well enough is as at any search's
start.
"""

import ast

from genes_tensorflow import plain

SHAPE = (2, 3)
HANDLES = ("resource", "variant")
KINDS = (("Variable", "variable"), ("RaggedTensor", "ragged"), ("SparseTensor", "sparse"))
SCALARS = ("int", "float", "bool", "str", "none")


def borrowed(slots, calls):
    """The genes of each call; those that have none of their own values are left out."""
    found = []
    for call in calls:
        lent = {slot.name: gene_of(call[slot.name]) for slot in slots if slot.name in call}
        if not any(lent.values()):
            continue
        genes = [lent.get(slot.name) or slot.first(SHAPE) for slot in slots]
        if genes not in found:
            found.append(genes)
    return found


def gene_of(record):
    """The gene of a described value; None of what cannot be made again."""
    kind, text = record["k"], record.get("v") or ""
    if kind == "tensor":
        return tensor_of(record, text)
    if kind in SCALARS:
        return literal(text) if "len" not in record else None
    if kind == "dtype":
        return ("dtype", text.rpartition(".")[2])
    if kind == "array" and record.get("shape") is not None:
        return ("array", record["dtype"], tuple(record["shape"]), "unit")
    if kind in ("list", "tuple") and "items" in record:
        items = [gene_of(item) for item in record["items"]]
        if all(item is not None and item[0] == "plain" for item in items):
            values = [item[1] for item in items]
            return plain(tuple(values) if kind == "tuple" else values)
        return ("list", tuple(items)) if None not in items else None
    return None


def literal(text):
    """The gene of a plain value; None of what has no literal, as infinity."""
    try:
        return plain(ast.literal_eval(text))
    except (ValueError, SyntaxError):
        return None


def tensor_of(record, text):
    """The gene of a tensor: with its elements, where they are told."""
    shape, dtype = record.get("shape"), record.get("dtype")
    if shape is None or dtype in HANDLES:
        return None
    made = next((kind for word, kind in KINDS if text.endswith(word)), "tensor")
    told = flat(record["data"]) if "data" in record else []
    return (made, dtype, tuple(shape), ("values", tuple(told)) if told else "unit")


def flat(data):
    """The numbers in nested lists."""
    return [one for item in data for one in flat(item)] if isinstance(data, list) else [data]
