"""What a bot may ask of the kernel: names and argument tests, from which the filters are built.

Everything that is not named here fails with ENOSYS. A name that exists on neither architecture,
or that is missing on aarch64 without being listed in `X86_ONLY`, stops the build.
"""

from __future__ import annotations

import errno
from dataclasses import dataclass
from enum import StrEnum

ALLOW = 0x7FFF0000
KILL = 0x80000000


def refuse(number: int) -> int:
    """Return the verdict that makes a call fail with this errno."""
    return 0x00050000 | number


class Variant(StrEnum):
    """Which sandbox level, and which kind of bot, a filter is for."""

    NAMESPACES = "namespaces"
    LANDLOCK = "landlock"
    PROCESSES = "processes"
    """Namespaces for a bot that may have children."""


@dataclass(frozen=True, slots=True)
class Test:
    """A verdict for calls whose arguments all match; a match is `argument & mask == value`.

    Only the low 32 bits are compared: each tested argument is an int to the kernel.
    """

    matches: tuple[tuple[int, int, int], ...]
    verdict: int


@dataclass(frozen=True, slots=True)
class Rule:
    """The verdict of one system call: the first test that matches, else `otherwise`."""

    otherwise: int
    tests: tuple[Test, ...] = ()


_ALLOWED = """
read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek close close_range
open openat creat stat fstat lstat newfstatat statx access faccessat faccessat2 readlink
readlinkat getcwd chdir fchdir getdents getdents64 statfs fstatfs umask truncate ftruncate
fallocate fsync fdatasync sync_file_range rename renameat renameat2 mkdir mkdirat rmdir unlink
unlinkat symlink symlinkat flock fcntl dup dup2 dup3 pipe pipe2 sendfile splice tee
copy_file_range fadvise64 readahead poll ppoll select pselect6 epoll_create epoll_create1
epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd eventfd2 signalfd signalfd4
timerfd_create timerfd_settime timerfd_gettime mmap mprotect munmap brk mremap madvise mincore
msync membarrier rseq pkey_mprotect pkey_alloc pkey_free execve execveat exit exit_group wait4
waitid kill tkill tgkill rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend
rt_sigtimedwait rt_sigqueueinfo rt_tgsigqueueinfo sigaltstack restart_syscall getpid getppid
gettid getuid geteuid getgid getegid getgroups getresuid getresgid getpgrp getpgid getsid
getrlimit setrlimit getrusage times sysinfo uname getcpu getpriority capget set_tid_address
set_robust_list get_robust_list futex futex_waitv sched_yield sched_getaffinity sched_getparam
sched_getscheduler sched_get_priority_max sched_get_priority_min sched_rr_get_interval
arch_prctl gettimeofday time clock_gettime clock_getres clock_nanosleep nanosleep getitimer
setitimer alarm pause timer_create timer_settime timer_gettime timer_getoverrun timer_delete
getrandom recvmsg recvfrom sendmsg sendto shutdown getsockopt setsockopt getsockname getpeername
"""

# Honest programs try these and cope with a refusal.
_REFUSED = {
    errno.EPERM: """
setsid setpgid setpriority sched_setaffinity sched_setscheduler sched_setparam sched_setattr
ioprio_set setuid setgid setreuid setregid setresuid setresgid setgroups setfsuid setfsgid capset
chown fchown lchown fchownat link linkat mknod mknodat mlock mlock2 mlockall munlock munlockall
shmget shmat shmctl semget semop semctl msgget msgsnd msgrcv msgctl mq_open fork vfork
""",
    errno.EACCES: "socket connect bind listen accept accept4",
}

# No honest program makes these: they end the process.
_KILLED = """
ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd unshare setns mount umount2 pivot_root
chroot bpf perf_event_open keyctl add_key request_key init_module finit_module delete_module
kexec_load reboot swapon swapoff open_by_handle_at name_to_handle_at iopl ioperm settimeofday
clock_settime acct quotactl fsopen fsmount fsconfig fspick move_mount open_tree mount_setattr
syslog vhangup sethostname setdomainname
"""

# Landlock does not cover these, and without namespaces they could reach files of the same user.
_METADATA = "chmod fchmod fchmodat utime utimes utimensat futimesat"

_X86_ONLY = """
access alarm arch_prctl chmod chown creat dup2 epoll_create epoll_wait eventfd fork futimesat
getdents getpgrp ioperm iopl lchown link lstat mkdir mknod open pause pipe poll readlink rename
rmdir select signalfd stat symlink time unlink utime utimes vfork
"""
X86_ONLY = frozenset(_X86_ONLY.split())
"""Names that aarch64 never had."""

_CLONE_THREAD = 0x00010000
_CLONE_NEW = 0x7E020080
# For bots with children: what starts one, and what a named semaphore is made with.
_CHILDREN = "fork vfork link linkat"
_AF_UNIX = 1
_SOCK_STREAM, _SOCK_SEQPACKET = 1, 5


def _values(argument: int, values: tuple[int, ...]) -> tuple[Test, ...]:
    return tuple(Test(((argument, 0xFFFFFFFF, value),), ALLOW) for value in values)


# TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX.
_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
# Reading, naming and no_new_privs. PR_SET_PDEATHSIG is not here: a bot that clears it would
# outlive a killed worker.
_PRCTLS = (2, 3, 15, 16, 21, 23, 38, 39, 0x53564D41)

_ARGUMENTS = {
    "clone": Rule(
        KILL,
        (
            Test(((0, _CLONE_NEW | _CLONE_THREAD, _CLONE_THREAD),), ALLOW),
            Test(((0, _CLONE_NEW | _CLONE_THREAD, 0),), refuse(errno.EPERM)),
        ),
    ),
    "ioctl": Rule(refuse(errno.ENOTTY), _values(1, _IOCTLS)),
    "prctl": Rule(refuse(errno.EPERM), _values(0, _PRCTLS)),
    # Pid 0 only: the limits of another process are not the bot's to read or change.
    "prlimit64": Rule(refuse(errno.EPERM), _values(0, (0,))),
    "personality": Rule(refuse(errno.EPERM), _values(0, (0, 8, 0x20000, 0xFFFFFFFF))),
    # Pairs of Unix sockets are what asyncio and libuv wake themselves with.
    "socketpair": Rule(
        refuse(errno.EACCES),
        tuple(
            Test(((0, 0xFFFFFFFF, _AF_UNIX), (1, 0xF, kind)), ALLOW)
            for kind in (_SOCK_STREAM, _SOCK_SEQPACKET)
        ),
    ),
}


def rules(variant: Variant) -> dict[str, Rule]:
    """Return the rule of every named system call."""
    table = {name: Rule(ALLOW) for name in _ALLOWED.split()}
    for number, names in _REFUSED.items():
        table |= {name: Rule(refuse(number)) for name in names.split()}
    table |= {name: Rule(KILL) for name in _KILLED.split()}
    metadata = refuse(errno.EPERM) if variant is Variant.LANDLOCK else ALLOW
    table |= {name: Rule(metadata) for name in _METADATA.split()} | _ARGUMENTS
    if variant is Variant.PROCESSES:
        table |= {name: Rule(ALLOW) for name in _CHILDREN.split()}
        table["clone"] = Rule(KILL, (Test(((0, _CLONE_NEW, 0),), ALLOW),))
    return table
