"""The frameworks that Citadel knows, and what it has to know of each to start it.

A framework has modules of its own (`names_torch`, `live_torch`, ...) in `analysis/inside`; what
differs otherwise is said here, so that nothing else asks which framework it is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from analysis.errors import CitadelError


@dataclass(frozen=True, slots=True, kw_only=True)
class Late:
    """What a framework imports only when it is first used: seconds that each run would spend anew.

    `used` is a regular expression that code which uses it matches; `variables` keep it from doing
    what only pays in processes that live long.
    """

    used: str
    modules: tuple[str, ...]
    variables: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Framework:
    """One framework, by the name under which it is imported.

    `brings` are packages that belong to its build where they are installed beside it, and whose
    APIs it serves. One that runs on others has `backends`, the usual one first, each with the
    packages that it is made of; the environment variable `switch` chooses among them. `borrows`
    are modules that its own ones build on: of other frameworks, or shared by some. `variables` are
    what code may set for itself before it imports the framework, which reads them only then.
    `late` are parts that are imported in front of code which uses them. `ways` are those to run a
    case, the plain one first (`analysis.inside.compiling`).
    """

    name: str
    brings: tuple[str, ...] = ()
    switch: str = ""
    backends: Mapping[str, tuple[str, ...]]
    borrows: tuple[str, ...] = ()
    variables: frozenset[str] = frozenset()
    late: tuple[Late, ...] = ()
    ways: tuple[str, ...] = ()

    @property
    def packages(self) -> tuple[str, ...]:
        """Everything whose files may belong to a build of it."""
        below = (package for packages in self.backends.values() for package in packages)
        return tuple(dict.fromkeys((self.name, *self.brings, *below)))

    def backend(self, asked: str | None, installed: Collection[str]) -> str:
        """The backend to run on: the one asked for, else the usual one; "" where there are none.

        Raises:
            CitadelError: when there is no such backend, or its package is not installed.
        """
        if not self.backends:
            return ""
        there = [name for name in self.backends if name in installed]
        if asked is not None and asked not in self.backends:
            known = ", ".join(self.backends)
            raise CitadelError(f"{self.name} has no backend {asked}", f"backends: {known}")
        if not there or (asked is not None and asked not in there):
            has = ", ".join(there) or "none"
            raise CitadelError(
                f"the {asked or 'default'} backend of {self.name} is not installed",
                f"backends that the interpreter has: {has}; choose another --python",
            )
        return asked or there[0]

    def settings(self, backend: str) -> dict[str, str]:
        """Environment variables of an interpreter that runs on a backend."""
        return {self.switch: backend} if backend else {}


OF_TENSORFLOW = frozenset(
    (
        *("TF_ENABLE_ONEDNN_OPTS", "ONEDNN_MAX_CPU_ISA", "ONEDNN_DEFAULT_FPMATH_MODE"),
        *("TF_XLA_FLAGS", "XLA_FLAGS", "TF_DETERMINISTIC_OPS", "TF_CUDNN_DETERMINISTIC"),
        *("TF_FORCE_GPU_ALLOW_GROWTH", "TF_GPU_ALLOCATOR"),
    )
)
"""Variables that change what TensorFlow computes, and how; none that names a file to load, and not
`TF_CPP_MIN_LOG_LEVEL`, which half of all code sets and for which no server need start anew."""

COMPILER = Late(
    used=r"\btorch\s{0,9}\.\s{0,9}(?:compile|_dynamo|_inductor)\b"
    r"|\bfrom torch import [\w, ]{0,99}\bcompile\b",
    modules=("torch._dynamo", "torch._inductor.compile_fx"),
    variables={
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
        "TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS": "0",
        "TORCHINDUCTOR_VEC_ISA_OK": "1",
    },
)
"""Each run compiles anew: no pool of processes, no headers that nobody compiles a second time
against, and vector instructions as the processor has them, without a test compilation."""

FRAMEWORKS = {
    one.name: one
    for one in (
        Framework(
            name="torch",
            backends={},
            late=(COMPILER,),
            ways=("eager", "aot_eager", "inductor"),
        ),
        Framework(
            name="tensorflow",
            brings=("keras",),
            backends={},
            borrows=("docstrings", "parameters", "tested"),
            variables=OF_TENSORFLOW,
            ways=("eager", "graph", "xla"),
        ),
        Framework(
            name="keras",
            switch="KERAS_BACKEND",
            backends={"tensorflow": ("tensorflow",), "jax": ("jax", "jaxlib"), "torch": ("torch",)},
            borrows=(
                "docs_tensorflow",
                "docstrings",
                "parameters",
                "patience_tensorflow",
                "public_tensorflow",
                "recorder_tensorflow",
                "recorder_torch",
                "tested",
            ),
            variables=OF_TENSORFLOW,
        ),
    )
}
"""By name; of several in one interpreter the first one is meant unless somebody says otherwise."""


def packages() -> tuple[str, ...]:
    """Everything that an interpreter is asked for."""
    return tuple(dict.fromkeys(name for one in FRAMEWORKS.values() for name in one.packages))
