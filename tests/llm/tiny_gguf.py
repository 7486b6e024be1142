"""A language model of a few thousand random numbers in a GGUF file: it says nothing, but real servers serve it.

The file is written here, by the format's own layout: header, metadata, tensor table, tensors. The model is a llama of
one layer; its vocabulary is the 256 bytes, so that it can read and write any text.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

WIDTH, HEADS, INNER, CONTEXT = 32, 2, 64, 4096
ALIGNMENT = 32
SPECIALS = ["<unk>", "<s>", "</s>"]
UNKNOWN, CONTROL, BYTE = 2, 3, 6  # kinds of token
U32, F32, STRING, ARRAY, I32 = 4, 6, 8, 9, 5  # kinds of metadata
TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant: "


def write(path: Path, seed: int = 0) -> None:
    """Write the model to `path`; one seed, one model."""
    tensors = dict(_tensors(np.random.default_rng(seed)))
    metadata = _metadata()
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(metadata))
    head += b"".join(_text(name) + value for name, value in metadata.items())
    offset, data = 0, b""
    for name, values in tensors.items():
        shape = values.shape[::-1]  # the fastest dimension comes first
        head += _text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, offset)
        data += _padded(values.tobytes())
        offset = len(data)
    path.write_bytes(_padded(head) + data)


def _metadata() -> dict[str, bytes]:
    tokens = [*SPECIALS, *(f"<0x{byte:02X}>" for byte in range(256))]
    kinds = [UNKNOWN, CONTROL, CONTROL, *[BYTE] * 256]
    return {
        "general.architecture": _string("llama"),
        "general.name": _string("tiny"),
        "general.file_type": _number(0),
        "llama.context_length": _number(CONTEXT),
        "llama.embedding_length": _number(WIDTH),
        "llama.block_count": _number(1),
        "llama.feed_forward_length": _number(INNER),
        "llama.attention.head_count": _number(HEADS),
        "llama.attention.head_count_kv": _number(HEADS),
        "llama.rope.dimension_count": _number(WIDTH // HEADS),
        "llama.attention.layer_norm_rms_epsilon": struct.pack("<If", F32, 1e-5),
        "llama.vocab_size": _number(len(tokens)),
        "tokenizer.ggml.model": _string("llama"),
        "tokenizer.ggml.tokens": struct.pack("<IIQ", ARRAY, STRING, len(tokens)) + b"".join(map(_text, tokens)),
        "tokenizer.ggml.scores": struct.pack(f"<IIQ{len(tokens)}f", ARRAY, F32, len(tokens), *[0.0] * len(tokens)),
        "tokenizer.ggml.token_type": struct.pack(f"<IIQ{len(kinds)}i", ARRAY, I32, len(kinds), *kinds),
        "tokenizer.ggml.unknown_token_id": _number(0),
        "tokenizer.ggml.bos_token_id": _number(1),
        "tokenizer.ggml.eos_token_id": _number(2),
        "tokenizer.chat_template": _string(TEMPLATE),
    }


def _tensors(dice: np.random.Generator):
    vocabulary = len(SPECIALS) + 256

    def matrix(rows, columns):
        return dice.normal(0, 0.5, (rows, columns)).astype(np.float32)

    yield "token_embd.weight", matrix(vocabulary, WIDTH)
    yield "output_norm.weight", np.ones(WIDTH, dtype=np.float32)
    yield "output.weight", matrix(vocabulary, WIDTH)
    for name in ("attn_norm", "ffn_norm"):
        yield f"blk.0.{name}.weight", np.ones(WIDTH, dtype=np.float32)
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        yield f"blk.0.{name}.weight", matrix(WIDTH, WIDTH)
    for name in ("ffn_gate", "ffn_up"):
        yield f"blk.0.{name}.weight", matrix(INNER, WIDTH)
    yield "blk.0.ffn_down.weight", matrix(WIDTH, INNER)


def _text(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def _string(text: str) -> bytes:
    return struct.pack("<I", STRING) + _text(text)


def _number(number: int) -> bytes:
    return struct.pack("<II", U32, number)


def _padded(raw: bytes) -> bytes:
    return raw + b"\0" * (-len(raw) % ALIGNMENT)
