"""Sources of small bots, and limits that show soon what is wrong with one."""

from dataclasses import replace

from pentathlon_engines.limits import Limits

QUICK = Limits(
    startup_wall_s=10.0,
    action_cpu_s=0.2,
    action_wall_s=10.0,
    match_cpu_s=0.3,
    memory_mb=64,
    line_bytes=4096,
    stdout_bytes=8192,
    stderr_bytes=200_000,
    stderr_keep_bytes=1000,
)

IMPATIENT = replace(QUICK, startup_wall_s=1.0, action_wall_s=1.0)

READY = """
import json, os, sys, time
def say(message): os.write(1, json.dumps(message).encode() + b"\\n")
hello = json.loads(sys.stdin.readline())
say({"type": "ready"})
"""
EACH = (
    READY
    + """
for line in sys.stdin:
    ask = json.loads(line)
    if ask["type"] == "end": break
    action = ask["legal"][len(ask["legal"]) // 3]
"""
)
HONEST = EACH + "    say({'action': action})\n"
UNSTOPPED = """
import ctypes, threading
class Event(ctypes.Structure):
    _fields_ = [("value", ctypes.c_void_p), ("signal", ctypes.c_int), ("how", ctypes.c_int),
                ("rest", ctypes.c_char * 64)]
libc = ctypes.CDLL(None)
def think():
    while True: pass
def spin():
    for number in range(1, 20):
        timer = ctypes.c_void_p()
        libc.timer_create(1, ctypes.byref(Event(None, 18, 0)), ctypes.byref(timer))
        once = (ctypes.c_long * 4)(0, 0, 0, number * 12_000_000)
        libc.timer_settime(timer, 0, once, None)
    threading.Thread(target=think, daemon=True).start()
"""
"""With `spin()` it thinks on, and timers send SIGCONT to it again and again."""
OUT_OF_TURN = EACH.replace("for line", UNSTOPPED + "for line") + (
    "    say({'action': action}); spin()\n"
)
PATIENT = EACH + "    time.sleep(0.3)\n    say({'action': action})\n"
