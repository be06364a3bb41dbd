"""Enters the kernel another way: fork by the 32-bit door."""

import ctypes
import mmap
import sys

CODE = b"\xb8\x02\x00\x00\x00\xcd\x80\xc3"

sys.stdin.readline()
FLAGS = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
page = mmap.mmap(-1, 4096, flags=FLAGS, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(CODE)
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
ctypes.CFUNCTYPE(ctypes.c_int)(address)()
print('["int80"]', flush=True)
sys.stdin.read()
