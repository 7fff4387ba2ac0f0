"""What may stand around a call: decorators, tests, handlers, entry points."""

import pytest

USES = {
    "fstring": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            print(f'floor: {torch.floor(x)} of {x!r}')
        """,
        "at": "torch.floor(x)",
        "api": "torch.floor",
        "to": {
            "torch.ceil": [
                (
                    "print(f'floor: {torch.floor(x)} of {x!r}')",
                    "print(f'ceil: {torch.ceil(x)} of {x!r}')",
                )
            ]
        },
    },
    "comprehension": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            ys = [t.floor() for t in (x.abs(), x)]
        """,
        "at": "t.floor()",
        "api": "torch.Tensor.floor",
        "form": "method",
        "receiver": {(2,)},
        "args": [],
        "to": {
            "torch.ceil": [
                (
                    "ys = [t.floor() for t in (x.abs(), x)]",
                    "ys = [torch.ceil(t) for t in (x.abs(), x)]",
                )
            ]
        },
    },
    "loop": {
        "code": """
            import torch
            import torch.nn.functional as F
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            for g in (1, 0):
                y = F.conv2d(x, w, groups=g)
        """,
        "at": "F.conv2d(x, w, groups=g)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                ("    y = F.conv2d(x, w, groups=g)", "    y = F.conv_transpose2d(x, w, groups=g)")
            ]
        },
    },
    "with": {
        "code": """
            import torch
            import torch.nn.functional as F
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            with torch.no_grad():
                y = F.conv2d(x, w, groups=0)
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                ("    y = F.conv2d(x, w, groups=0)", "    y = F.conv_transpose2d(x, w, groups=0)")
            ]
        },
    },
    "lambda": {
        "code": """
            import torch
            import torch.nn.functional as F
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            f = lambda t: F.conv2d(t, w, groups=0)
            f(x)
        """,
        "at": "F.conv2d(t, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                (
                    "f = lambda t: F.conv2d(t, w, groups=0)",
                    "f = lambda t: F.conv_transpose2d(t, w, groups=0)",
                )
            ]
        },
    },
    "nested_func": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            def outer():
                def inner(t):
                    return torch.floor(t)
                return inner(x)
            outer()
        """,
        "at": "torch.floor(t)",
        "api": "torch.floor",
        "to": {"torch.ceil": [("        return torch.floor(t)", "        return torch.ceil(t)")]},
    },
    "generator": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            print(sum(torch.floor(t) for t in [x]))
        """,
        "at": "torch.floor(t)",
        "api": "torch.floor",
        "to": {
            "torch.ceil": [
                (
                    "print(sum(torch.floor(t) for t in [x]))",
                    "print(sum(torch.ceil(t) for t in [x]))",
                )
            ]
        },
    },
    "dec_no_grad": {
        "code": """
            import torch
            import torch.nn.functional as F
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            @torch.no_grad()
            def f(t):
                return F.conv2d(t, w, groups=0)
            f(x)
        """,
        "at": "F.conv2d(t, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                (
                    "    return F.conv2d(t, w, groups=0)",
                    "    return F.conv_transpose2d(t, w, groups=0)",
                )
            ]
        },
    },
    "dec_script": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            @torch.jit.script
            def f(t):
                return torch.floor(t)
            f(x)
        """,
        "at": "torch.floor(t)",
        "api": "torch.floor",
        "to": {"torch.ceil": [("    return torch.floor(t)", "    return torch.ceil(t)")]},
    },
    "script_call": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            def f(t):
                return torch.floor(t)
            torch.jit.script(f)(x)
        """,
        "at": "torch.floor(t)",
        "api": "torch.floor",
        "to": {"torch.ceil": [("    return torch.floor(t)", "    return torch.ceil(t)")]},
    },
    "jit_trace": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            torch.jit.trace(lambda t: torch.floor(t), (x,))
        """,
        "at": "torch.floor(t)",
        "api": "torch.floor",
        "to": {
            "torch.ceil": [
                (
                    "torch.jit.trace(lambda t: torch.floor(t), (x,))",
                    "torch.jit.trace(lambda t: torch.ceil(t), (x,))",
                )
            ]
        },
    },
    "dec_compile": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            @torch.compile
            def f(t):
                return torch.floor(t)
            f(x)
        """,
        "at": "torch.floor(t)",
        "api": "torch.floor",
        "to": {"torch.ceil": [("    return torch.floor(t)", "    return torch.ceil(t)")]},
    },
    "dec_compile_eager": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            @torch.compile(backend='eager')
            def f(t):
                return torch.floor(t)
            f(x)
        """,
        "at": "torch.floor(t)",
        "api": "torch.floor",
        "to": {"torch.ceil": [("    return torch.floor(t)", "    return torch.ceil(t)")]},
    },
    "dec_compile_whole": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            @torch.compile(fullgraph=True, backend='eager')
            def f(t):
                return torch.floor(t)
            f(x)
        """,
        "at": "torch.floor(t)",
        "api": "torch.floor",
        "to": {"torch.ceil": [("    return torch.floor(t)", "    return torch.ceil(t)")]},
    },
    "compile_call": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            def f(t):
                return t.floor()
            g = torch.compile(f, backend='eager')
            g(x)
        """,
        "at": "t.floor()",
        "api": "torch.Tensor.floor",
        "form": "method",
        "receiver": {(2,)},
        "args": [],
        "to": {"torch.ceil": [("    return t.floor()", "    return torch.ceil(t)")]},
    },
    "main": {
        "code": """
            import torch
            if __name__ == '__main__':
                x = torch.tensor([1j])
                print(torch.floor(x))
        """,
        "at": "torch.floor(x)",
        "api": "torch.floor",
        "args": [{(1,)}],
        "to": {"torch.ceil": [("    print(torch.floor(x))", "    print(torch.ceil(x))")]},
    },
    "main_fn": {
        "code": """
            import torch
            def main():
                x = torch.tensor([1j])
                torch.floor(x)
            if __name__ == '__main__':
                main()
        """,
        "at": "torch.floor(x)",
        "api": "torch.floor",
        "args": [{(1,)}],
        "to": {"torch.ceil": [("    torch.floor(x)", "    torch.ceil(x)")]},
    },
    "async": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            import asyncio
            async def f():
                return torch.floor(x)
            asyncio.run(f())
        """,
        "at": "torch.floor(x)",
        "api": "torch.floor",
        "to": {"torch.ceil": [("    return torch.floor(x)", "    return torch.ceil(x)")]},
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
