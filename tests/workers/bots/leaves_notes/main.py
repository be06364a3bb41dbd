"""Writes down what it has learnt, and looks for what it wrote in the match before."""

import json
import os
import sys
from pathlib import Path

order = json.loads(sys.stdin.readline())
places = ["/tmp", "/bot", "/var/tmp", "/dev/shm", "/usr", "/", os.environ.get("HOME", "/tmp")]
notes = [Path(place, "note-for-the-next-match") for place in places]
found = [str(note) for note in notes if note.exists()]
for note in notes:
    try:
        note.write_text("the opponent opens with a dog")
    except OSError:
        continue
print(json.dumps(found), flush=True)
sys.stdin.read()
