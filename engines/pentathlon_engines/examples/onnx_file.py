"""A network of plain layers as an ONNX model, for those who train without a framework.

PyTorch and others export theirs themselves. The file is a protocol buffer: fields with a number,
written one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_FLOAT: Final = 1
_IR, _OPSET = 8, 13
_ROWS: Final = "rows"


def write_model(layers: Sequence[tuple[NDArray[Any], NDArray[Any]]]) -> bytes:
    """Return a model that makes `scores` from rows of `features`.

    A layer is a matrix and a bias; between layers, negative numbers become 0.
    """
    nodes, tensors, name = [], [], "features"
    for number, (matrix, bias) in enumerate(layers, start=1):
        tensors += [_tensor(f"matrix{number}", matrix), _tensor(f"bias{number}", bias)]
        last = number == len(layers)
        out = "scores" if last else f"sum{number}"
        nodes.append(_node("Gemm", (name, f"matrix{number}", f"bias{number}"), out))
        if not last:
            name = f"hidden{number}"
            nodes.append(_node("Relu", (out,), name))
    graph = _join(
        *(_field(1, node) for node in nodes),
        _text(2, "network"),
        *(_field(5, tensor) for tensor in tensors),
        _field(11, _value("features", layers[0][0].shape[0])),
        _field(12, _value("scores", layers[-1][0].shape[1])),
    )
    opset = _join(_text(1, ""), _number(2, _OPSET))
    return _join(_number(1, _IR), _field(7, graph), _field(8, opset))


def _node(operation: str, inputs: Sequence[str], output: str) -> bytes:
    return _join(*(_text(1, name) for name in inputs), _text(2, output), _text(4, operation))


def _tensor(name: str, numbers: NDArray[Any]) -> bytes:
    sizes = (_number(1, size) for size in numbers.shape)
    data = np.ascontiguousarray(numbers, "<f4").tobytes()
    return _join(*sizes, _number(2, _FLOAT), _text(8, name), _field(9, data))


def _value(name: str, columns: int) -> bytes:
    shape = _field(1, _text(2, _ROWS)) + _field(1, _number(1, columns))
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
