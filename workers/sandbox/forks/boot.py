"""Starts the fork server and runs each bot; run with `python -c` on this source.

A bot's program runs on this outermost level, so that Python ends it as it ends any program: exit
handlers, threads, output and status. The one argument is a table of facts (marshalled, in hex).
"""

import marshal
import sys

first_modules = set(sys.modules)
facts = marshal.loads(bytes.fromhex(sys.argv[1]))  # noqa: S302  # written by our own launcher
for name, source in facts["sources"].items():
    module = sys.modules[name] = type(sys)(name)
    exec(compile(source, name, "exec"), module.__dict__)  # noqa: S102  # our own source
for name in facts["preload"]:
    __import__(name)
for name in facts["sources"]:
    del sys.modules[name]
request = module.serve(facts)
main = module.become_main(request["words"], preloaded=set(sys.modules) - first_modules)
try:
    with open(main.__file__, "rb") as file:  # noqa: PTH123  # pathlib is not loaded
        source = file.read()
except OSError as error:
    told = f"can't open file {main.__file__!r}: [Errno {error.errno}] {error.strerror}\n"
    sys.stderr.write(f"{sys.executable}: {told}")
    sys.exit(2)
try:
    exec(compile(source, main.__file__, "exec", dont_inherit=True), main.__dict__)  # noqa: S102
except SystemExit:
    raise
except BaseException as error:
    # As Python itself does, but without a line about this file.
    trace = error.__traceback__ and error.__traceback__.tb_next
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, trace
    sys.excepthook(type(error), error.with_traceback(trace), trace)
    sys.exit(130 if isinstance(error, KeyboardInterrupt) else 1)
