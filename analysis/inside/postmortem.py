"""Run a case that dies, and print where in native code that was, as PyTorch prints stacks.

In: a case. Out: in standard error, `frame #N: function + 0x0` for each function that has a name,
the innermost first, as the linker knows it. What crashes may have damaged the heap of C, so nothing
here allocates from it once the signal has come (Python's small objects lie in arenas of their own).
"""

import ctypes
import os
import signal

import case

DEPTH = 64
SIGNALS = (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL)
MOST_NAME = 2000
_KEPT = []
"""What the handler uses: nothing of it may be freed."""


class Place(ctypes.Structure):
    """`Dl_info` of the C library: what is at an address."""

    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )


def run(emit, code, traced=None, mark=""):
    """Execute the case as `case.run` does; a line with the `mark` stands in front of the stack."""
    try:
        install(mark.encode() + b"\n")
    except (AttributeError, OSError):  # a C library that does not know its own stack
        pass
    return case.run(emit, code, traced)


def install(mark):
    """Have the stack printed when one of `SIGNALS` comes; the process then dies of it."""
    libc = ctypes.CDLL(None)
    libc.signal.argtypes = (ctypes.c_int, ctypes.c_void_p)
    libc.dladdr.argtypes = (ctypes.c_void_p, ctypes.POINTER(Place))
    addresses, place = (ctypes.c_void_p * DEPTH)(), Place()
    libc.backtrace(addresses, DEPTH)  # the first time, it loads a library

    def died(number):
        libc.signal(number, None)
        os.write(2, mark)
        for depth in range(libc.backtrace(addresses, DEPTH)):
            if addresses[depth] and libc.dladdr(addresses[depth], ctypes.byref(place)):
                if place.name:
                    line = b"frame #%d: %s + 0x0\n" % (depth, place.name[:MOST_NAME])
                    os.write(2, line)
        os.kill(os.getpid(), number)

    handler = ctypes.CFUNCTYPE(None, ctypes.c_int)(died)
    _KEPT.append((handler, addresses, place))
    for number in SIGNALS:
        libc.signal(number, ctypes.cast(handler, ctypes.c_void_p))


def readable(emit, names):
    """Emit {"name", "readable"}: what C++ calls what the linker knows, None where that is no name.

    For a sound process.
    """
    demangle = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
    demangle.restype = ctypes.c_char_p  # what it allocates goes with the process
    for name in names:
        found = demangle(name.encode("utf-8", "replace"), None, None, None)
        emit({"name": name, "readable": found and found.decode("utf-8", "replace")})
    return 0
