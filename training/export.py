"""How is the trained network written as an ONNX graph?

Answer: ``build_graph`` writes the weights of a checkpoint (``state_of``) as a graph (token ids, sides and mask in; six
scores out), with the word table as int8 rows and every weight matrix as int8 columns; activations are scaled row by row
at run time, so that a pair's scores do not depend on what it is batched with.

Left to others: the network (``training.network``), the folder that ships and its card (``training.ship``).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from training.build_embedder import IR_VERSION, OPSET, Graph
from training.network import EPSILON, HEADS, HIDDEN, LAYERS
from training.pairs import RELATIONS

MODEL_NAME: Final = "minilm-pairs-int8"
WEIGHT_RANGE: Final = 63
"""Seven bits, as in the embedder: eight saturate on processors without VNNI."""

Array = np.ndarray[Any, np.dtype[Any]]
State = dict[str, Array]


class RowGraph(Graph):
    """A graph whose dense steps multiply int8 by int8, with one scale a row of activations and one a column of weights.

    One scale for all activations of a batch, as the runtime's own dynamic quantisation takes, makes a pair's scores
    depend on its company (by up to 0.02); a scale a row does not, and ran faster (11 against 19 ms for five pairs).
    """

    def __init__(self, *, exact: bool) -> None:
        super().__init__()
        self.exact = exact
        self.shared: list[str] = []

    def dense(self, x: str, name: str, weight: Array, bias: Array) -> str:
        """Add ``x @ weight.T + bias`` (weights as torch stores them: outputs × inputs)."""
        if self.exact:
            return super().dense(x, name, weight, bias)
        scale = np.maximum(np.abs(weight).max(axis=1), np.finfo(np.float32).tiny) / WEIGHT_RANGE
        coded = np.rint(weight / scale[:, None]).astype(np.int8)
        top, last, least, unit, zero = self._shared()
        peak = self.node("ReduceMax", [self.node("Abs", [x], f"{name}.size"), last], f"{name}.peak", keepdims=1)
        step = self.node("Div", [self.node("Max", [peak, least], f"{name}.safe"), top], f"{name}.step")
        level = self.node("QuantizeLinear", [self.node("Div", [x, step], f"{name}.steps"), unit, zero], f"{name}.level")
        whole = self.node("MatMulInteger", [level, self.constant(f"{name}.coded", coded.T), zero], f"{name}.whole")
        product = self.node("Cast", [whole], f"{name}.float", to=TensorProto.FLOAT)
        product = self.node("Mul", [product, step], f"{name}.rows")
        product = self.node("Mul", [product, self.constant(f"{name}.scale", scale)], f"{name}.product")
        return self.node("Add", [product, self.constant(f"{name}.bias", bias)], name)

    def _shared(self) -> list[str]:
        if not self.shared:
            self.shared = [
                self.constant("top", np.array([127], dtype=np.float32)),
                self.constant("last.axis", np.array([-1], dtype=np.int64)),
                self.constant("least", np.array([1e-9], dtype=np.float32)),
            ]
            for name, value in (("unit.step", np.float32(1)), ("zero.level", np.uint8(128))):
                self.constants.append(numpy_helper.from_array(np.array(value), name))
                self.shared.append(name)
        return self.shared


def _words(graph: RowGraph, state: State) -> str:
    table = state["words.weight"]
    if graph.exact:
        return graph.node("Gather", [graph.constant("words", table), "input_ids"], "words.vectors")
    scale = np.maximum(np.abs(table).max(axis=1, keepdims=True), np.finfo(np.float32).tiny) / 127
    rows = np.rint(table / scale).astype(np.int8)
    picked = graph.node("Gather", [graph.constant("words", rows), "input_ids"], "words.rows")
    scales = graph.node("Gather", [graph.constant("words.scale", scale), "input_ids"], "words.scales")
    as_float = graph.node("Cast", [picked], "words.float", to=TensorProto.FLOAT)
    return graph.node("Mul", [as_float, scales], "words.vectors")


def _norm(graph: Graph, x: str, name: str, state: State) -> str:
    scale = graph.constant(f"{name}.weight", state[f"{name}.weight"])
    shift = graph.constant(f"{name}.bias", state[f"{name}.bias"])
    return graph.node("LayerNormalization", [x, scale, shift], f"{name}.out", axis=-1, epsilon=EPSILON)


def _dense(graph: Graph, x: str, name: str, state: State) -> str:
    return graph.dense(x, name, state[f"{name}.weight"], state[f"{name}.bias"])


def _attention(graph: Graph, x: str, layer: str, state: State) -> str:
    shrink = np.float32((HIDDEN // HEADS) ** -0.5)
    parts = ("query", "key", "value")
    weight = np.concatenate([state[f"{layer}.{part}.weight"] for part in parts])
    bias = np.concatenate([state[f"{layer}.{part}.bias"] for part in parts])
    weight[:HIDDEN] *= shrink
    bias[:HIDDEN] *= shrink
    joined = graph.dense(x, f"{layer}.qkv", weight, bias)
    names = [f"{layer}.{part}" for part in parts]
    graph.nodes.append(helper.make_node("Split", [joined], names, name=f"{layer}.split", axis=-1, num_outputs=3))
    shape = graph.constant(f"{layer}.shape", np.array([0, 0, HEADS, HIDDEN // HEADS], dtype=np.int64))
    query, key, value = (graph.node("Reshape", [name, shape], f"{name}.heads") for name in names)
    query = graph.node("Transpose", [query], f"{query}.t", perm=[0, 2, 1, 3])
    key = graph.node("Transpose", [key], f"{key}.t", perm=[0, 2, 3, 1])
    value = graph.node("Transpose", [value], f"{value}.t", perm=[0, 2, 1, 3])
    scores = graph.node("Add", [graph.node("MatMul", [query, key], f"{layer}.products"), "bias"], f"{layer}.scores")
    mixed = graph.node("MatMul", [graph.node("Softmax", [scores], f"{layer}.shares", axis=-1), value], f"{layer}.mix")
    rows = graph.node("Transpose", [mixed], f"{layer}.rows", perm=[0, 2, 1, 3])
    flat = graph.constant(f"{layer}.flat", np.array([0, 0, HIDDEN], dtype=np.int64))
    return graph.node("Reshape", [rows, flat], f"{layer}.context")


def _layer(graph: Graph, x: str, number: int, state: State) -> str:
    layer = f"layers.{number}"
    mixed = _dense(graph, _attention(graph, x, layer, state), f"{layer}.mixed", state)
    x = _norm(graph, graph.node("Add", [mixed, x], f"{layer}.sum"), f"{layer}.mixed_norm", state)
    inner = graph.node("Gelu", [_dense(graph, x, f"{layer}.inner", state)], f"{layer}.gelu", approximate="none")
    outer = _dense(graph, inner, f"{layer}.outer", state)
    return _norm(graph, graph.node("Add", [outer, x], f"{layer}.total"), f"{layer}.outer_norm", state)


def _head(graph: Graph, x: str, mask: str, side: str, state: State) -> None:
    one = graph.constant("one", np.array([1], dtype=np.float32))
    middle = graph.constant("middle", np.array([1], dtype=np.int64))
    new = graph.node("Mul", [side, mask], "new.mask")
    old = graph.node("Mul", [graph.node("Sub", [one, side], "old.side"), mask], "old.mask")
    means = []
    for name, own in (("old", old), ("new", new)):
        kept = graph.node("Mul", [x, own], f"{name}.kept")
        total = graph.node("ReduceSum", [kept, middle], f"{name}.sum", keepdims=0)
        count = graph.node("ReduceSum", [own, middle], f"{name}.count", keepdims=0)
        means.append(graph.node("Div", [total, count], f"{name}.mean"))
    first = graph.node("Gather", [x, graph.constant("first", np.array([0], dtype=np.int64))], "first.row", axis=1)
    first = graph.node("Squeeze", [first, middle], "first.token")
    gap = graph.node("Sub", [means[1], means[0]], "gap")
    product = graph.node("Mul", [means[0], means[1]], "product")
    joint = graph.node("Concat", [first, gap, product], "joint.in", axis=-1)
    hidden = graph.node("Gelu", [_dense(graph, joint, "joint", state)], "joint.gelu", approximate="none")
    product = graph.node("MatMul", [hidden, graph.constant("relations.weight", state["relations.weight"].T)], "answer")
    graph.node("Add", [product, graph.constant("relations.bias", state["relations.bias"])], "logits")


def _bias(graph: Graph, mask: str) -> None:
    one = graph.constant("unit", np.array([1], dtype=np.float32))
    far = graph.constant("far", np.array([1e4], dtype=np.float32))
    hidden = graph.node("Mul", [graph.node("Sub", [mask, one], "unseen"), far], "unseen.far")
    turned = graph.node("Transpose", [hidden], "unseen.row", perm=[0, 2, 1])
    graph.node("Unsqueeze", [turned, graph.constant("heads", np.array([1], dtype=np.int64))], "bias")


def _entry(graph: RowGraph, state: State) -> str:
    length = graph.node("Shape", ["input_ids"], "length", start=1, end=2)
    zero = graph.constant("zero", np.array([0], dtype=np.int64))
    place = graph.node("Slice", [graph.constant("positions", state["positions.weight"]), zero, length, zero], "places")
    sides = graph.node("Gather", [graph.constant("sides", state["sides.weight"]), "token_type_ids"], "sides.vectors")
    x = graph.node("Add", [_words(graph, state), place], "placed")
    return _norm(graph, graph.node("Add", [x, sides], "entry"), "entry_norm", state)


def build_graph(state: State, *, exact: bool = False) -> onnx.ModelProto:
    """``input_ids``, ``token_type_ids``, ``attention_mask`` int64 [batch, tokens] to ``logits`` float [batch, 6].

    ``exact`` keeps everything in fp32, to compare with.
    """
    graph = RowGraph(exact=exact)
    last = graph.constant("last", np.array([2], dtype=np.int64))
    mask = graph.node("Cast", ["attention_mask"], "mask.float", to=TensorProto.FLOAT)
    mask = graph.node("Unsqueeze", [mask, last], "mask.column")
    side = graph.node("Cast", ["token_type_ids"], "side.float", to=TensorProto.FLOAT)
    side = graph.node("Unsqueeze", [side, last], "side.column")
    _bias(graph, mask)
    x = _entry(graph, state)
    for number in range(LAYERS):
        x = _layer(graph, x, number, state)
    _head(graph, x, mask, side, state)
    names = ("input_ids", "token_type_ids", "attention_mask")
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in names]
    out = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", len(RELATIONS)])
    body = helper.make_graph(graph.nodes, MODEL_NAME, inputs, [out], graph.constants)
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    onnx.checker.check_model(model, full_check=True)
    return model


def state_of(checkpoint: Path) -> State:
    """The weights of a checkpoint as float32 arrays, by name."""
    found = torch.load(checkpoint, map_location="cpu", weights_only=True)
    return {name: value.float().numpy() for name, value in found.items()}
