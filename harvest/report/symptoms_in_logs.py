"""What native crashes and failed comparisons leave in logs."""

from __future__ import annotations

from harvest.report.model import ClaimKind
from harvest.report.symptoms import Symptom, exits
from harvest.report.wordings import Wording, Wordings


def _log(signal: str | None, *wordings: Wording) -> Symptom:
    return Symptom(kind=ClaimKind.CRASHES, signal=signal, pattern=Wordings(*wordings))


IN_LOGS: tuple[Symptom, ...] = (
    _log(
        "SIGSEGV",
        Wording(
            "log/segmentation-fault",
            r"[Ss]egmentation fault|SIGSEGV|\bSEGV\b",
            ("Segmentation fault (core dumped)", "received SIGSEGV"),
            ("image segmentation",),
        ),
        Wording(
            "log/access-violation",
            r"[Aa]ccess violation|0xC0000005|EXC_BAD_ACCESS",
            ("Windows fatal exception: access violation",),
        ),
        Wording(
            "log/exit-code-of-sigsegv",
            exits(139, -11),
            ("Process finished with exit code 139",),
            ("exit code 1",),
        ),
    ),
    _log(
        "SIGFPE",
        Wording(
            "log/floating-point-exception",
            r"[Ff]loating point exception|SIGFPE",
            ("Floating point exception (core dumped)",),
            ("a floating point number",),
        ),
        Wording(
            "log/exit-code-of-sigfpe",
            exits(136, -8),
            ("exited with code 136",),
            ("exited with code 13",),
        ),
    ),
    _log(
        "SIGBUS",
        Wording("log/bus-error", r"\b[Bb]us error|SIGBUS", ("Bus error",), ("the bus",)),
        Wording("log/exit-code-of-sigbus", exits(135, -7), ("exit code: -7",), ("exit code: 7",)),
    ),
    _log(
        "SIGILL",
        Wording(
            "log/illegal-instruction",
            r"[Ii]llegal instruction|SIGILL",
            ("Illegal instruction (core dumped)",),
            ("an illegal argument",),
        ),
        Wording("log/exit-code-of-sigill", exits(132, -4), ("returned code 132",)),
    ),
    _log(
        "SIGABRT",
        Wording(
            "log/aborted",
            r"^\W*(?:\d+ )?Aborted\b|SIGABRT|Fatal Python error: Aborted",
            ("Aborted (core dumped)", "Fatal Python error: Aborted"),
            ("the run was aborted",),
        ),
        Wording(
            "log/terminate-called",
            r"terminate called",
            ("terminate called after throwing an instance of 'std::out_of_range'",),
        ),
        Wording(
            "log/fatal-line-of-glog",
            r"^F[\d ].{0,200}\] ",
            ("F0410 09:12:44.102 7 shape.cc:12] rank is negative",),
            ("E0410 09:12:44.102 7 shape.cc:12] rank is negative",),
        ),
        Wording(
            "log/check-failed",
            r"^\W*Check failed: |\] Check failed: ",
            ("Check failed: rank >= 0", "shape.cc:12] Check failed: rank >= 0"),
            ("the health check failed",),
        ),
        Wording(
            "log/heap-corruption",
            r"double free or corruption|free\(\): |malloc\(\): |munmap_chunk\(\)"
            r"|corrupted size vs",
            ("free(): invalid pointer", "malloc(): corrupted top size"),
            ("the buffer is free",),
        ),
        Wording(
            "log/stack-smashing",
            r"stack smashing detected",
            ("*** stack smashing detected ***: terminated",),
        ),
        Wording(
            "log/assertion-of-c",
            r"Assertion .{1,300} failed\.?$",
            ("a.cpp:7: void f(int): Assertion `n > 0' failed.",),
            ("AssertionError: it failed",),
        ),
        Wording("log/exit-code-of-sigabrt", exits(134, -6), ("exit status 134",)),
    ),
    _log(
        "SIGKILL",
        Wording("log/killed", r"^\W*Killed\s*$|SIGKILL", ("Killed",), ("It was Killed by hand",)),
        Wording("log/exit-code-of-sigkill", exits(137, -9), ("exit code 137",)),
    ),
    _log(
        None,
        Wording(
            "log/address-sanitizer",
            r"ERROR: AddressSanitizer",
            ("==7==ERROR: AddressSanitizer: heap-use-after-free",),
        ),
        Wording(
            "log/undefined-behaviour",
            r"runtime error: .{0,200}(?:overflow|null pointer|bounds)",
            ("a.cpp:3:9: runtime error: signed integer overflow",),
            ("runtime error: no such file",),
        ),
    ),
    Symptom(
        kind=ClaimKind.VALUE,
        pattern=Wordings(
            Wording(
                "log/tensors-not-close",
                r"Tensor-likes are not (?:close|equal)",
                ("AssertionError: Tensor-likes are not close!",),
            ),
            Wording(
                "log/mismatched-elements",
                r"Mismatched elements:",
                ("Mismatched elements: 3 / 4 (75%)",),
            ),
        ),
    ),
    Symptom(
        kind=ClaimKind.RAISES,
        exception="GradcheckError",
        pattern=Wordings(
            Wording(
                "log/gradcheck-mismatch",
                r"\bmismatch for output \d+ with respect to input \d",
                ("Jacobian mismatch for output 0 with respect to input 1,",),
            ),
        ),
    ),
)
