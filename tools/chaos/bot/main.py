"""Plays the action that its stride leads to, always the same one in the same position."""

import json
import sys

with open(__file__.replace("main.py", "stride.txt")) as file:  # noqa: PTH123  for a quick start
    STRIDE = int(file.read())

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {"type": "ready"}
    elif message["type"] == "act":
        legal = message["legal"]
        answer = {"action": legal[(message["ply"] + 1) * STRIDE % len(legal)]}
    else:
        break
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
