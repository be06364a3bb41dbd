"""The fork server: a warm Python of which every bot is a fork. It runs on this source alone.

`boot.py` starts it in walls of its own, with nothing of the worker's but two sockets and /proc. Its
first process waits for the ends of bots and tells the worker of them. The second one, the server
proper, makes a *template*: a fork that is a child of the first process, too, and the first process
of a namespace of its own. The template reads one request and becomes the bot. So the server never
sees a request, and what it has in memory is the same before and after each bot: it takes no
process id from the kernel, and no status, and no byte of a bot.
"""

from __future__ import annotations

import _socket
import array
import ctypes
import gc
import marshal
import os
import sys

from workers.sandbox.isolation.confine import _check, _libc, _prctl, filter_calls, limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

ARRIVED, READY, FAILED, ENDED = b"A", b"R", b"F", b"E"
"""The first byte of each message about a bot. Only the first process sends the last one."""
BOTS_AT = "/bots"
"""Where the server sees the folders of all bots; no bot sees it."""

_LONGEST_REQUEST = 1 << 16
_DESCRIPTORS = 4
_FIRST, _HIGHEST = 3, 63
_MS_NOSUID, _MS_NODEV, _MS_BIND, _MNT_DETACH = 2, 4, 4096, 2
_NEWNS, _NEWCGROUP, _NEWUTS, _NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
_NEWUSER, _NEWPID, _NEWNET = 0x10000000, 0x20000000, 0x40000000
_CLEARTID, _SETTID, _PARENT, _SIGCHLD = 0x200000, 0x1000000, 0x8000, 17
_PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_GET_TID_ADDRESS, _PR_CAP_AMBIENT = 4, 24, 40, 47
_PR_CAP_AMBIENT_CLEAR_ALL = 4
_CAPABILITIES_VERSION = 0x20080522
_NO_FILE, _INTERRUPTED = 2, 130


def serve(facts: dict[str, Any]) -> int:  # Any: a table of facts
    """Fork bots for ever; return in each bot, at its end, with its exit status.

    Of the `facts`, `requests` is the socket on which the worker asks for bots, `ends` the one on
    which it asks for their ends, `proc` the folder /proc of the host, which nobody sees who has
    not this descriptor, `filter` the one of all bots, and `clone` the number of that call.
    """
    _prctl("PR_SET_DUMPABLE", _PR_SET_DUMPABLE, 0)
    requests, proc, ends = _keep_only(facts["requests"], facts["proc"], facts["ends"])
    turn, pass_on = os.pipe()
    os.write(pass_on, b".")
    # Objects that no collection looks at stay on pages that all bots share.
    gc.collect()
    gc.freeze()
    if os.fork():
        for descriptor in (requests, proc, turn, pass_on):
            os.close(descriptor)
        _tell_ends(_socket.socket(fileno=ends))
    os.close(ends)
    fork_brother = _brothers(facts["clone"])
    while True:
        os.read(turn, 1)
        if fork_brother():
            break
    words = _become_bot(requests, pass_on, proc, call_filter=facts["filter"])
    return _run(words, facts["preloaded"])


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
    while ends.recv(1):
        try:
            pid = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT).si_pid
            who = array.array("i", [pid, os.getuid(), os.getgid()])
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
    python, at = ctypes.PyDLL(None, use_errno=True), ctypes.c_void_p()
    _prctl("PR_GET_TID_ADDRESS", _PR_GET_TID_ADDRESS, ctypes.byref(at))
    flags = _PARENT | _NEWPID | _SETTID | _CLEARTID | _SIGCHLD
    clone, nothing = python.syscall, ctypes.c_void_p()
    clone.restype = python.PyOS_BeforeFork.restype = None
    python.PyOS_AfterFork_Child.restype = python.PyOS_AfterFork_Parent.restype = None
    # The last two are the address and something unused, in this order or the other.
    words = ctypes.c_long(number), ctypes.c_long(flags), nothing, nothing, at, at

    def fork() -> bool:
        python.PyOS_BeforeFork()
        ctypes.set_errno(0)
        clone(*words)
        error = ctypes.get_errno()
        if os.getpid() == 1:
            python.PyOS_AfterFork_Child()
            return True
        python.PyOS_AfterFork_Parent()
        if error:
            sys.exit(f"clone of processes: {os.strerror(error)}")
        return False

    return fork


def _receive(requests: _socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Return the next request and its descriptors; end when the worker has gone."""
    space = _socket.CMSG_SPACE(_DESCRIPTORS * 4)
    text, attached, _, _ = requests.recvmsg(_LONGEST_REQUEST, space)
    if not text:
        os._exit(0)
    descriptors = array.array("i")
    for _, _, data in attached:
        descriptors.frombytes(data)
    return marshal.loads(text), list(descriptors)  # noqa: S302  # written by our own launcher


def _become_bot(requests: int, pass_on: int, proc: int, *, call_filter: bytes) -> list[str]:
    """Take a request and put all walls around this process; return what the bot runs."""
    request, (*stdio, talk) = _receive(_socket.socket(fileno=requests))
    os.write(pass_on, b".")
    try:
        _raise_walls(request, stdio, talk, proc)
        filter_calls(call_filter)
        os.write(talk, READY)
        _await_word(talk)
        os.close(talk)
    except (OSError, ValueError) as error:
        os.write(talk, FAILED + str(error).encode())
        os._exit(1)
    words: list[str] = request["words"]
    return words


def _raise_walls(request: dict[str, Any], stdio: list[int], talk: int, proc: int) -> None:
    """Put everything but the filter between this process and the rest of the world."""
    os.setsid()
    if request["group"]:
        # A control group counts pages from the moment of entry.
        os.write(talk, ARRIVED)
        _await_word(talk)
    _enter_namespaces(request)
    _become(request["uid"], proc)
    for number, descriptor in enumerate(stdio):
        os.dup2(descriptor, number)
    _write(proc, "oom_score_adj", "1000")
    _close_others({talk})
    for name, (soft, hard) in request["rlimits"].items():
        try:
            limit({name: [soft, hard]})
        except (OSError, ValueError) as error:
            raise ValueError(f"rlimit {name} could not be set to {soft, hard}: {error}") from error
    _drop_capabilities()


def _await_word(talk: int) -> None:
    if not os.read(talk, 1):
        os._exit(1)


def _enter_namespaces(request: dict[str, Any]) -> None:
    """Leave every namespace but that of users, and the sight of other bots' folders.

    They belong to the server's user namespace, in which a bot has no rights whatever it gains in
    its own. The folders lie on mounts that are read-only, and a bind keeps that.
    """
    wanted = _NEWNS | _NEWNET | _NEWIPC | _NEWUTS | _NEWCGROUP
    _check("unshare", _libc.unshare(wanted))
    folder = f"{BOTS_AT}/{request['folder']}".encode()
    _check("mount /bot", _libc.mount(folder, b"/bot", None, _MS_BIND, None))
    _check("umount", _libc.umount2(BOTS_AT.encode(), _MNT_DETACH))
    uid = request["uid"] if request["uid"] is not None else os.getuid()
    options = f"size={request['scratch_bytes']},mode=0700,uid={uid},gid={uid}"
    flags = _MS_NOSUID | _MS_NODEV
    scratch = _libc.mount(b"tmpfs", b"/tmp", b"tmpfs", flags, options.encode())  # the bot's own
    _check("mount /tmp", scratch)
    _check("sethostname", _libc.sethostname(b"bot", 3))
    os.chdir("/bot")


def _become(uid: int | None, proc: int) -> None:
    """Become the bot's user in a user namespace that has no other; None means to stay the same.

    A task limit counts the tasks of a user in one such namespace.
    """
    if uid is not None:
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    # The kernel clears this at each change, and without it a process may not write its maps.
    _prctl("PR_SET_DUMPABLE", _PR_SET_DUMPABLE, 1)
    ids = os.getuid(), os.getgid()
    _check("unshare of users", _libc.unshare(_NEWUSER))
    _write(proc, "setgroups", "deny")
    for name, own in zip(("uid_map", "gid_map"), ids, strict=True):
        _write(proc, name, f"65534 {own} 1")


def _write(proc: int, name: str, text: str) -> None:
    file = os.open(f"self/{name}", os.O_WRONLY, dir_fd=proc)
    os.write(file, text.encode())
    os.close(file)


def _drop_capabilities() -> None:
    number = 0
    while _libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0) == 0:
        number += 1
    _prctl("PR_CAP_AMBIENT", _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0)
    _check("capset", _libc.capset(header, (ctypes.c_uint32 * 6)()))


def _close_others(kept: set[int]) -> None:
    """Close all descriptors but the standard ones and those to keep."""
    first = _FIRST
    for descriptor in sorted(kept):
        os.closerange(first, descriptor)
        first = descriptor + 1
    os.closerange(first, _HIGHEST + 1)


def _run(words: list[str], preloaded: set[str]) -> int:
    """Run a file as Python itself does after its start; `words` are the file and its arguments.

    If anything in the bot's folder bears the name of a module that is loaded already, none counts
    as loaded.
    """
    path = words[0]
    sys.argv[:], sys.orig_argv[sys.orig_argv.index("-c") :] = words, words
    sys.path[0] = os.path.dirname(path)  # noqa: PTH120  # pathlib is not loaded
    tree = os.walk("/bot")
    names = {name.partition(".")[0] for _, folders, files in tree for name in folders + files}
    if not names.isdisjoint(name.partition(".")[0] for name in preloaded):
        for name in preloaded:
            sys.modules.pop(name, None)
    main: Any = type(sys)("__main__")
    main.__annotations__, main.__builtins__ = {}, sys.modules["builtins"]
    sys.modules["__main__"] = main
    _libc.fopen.restype = ctypes.c_void_p
    file = _libc.fopen(path.encode(), b"rb")
    if not file:
        number = ctypes.get_errno()
        told = f"can't open file {path!r}: [Errno {number}] {os.strerror(number)}"
        os.write(2, f"{sys.executable}: {told}\n".encode())
        return _NO_FILE
    # It prints a traceback without our own frames, and ends the process at `sys.exit`.
    run = ctypes.pythonapi.PyRun_SimpleFileExFlags
    if run(ctypes.c_void_p(file), path.encode(), 1, None) == 0:
        return 0
    is_interrupt = getattr(sys, "last_type", None) is KeyboardInterrupt
    return _INTERRUPTED if is_interrupt else 1
