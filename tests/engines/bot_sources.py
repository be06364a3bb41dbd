"""Sources of small bots, and limits that soon show what is wrong with one."""

from dataclasses import replace

from pentathlon_engines.match.limits import Limits

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
PONDERING = EACH.replace("for line", "import threading\nfor line") + (
    "    say({'action': action})\n"
    "    threading.Thread(target=exec, args=['while True: pass'], daemon=True).start()\n"
)
"""A bot that goes on thinking after its first answer."""
PATIENT = EACH + "    time.sleep(3 * (ask['ply'] < 6))\n    say({'action': action})\n"
