"""Callees that say nothing about what a function computes.

Checks and logging, casts, the C++ library, containers and the metadata of tensors: facts about the
frameworks' vocabulary, not about single operators. Two stubs that only refuse (`TORCH_CHECK(false,
"built without MKLDNN")`) would otherwise be analogous to all others of their kind.
"""

from __future__ import annotations

import re
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

_WORDS = _words(
    """
    move forward tie get swap static_cast reinterpret_cast const_cast dynamic_cast make_tuple
    make_pair make_unique make_shared make_optional to_string str c_str sizeof tuple pair
    nullopt vector string min max abs ceil floor all_of any_of none_of accumulate copy fill sort
    transform int int64_t float double bool size_t uint8_t scalar_t opmath_t accscalar_t acc_t
    irange begin end cbegin cend size empty data toString checked_cast isinstance len range
    getattr hasattr setattr super zip enumerate list dict set tuple type print str repr int
    float bool map filter any all sum format sorted reversed ValueError TypeError RuntimeError
    NotImplementedError KeyError AssertionError AttributeError warn device_guard globalContext
    DeviceGuard OptionalDeviceGuard NoNamesGuard is_defined check_dim_size checkBackend
    checkAllSameGPU checkSameType checkAllSameType checkAllDefined checkDim checkSize TensorArg
    TensorGeometryArg warn_once AutoNonVariableTypeMode torchCheckFail torchInternalAssertFail
    torchCheckMsgImpl
    """
)
"""Of the C++ library, of Python's built-ins, and of the frameworks' own guards."""

_METHODS = _words(
    """
    size sizes sym_size sym_sizes dim ndimension dtype scalar_type options numel sym_numel
    data_ptr mutable_data_ptr const_data_ptr data defined is_contiguous device device_type
    layout stride strides suggest_memory_format element_size itemsize key_set type is_cuda
    is_sparse is_mkldnn is_quantized is_complex is_floating_point is_cpu is_mps requires_grad
    storage_offset has_names names has_value value value_or get begin end cbegin cend rbegin
    rend size empty push_back emplace_back emplace insert erase find count at front back reserve
    resize clear pop_back c_str str append substr length equals vec unsafeGetTensorImpl
    unsafeReleaseTensorImpl toString name first second lock unlock reset release swap format
    join split strip startswith endswith items keys values pop extend update add copy lower
    upper replace get_device index dtype() scalarType op_kernel input output status ok ToString
    DebugString
    """
)
"""Of containers, and metadata of tensors."""


@lru_cache(maxsize=200_000)
def is_stop(callee: str) -> bool:
    """Whether a callee (as extracted: methods as `.name`) says nothing about the function."""
    base = callee.rpartition("::")[2] if "::" in callee else callee
    if "." in base:
        owner, _, method = base.rpartition(".")
        return method in (_METHODS if not owner or owner in ("self", "cls") else _METHODS | _WORDS)
    return base in _WORDS or _MACROS.fullmatch(base) is not None
