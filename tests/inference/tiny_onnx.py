"""A network of a few numbers in the ONNX format, written byte by byte: the tests need neither the `onnx` package nor
trained weights.

`counting` is a pair network whose scores can be told on paper: each label's score is the sum of the table's row over
the ids that the mask lets through, plus a share of the token types. With `quantised` the sum passes through the usual
dynamic quantisation, which scales over the whole batch.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

FLOAT, INT64 = 1, 7
_NUMBER, _BYTES, _FIXED32 = 0, 2, 5


def _varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    parts = []
    while True:
        number, part = number >> 7, number & 0x7F
        parts.append(part | (0x80 if number else 0))
        if not number:
            return bytes(parts)


def _field(tag: int, value: float | str | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(tag << 3 | _NUMBER) + _varint(value)
    if isinstance(value, float):
        return _varint(tag << 3 | _FIXED32) + struct.pack("<f", value)
    content = value.encode() if isinstance(value, str) else value
    return _varint(tag << 3 | _BYTES) + _varint(len(content)) + content


def node(op: str, inputs: Sequence[str], output: str, **attributes: int) -> bytes:
    """A node with one output; attributes are whole numbers."""
    named = [_field(1, name) + _field(3, value) + _field(20, 2) for name, value in attributes.items()]
    parts = [*(_field(1, name) for name in inputs), _field(2, output), _field(4, op), *(_field(5, it) for it in named)]
    return b"".join(parts)


def constant(name: str, value: np.ndarray) -> bytes:
    """A constant of float32 or int64."""
    kind = {"float32": FLOAT, "int64": INT64}[value.dtype.name]
    shape = b"".join(_field(1, size) for size in value.shape)
    return shape + _field(2, kind) + _field(8, name) + _field(9, value.tobytes())


def _port(name: str, kind: int, shape: Sequence[str | int]) -> bytes:
    sizes = b"".join(_field(1, _field(1 if isinstance(size, int) else 2, size)) for size in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, sizes)))


def model(nodes: Sequence[bytes], constants: Sequence[bytes], inputs: Sequence[str], output: str, labels: int) -> bytes:
    """A whole file: int64 inputs (batch × tokens), one float output (batch × labels)."""
    graph = b"".join(
        [
            *(_field(1, item) for item in nodes),
            _field(2, "tiny"),
            *(_field(5, item) for item in constants),
            *(_field(11, _port(name, INT64, ("batch", "tokens"))) for name in inputs),
            _field(12, _port(output, FLOAT, ("batch", labels))),
        ]
    )
    return _field(1, 9) + _field(7, graph) + _field(8, _field(1, "") + _field(2, 20))


def counting(
    table: np.ndarray, types: np.ndarray, *, quantised: bool = False, output: str = "logits", typed: bool = True
) -> bytes:
    """Scores of a pair: the rows of `table` (ids × labels) summed over its ids, each weighted by its type's row.

    `types` (2 × labels) multiplies a token's row; `typed` False: the network knows no types, and counts all alike.
    """
    inputs = ["input_ids", "attention_mask", *(["token_type_ids"] if typed else [])]
    nodes = [
        node("Gather", ["table", "input_ids"], "rows"),
        node("Cast", ["attention_mask"], "seen.flat", to=FLOAT),
        node("Unsqueeze", ["seen.flat", "last"], "seen"),
        node("Mul", ["rows", "seen"], "rows.seen"),
    ]
    counted = "rows.seen"
    if typed:
        nodes += [
            node("Gather", ["types", "token_type_ids"], "weights"),
            node("Mul", [counted, "weights"], "rows.typed"),
        ]
        counted = "rows.typed"
    summed = "sums" if quantised else output
    nodes.append(node("ReduceSum", [counted, "middle"], summed, keepdims=0))
    if quantised:
        parts = ["small", "scale", "zero"]
        split = b"".join([_field(1, "sums"), *(_field(2, part) for part in parts), _field(4, "DynamicQuantizeLinear")])
        nodes += [split, node("DequantizeLinear", parts, output)]
    axes = [constant("last", np.array([-1])), constant("middle", np.array([1]))]
    return model(nodes, [constant("table", table), constant("types", types), *axes], inputs, output, table.shape[1])
