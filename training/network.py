"""What does the pair judge compute, from token ids to six relation scores?

Answer: ``PairNetwork``, a BERT encoder of six layers and 384 units (the shape of all-MiniLM-L6-v2, whose weights it
starts from) that reads ``[CLS] existing [SEP] new [SEP]``, and a head over the first token and the mean of each
statement. It is written out here in plain torch, because its parameter names are then the ones of the weights file and
``training.export`` can walk the same names into an ONNX graph.

Left to others: which pairs it sees (``training.mixture``), the loss (``training.train``), running it (the package).
"""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from training.build_embedder import read_safetensors, source_folder

LAYERS: Final = 6
HIDDEN: Final = 384
HEADS: Final = 12
INNER: Final = 1536
SCALE: Final = (HIDDEN / HEADS) ** 0.5
EPSILON: Final = 1e-12
MAX_TOKENS: Final = 128
"""Longest pair in tokens, specials included: of the corpus's pairs fewer than one in a thousand is longer."""


class FeatureDropout(nn.Module):
    """Dropout of the same features at every position of a text: one draw a pair, where a draw a token costs a sixth
    of the training time on a CPU.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.share == 0:
            return x
        shape = (x.shape[0], *(1 for _ in x.shape[1:-1]), x.shape[-1])
        kept = torch.rand(shape, device=x.device) >= self.share
        return x * (kept.to(x.dtype) / (1 - self.share))


class Layer(nn.Module):
    """One transformer layer: attention, then a feed-forward net, each added and normalised."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.query = nn.Linear(HIDDEN, HIDDEN)
        self.key = nn.Linear(HIDDEN, HIDDEN)
        self.value = nn.Linear(HIDDEN, HIDDEN)
        self.mixed = nn.Linear(HIDDEN, HIDDEN)
        self.mixed_norm = nn.LayerNorm(HIDDEN, eps=EPSILON)
        self.inner = nn.Linear(HIDDEN, INNER)
        self.outer = nn.Linear(INNER, HIDDEN)
        self.outer_norm = nn.LayerNorm(HIDDEN, eps=EPSILON)
        self.dropout = FeatureDropout(dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        batch, length, _ = x.shape
        q, k, v = (
            part(x).view(batch, length, HEADS, HIDDEN // HEADS).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        weights = (q @ k.transpose(-1, -2) / SCALE + mask).softmax(-1)
        seen = (weights.to(v.dtype) @ v).transpose(1, 2).reshape(batch, length, HIDDEN)
        x = self.mixed_norm(x + self.dropout(self.mixed(seen)))
        return self.outer_norm(x + self.dropout(self.outer(functional.gelu(self.inner(x)))))


class PairNetwork(nn.Module):
    """Six scores (logits, in the order of ``Relation``) for each pair of a batch."""

    def __init__(self, vocabulary: int, relations: int = 6, dropout: float = 0.1) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, HIDDEN)
        self.positions = nn.Embedding(MAX_TOKENS, HIDDEN)
        self.sides = nn.Embedding(2, HIDDEN)
        self.entry_norm = nn.LayerNorm(HIDDEN, eps=EPSILON)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(LAYERS))
        self.dropout = FeatureDropout(dropout)
        self.joint = nn.Linear(3 * HIDDEN, HIDDEN)
        self.relations = nn.Linear(HIDDEN, relations)

    def forward(self, ids: Tensor, sides: Tensor, mask: Tensor) -> Tensor:
        """``ids``, ``sides`` and ``mask`` are [batch, length] of int64; returns [batch, relations]."""
        where = torch.arange(ids.shape[1], device=ids.device)
        x = self.dropout(self.entry_norm(self.words(ids) + self.positions(where) + self.sides(sides)))
        bias = torch.zeros(mask.shape, dtype=x.dtype, device=x.device).masked_fill(mask == 0, -1e4)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, bias.to(x.dtype))
        new = (sides * mask)[:, :, None].to(x.dtype)
        old = ((1 - sides) * mask)[:, :, None].to(x.dtype)
        means = [(x * part).sum(1) / part.sum(1) for part in (old, new)]
        joint = torch.cat([x[:, 0], means[1] - means[0], means[0] * means[1]], dim=-1)
        return self.relations(self.dropout(functional.gelu(self.joint(self.dropout(joint)))))


_LAYER_NAMES: Final = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "mixed": "attention.output.dense",
    "mixed_norm": "attention.output.LayerNorm",
    "inner": "intermediate.dense",
    "outer": "output.dense",
    "outer_norm": "output.LayerNorm",
}


def from_base(dropout: float = 0.1) -> PairNetwork:
    """A network with the base model's encoder and a fresh head; the caller seeds torch first.

    Raises:
        BuildError: the base weights are not installed.
    """
    read = read_safetensors(source_folder() / "model.safetensors")
    base = {name: torch.from_numpy(value.copy()) for name, value in read.items()}
    words = base["embeddings.word_embeddings.weight"]
    network = PairNetwork(words.shape[0], dropout=dropout)
    state = network.state_dict()
    state["words.weight"] = words
    state["positions.weight"] = base["embeddings.position_embeddings.weight"][:MAX_TOKENS]
    state["sides.weight"] = base["embeddings.token_type_embeddings.weight"]
    for end in ("weight", "bias"):
        state[f"entry_norm.{end}"] = base[f"embeddings.LayerNorm.{end}"]
        for number in range(LAYERS):
            for ours, theirs in _LAYER_NAMES.items():
                state[f"layers.{number}.{ours}.{end}"] = base[f"encoder.layer.{number}.{theirs}.{end}"]
    network.load_state_dict(state)
    return network
