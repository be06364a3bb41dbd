"""The system calls that a bot may make: names and argument tests, from which filters are built.

Every other call fails with ENOSYS. A name that exists on neither architecture, or that aarch64
lacks and `X86_ONLY` does not list, stops the build of the filters.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

ALLOW = 0x7FFF0000
KILL = 0x80000000


def refuse(number: int) -> int:
    """Return the verdict that makes a call fail with this errno."""
    return 0x00050000 | number


PRETEND = refuse(0)
"""The verdict that makes a call report success and do nothing."""


class Variant(StrEnum):
    """The sandbox level and the kind of program that a filter is for."""

    NAMESPACES = "namespaces"
    LANDLOCK = "landlock"
    PROCESSES = "processes"
    """The namespaces level, for a bot that may have children."""
    BUILD = "build"
    """The namespaces level, for a build, which meets no opponent."""


HIGH = 6


@dataclass(frozen=True, slots=True)
class Test:
    """A verdict for calls whose arguments all match; a match is `argument & mask == value`.

    Only the low 32 bits are compared: a tested argument is an int to the kernel. Where it is a
    pointer, `argument + HIGH` stands for its upper 32 bits.
    """

    matches: tuple[tuple[int, int, int], ...]
    verdict: int


@dataclass(frozen=True, slots=True)
class Rule:
    """The verdict of one system call: the first test that matches, else `otherwise`."""

    otherwise: int
    tests: tuple[Test, ...] = ()


_ALLOWED = """
read write readv writev pread64 pwrite64 preadv pwritev lseek close
open openat creat stat fstat lstat newfstatat statx access faccessat faccessat2 readlink
readlinkat getcwd chdir fchdir getdents getdents64 umask truncate ftruncate
fallocate rename renameat renameat2 mkdir mkdirat rmdir unlink
unlinkat symlink symlinkat dup dup2 dup3 pipe pipe2
poll ppoll select pselect6 epoll_create epoll_create1
epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd eventfd2 signalfd signalfd4
timerfd_create timerfd_settime timerfd_gettime mprotect munmap brk mremap
rseq pkey_mprotect pkey_alloc pkey_free execve execveat wait4
waitid rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend
rt_sigtimedwait sigaltstack restart_syscall getpid getppid
gettid getuid geteuid getgid getegid getgroups getresuid getresgid getpgrp
getrlimit getrusage times uname getcpu set_tid_address
set_robust_list futex futex_waitv sched_yield
sched_get_priority_max sched_get_priority_min
gettimeofday time nanosleep getitimer
setitimer alarm pause
getrandom recvfrom sendto shutdown getsockopt getsockname getpeername
"""

# Honest programs try these and cope with a refusal.
_REFUSED = {
    errno.EPERM: """
setsid setpgid setpriority sched_setaffinity sched_setscheduler sched_setparam sched_setattr
ioprio_set setuid setgid setreuid setregid setresuid setresgid setgroups setfsuid setfsgid capset
chown fchown lchown fchownat link linkat mknod mknodat mlock mlock2 mlockall munlock munlockall
shmget shmat shmctl semget semop semctl msgget msgsnd msgrcv msgctl mq_open fork vfork
timer_create
""",
    errno.EACCES: "socket connect bind listen accept accept4 sendmsg recvmsg",
    # It would take memory of the kernel, and give it filters to run.
    errno.ENOPROTOOPT: "setsockopt",
    # They move up to 2 GiB in one call. Programs that copy files do without them after this error.
    errno.EINVAL: "sendfile splice tee",
    # `sysinfo` counts the threads and the free memory of the host, in which a bot would see its
    # opponent, and another seat of its author could signal to it. The free space of a file system
    # changes with every other bot's files.
    errno.ENOSYS: "copy_file_range sysinfo statfs fstatfs",
}

# These calls do nothing and report success. The page cache, the journal of the host's disk, the
# times of device nodes and locks on files that all bots see outlive a match or reach another bot.
_PRETENDED = """
fadvise64 readahead fsync fdatasync sync_file_range flock
utime utimes utimensat futimesat
"""

# No honest program makes these calls, so they end the process.
_KILLED = """
ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd unshare setns mount umount2 pivot_root
chroot bpf perf_event_open keyctl add_key request_key init_module finit_module delete_module
kexec_load reboot swapon swapoff open_by_handle_at name_to_handle_at iopl ioperm settimeofday
clock_settime acct quotactl fsopen fsmount fsconfig fspick move_mount open_tree mount_setattr
syslog vhangup sethostname setdomainname
"""

# Landlock does not cover these, and without namespaces they could reach files of the same user.
_METADATA = "chmod fchmod fchmodat"

_X86_ONLY = """
access alarm arch_prctl chmod chown creat dup2 epoll_create epoll_wait eventfd fork futimesat
getdents getpgrp ioperm iopl lchown link lstat mkdir mknod open pause pipe poll readlink rename
rmdir select signalfd stat symlink time unlink utime utimes vfork
"""
X86_ONLY = frozenset(_X86_ONLY.split())
"""System calls that aarch64 never had."""

OWN_PID = 0x50454E54
"""A placeholder in Landlock's filter for the bot's process id, replaced on loading."""
OWN_CLOCK = 0x50454E58
"""A placeholder in that filter for the bot's CPU clocks: bits 3 to 31 of their ids."""

_CLONE_THREAD, _CLONE_FILES, _CLONE_VFORK = 0x00010000, 0x00000400, 0x00004000
_CLONE_NEW = 0x7E020080
# For bots with children: calls that start a child, make a named semaphore, or hand over a file.
_CHILDREN = "fork vfork link linkat sendmsg recvmsg"
# A build meets nobody: its tools may lock files and ask for free space. They may not set times,
# because those of device nodes stay for later builds. Make gives each child the ids that it has,
# and runs none if that fails; there are no other ids in the namespace.
_BUILD = "flock statfs fstatfs setresuid setresgid"
_AF_UNIX = 1
_RLIMIT_CPU = 0
_SOCK_STREAM, _SOCK_SEQPACKET = 1, 5
_ANY = 0xFFFFFFFF
_SIGKILL, _SIGCONT = 9, 18


def _values(argument: int, values: Iterable[int], verdict: int = ALLOW) -> tuple[Test, ...]:
    return tuple(Test(((argument, _ANY, value),), verdict) for value in values)


def _bits(argument: int, bits: int, verdict: int) -> Test:
    return Test(((argument, bits, bits),), verdict)


# TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX.
_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
# Reading, naming and no_new_privs. PR_SET_PDEATHSIG is not here: a bot that clears it would
# outlive a killed worker.
_PRCTLS = (2, 3, 15, 16, 21, 23, 38, 39, 0x53564D41)
# F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ. Left out are owners
# and signals of files, leases, notifications of changes, write hints, and the size of a pipe.
_FCNTLS = (0, 1, 2, 3, 4, 1030, 1032)
# F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW; then F_GETLK, F_OFD_GETLK, which reveal locks of
# others.
_LOCKS, _LOCKS_OF_OTHERS = (6, 7, 37, 38), (5, 36)
# NORMAL, RANDOM, SEQUENTIAL, DONTNEED, FREE, DONTFORK, DOFORK, UNMERGEABLE, HUGEPAGE, NOHUGEPAGE,
# DONTDUMP, DODUMP, WIPEONFORK, KEEPONFORK. Left out are POPULATE_READ, POPULATE_WRITE, COLLAPSE
# and PAGEOUT, which run on while the bot is stopped.
_ADVICE = (0, 1, 2, 4, 8, 10, 11, 13, 14, 15, 16, 17, 18, 19)
_WILLNEED = 3
# Commands that touch no process but the caller's: the query, and private ones with registration.
_BARRIERS = (0, 8, 16, 32, 64, 128, 256)
# ARCH_SET_GS, ARCH_SET_FS, ARCH_GET_FS, ARCH_GET_GS, ARCH_GET_CPUID.
_ARCHITECTURE = (0x1001, 0x1002, 0x1003, 0x1004, 0x1011)
_MAP_SHARED_ANONYMOUS, _MAP_POPULATE, _MAP_HUGETLB = 0x21, 0x8000, 0x40000
_MS_SYNC = 4
_F_SETFL, _O_DSYNC = 4, 0x1000
_SHARING = _CLONE_THREAD | _CLONE_FILES
# A bot that waits for its own thread in this way seems to wait for the host's disk.
_WAITS_FOR_THREAD = _bits(0, _CLONE_THREAD | _CLONE_VFORK, refuse(errno.EPERM))
_CLOSE_RANGE_UNSHARE = 2

# Such memory is filled without a check for signals, or has pages that are counted nowhere.
_MMAP = (
    _bits(3, _MAP_POPULATE, refuse(errno.EINVAL)),
    _bits(3, _MAP_HUGETLB, refuse(errno.ENOMEM)),
)
# Shared pages stay when a bot lets go of them, and then belong to no process.
_PRIVATE_MMAP = (*_MMAP, _bits(3, _MAP_SHARED_ANONYMOUS, refuse(errno.EPERM)))

# The index of the argument that is the signal.
_SIGNALLING = {"kill": 1, "tkill": 1, "tgkill": 2, "rt_sigqueueinfo": 1, "rt_tgsigqueueinfo": 2}

# bubblewrap passes on 128 + 9 for a bot that was killed, which nothing inside can bring about. So
# no bot may end with that status by itself; the C library goes on to an instruction that ends the
# bot.
_STATUS = Rule(ALLOW, (Test(((0, 0xFF, 128 + 9),), refuse(errno.EINVAL)),))

_ARGUMENTS = {
    "exit": _STATUS,
    "exit_group": _STATUS,
    "clone": Rule(
        KILL,
        (
            _WAITS_FOR_THREAD,
            # A thread with a file table of its own could open as many files again.
            Test(((0, _CLONE_NEW | _SHARING, _SHARING),), ALLOW),
            Test(((0, _CLONE_NEW | _CLONE_THREAD, 0),), refuse(errno.EPERM)),
        ),
    ),
    "close_range": Rule(ALLOW, (_bits(2, _CLOSE_RANGE_UNSHARE, refuse(errno.EINVAL)),)),
    "ioctl": Rule(refuse(errno.ENOTTY), _values(1, _IOCTLS)),
    "prctl": Rule(refuse(errno.EPERM), _values(0, _PRCTLS)),
    "arch_prctl": Rule(refuse(errno.EINVAL), _values(0, _ARCHITECTURE)),
    "fcntl": Rule(
        refuse(errno.EINVAL),
        (
            *_values(1, _FCNTLS),
            *_values(1, _LOCKS, PRETEND),
            *_values(1, _LOCKS_OF_OTHERS, refuse(errno.ENOLCK)),
        ),
    ),
    "madvise": Rule(
        refuse(errno.EINVAL), (*_values(2, _ADVICE), *_values(2, [_WILLNEED], PRETEND))
    ),
    "membarrier": Rule(refuse(errno.EINVAL), _values(0, _BARRIERS)),
    "mmap": Rule(ALLOW, _PRIVATE_MMAP),
    "msync": Rule(ALLOW, (_bits(2, _MS_SYNC, PRETEND),)),
    # Only pid 0: a bot may neither read nor change the limits of another process. It may not
    # change its own limit of CPU time either: at a lower one the kernel kills, which looks like a
    # kill by the host. A call that only reads passes no new limit.
    "prlimit64": Rule(
        refuse(errno.EPERM),
        (
            Test(((0, _ANY, 0), (2, _ANY, 0), (2 + HIGH, _ANY, 0)), ALLOW),
            *_values(1, (_RLIMIT_CPU,), refuse(errno.EPERM)),
            *_values(0, (0,)),
        ),
    ),
    "setrlimit": Rule(ALLOW, _values(0, (_RLIMIT_CPU,), refuse(errno.EPERM))),
    "personality": Rule(refuse(errno.EPERM), _values(0, (0, 8, 0x20000, 0xFFFFFFFF))),
    # asyncio and libuv wake themselves through pairs of Unix sockets.
    "socketpair": Rule(
        refuse(errno.EACCES),
        tuple(
            Test(((0, _ANY, _AF_UNIX), (1, 0xF, kind)), ALLOW)
            for kind in (_SOCK_STREAM, _SOCK_SEQPACKET)
        ),
    ),
    # A stopped bot must not be able to resume itself.
    **{
        name: Rule(ALLOW, _values(argument, [_SIGCONT], refuse(errno.EPERM)))
        for name, argument in _SIGNALLING.items()
    },
}

# Calls that name a process: the argument that names it, and the error for any but the bot's own.
_PROCESS_ARGUMENT = {
    "getpgid": (0, errno.ESRCH),
    "getsid": (0, errno.ESRCH),
    "getpriority": (1, errno.ESRCH),
    "get_robust_list": (0, errno.EPERM),
    "sched_getparam": (0, errno.ESRCH),
    "sched_getscheduler": (0, errno.ESRCH),
    "sched_rr_get_interval": (0, errno.ESRCH),
    # The C library passes on every other error to programs that ask about their own thread.
    "sched_getaffinity": (0, errno.ENOSYS),
}
# The header of this call names a process in memory.
_PROCESS_IN_MEMORY = "capget"
_CLOCKS = ("clock_gettime", "clock_getres", "clock_nanosleep")
_NEGATIVE, _CLOCK_OWNER = 0x80000000, 0xFFFFFFF8


def rules(variant: Variant) -> dict[str, Rule]:
    """Return the rule of every named system call."""
    table = _always(_ALLOWED, ALLOW)
    unlimited = (_METADATA, _PROCESS_IN_MEMORY, *_PROCESS_ARGUMENT, *_CLOCKS)
    table |= _always(" ".join(unlimited), ALLOW)
    for number, names in _REFUSED.items():
        table |= _always(names, refuse(number))
    table |= _always(_PRETENDED, PRETEND) | _always(_KILLED, KILL) | _ARGUMENTS
    return table | _OF_VARIANT[variant]


def refuse_disk_waits(table: dict[str, Rule], *, o_direct: int) -> dict[str, Rule]:
    """Return the rules, and forbid reading or writing files past the page cache.

    A bot that does so could wait for the disk at will, and make its host seem too slow.
    """
    refused = refuse(errno.EINVAL)
    setting = Test(((1, _ANY, _F_SETFL), (2, o_direct, o_direct)), refused)
    wanted: dict[str, tuple[Test, ...]] = {"fcntl": (setting,)}
    for name, argument in (("open", 1), ("openat", 2)):
        wanted[name] = tuple(_bits(argument, bits, refused) for bits in (o_direct, _O_DSYNC))
    return table | {
        name: Rule(table[name].otherwise, (*tests, *table[name].tests))
        for name, tests in wanted.items()
        if name in table
    }


def _always(names: str, verdict: int) -> dict[str, Rule]:
    return {name: Rule(verdict) for name in names.split()}


def _landlock() -> dict[str, Rule]:
    """Return the further rules for a bot that shares the processes and disks of the host."""
    table = _always(_METADATA, refuse(errno.EPERM))
    table |= _always(_PROCESS_IN_MEMORY, refuse(errno.EPERM))
    for name, (argument, number) in _PROCESS_ARGUMENT.items():
        table[name] = Rule(refuse(number), _values(argument, (0, OWN_PID)))
    for name, argument in _SIGNALLING.items():
        # For `kill`, zero means the bot's own process group; for the others, no process.
        own = _values(0, (0, OWN_PID))
        # So a bot that SIGKILL ended was killed by its host.
        no_kill = _values(argument, [_SIGKILL], refuse(errno.EPERM))
        table[name] = Rule(refuse(errno.EPERM), (*_ARGUMENTS[name].tests, *no_kill, *own))
    for name in _CLOCKS:
        owners = (_CLOCK_OWNER, OWN_CLOCK)
        own = tuple(Test(((0, _CLOCK_OWNER, owner),), ALLOW) for owner in owners)
        table[name] = Rule(refuse(errno.EINVAL), (Test(((0, _NEGATIVE, 0),), ALLOW), *own))
    return table


def _processes() -> dict[str, Rule]:
    """Return the further rules for a bot with children, all of which its group controls."""
    table = _always(_CHILDREN, ALLOW) | _always(" ".join(_SIGNALLING), ALLOW)
    # All bots of a host see the same devices, so they would notice each other's locks there.
    table |= _always("flock", refuse(errno.ENOLCK))
    table["clone"] = Rule(KILL, (_WAITS_FOR_THREAD, Test(((0, _CLONE_NEW, 0),), ALLOW)))
    table["mmap"] = Rule(ALLOW, _MMAP)
    table["fcntl"] = Rule(
        refuse(errno.EINVAL),
        (*_values(1, _FCNTLS), *_values(1, (*_LOCKS, *_LOCKS_OF_OTHERS), refuse(errno.ENOLCK))),
    )
    return table


def _build() -> dict[str, Rule]:
    """Return the further rules for the tools of a build."""
    fcntl = Rule(refuse(errno.EINVAL), _values(1, (*_FCNTLS, *_LOCKS, *_LOCKS_OF_OTHERS)))
    return _processes() | _always(_BUILD, ALLOW) | {"fcntl": fcntl}


_OF_VARIANT = {
    Variant.NAMESPACES: {},
    Variant.LANDLOCK: _landlock(),
    Variant.PROCESSES: _processes(),
    Variant.BUILD: _build(),
}
