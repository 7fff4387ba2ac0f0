"""What differs between frameworks in how calls are made, for planning."""

from __future__ import annotations

TENSORFLOW = ("tf", "keras")


def as_tensorflow(api: str) -> bool:
    """Whether an API is called as TensorFlow's are.

    They take arrays and lists for tensors, channels behind the spatial dimensions unless told
    otherwise, filters with those dimensions in front, and windows with batch and channels.

    >>> as_tensorflow("tf.nn.relu"), as_tensorflow("torch.relu")
    (True, False)
    """
    return api.partition(".")[0] in TENSORFLOW
