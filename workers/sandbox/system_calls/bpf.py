"""Assembles a seccomp filter: a binary search over system call numbers, then argument tests.

It stands in for libseccomp: the search takes 40 lines, and tests run the filter for every call of
both architectures. Price: the tables of numbers are ours to keep.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Mapping

from workers.sandbox.system_calls.policy import HIGH, KILL, Rule, Test, refuse

Instruction = tuple[int, int, int, int]

_LOAD, _AND, _RETURN, _JUMP = 0x20, 0x54, 0x06, 0x05
_IF_EQUAL, _IF_AT_LEAST = 0x15, 0x35
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16
_LONGEST_BRANCH = 255
_WHOLE_WORD = 0xFFFFFFFF
_X32_NUMBERS = 0x40000000
_DEFAULT = Rule(refuse(errno.ENOSYS))


def assemble(numbered: Mapping[int, Rule], *, architecture: int) -> bytes:
    """Return the filter program for one architecture; every other architecture is killed."""
    code = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_IF_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_IF_AT_LEAST, 0, 1, _X32_NUMBERS),
        (_RETURN, 0, 0, KILL),
        *_search(_ranges(numbered)),
    ]
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in code)


def _ranges(numbered: Mapping[int, Rule]) -> list[tuple[int, Rule]]:
    """Return (first number, rule) for each run of numbers with the same rule."""
    ranges = [(0, _DEFAULT)]
    for number in range(max(numbered) + 2):
        rule = numbered.get(number, _DEFAULT)
        if rule != ranges[-1][1]:
            ranges.append((number, rule))
    return ranges


def _search(ranges: list[tuple[int, Rule]]) -> list[Instruction]:
    if len(ranges) == 1:
        return _decide(ranges[0][1])
    middle = len(ranges) // 2
    below, above = _search(ranges[:middle]), _search(ranges[middle:])
    pivot = ranges[middle][0]
    if len(below) <= _LONGEST_BRANCH:
        return [(_IF_AT_LEAST, len(below), 0, pivot), *below, *above]
    return [(_IF_AT_LEAST, 0, 1, pivot), (_JUMP, 0, 0, len(below)), *below, *above]


def _decide(rule: Rule) -> list[Instruction]:
    code: list[Instruction] = []
    for test in rule.tests:
        code += _test(test)
    return [*code, (_RETURN, 0, 0, rule.otherwise)]


def _test(test: Test) -> list[Instruction]:
    """Return from the filter when all matches hold, else go on after the test."""
    code: list[Instruction] = [(_RETURN, 0, 0, test.verdict)]
    for argument, mask, value in reversed(test.matches):
        index, is_high = argument % HIGH, argument // HIGH
        code = [
            (_LOAD, 0, 0, _ARGUMENTS_AT + 8 * index + 4 * is_high),
            *([(_AND, 0, 0, mask)] if mask != _WHOLE_WORD else []),
            (_IF_EQUAL, 0, len(code), value),
            *code,
        ]
    return code
