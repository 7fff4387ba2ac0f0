"""Callees that say nothing about what a function computes.

Checks and logging, casts, the C++ and Python libraries, containers and the metadata of tensors:
facts about the frameworks' vocabulary, not about single operators. Two stubs that only refuse
(`TORCH_CHECK(false, "built without MKLDNN")`) would otherwise be analogous to all others of their
kind. Many such words also name operators: `std::max` and the built-in `max` say nothing, `at::max`
and `torch.max` do, so whose word it is decides.
"""

from __future__ import annotations

import re
import sys
from functools import lru_cache


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MACROS = re.compile(
    r"(?:TORCH|AT|C10|TF|OP|D?CHECK|D?V?LOG|CUDA|CUDNN|CUBLAS|CUSPARSE|MKLDNN|NCCL|TENSORPIPE)"
    r"_?(?:INTERNAL_|CUDA_|RETURN_)?(?:CHECK|ASSERT|ERROR|WARN|VLOG|LOG|REQUIRES|IF_ERROR|PREDICT"
    r"|KERNEL_LAUNCH|DRIVER)\w*"
    r"|D?CHECK(?:_\w+)?|V?LOG(?:_\w+)?|RECORD_FUNCTION\w*|C10_LIKELY|C10_UNLIKELY"
    r"|HANDLE_TH_ERRORS|END_HANDLE_TH_ERRORS\w*|THPUtils_assert\w*|TORCH_WARN\w*"
)
"""Macros that check, log or return early."""

_HELPERS = _words(
    """
    tie static_cast reinterpret_cast const_cast dynamic_cast make_tuple make_pair
    make_unique make_shared make_optional to_string c_str sizeof nullopt irange toString
    checked_cast isinstance getattr hasattr setattr super enumerate ValueError TypeError
    RuntimeError NotImplementedError KeyError AssertionError AttributeError warn device_guard
    globalContext DeviceGuard OptionalDeviceGuard NoNamesGuard is_defined check_dim_size
    checkBackend checkAllSameGPU checkSameType checkAllSameType checkAllDefined checkDim checkSize
    TensorArg TensorGeometryArg warn_once AutoNonVariableTypeMode torchCheckFail
    torchInternalAssertFail torchCheckMsgImpl
    """
)
"""Casts, errors and the frameworks' own guards: no operator has such a name, whoever owns it."""

_WORDS = _words(
    """
    move forward get swap str tuple pair vector string min max abs ceil floor all_of any_of none_of
    accumulate copy fill sort transform int int64_t float double bool size_t uint8_t scalar_t
    opmath_t accscalar_t acc_t begin end cbegin cend size empty data len range zip list dict set
    type print repr map filter any all sum format sorted reversed
    """
)
"""Of the C++ library and of Python's built-ins."""

_METADATA = _words(
    """
    sizes sym_size sym_sizes dim ndimension dtype scalar_type options numel sym_numel
    is_contiguous device device_type layout stride strides suggest_memory_format element_size
    itemsize key_set type is_cuda is_sparse is_mkldnn is_quantized is_complex is_floating_point
    is_cpu is_mps requires_grad storage_offset has_names get_device scalarType empty
    """
)
"""Of tensors: the same as a method (`x.numel()`) and as a function (`torch.numel(x)`); and their
allocation, by which forms of one operator differ. Not `size`: an operator of TensorFlow."""

_METHODS = _words(
    """
    data_ptr mutable_data_ptr const_data_ptr data defined names has_value value value_or get begin
    end cbegin cend rbegin rend size empty push_back emplace_back emplace insert erase find count
    at front back reserve resize clear pop_back c_str str append substr length equals vec
    unsafeGetTensorImpl unsafeReleaseTensorImpl toString name first second lock unlock reset
    release swap format join strip startswith endswith items keys values pop extend update copy
    lower upper replace index op_kernel input output status ok ToString DebugString
    """
)
"""Of containers and handles."""

_PYTHON_METHODS = _METHODS | _words("add split sort")
"""Of sets, strings and lists; no container of C++ has them, there they are those of tensors."""

_LIBRARIES = _words("std c10 guts py pybind11 fmt thrust cub absl lib numeric_limits")
"""Namespaces (and one class) of C++ without operators: containers, bindings, what fills gaps."""


@lru_cache(maxsize=200_000)
def is_stop(callee: str, *, python: bool = False) -> bool:
    """Whether a callee (as extracted: methods as `.name`) says nothing about the function.

    `python`: it is called by a Python function.
    """
    owner, mark, name = _parted(callee)
    methods = _PYTHON_METHODS if python else _METHODS
    if owner in ("self", "cls") or (mark == "." and not owner):
        return name in methods or name in _METADATA
    if name in _HELPERS or (name[:1].isupper() and _MACROS.fullmatch(name)):
        return True
    if not owner:
        return name in _WORDS
    if _is_library(owner):
        return name in _WORDS or name in methods or name in _METADATA
    return name in _METADATA or (_is_class(owner) and name in methods)


def _parted(callee: str) -> tuple[str, str, str]:
    """(owner, what separates, name): `at::max` is ("at", "::", "max"), `.size` is ("", ".", ..)."""
    mark = "." if "." in callee.rpartition("::")[2] else "::"
    owner, found, name = callee.rpartition(mark)
    return owner.removeprefix("::"), found, name


def _is_library(owner: str) -> bool:
    """Whether an owner is of the C++ or the Python library, which compute nothing on tensors."""
    parts = owner.split("::")
    return not _LIBRARIES.isdisjoint(parts) or parts[-1].split(".")[0] in sys.stdlib_module_names


def _is_class(owner: str) -> bool:
    """Whether an owner looks like a class or a constant, whose methods are those of containers.

    Namespaces and modules have no capitals (`_C`, `_VF`: nothing else); the methods of tensors are
    operators.
    """
    last = re.split(r"::|\.", owner)[-1]
    if last.endswith("Tensor"):
        return False
    mixed = last != last.upper() and last != last.lower()
    return mixed or last[:1].isupper() or last.endswith("_t") or last.startswith("__")
