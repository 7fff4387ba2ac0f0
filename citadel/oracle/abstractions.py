"""What differs in messages between siblings that share a bug, and what stands in its place.

Numbers, shapes, dtypes, names of APIs and operators, and source lines: the rows are applied in
their order.
"""

from __future__ import annotations

from analysis.rules import Phrase

_DTYPES = (
    r"(?:torch|tf)\.(?:u?int\d+|b?float\d+\w*|complex\d+|bool|half|double|long|short|q?u?int\d+x?\d*)"
    r"|\b(?:c10::)?(?:Complex)?(?:BFloat16|Float8_\w+|Float|Double|Half)\b"
    r"|\b(?:Long|Int|Short|Char|Byte|Bool|QInt8|QUInt8|QInt32|UInt16|UInt32|UInt64)\b"
    r"|\b(?:float|double|int|long|short|bool|char)\b(?= !=)"
    r"|(?<=!= )(?:float|double|int|long|short|bool|char)\b"
    r"|(?:(?<=\btype )|(?<=\btype: ))(?:float|double|half|int|long|short|bool|char|byte)\b"
    r"|(?:(?<=dtype )|(?<=dtype: ))(?:float|double|half|int|long|short|bool|char|byte)\b"
    r"|\b(?:u?int(?:8|16|32|64)|float(?:16|32|64)|bfloat16|complex(?:64|128))\b"
    r"|\bDT_[A-Z0-9_]+\b"
    r"|\b(?:half|float|double|string|bool|resource|variant)(?= tensor\b)"
)
ABSTRACTIONS: tuple[tuple[Phrase, str], ...] = (
    # Python tells one mistake in many ways, by type, operator and release.
    (
        Phrase(
            "message/division-by-zero",
            r"^(?:(?:float|integer|int|complex|floor|Fraction) )*(?:division|modulo)"
            r"(?: or modulo)?(?: by zero)?$|^(?:0\.0|zero|0) (?:cannot be raised )?to a negative"
            r"(?: or complex)? power$",
            finds=(
                "integer division or modulo by zero",
                "0.0 cannot be raised to a negative power",
            ),
            spares=("divisor must not be 0",),
        ),
        "division by zero",
    ),
    (
        Phrase(
            "message/index-out-of-range",
            r"^(?:list|tuple|string|bytearray|deque|range object) index out of range$",
            finds=("list index out of range",),
            spares=("index 3 out of range",),
        ),
        "index out of range",
    ),
    (
        Phrase(
            "message/address",
            r"0x[0-9a-fA-F]+",
            finds=("at 0x7ffe12",),
            spares=("at 12",),
        ),
        "ADDRESS",
    ),
    # A source line in front of a message tells where it was made, which generated code does anew
    # for each operator and device.
    (
        Phrase(
            "message/source-prefix",
            r"^(?:[\w.+-]*/)*[\w.+-]+\.(?:cpp|cc|cu|cuh|h|hpp):\d+ ?[:\]] ?(?=\w+ \w+ \w)",
            finds=("/a/RegisterCPU_1.cpp:31: sizes must be concrete",),
            spares=("pool.cpp:31: false", "at pool.cpp:31: sizes must be concrete"),
        ),
        "",
    ),
    # The assertion's file tells where it is; its line moves with every release.
    (
        Phrase(
            "message/source-line",
            r"[\"']?(?<![\w.+/-])(?:[\w.+-]*/)*([\w.+-]+\.(?:cpp|cc|cu|cuh|h|hpp|py))[\"']?:\d+",
            finds=("at /a/b/pool.cpp:31",),
            spares=("in pool.cpp",),
        ),
        r"\1",
    ),
    # Autograd calls its nodes after the operation: ExpBackward0, or Exp for short.
    (
        Phrase(
            "message/autograd-node",
            r"\b\w+Backward\d*\b|(?<=output \d of )\w+",
            finds=("Function ExpBackward0 returned nan", "output 0 of Exp"),
            spares=("backward of exp",),
        ),
        "NODE",
    ),
    # TensorFlow shows the node, and everything about it.
    (
        Phrase(
            "message/graph-node",
            r"'?\{\{node [^}]*\}\}"
            r"(?: = \w+\[(?:[^\[\]]|\[[^\[\]]*\])*\](?:\([^)]*\))?)?'?",
            finds=("{{node G}} = MatMul[T=DT_HALF](a, b)",),
            spares=("node G",),
        ),
        "NODE",
    ),
    (
        Phrase(
            "message/operator-with-library",
            r"\b(?:aten|prims|prim|quantized|mkldnn)::\w+(?:\.\w+)?",
            finds=("aten::add.out has no kernel",),
            spares=("add has no kernel",),
        ),
        "OP",
    ),
    (
        Phrase(
            "message/op-of-tensorflow",
            r"'\w+'(?= Op\b)|(?<=cannot compute )\w+|\b(?:[A-Z][a-z0-9]+)+Op\b",
            finds=("'Cast' Op has type", "cannot compute MatMul", "MatMulOp"),
            spares=("the op fails",),
        ),
        "OP",
    ),
    # Kernels are named after their operators: "addmm_impl_cpu_" not implemented for 'Half'.
    (
        Phrase(
            "message/kernel-name",
            r"\"\w+\"(?= not implemented for)",
            finds=("\"addmm_impl_cpu_\" not implemented for 'Half'",),
            spares=("addmm not implemented",),
        ),
        "OP",
    ),
    # What TensorFlow has no kernel of for a compiler, and no gradient; functions are counted.
    (
        Phrase(
            "message/op-without-kernel",
            r"\w+(?= \(No registered ')|(?<=No registered ')\w+",
            finds=("Bincount (No registered 'Bincount' OpKernel)",),
            spares=("no kernel",),
        ),
        "OP",
    ),
    (
        Phrase(
            "message/op-without-gradient",
            r"(?<=registry has no entry for: )\w+",
            finds=("gradient registry has no entry for: Bincount",),
            spares=("no entry",),
        ),
        "OP",
    ),
    (
        Phrase(
            "message/function-of-graph",
            r"\b__(?:inference|forward|backward)_\w+",
            finds=("in __inference_f_12",),
            spares=("in f",),
        ),
        "FUNCTION",
    ),
    # Objects are shown with all that they are made of: Normal(loc: 0.0, scale: torch.Size([3])).
    (
        Phrase(
            "message/shown-object",
            r"(?<![\w.])[A-Z]\w*\((?:[^()]|\([^()]*\))+\)",
            finds=("Normal(loc: 0.0, scale: 1.0) is bad",),
            spares=("a Normal is bad",),
        ),
        "API()",
    ),
    (
        Phrase(
            "message/layer-name",
            r"(?<=\blayer )(?:\"\w+\"|'\w+')",
            finds=('layer "dense_1" expects',),
            spares=("layers",),
        ),
        "NAME",
    ),
    # The condition of a failed assertion is what tells it from its neighbours; each kernel has
    # names of its own for what it is given: `input.is_sparse()`, `t_.is_sparse()`.
    (
        Phrase(
            "message/asserted-object",
            r"(?<![\w.:>])[a-z]\w*(?=(?:\.|->)\w+\(\).{0,200}INTERNAL ASSERT)",
            finds=("input.is_sparse() INTERNAL ASSERT FAILED",),
            spares=("input is sparse",),
        ),
        "NAME",
    ),
    (
        Phrase(
            "message/called-api",
            r"\b\w+(?:\.\w+)*\(\)(?!.{0,200}INTERNAL ASSERT)",
            finds=("max_pool1d() Invalid size",),
            spares=("x.size() INTERNAL ASSERT FAILED",),
        ),
        "API()",
    ),
    # Sizes by dimension: kernel_size_height: 3 kernel_size_width: 3, (T: 8 H: 1 W: 1).
    (
        Phrase(
            "message/sizes-by-dimension",
            r"\b(\w{1,40}?)_(?:depth|height|width): -?\d+"
            r"(?:,? \1_(?:depth|height|width): -?\d+)*",
            finds=("kernel_size_height: 3 kernel_size_width: 3",),
            spares=("kernel_size: 3",),
        ),
        r"\1 SHAPE",
    ),
    (
        Phrase(
            "message/sizes-in-parentheses",
            r"\((?:[kd]?[TDHW]: ?-?\d+(?:,? |(?=\))))+\)",
            finds=("(T: 8 H: 1 W: 1)",),
            spares=("(3, 3)",),
        ),
        "SHAPE",
    ),
    (
        Phrase(
            "message/sizes-by-letter",
            r"\b(\w{1,20}?)[TDHW]: ?-?\d+(?:,? \1[TDHW]: ?-?\d+)*",
            finds=("kT: 8 kH: 1 kW: 1",),
            spares=("kernel: 8",),
        ),
        r"\1 SHAPE",
    ),
    # Which one of several: hidden[0], where a sibling has one alone; indices[0,1].
    (
        Phrase(
            "message/index-of-several",
            r"(?<=[a-z_])\[\d+(?:, ?\d+)*\]",
            finds=("hidden[0] is bad",),
            spares=("[0] is bad",),
        ),
        "",
    ),
    # NumPy's way: [5 5].
    (
        Phrase(
            "message/shape-of-numpy",
            r"\[\s*-?\d+(?:\s+-?\d+)+\s*\]",
            finds=("shape [5 5]",),
            spares=("shape [5]",),
        ),
        "SHAPE",
    ),
    (
        Phrase(
            "message/dtype",
            _DTYPES,
            finds=("torch.float32", "expected Half", "DT_INT8"),
            spares=("number",),
        ),
        "DTYPE",
    ),
    (
        Phrase(
            "message/api-in-front",
            r"^(?:torch\.)?(?:[a-z_]\w*\.)*[a-z_]\w*: (?=\S)",
            finds=("max_pool1d: bad size",),
            spares=("bad size",),
        ),
        "API: ",
    ),
    (
        Phrase(
            "message/api-that-expects",
            r"^(?=\w*[._])[a-z_][\w.]* (?=(?:cannot|does|expects|expected|requires)\b)",
            finds=("torch.mm expects two matrices",),
            spares=("mm expects two matrices",),
        ),
        "API ",
    ),
    (
        Phrase(
            "message/infinity",
            r"\binfinity\b",
            finds=("infinity is bad",),
            spares=("infinite",),
        ),
        "inf",
    ),
    (
        Phrase(
            "message/full-name",
            r"\b(?:torch|tf)\.(?:\w+\.)*\w+",
            finds=("see torch.nn.Linear",),
            spares=("see Linear",),
        ),
        "API",
    ),
    (
        Phrase(
            "message/dimensional-name",
            r"\b\w*[a-z_]\w*_?[1-3]d\w*\b",
            finds=("conv2d is bad",),
            spares=("conv is bad",),
        ),
        "API",
    ),
    (
        Phrase(
            "message/list-of-names",
            r"\[[A-Z]\w+(?:, ?[A-Z]\w*)+[^\]]*\]?",
            finds=("[CPU, CUDA]",),
            spares=("[1, 2]",),
        ),
        "[NAMES]",
    ),
    (
        Phrase(
            "message/shape",
            r"[\[(<]\s*-?\d+(?:\s*[,x]\s*-?\d+)*\s*,?\s*[\])>]",
            finds=("[2, 3]", "(4,)", "<5 x 6>"),
            spares=("2 of 3",),
        ),
        "SHAPE",
    ),
    (
        Phrase(
            "message/shape-with-x",
            r"(?<![\w.])-?\d+(?:x-?\d+)+\b",
            finds=("2x3 matrices",),
            spares=("x3",),
        ),
        "SHAPE",
    ),
    (
        Phrase(
            "message/number",
            r"(?<![A-Za-z_\d])[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?",
            finds=("index -3", "1e-5"),
            spares=("float",),
        ),
        "N",
    ),
    (
        Phrase(
            "message/numbers",
            r"\bN(?:, ?N)+\b",
            finds=("N, N",),
            spares=("N",),
        ),
        "N",
    ),
    (
        Phrase(
            "message/space",
            r"\s+",
            finds=("two  spaces",),
            spares=("none",),
        ),
        " ",
    ),
)
