"""PyTorch as EAGLE's engine sees it: values, comparison, tracing, text; and its plans."""

import io
import math
import random

import live_torch
import numpy as np
import torch
from eagle_calls_torch import calls_of, infos_by_name, tensor_of
from eagle_generic_torch import compiled, eager
from eagle_limits import UNWRITTEN
from eagle_plans import Plan
from eagle_results import kind_of, least
from spread import TELLS, groups_in
from tested_torch import prepare as quiet
from unpickle import NoLiteral, literal

MOST_ELEMENTS = 400
"""Of one input: what is larger is no literal for a script."""
DIMENSIONS = 6
NARROW = (torch.float16, torch.bfloat16)


def prepare():
    """Make this process one that runs pairs."""
    quiet()
    np.seterr(all="ignore")
    for device in filter(None, (getattr(torch, name, None) for name in DEVICES)):
        if not device.is_available():
            # Each seed would be kept for the day when there is one, with the stack as a text.
            device.manual_seed_all = lambda seed: None


DEVICES = ("cuda", "xpu", "mtia")
MODULES = {"torch": torch, "math": math, "io": io, "__name__": "__main__"}


class World:
    """What the engine asks of a framework."""

    PLAINER = 3
    SEEDED = '''def seeded(function, *given):
    """What a function returns whose random numbers come from a seed."""
    torch.manual_seed(0)
    return function(*given)
'''
    NUMBERLESS = "'meta'"
    """What texts have that make tensors without numbers."""
    modules = MODULES

    class Incomparable(Exception):
        """A result that holds something else than numbers."""

    def seed(self, number):
        torch.default_generator.manual_seed(number)
        random.seed(number)
        np.random.seed(number % 2**32)

    def state(self):
        return torch.default_generator.get_state().numpy().tobytes()

    def stir(self, wanted):
        """Fill what memory is free, so that reading it shows."""
        for _, array in wanted:
            if array.size < 1 << 20:
                kept = [torch.full(array.shape, 7.125) for _ in range(3)]
                kept += [torch.full(array.shape, 9.5, dtype=torch.float64) for _ in range(2)]
                del kept

    def leaves(self, value):
        """A result as [(dtype name, array)]."""
        found = []
        self.collect(value, found)
        return found

    def collect(self, value, found):
        if isinstance(value, torch.Tensor):
            found.append(leaf(value))
        elif isinstance(value, (list, tuple)):
            for item in value:
                self.collect(item, found)
        elif isinstance(value, dict):
            for key in sorted(value, key=str):
                self.collect(value[key], found)
        elif isinstance(value, (bool, int, float, complex, str)):
            array = np.asarray(value)
            found.append((array.dtype.name, array))
        elif value is not None:
            raise self.Incomparable(type(value).__name__)

    def copied(self, value):
        """A value that nobody else writes to."""
        return value.clone() if isinstance(value, torch.Tensor) else value

    def elements(self, value):
        return value.numel() if isinstance(value, torch.Tensor) else 1

    def shape(self, value):
        return tuple(value.shape) if isinstance(value, torch.Tensor) else ()

    def bounds(self, dtype):
        """The smallest and the largest number of a dtype by its name."""
        kind = getattr(torch, dtype)
        if kind == torch.bool:
            return 0, 1
        floating = kind.is_floating_point or kind.is_complex
        info = torch.finfo(kind) if floating else torch.iinfo(kind)
        return info.min, info.max

    def nudged(self, value, unit, number):
        """The value with each element moved by a rounding, up or down."""
        if not isinstance(value, torch.Tensor) or not value.is_floating_point():
            return value
        if value.layout != torch.strided:
            return value
        generator = torch.Generator().manual_seed(number)
        signs = torch.randint(0, 2, value.shape, generator=generator) * 2 - 1
        wide = value.double()
        finite = torch.where(torch.isfinite(wide), wide, 0.0)
        # By the size of each element, then by that of the largest: sums have intermediate values.
        most = finite.abs().max() if wide.numel() else 0.0
        size = finite.abs() if number % 2 else most
        moved = wide + 2 * unit * signs * size + unit * unit * signs * least(float(most))
        return moved.to(value.dtype)

    def stepped(self, value, place):
        """The value with one element, by its place among all, half as large again, and more."""
        if not isinstance(value, torch.Tensor) or not value.is_floating_point():
            return value
        if value.layout != torch.strided:
            return value
        flat = value.clone().flatten()
        flat[place] = flat[place] * 1.5 + 0.25
        return flat.reshape(value.shape)

    def shaken(self, call, unit, number):
        """What a call returns if each operator's result is moved by a rounding."""
        with Shaking(self, unit, number):
            return call()

    def trace(self, call):
        """(smallest and largest finite value of any result, names of operators in order, and what
        numbers each made: `eagle_results.kind_of`)."""
        watch = Watch()
        with watch:
            call()
        return watch.smallest, watch.largest, watch.operators, watch.kinds

    def needs_numbers(self, operator):
        """Whether an operator's result has no shape, or is nothing, without the numbers."""
        packet = getattr(torch.ops.aten, operator, None)
        names = packet.overloads() if packet else ()
        tags = {tag.name for name in names for tag in getattr(packet, name).tags}
        return bool(tags & {"dynamic_output_shape", "data_dependent_output"})

    def narrowed(self, value, size, less):
        """The value with each dimension of one size shortened."""
        if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
            return value
        for axis, length in enumerate(value.shape):
            if length == size:
                value = value.narrow(axis, 0, less)
        return value.clone()

    def plainer(self, value, number):
        """Numbers that are read more easily: ones, 1, 2, 3 ..., or one decimal; of many whole ones
        the smallest."""
        if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
            return value
        if value.numel() > MOST_ELEMENTS and value.dtype in (torch.int32, torch.int64):
            return torch.full_like(value, int(value.min()))
        if not value.is_floating_point():
            return value
        if number == 0:
            return torch.ones_like(value)
        if number == 1:
            return torch.arange(1, value.numel() + 1).reshape(value.shape).to(value.dtype)
        return torch.round(value.double() * 10).div(10).to(value.dtype)

    def text(self, value):
        """An input as an expression; raises NoLiteral where there is none."""
        return text(value)


def leaf(tensor):
    """(dtype name, array) of a tensor of any layout."""
    name = str(tensor.dtype)[6:]
    tensor = tensor.detach()
    if tensor.is_quantized:
        tensor = tensor.dequantize()
    if tensor.layout != torch.strided:
        tensor = tensor.to_dense()
    if tensor.device.type != "cpu":
        raise World.Incomparable(tensor.device.type)
    tensor = tensor.resolve_conj().resolve_neg()
    if tensor.dtype in NARROW:
        tensor = tensor.float()
    elif name == "complex32":
        tensor = tensor.to(torch.complex64)
    try:
        return name, tensor.numpy()
    except (TypeError, RuntimeError) as problem:
        raise World.Incomparable(str(problem)) from None


def text(value):
    """An input as an expression; a sparse one is made from its dense form."""
    if not isinstance(value, torch.Tensor):
        return literal(value)
    plain = regular(value.detach()) if value.layout == torch.strided else ""
    if plain:
        return plain
    if value.numel() > MOST_ELEMENTS:
        raise NoLiteral("an input of %d elements is too large for a script" % value.numel())
    if value.layout == torch.sparse_coo:
        return literal(value.detach().to_dense()) + ".to_sparse()"
    if value.layout in (torch.sparse_csr, torch.sparse_csc):
        ending = str(value.layout).rpartition(".")[2]
        return "%s.to_%s()" % (literal(value.detach().to_dense()), ending)
    return short(value.detach())


def regular(value):
    """A dense tensor of equal numbers, or of numbers in a row, told by their bounds; else ""."""
    count = value.numel()
    if count <= DIMENSIONS:
        return ""
    if torch.equal(value, value.flatten()[:1].expand(value.shape)):
        one = value.is_floating_point() and value.flatten()[0] == 1
        made = "torch.ones(%s%s)" % (tuple(value.shape), dtype_of(value))
        return made if one else literal(value)
    if not value.is_floating_point():
        return ""
    row = torch.arange(1, count + 1).to(value.dtype)
    if torch.equal(value.flatten(), row):
        numbers = "torch.arange(1.0, %d.0%s)" % (count + 1, dtype_of(value))
        return "%s.reshape(%s)" % (numbers, tuple(value.shape)) if value.dim() > 1 else numbers
    return ""


def short(value):
    """A dense tensor, number by number."""
    count = value.numel()
    if value.dtype == torch.float32 and count and value.dim() < 8:
        return "torch.tensor(%s)" % digits(value.numpy())
    return literal(value)


def dtype_of(value):
    """The argument that tells a dtype, where it is not the default one."""
    return "" if value.dtype == torch.float32 else ", dtype=%s" % value.dtype


def digits(array):
    """Nested lists of numbers with as many digits as the dtype needs, no more."""
    if array.ndim:
        return "[%s]" % ", ".join(map(digits, array))
    number = float(array)
    return str(array) if math.isfinite(number) else 'float("%s")' % number


class Watch(torch.utils._python_dispatch.TorchDispatchMode):
    """Notes the operators that run and how large their results are."""

    def __init__(self):
        super().__init__()
        self.smallest = self.largest = 0.0
        self.operators = []
        self.kinds = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        name = str(function).partition(".")[2].partition(".")[0]
        self.operators.append(name)
        self.kinds.append("")
        if name.startswith(UNWRITTEN) or views(function):
            return result  # its numbers are nobody's, or counted where they were made
        for item in result if isinstance(result, (list, tuple)) else (result,):
            if isinstance(item, torch.Tensor) and item.layout == torch.strided and item.numel():
                self.note(item)
        return result

    def note(self, tensor):
        wide = tensor.abs() if tensor.dtype.is_complex else tensor.double()
        finite = wide[torch.isfinite(wide)]
        if finite.numel():
            whole = not (tensor.is_floating_point() or tensor.is_complex())
            self.kinds[-1] = kind_of(whole, bool((finite != finite.round()).any()))
            self.smallest = min(self.smallest, float(finite.min()))
            self.largest = max(self.largest, float(finite.max()))


def views(function):
    """Whether an operator's results are views of what it is given, and it writes to none."""
    aliases = [item.alias_info for item in function._schema.returns]
    return any(one is not None and not one.is_write for one in aliases)


class Shaking(torch.utils._python_dispatch.TorchDispatchMode):
    """Moves each new result of an operator by a rounding; views and what is written to stay."""

    def __init__(self, world, unit, number):
        super().__init__()
        self.world = world
        self.unit = unit
        self.number = number

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        if any(item.alias_info is not None for item in function._schema.returns):
            return result
        self.number += 2  # other signs, of the same size
        if isinstance(result, (list, tuple)):
            return type(result)(self.moved(item) for item in result)
        return self.moved(result)

    def moved(self, value):
        return self.world.nudged(value, self.unit, self.number)


def spreading(given):
    """Entries that bring a trigger into the calls of other APIs."""
    infos = infos_by_name()

    def tested(name, count):
        return calls_of(infos.get(name, ()), name, count)

    return groups_in(World(), live_torch, tensor_of, torch.is_tensor, tested, given)


PLANS = {
    "spread": Plan(spreading, rounds=3, patience=5.0, once=True, tells=TELLS),
    "spread compiled": Plan(spreading, rounds=2, patience=60.0, tries=0, once=True, tells=TELLS),
    "eager": Plan(eager, rounds=3),
    "aot_eager": Plan(compiled("aot_eager"), patience=60.0, tries=6),
    "inductor": Plan(compiled("inductor"), patience=150.0, tries=0),
}
if not hasattr(torch, "compile"):
    PLANS = {name: PLANS[name] for name in ("spread", "eager")}
