"""Becomes the warm Python of which bots are forks; run with `python -c` on this source.

The input is a table of facts (marshalled). Its sources become modules that no bot finds.
"""

import marshal
import os
import sys

facts = marshal.loads(b"".join(iter(lambda: os.read(0, 65536), b"")))  # noqa: S302  # our own
before = set(sys.modules)
for name in facts["preload"]:
    __import__(name)
for name, source in facts["sources"].items():
    module = sys.modules[name] = type(sys)(name)
    exec(compile(source, name, "exec"), module.__dict__)  # noqa: S102  # our own source
# C code can be loaded once in a process, so nobody is to load these packages again.
kept = {name for name in sys.modules if name.partition(".")[0] in facts["packages"]}
facts["preloaded"] = set(sys.modules) - before - set(facts["sources"]) - kept
for name in facts["sources"]:
    del sys.modules[name]
sys.exit(module.serve(facts))
