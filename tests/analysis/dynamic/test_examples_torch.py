"""Examples of docstrings as samples."""

import pytest

pytestmark = pytest.mark.slow


def test_what_memory_held_by_chance_is_no_part_of_a_sample(inside):
    held = inside("""
import json, sys
import torch, examples_torch
thing, places = torch.nn.init.ones_, [(torch.nn.init, "ones_")]
for _ in range(9):
    torch.full((3, 5), 7.0)  # what is freed is what `torch.empty` gets next
calls = examples_torch.recorded(thing, places, ["w = torch.empty(3, 5)", "nn.init.ones_(w)"])
print(json.dumps(calls[0][0][0].tolist()))
""")
    assert held == [[0.0] * 5] * 3
