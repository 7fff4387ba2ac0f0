"""Values for parameters whose type is known: what synthesis calls an API with.

In: the rows of a signature (`[name, type, default, flag]`) and an attempt. Out: values. One rule
makes most random calls consistent: all sizes are equal, so that shapes, channels, features and
kernels fit each other; the attempt says of which rank, type and layout the tensors are, and whether
integers mean sizes or positions.
"""

import random
import re

import torch

SIZE = 4
# What the tensors of the first attempts are: rank, data type, layout.
PRESETS = (
    (2, "float32", "strided"),
    (4, "float32", "strided"),
    (1, "float32", "strided"),
    (3, "float32", "strided"),
    (2, "int64", "strided"),
    (5, "float32", "strided"),
    (0, "float32", "strided"),
    (2, "bool", "strided"),
    (2, "float64", "sparse"),
    (2, "float32", "csr"),
    (4, "float32", "quantized"),
    (2, "complex64", "strided"),
    (2, "float32", "quantized"),
    (2, "float32", "nested"),
    (1, "int64", "strided"),
    (2, "int32", "strided"),
)
MEANINGS = ("size", "zero", "one", "mixed")
"""What integers are: the common size, a first position, a one, or any of these each time."""
# What a parameter without a type is, by words in its name. First match counts.
WORDS = (
    ("dtype", "dtype"),
    ("device", "device"),
    ("optimizer", "optimizer"),
    ("distribution", "distribution"),
    ("transform", "transform"),
    ("parameters|params", "parameters"),
    ("module|model|layer", "module"),
    ("func|fn$|lambda|hook|closure", "function"),
    ("mode|name|reduc", "str"),
    ("shape|milestones|^sizes?$|^dims$|lengths|axes", "int[]"),
    ("^n$|num_|_num|n_|size|features|channels|dim|step|iters|epoch|groups|count|axis|index", "int"),
    ("^lr$|_lr|eps|gamma|momentum|alpha|beta|factor|rate$|^p$|threshold|amount", "float"),
)
TEXTS = ("mean", "sum", "none", "constant", "left", "ortho", "linear", "ij,jk->ik", "fbgemm")
INSTANCES = {
    "optimizer": lambda made: torch.optim.SGD(made.parameters(), lr=0.1, momentum=0.9),
    "distribution": lambda made: torch.distributions.Normal(torch.zeros(SIZE), torch.ones(SIZE)),
    "categorical": lambda made: torch.distributions.Categorical(torch.ones(SIZE)),
    "transform": lambda made: torch.distributions.ExpTransform(),
    "module": lambda made: torch.nn.Linear(SIZE, SIZE),
    "lrscheduler": lambda made: torch.optim.lr_scheduler.ConstantLR(INSTANCES["optimizer"](made)),
    "dataset": lambda made: torch.utils.data.TensorDataset(made.tensor()),
    "sampler": lambda made: torch.utils.data.SequentialSampler(range(SIZE)),
    "packedsequence": lambda made: torch.nn.utils.rnn.pack_sequence([torch.randn(SIZE, SIZE)]),
    "generator": lambda made: torch.Generator(),
    "parameter": lambda made: torch.nn.Parameter(torch.randn(SIZE, SIZE)),
    "function": lambda made: lambda *given: given[0] if given else 1.0,
    "parameters": lambda made: made.parameters(),
}
"""Instances of base classes, by the class's name in lower case, from which others are made."""


class Maker:
    """Makes the values of one attempt; the same number gives the same values."""

    def __init__(self, number, doc=""):
        self.random = random.Random(number)
        torch.default_generator.manual_seed(number)  # `torch.manual_seed` takes a millisecond
        self.number = number
        self.first = number < len(PRESETS)
        self.rank, self.dtype, self.layout = PRESETS[number % len(PRESETS)]
        if not self.first:
            self.rank = self.random.choice((1, 2, 2, 3, 3, 4, 5))
            self.dtype, self.layout = "float32", "strided"
        self.meaning = MEANINGS[number % 2] if self.first else self.random.choice(MEANINGS)
        self.words = texts(doc)
        self.made = 0

    def call(self, rows):
        """(positional, keyword) values for a signature: what is required, and some of the rest."""
        args, kwargs = [], {}
        for row in rows:
            name, kind, default, flag = row
            if flag in ("*", "**"):
                if flag == "*" and (kind is None or "Tensor" in kind):
                    args.append(self.value(name, kind or "Tensor"))
                continue
            if default is not None and not self.daring():
                continue
            value = self.named(name, kind or guessed(name, default))
            if flag == "k" or default is not None:
                kwargs[name] = value
            else:
                args.append(value)
        return args, kwargs

    def daring(self):
        """Whether to give an argument that need not be given."""
        return not self.first and self.random.random() < 0.25

    def value(self, name, kind):
        """A value of a type, which is a schema's or an annotation's text."""
        if optional(kind) and not self.first and self.random.random() < 0.3:
            return None
        kind = bare(kind)
        repeated = re.match(r"(?i)^(tensor|int|float|bool|scalar)\??\[(\d*)\]$", kind)
        if repeated:
            times = int(repeated.group(2) or (self.rank or 1 if repeated.group(1) == "int" else 2))
            return [self.value(name, repeated.group(1)) for _ in range(times)]
        for pattern, make in MAKES:
            if re.search(pattern, kind, re.I):
                return make(self)
        return self.instance(kind) if kind.lower() in INSTANCES else self.tensor()

    def named(self, name, kind):
        """A value for a parameter: quantised weights are signed, and go with a plain bias."""
        value = self.value(name, kind)
        quantized = isinstance(value, torch.Tensor) and value.is_quantized
        if quantized and name == "bias":
            return value.dequantize()
        if quantized and re.fullmatch("w|weights?", name):
            return torch.quantize_per_tensor(value.dequantize(), 0.1, 0, torch.qint8)
        return value

    def instance(self, kind):
        """An instance of a base class."""
        return INSTANCES[kind.lower()](self)

    def parameters(self):
        """Parameters of a model, as optimisers take them."""
        return [torch.nn.Parameter(torch.randn(SIZE, SIZE)) for _ in range(2)]

    def integer(self):
        """A size or a position."""
        meaning = self.meaning
        if meaning == "mixed":
            meaning = self.random.choice(MEANINGS[:3])
        return {"size": SIZE, "zero": 0, "one": 1}[meaning]

    def integers(self):
        """As many integers as the tensors have dimensions."""
        return [self.integer() for _ in range(self.rank or 1)]

    def text(self):
        """A word that the documentation quotes, or a common one."""
        words = self.words or TEXTS
        return words[self.number % len(words)] if self.first else self.random.choice(words)

    def tensor(self):
        """A tensor; later ones of a late attempt may differ from the first one."""
        rank, dtype, layout = self.rank, self.dtype, self.layout
        if self.made and not self.first:
            dtype = self.random.choice((dtype, dtype, dtype, "int64", "bool", "int32"))
            rank = self.random.choice((rank, rank, 1, 2, max(0, rank - 1)))
            layout = "strided"
        self.made += 1
        return laid_out(plain((SIZE,) * rank, dtype), layout)


def plain(shape, dtype):
    """A strided tensor: positions for integers, normal numbers that want gradients for floats."""
    kind = getattr(torch, dtype)
    if kind is torch.bool:
        return torch.rand(shape) > 0.5
    if not kind.is_floating_point and not kind.is_complex:
        return torch.randint(0, SIZE, shape, dtype=kind)
    return torch.randn(shape, dtype=kind).requires_grad_()


def laid_out(value, layout):
    """A tensor in another layout, as a leaf."""
    if layout == "strided":
        return value
    value = value.detach()
    if layout == "sparse":
        return value.to_sparse().requires_grad_()
    if layout == "csr":
        return value.to_sparse_csr()
    if layout == "quantized":
        return torch.quantize_per_tensor(value, 0.1, 0, torch.quint8)
    return torch.nested.nested_tensor([value, value[:2]])


def listed(_):
    """Layers that can follow each other."""
    return [torch.nn.Linear(SIZE, SIZE) for _ in range(2)]


MAKES = (
    (r"^literal\[", lambda made: made.text()),
    (r"^(scalartype|dtype|_dtype)$", lambda made: torch.float32),
    (r"^device", lambda made: torch.device("cpu")),
    (r"^layout", lambda made: torch.strided),
    (r"^memory_?format", lambda made: torch.contiguous_format),
    (r"^qscheme", lambda made: torch.per_tensor_affine),
    (r"^(storage)$", lambda made: torch.zeros(SIZE).storage()),
    (r"params?_?t$|iterable\[.*(parameter|tensor)", lambda made: made.parameters()),
    (r"(list|sequence|iterable|tuple)\[.*tensor", lambda made: [made.tensor() for _ in range(2)]),
    (
        r"(list|sequence|iterable)\[.*(module|transform|distribution|dataset)",
        lambda made: listed(made),
    ),
    (
        r"(list|sequence|iterable|tuple)\[.*int|^(_?size|_size.*|_int.*tuple.*|shape.*)$",
        Maker.integers,
    ),
    (r"(list|sequence|iterable|tuple)\[.*float", lambda made: [0.5, 0.5]),
    (r"(list|sequence|iterable|tuple)\[.*str", lambda made: [made.text()]),
    (r"callable|function", lambda made: INSTANCES["function"](made)),
    (r"^bool", lambda made: made.number % 2 == 0 if made.first else made.random.random() < 0.5),
    (r"^(sym)?int\b|^_size_\d|^_ratio", lambda made: made.integer()),
    (r"^float|^double", lambda made: made.random.choice((0.5, 0.1, 1.0))),
    (r"^(scalar|number|_?complex)", lambda made: made.random.choice((1, 0.5, 2))),
    (r"^str", lambda made: made.text()),
    (r"tensor", lambda made: made.tensor()),
)
"""What is made for a type, by pattern; the first that matches counts."""


def optional(kind):
    """Whether None is allowed."""
    return kind.endswith("?") or "None" in kind or kind.startswith("Optional[")


def bare(kind):
    """A type without its being optional; of a union the first member.

    >>> bare("Optional[int]"), bare("int[2]?"), bare("Tensor | None"), bare("Union[int, float]")
    ('int', 'int[2]', 'Tensor', 'int')
    """
    kind = kind.rstrip("?").strip()
    match = re.match(r"^(?:Optional|Union|Final|Annotated)\[(.*)\]$", kind)
    if match:
        kind = first_of(match.group(1), ",")
    return first_of(kind, "|").strip("'\" ").rpartition(".")[2 if "[" not in kind else 0] or kind


def first_of(text, separator):
    """The part before a separator that is in no brackets.

    >>> first_of("tuple[int, int], str", ",")
    'tuple[int, int]'
    """
    depth = 0
    for at, char in enumerate(text):
        depth += (char in "[(") - (char in "])")
        if char == separator and depth == 0:
            return text[:at].strip()
    return text.strip()


def guessed(name, default):
    """The type of a parameter without one: that of its default, or what its name says."""
    if default in ("True", "False"):
        return "bool"
    for kind, looks in (("int", r"^-?\d+$"), ("float", r"^-?[\d.]+(e-?\d+)?$"), ("str", r"^'")):
        if default is not None and re.match(looks, default):
            return kind
    return next((kind for words, kind in WORDS if re.search(words, name)), "Tensor")


def texts(doc):
    """Words that a docstring quotes, the most probable values of its strings."""
    quoted = re.findall(r"['\"]([A-Za-z_]\w{0,20})['\"]", doc or "")
    return list(dict.fromkeys(quoted))[:8]
