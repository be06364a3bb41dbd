"""Opens the model of a bot in "python-numpy", which has one thread.

```python
from pentathlon_engines.model import open_session

session = open_session("policy.onnx")
(scores,) = session.run(None, {"features": features})
```
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnxruntime
from numpy.typing import NDArray

_DTYPES: Final = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2",
    "I8": "i1", "U8": "u1", "BOOL": "?",
}  # fmt: skip
_HEADER: Final = struct.Struct("<Q")


def open_session(path: str | Path) -> onnxruntime.InferenceSession:
    """Return a session for an ONNX model that computes on the bot's own thread.

    Left alone, onnxruntime starts one thread for each core and lets them spin between two calls.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def read_tensors(path: str | Path) -> dict[str, NDArray[Any]]:  # Any: of the file's own types
    """Return the tensors of a safetensors file by name; they share its bytes and are read-only."""
    data = Path(path).read_bytes()
    start = _HEADER.size + _HEADER.unpack_from(data)[0]
    header = json.loads(data[_HEADER.size : start])
    header.pop("__metadata__", None)
    body = memoryview(data)[start:]
    return {
        name: np.frombuffer(body[slice(*about["data_offsets"])], _DTYPES[about["dtype"]]).reshape(
            about["shape"]
        )
        for name, about in header.items()
    }
