"""An honest bot that answers each line with the same line."""

import sys

for line in sys.stdin:
    print(line, end="", flush=True)
