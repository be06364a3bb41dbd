"""Runs a filter program in Python, to see what it says about any call on any machine."""

from __future__ import annotations

import struct

Call = tuple[int, int, tuple[int, ...]]
"""The AUDIT_ARCH number, the system call number and the arguments."""


def run(program: bytes, call: Call) -> int:
    """Return the filter's verdict on a call."""
    architecture, number, arguments = call
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    data = struct.pack("<IIQ6Q", number, architecture, 0, *padded)
    code = list(struct.iter_unpack("<HBBI", program))
    at = accumulator = 0
    while True:
        operation, if_true, if_false, constant = code[at]
        at += 1
        match operation:
            case 0x20:
                (accumulator,) = struct.unpack_from("<I", data, constant)
            case 0x54:
                accumulator &= constant
            case 0x15:
                at += if_true if accumulator == constant else if_false
            case 0x35:
                at += if_true if accumulator >= constant else if_false
            case 0x05:
                at += constant
            case 0x06:
                return int(constant)
            case _:
                raise ValueError(f"unknown instruction {operation:#x}")
