"""Starts the fork server; run with `python -c` on this source.

The one argument is a table of facts (marshalled, in hex). Its sources become modules that no bot
finds.
"""

import marshal
import sys

facts = marshal.loads(bytes.fromhex(sys.argv[1]))  # noqa: S302  # written by our own launcher
before = set(sys.modules)
for name in facts["preload"]:
    __import__(name)
for name, source in facts["sources"].items():
    module = sys.modules[name] = type(sys)(name)
    exec(compile(source, name, "exec"), module.__dict__)  # noqa: S102  # our own source
facts["preloaded"] = set(sys.modules) - before - set(facts["sources"])
for name in facts["sources"]:
    del sys.modules[name]
sys.exit(module.serve(facts))
