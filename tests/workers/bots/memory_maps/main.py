"""Takes memory page by page from the system itself, past the allocator."""

import mmap
import sys

sys.stdin.readline()
pages = []
while True:
    page = mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    page.write(b"x" * (1 << 20))
    pages.append(page)
