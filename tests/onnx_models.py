"""Small ONNX models, written byte by byte as protocol buffers."""

from __future__ import annotations

import struct
from collections.abc import Sequence

_FLOAT = 1


def linear(weights: Sequence[Sequence[float]]) -> bytes:
    """Return a model whose "scores" are its "features" (one row) times these weights."""
    rows, columns = len(weights), len(weights[0])
    flat = [number for row in weights for number in row]
    tensor = _join(
        *(_number(1, size) for size in (rows, columns)),
        _number(2, _FLOAT),
        _text(8, "weights"),
        _field(9, struct.pack(f"<{len(flat)}f", *flat)),
    )
    node = _join(_text(1, "features"), _text(1, "weights"), _text(2, "scores"), _text(4, "MatMul"))
    graph = _join(
        _field(1, node),
        _text(2, "linear"),
        _field(5, tensor),
        _field(11, _value("features", rows)),
        _field(12, _value("scores", columns)),
    )
    opset = _join(_text(1, ""), _number(2, 13))
    return _join(_number(1, 8), _field(7, graph), _field(8, opset))


def _value(name: str, size: int) -> bytes:
    shape = _join(*(_field(1, _number(1, length)) for length in (1, size)))
    tensor_type = _join(_number(1, _FLOAT), _field(2, shape))
    return _join(_text(1, name), _field(2, _field(1, tensor_type)))


def _join(*parts: bytes) -> bytes:
    return b"".join(parts)


def _text(field: int, text: str) -> bytes:
    return _field(field, text.encode())


def _field(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _number(field: int, number: int) -> bytes:
    return _varint(field << 3) + _varint(number)


def _varint(number: int) -> bytes:
    head, rest = number & 0x7F, number >> 7
    return bytes([head | 0x80]) + _varint(rest) if rest else bytes([head])
