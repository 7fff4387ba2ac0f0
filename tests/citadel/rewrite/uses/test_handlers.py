"""Failures that the code itself catches, and tests."""

import pytest

USES = {
    "try_print": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            try:
                torch.floor(x)
            except Exception as e:
                print('failed:', e)
        """,
        "at": "torch.floor(x)",
        "api": "torch.floor",
        "raised": "NotImplementedError: floor is not supported for complex inputs",
        "to": {"torch.ceil": [("    torch.floor(x)", "    torch.ceil(x)")]},
    },
    "try_print_loop": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            for fn in [torch.abs, torch.floor]:
                try:
                    fn(x)
                except Exception as e:
                    print('failed:', e)
        """,
        "at": "fn(x)",
        "api": "torch.floor",
        "raised": "NotImplementedError: floor is not supported for complex inputs",
        "to": {
            "torch.ceil": [
                ("for fn in [torch.abs, torch.floor]:", "for fn in [torch.abs, torch.ceil]:")
            ]
        },
    },
    "pytest_raises": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            import contextlib
            class raises:
                def __init__(self, kind): self.kind = kind
                def __enter__(self): return self
                def __exit__(self, kind, problem, tb): return issubclass(kind, self.kind)
            with raises(RuntimeError):
                torch.floor(x)
        """,
        "at": "torch.floor(x)",
        "api": "torch.floor",
        "raised": "NotImplementedError: floor is not supported for complex inputs",
        "to": {"torch.ceil": [("    torch.floor(x)", "    torch.ceil(x)")]},
    },
    "unittest_main": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            import unittest
            class T(unittest.TestCase):
                def test_floor(self):
                    torch.floor(x)
            if __name__ == '__main__':
                unittest.main()
        """,
        "at": "torch.floor(x)",
        "api": "torch.floor",
        "raised": "NotImplementedError: floor is not supported for complex inputs",
        "to": {"torch.ceil": [("        torch.floor(x)", "        torch.ceil(x)")]},
    },
    "assert_raises": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            import unittest
            class T(unittest.TestCase):
                def test_floor(self):
                    with self.assertRaises(RuntimeError):
                        torch.floor(x)
            unittest.main()
        """,
        "at": "torch.floor(x)",
        "api": "torch.floor",
        "raised": "NotImplementedError: floor is not supported for complex inputs",
        "to": {"torch.ceil": [("            torch.floor(x)", "            torch.ceil(x)")]},
    },
}


@pytest.mark.parametrize("use", USES)
def test_text(use, check_text):
    check_text(**USES[use])


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize("use", USES)
def test_replay(use, check_replay):
    check_replay(**USES[use])
