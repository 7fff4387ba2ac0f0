"""System call filters: what confined code may not ask of the kernel, as seccomp programs.

`refuse_dangerous` is for the whole sandbox, `leash` for one case below the fork server. Both are
inherited by everything that is started afterwards and cannot be taken off again.
"""

import ctypes
import errno
import os
import platform
import struct

PR_SET_SECCOMP = 22
PR_GET_SECCOMP = 21
PR_SET_NO_NEW_PRIVS = 38
MODE_FILTER = 2

KILL_PROCESS = 0x80000000
ERRNO = 0x00050000
ALLOW = 0x7FFF0000
DONE = ERRNO  # errno 0: the call seems to work and does nothing

# Columns: x86_64, aarch64; None where the architecture lacks the call.
ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
X32 = 0x40000000
NUMBERS = {
    "socket": (41, 198),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "unshare": (272, 97),
    "setns": (308, 268),
    "bpf": (321, 280),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "fanotify_init": (300, 262),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "syslog": (103, 116),
    "vhangup": (153, 58),
    "iopl": (172, None),
    "ioperm": (173, None),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "semop": (65, 193),
    "semctl": (66, 191),
    "semtimedop": (220, 192),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "clone": (56, 220),
    "clone3": (435, 435),
    "open": (2, None),
    "openat": (257, 56),
    "openat2": (437, 437),
    "truncate": (76, 45),
    "ioctl": (16, 29),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "setxattrat": (463, 463),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
    "setsid": (112, 157),
    "setpgid": (109, 154),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_send_signal": (424, 424),
    "fcntl": (72, 25),
    "prlimit64": (302, 261),
}
REFUSED = (
    "ptrace process_vm_readv process_vm_writev process_madvise pidfd_getfd kcmp mount umount2 "
    "pivot_root chroot open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr "
    "open_tree_attr name_to_handle_at open_by_handle_at unshare setns bpf add_key request_key "
    "keyctl kexec_load kexec_file_load perf_event_open userfaultfd fanotify_init init_module "
    "finit_module delete_module swapon swapoff reboot acct quotactl quotactl_fd syslog vhangup "
    "iopl ioperm settimeofday clock_settime adjtimex clock_adjtime io_uring_setup io_uring_enter "
    "io_uring_register"
).split()
SHARED = (
    "shmget shmat shmctl semget semop semctl semtimedop msgget msgsnd msgrcv msgctl mq_open "
    "mq_unlink"
).split()
# Landlock does not watch these. They seem to work, because harmless code copies files with them.
ATTRIBUTES = (
    "chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes futimesat utimensat "
    "setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr setxattrat removexattrat "
    "file_setattr"
).split()
NEW_NAMESPACES = 0x7E020000  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
SET_FLAGS = (0x40086602, 0x401C5820)  # FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR
TYPE_INTO_TERMINAL = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
OWN_SIGNALS = (8, 10, 15)  # F_SETOWN, F_SETSIG, F_SETOWN_EX: signals to others by way of a file


class Program:
    """A seccomp program under construction: rules in order, the first that fits decides."""

    LOAD, JUMP_EQUAL, AND, RETURN = 0x20, 0x15, 0x54, 0x06
    NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16

    def __init__(self):
        self.column, architecture = ARCHITECTURES[platform.machine()]
        self.code = []
        self.add(self.LOAD, self.ARCHITECTURE)
        self.add(self.JUMP_EQUAL, architecture, yes=1)
        self.add(self.RETURN, KILL_PROCESS)
        self.add(self.LOAD, self.NUMBER)
        if self.column == 0:
            self.add(self.AND, X32)
            self.add(self.JUMP_EQUAL, 0, yes=1)
            self.add(self.RETURN, KILL_PROCESS)
            self.add(self.LOAD, self.NUMBER)

    def add(self, code, value, yes=0, no=0):
        self.code.append(struct.pack("HBBI", code, yes, no, value & 0xFFFFFFFF))

    def rule(self, name, action):
        """The call gets this answer whatever its arguments are."""
        number = NUMBERS[name][self.column]
        if number is not None:
            self.add(self.JUMP_EQUAL, number, no=1)
            self.add(self.RETURN, action)

    def where(self, name, argument, values, action, mask=None, otherwise=False):
        """The call gets this answer where an argument's lower half, masked, is among `values`.

        With `otherwise`, where it is not among them.
        """
        number = NUMBERS[name][self.column]
        if number is None:
            return
        rest = 2 * len(values) + (mask is not None) + 2
        self.add(self.JUMP_EQUAL, number, no=rest)
        self.add(self.LOAD, self.ARGUMENTS + 8 * argument)
        if mask is not None:
            self.add(self.AND, mask)
        hit, miss = (ALLOW, action) if otherwise else (action, ALLOW)
        for value in values:
            self.add(self.JUMP_EQUAL, value, no=1)
            self.add(self.RETURN, hit)
        self.add(self.RETURN, miss)

    def install(self):
        """Raises OSError where the kernel refuses."""
        self.add(self.RETURN, ALLOW)
        code = b"".join(self.code)
        buffer = ctypes.create_string_buffer(code, len(code))
        program = struct.pack("HxxxxxxP", len(self.code), ctypes.addressof(buffer))
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "no_new_privs")
        if libc.prctl(PR_SET_SECCOMP, MODE_FILTER, program, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "seccomp")


def offered():
    """Whether this machine has seccomp filters and its calls are known here."""
    if platform.machine() not in ARCHITECTURES:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    # A filter at the null address: refused for that reason, if filters are known at all.
    known = libc.prctl(PR_SET_SECCOMP, MODE_FILTER, None, 0, 0) == -1
    return known and ctypes.get_errno() == errno.EFAULT


def refuse_dangerous(landlock):
    """No sockets, no other processes' memory, no namespaces, nothing for administrators.

    Also refused is what that version of Landlock does not watch.
    """
    program = Program()
    for name in (*REFUSED, *SHARED):
        program.rule(name, ERRNO | errno.EPERM)
    # The argument of clone3 and openat2 lies in memory, where no filter sees it; the C library does
    # without them.
    for name in ("clone3", "openat2"):
        program.rule(name, ERRNO | errno.ENOSYS)
    # Sockets in the file system too: Landlock lets anyone connect to them, Docker's included.
    program.rule("socket", ERRNO | errno.EACCES)
    for name in ATTRIBUTES:
        program.rule(name, DONE)
    denied = ERRNO | errno.EPERM
    program.where("clone", 0, (0,), denied, mask=NEW_NAMESPACES, otherwise=True)
    if landlock < 3:
        # Truncating what may only be read.
        program.rule("truncate", ERRNO | errno.EACCES)
        for name, argument in (("open", 1), ("openat", 2)):
            mask = os.O_TRUNC | os.O_WRONLY | os.O_RDWR
            program.where(name, argument, (os.O_TRUNC,), ERRNO | errno.EACCES, mask=mask)
    program.where("ioctl", 1, (*SET_FLAGS, *TYPE_INTO_TERMINAL), denied)
    program.install()


def leash(strict):
    """Keep a case in its process group, which can be killed at one stroke, and from `kill(-1)`.

    `strict` leaves a process no signals but those to itself, for kernels on which Landlock lets
    confined code signal everything that the user runs.
    """
    program = Program()
    for name in ("setsid", "setpgid"):
        program.rule(name, DONE)
    program.rule("tkill", ERRNO | errno.EPERM)
    if strict:
        own = (0, os.getpid())
        for name in ("kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"):
            program.where(name, 0, own, ERRNO | errno.EPERM, otherwise=True)
        program.where("fcntl", 1, OWN_SIGNALS, ERRNO | errno.EPERM)
        program.where("prlimit64", 0, own, ERRNO | errno.EPERM, otherwise=True)
        program.rule("pidfd_send_signal", ERRNO | errno.EPERM)
    else:
        program.where("kill", 0, (-1,), ERRNO | errno.EPERM)
    program.install()
