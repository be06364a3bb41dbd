"""Poisons what Python has loaded, and looks for the poison of the match before."""

import builtins
import ctypes
import gc
import json
import os
import random
import sys

order = sys.stdin.readline()
found = [
    name
    for name, module in (("builtins", builtins), ("json", json), ("os", os), ("random", random))
    if hasattr(module, "poison")
]
found += [name for name in ("PENTATHLON_POISON",) if name in os.environ]
found += [path for path in sys.path if path == "/tmp/poison"]
found += ["a module"] if "poison" in sys.modules else []
found += (
    ["a constant"] if ctypes.c_long.from_address(id(300) + 24).value & 0xFFFFFFFF != 300 else []
)
answer = json.dumps(found)
for module in (builtins, json, os, random):
    vars(module)["poison"] = "drunk"
for name in ("loads", "dumps", "load"):
    setattr(json, name, lambda *_: "poison")
random.seed(7)
vars(random._inst)["poison"] = random.random  # a method of the generator that all share
os.environ["PENTATHLON_POISON"] = "drunk"
sys.path.append("/tmp/poison")
sys.modules["poison"] = builtins
gc.set_threshold(1)
sys.setrecursionlimit(60)
os.chdir("/tmp")
os.umask(0)
os.write(1, answer.encode() + b"\n")
sys.stdin.read()
