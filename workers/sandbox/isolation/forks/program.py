"""The fork server: a warm Python of which every bot is a fork. It runs on this source alone.

`boot.py` starts it in walls of its own, with nothing of the worker's but two sockets and /proc.
Its first process waits for the ends of bots and tells the worker of them. The second one, the
server proper, makes a *template*: a fork that is a child of the first process, too, and the first
process of a namespace of its own. The template reads one request and becomes the bot. So the
server, from whose memory all bots begin, sees no request, process id or status, and no byte of a
bot.
"""

from __future__ import annotations

import _socket
import ctypes
import gc
import marshal
import os
import resource
import sys

from workers.sandbox.isolation.confine import _check, _libc, _prctl, load_filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

ARRIVED, READY, FAILED, ENDED = b"A", b"R", b"F", b"E"
"""The first byte of each message about a bot. Only the first process sends the last one."""
BOTS_AT = "/bots"
"""Where the server sees the folders of all bots; no bot sees it."""

_LONGEST_REQUEST = 1 << 14
_DESCRIPTORS = 4
_INT = 4
_FIRST, _HIGHEST = 3, 63
_MS_NOSUID, _MS_NODEV, _MS_BIND, _MNT_DETACH = 2, 4, 4096, 2
_NEWNS, _NEWCGROUP, _NEWUTS, _NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
_NEWUSER, _NEWPID, _NEWNET = 0x10000000, 0x20000000, 0x40000000
_CLEARTID, _SETTID, _PARENT, _SIGCHLD = 0x200000, 0x1000000, 0x8000, 17
_PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_GET_TID_ADDRESS, _PR_CAP_AMBIENT = 4, 24, 40, 47
_PR_CAP_AMBIENT_CLEAR_ALL = 4
_NO_FILE, _INTERRUPTED = 2, 130

# What bots need is made before they are forked: each page that one of them changes is copied.
_no_rights = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
_prctl_now, _capset, _mount, _umount = _libc.prctl, _libc.capset, _libc.mount, _libc.umount2
_unshare, _sethostname = _libc.unshare, _libc.sethostname
_fopen, _run_file = _libc.fopen, ctypes.pythonapi.PyRun_SimpleFileExFlags
_fopen.restype = ctypes.c_void_p


def serve(facts: dict[str, Any]) -> int:  # Any: a table of facts
    """Fork bots for ever; return in each bot, at its end, with its exit status.

    Of the `facts`, `requests` is the socket on which the worker asks for bots, `ends` the one on
    which it asks for their ends, `proc` the folder /proc of the host, which nobody sees who has
    not this descriptor, `filter` the one of all bots, and `clone` the number of that call.
    """
    _prctl("PR_SET_DUMPABLE", _PR_SET_DUMPABLE, 0)
    asked, proc, told = _keep_only(facts["requests"], facts["proc"], facts["ends"])
    requests, ends = _socket.socket(fileno=asked), _socket.socket(fileno=told)
    turn, pass_on = os.pipe()
    os.write(pass_on, b".")
    call_filter = ctypes.create_string_buffer(facts["filter"], len(facts["filter"]))
    fork_brother = _brothers(facts["clone"])
    requests.send(marshal.dumps(sorted(facts["preloaded"])))
    # Objects that no collection looks at stay on pages that all bots share.
    gc.collect()
    gc.freeze()
    if os.fork():
        requests.close()
        for descriptor in (proc, turn, pass_on):
            os.close(descriptor)
        _tell_ends(ends)
    ends.close()
    while True:
        os.read(turn, 1)
        if fork_brother():
            break
    # No variable here holds the request, because bots can find these.
    words, forgets = _become_bot(*_receive(requests, pass_on), proc, call_filter)
    if forgets:
        for name in facts["preloaded"]:
            sys.modules.pop(name, None)
    return _run(words)


def _keep_only(*kept: int) -> list[int]:
    """Close every other descriptor; return these under the lowest numbers.

    So the closing of all others later need not look far, which takes long where Python was built
    for kernels that close one at a time.
    """
    listed = os.open("self/fd", os.O_RDONLY, dir_fd=kept[1])
    names = os.listdir(listed)  # noqa: PTH208  # pathlib is not loaded
    others = {int(name) for name in names} - {0, 1, 2, *kept}
    for descriptor in others:
        try:
            os.close(descriptor)
        except OSError:  # the listing itself used it
            continue
    low = [os.dup(descriptor) for descriptor in kept]
    for descriptor in kept:
        os.close(descriptor)
    return low


def _tell_ends(ends: _socket.socket) -> NoReturn:
    """Be the first process: at each word of the worker, wait for the end of a bot and tell it.

    Nothing but such a word wakes it: whoever waits for a process is woken at each of its pauses.
    The kernel tells the worker which of its processes has ended, as long as that is not reaped.
    """
    ids = os.getuid(), os.getgid()
    while ends.recv(1):
        try:
            pid: int = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT).si_pid  # type: ignore[union-attr]  # it waits
            who = b"".join(each.to_bytes(_INT, sys.byteorder) for each in (pid, *ids))
            ends.sendmsg([ENDED], [(_socket.SOL_SOCKET, _socket.SCM_CREDENTIALS, who)])
            _, status, used = os.wait4(pid, 0)
            ends.send(marshal.dumps((status, used.ru_utime, used.ru_stime, used.ru_maxrss)))
        except OSError:  # the worker has gone
            break
    os._exit(0)


def _brothers(number: int) -> Callable[[], bool]:
    """Return a function that forks this process, so that the fork is its brother.

    It returns whether it runs in the fork, which is the first process of a namespace. It does what
    `os.fork` does, but drops what the kernel returns: a process id in memory would be inherited by
    the next fork. The C library wants to know its thread id, so the kernel writes that.
    """
    at = ctypes.c_void_p()
    _prctl("PR_GET_TID_ADDRESS", _PR_GET_TID_ADDRESS, ctypes.byref(at))
    flags = _PARENT | _NEWPID | _SETTID | _CLEARTID | _SIGCHLD
    python = ctypes.PyDLL(None, use_errno=True)
    clone, before, nothing = python.syscall, python.PyOS_BeforeFork, ctypes.c_void_p()
    in_child, in_parent = python.PyOS_AfterFork_Child, python.PyOS_AfterFork_Parent
    clone.restype = before.restype = in_child.restype = in_parent.restype = None
    # The last two are the address and something unused, in this order or the other.
    words = ctypes.c_long(number), ctypes.c_long(flags), nothing, nothing, at, at

    def fork() -> bool:
        before()
        ctypes.set_errno(0)
        clone(*words)
        error = ctypes.get_errno()
        if os.getpid() == 1:
            in_child()
            return True
        in_parent()
        if error:
            sys.exit(f"clone of processes: {os.strerror(error)}")
        return False

    return fork


def _receive(
    requests: _socket.socket, pass_on: int
) -> tuple[Any, list[int]]:  # Any: as the worker has it
    """Return the next request and its descriptors, and let the server make the next template.

    End when the worker has gone.
    """
    space = _socket.CMSG_SPACE(_DESCRIPTORS * _INT)
    text, attached, _, _ = requests.recvmsg(_LONGEST_REQUEST, space)
    if not text:
        os._exit(0)
    requests.detach()
    os.write(pass_on, b".")
    _, _, data = attached[0]
    return marshal.loads(text), memoryview(data).cast("i").tolist()  # noqa: S302  # from our own launcher


def _become_bot(
    request: Any,  # as the worker has it
    descriptors: list[int],
    proc: int,
    call_filter: ctypes.Array[ctypes.c_char],
) -> tuple[list[str], bool]:
    """Put all walls around this process; return what it runs, and whether it forgets modules."""
    words, forgets, folder, in_group, rlimits, scratch, uid = request
    *stdio, talk = descriptors
    try:
        os.setsid()
        if in_group:
            # A control group counts pages from the moment of entry.
            os.write(talk, ARRIVED)
            _await_word(talk)
        _enter_namespaces(folder, scratch)
        _become(uid, proc)
        for number, descriptor in enumerate(stdio):
            os.dup2(descriptor, number)
        _write(proc, "self/oom_score_adj", b"1000")
        _close_others(talk)
        for name, number, limits in rlimits:
            _limit(name, number, limits)
        _drop_capabilities()
        load_filter(call_filter)
        os.write(talk, READY)
        _await_word(talk)
        os.close(talk)
    except (OSError, ValueError) as error:
        os.write(talk, FAILED + str(error).encode())
        os._exit(1)
    return words, forgets


def _await_word(talk: int) -> None:
    if not os.read(talk, 1):
        os._exit(1)


def _enter_namespaces(folder: bytes, scratch: bytes) -> None:
    """Leave every namespace but that of users, and the sight of other bots' folders.

    They belong to the server's user namespace, in which a bot has no rights whatever it gains in
    its own. The folders lie on mounts that are read-only, and a bind keeps that.
    """
    _check("unshare", _unshare(_NEWNS | _NEWNET | _NEWIPC | _NEWUTS | _NEWCGROUP))
    _check("mount /bot", _mount(folder, b"/bot", None, _MS_BIND, None))
    _check("umount", _umount(BOTS_AT.encode(), _MNT_DETACH))
    made = _mount(b"tmpfs", b"/tmp", b"tmpfs", _MS_NOSUID | _MS_NODEV, scratch)  # the bot's own
    _check("mount /tmp", made)
    _check("sethostname", _sethostname(b"bot", 3))
    os.chdir("/bot")


def _become(uid: int, proc: int) -> None:
    """Become the bot's user in a user namespace that has no other; 0 means to stay the same.

    A task limit counts the tasks of a user in one such namespace.
    """
    if uid:
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    # The kernel clears this at each change, and without it a process may not write its maps.
    _prctl("PR_SET_DUMPABLE", _PR_SET_DUMPABLE, 1)
    ids = os.getuid(), os.getgid()
    _check("unshare of users", _unshare(_NEWUSER))
    _write(proc, "self/setgroups", b"deny")
    _write(proc, "self/uid_map", b"65534 %d 1" % ids[0])
    _write(proc, "self/gid_map", b"65534 %d 1" % ids[1])


def _write(proc: int, name: str, text: bytes) -> None:
    file = os.open(name, os.O_WRONLY, dir_fd=proc)
    os.write(file, text)
    os.close(file)


def _limit(name: str, number: int, limits: tuple[int, int]) -> None:
    try:
        resource.setrlimit(number, limits)
    except (OSError, ValueError) as error:
        raise ValueError(f"rlimit {name} could not be set to {limits}: {error}") from error


def _drop_capabilities() -> None:
    number = 0
    while _prctl_now(_PR_CAPBSET_DROP, number, 0, 0, 0) == 0:
        number += 1
    _prctl("PR_CAP_AMBIENT", _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)
    _check("capset", _capset(*_no_rights))


def _close_others(kept: int) -> None:
    """Close all descriptors but the standard ones and this one."""
    os.closerange(_FIRST, kept)
    os.closerange(kept + 1, _HIGHEST + 1)


def _run(words: list[str]) -> int:
    """Run a file as Python itself does after its start; `words` are the file and its arguments."""
    path = words[0]
    sys.argv[:], sys.orig_argv[sys.orig_argv.index("-c") :] = words, words
    sys.path[0] = path.rpartition("/")[0]
    main: Any = type(sys)("__main__")
    main.__annotations__, main.__builtins__ = {}, sys.modules["builtins"]
    sys.modules["__main__"] = main
    file = _fopen(path.encode(), b"rb")
    if not file:
        number = ctypes.get_errno()
        told = f"can't open file {path!r}: [Errno {number}] {os.strerror(number)}"
        os.write(2, f"{sys.executable}: {told}\n".encode())
        return _NO_FILE
    # It prints a traceback without our own frames, and ends the process at `sys.exit`.
    if _run_file(ctypes.c_void_p(file), path.encode(), 1, None) == 0:
        return 0
    is_interrupt = getattr(sys, "last_type", None) is KeyboardInterrupt
    return _INTERRUPTED if is_interrupt else 1
