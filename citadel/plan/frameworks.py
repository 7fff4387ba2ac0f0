"""What differs between frameworks in how calls are made, for planning."""

from __future__ import annotations

TENSORFLOW = ("tf", "keras")
_FROM_NUMBERS = {"torch": "tensor", "tf": "constant", "keras": "convert_to_tensor"}
_WITH_TENSORS = {"keras": "keras.ops"}
"""Where the functions that make tensors are, if not at the framework's root."""


def as_tensorflow(api: str) -> bool:
    """Whether an API is called as TensorFlow's are.

    They take arrays and lists for tensors, channels behind the spatial dimensions unless told
    otherwise, filters with those dimensions in front, and windows with batch and channels.

    >>> as_tensorflow("tf.nn.relu"), as_tensorflow("torch.relu")
    (True, False)
    """
    return api.partition(".")[0] in TENSORFLOW


def dtype_text(root: str, dtype: str) -> str:
    """A dtype in the text of a framework's code.

    >>> dtype_text("torch", "float32"), dtype_text("keras", "float32")
    ('torch.float32', "'float32'")
    """
    return repr(dtype) if root in _WITH_TENSORS else f"{root}.{dtype}"


def tensor_text(root: str, function: str | None, given: str, dtype: str) -> str:
    """A call that makes a tensor: of ones or zeros (`function`) of a shape, else of numbers.

    >>> tensor_text("torch", "ones", "[2]", "float32"), tensor_text("keras", None, "[1]", "int32")
    ('torch.ones([2], dtype=torch.float32)', "keras.ops.convert_to_tensor([1], dtype='int32')")
    """
    place = _WITH_TENSORS.get(root, root)
    return f"{place}.{function or _FROM_NUMBERS[root]}({given}, dtype={dtype_text(root, dtype)})"
