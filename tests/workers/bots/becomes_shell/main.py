"""Becomes a shell that reads and writes what it finds."""

import os
import sys

sys.stdin.readline()
SCRIPT = """
command read secret < /etc/shadow && echo '["/etc/shadow"]' && exit
command : > /usr/written && echo '["/usr"]' && exit
echo '[]'
while read line; do :; done
"""
os.execv("/bin/sh", ["sh", "-c", SCRIPT])
