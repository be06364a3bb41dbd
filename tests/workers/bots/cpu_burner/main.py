"""Never answers, and never rests."""

import sys

sys.stdin.readline()
while True:
    pass
