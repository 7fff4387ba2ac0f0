"""The cases that are measured, per framework: one that works, one that fails, a shipped report."""

WORKS = {
    "torch": """\
import torch
import torch.nn.functional as F

signal = torch.arange(12.).view(1, 2, 6)
print(F.conv1d(signal, torch.ones(2, 2, 3), groups=1).shape)
""",
    "tensorflow": """\
import tensorflow as tf

frames = tf.ones([1, 8, 8, 4])
print(tf.nn.max_pool2d(frames, ksize=2, strides=2, padding="VALID").shape)
""",
}
FAILS = {
    "torch": """\
import torch
import torch.nn.functional as F

signal = torch.arange(12.).view(1, 2, 6)
F.conv1d(signal, torch.full((2, 2, 3), 0.5), groups=0)
""",
    "tensorflow": """\
import tensorflow as tf

frames = tf.ones([1, 8, 8, 4])
print(tf.nn.max_pool2d(frames, ksize=[0, 2], strides=2, padding="VALID").shape)
""",
}
EXAMPLES = {"torch": "diagonal_scatter_csr.md", "tensorflow": "max_pool3d_rank.md"}
