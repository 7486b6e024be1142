"""How is the pair judge trained?

Answer: ``python -m training train`` fine-tunes the base encoder through the stages of ``training.mixture``, keeps a
running average of the weights, and writes a checkpoint after every pass (``--resume`` goes on from the last one). The
loss is the negative log of the probability given to the allowed relations, plus half of the same for conflict-or-not,
which is the question that decides whether something true gets hidden.

On a CPU with bfloat16 units the products run in that type; without, in float32. Seeds fix data, order, dropout and
head; sums over two threads may differ in the last bits, which is the noise the card states.
Left to others: export (``training.export``), calibration and figures (``training.evaluate``).
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from stilltrue.inference import wordpiece
from training import mixture, pairs, score
from training.mixture import Stage
from training.network import MAX_TOKENS, PairNetwork, from_base
from training.pairs import RELATIONS, Pair

BATCH: Final = 64
WEIGHT_DECAY: Final = 0.01
WARM_UP: Final = 0.06
AVERAGE: Final = 0.998
CONFLICT_WEIGHT: Final = 0.5
LENGTH_STEP: Final = 8
"""Batches are padded to a multiple of this: each new length is a new kernel to be compiled, which halved the speed."""
CONFLICT_MASK: Final = torch.tensor([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True, slots=True)
class Encoded:
    """One pair as token ids, the length of its first segment, and its label mask."""

    ids: tuple[int, ...]
    first: int
    mask: tuple[float, ...]
    weight: float


def encode(pair: Pair, tokenizer: wordpiece.WordPiece) -> Encoded:
    """Token ids of a pair: ``[CLS] existing [SEP] new [SEP]``; the longer statement is cut first."""
    old = tokenizer.pieces(pair.old, MAX_TOKENS)
    new = tokenizer.pieces(pair.new, MAX_TOKENS)
    while len(old) + len(new) > MAX_TOKENS - 3:
        (old if len(old) > len(new) else new).pop()
    ids = (tokenizer.cls_id, *old, tokenizer.sep_id, *new, tokenizer.sep_id)
    mask = tuple(float(name in pair.labels) for name in RELATIONS)
    return Encoded(ids, len(old) + 2, mask, pair.weight)


def collate(rows: list[Encoded]) -> tuple[Tensor, Tensor, Tensor]:
    """Ids, sides and attention mask of a batch, padded to its longest pair."""
    longest = -(-max(len(row.ids) for row in rows) // LENGTH_STEP) * LENGTH_STEP
    ids = torch.zeros(len(rows), longest, dtype=torch.long)
    sides = torch.zeros_like(ids)
    mask = torch.zeros_like(ids)
    for number, row in enumerate(rows):
        size = len(row.ids)
        ids[number, :size] = torch.tensor(row.ids)
        sides[number, row.first : size] = 1
        mask[number, :size] = 1
    return ids, sides, mask


def loss_of(logits: Tensor, allowed: Tensor, weight: Tensor) -> Tensor:
    """Mean negative log likelihood of the allowed relations, plus that of the allowed side."""
    spread = torch.log_softmax(logits, dim=-1)
    right = torch.logsumexp(spread.masked_fill(allowed == 0, -1e4), dim=-1)
    conflict_mask = CONFLICT_MASK.to(logits.device)
    hot = torch.logsumexp(spread.masked_fill(conflict_mask == 0, -1e4), dim=-1)
    cold = torch.logsumexp(spread.masked_fill(conflict_mask == 1, -1e4), dim=-1)
    is_hot = (allowed * (1 - conflict_mask)).sum(-1) == 0
    side = torch.where(is_hot, hot, cold)
    return -((right + CONFLICT_WEIGHT * side) * weight).sum() / weight.sum()


@torch.no_grad()
def predict(network: PairNetwork, rows: list[Pair], size: int = 128) -> np.ndarray[Any, np.dtype[Any]]:
    """Relation scores (logits) [pairs, 6] of pairs, in their order."""
    network.eval()
    tokenizer = wordpiece.bundled()
    coded = [encode(row, tokenizer) for row in rows]
    order = sorted(range(len(rows)), key=lambda index: len(coded[index].ids))
    out = np.zeros((len(rows), len(RELATIONS)), dtype=np.float32)
    device = next(network.parameters()).device
    for start in range(0, len(order), size):
        chosen = order[start : start + size]
        inputs = [part.to(device) for part in collate([coded[index] for index in chosen])]
        with half_precision(device):
            out[chosen] = network(*inputs).float().cpu().numpy()
    return out


def half_precision(device: torch.device) -> Any:  # noqa: ANN401 - torch's own context manager
    """Products in bfloat16 where the processor has units for them, which is four times as fast as without."""
    able = device.type == "cuda" or torch.ops.mkldnn._is_mkldnn_bf16_supported()  # noqa: SLF001 - no public name
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=able)


def softmax(logits: np.ndarray[Any, np.dtype[Any]]) -> np.ndarray[Any, np.dtype[Any]]:
    """Probabilities of scores, row by row."""
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)  # type: ignore[no-any-return]


class Trainer:
    """The network, its running average and the optimiser, over the stages; every pass ends in a checkpoint."""

    def __init__(self, folder: Path, seed: int, threads: int, frozen_layers: int = 0) -> None:
        torch.manual_seed(seed)
        torch.set_num_threads(threads)
        self.folder, self.seed = folder, seed
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.network = from_base().to(self.device)
        self.network.freeze(frozen_layers)
        self.average = {name: value.detach().clone() for name, value in self.network.state_dict().items()}
        self.rng = random.Random(seed)

    def load(self, checkpoint: Path) -> None:
        """Start from the averaged weights of a checkpoint."""
        state = torch.load(checkpoint, map_location=self.device, weights_only=True)
        self.network.load_state_dict(state)
        self.average = {name: value.detach().clone() for name, value in state.items()}

    def run(self, stage: Stage, passes: list[list[Pair]], watch: list[Pair]) -> None:
        """Go through the passes of one stage and report on ``watch`` after each."""
        tokenizer = wordpiece.bundled()
        steps = [-(-len(rows) // BATCH) for rows in passes]
        for number, rows in enumerate(passes, 1):
            done = self.folder / f"{stage.name}-{number}.pt"
            if done.exists():
                self.load(done)
                continue
            self._seed(number)
            before = sum(steps[: number - 1])
            trained = [p for p in self.network.parameters() if p.requires_grad]
            optimiser = torch.optim.AdamW(trained, lr=stage.peak_rate, weight_decay=WEIGHT_DECAY, fused=True)
            schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step, b=before: rate(b + step, sum(steps)))
            coded = [encode(row, tokenizer) for row in rows]
            self._pass(f"{stage.name} {number}/{len(passes)}", coded, rows, optimiser, schedule)
            self.load_average()
            torch.save(self.average, done)
            self.report(f"{stage.name} {number}", watch)

    def _seed(self, number: int) -> None:
        """A pass can be repeated alone: it starts from the averaged weights of the one before, with a seed of its own."""
        torch.manual_seed(self.seed + 100 * (number - 1))
        self.rng = random.Random(self.seed + 100 * (number - 1))

    def load_average(self) -> None:
        """Go on from the averaged weights."""
        self.network.load_state_dict(self.average)
        self.average = {name: value.detach().clone() for name, value in self.network.state_dict().items()}

    def _pass(self, name: str, coded: list[Encoded], rows: list[Pair], optimiser: Any, schedule: Any) -> None:  # noqa: ANN401 - torch types these loosely
        self.network.train()
        start, seen, total = time.monotonic(), 0, 0.0
        lengths = [len(row.ids) for row in coded]
        for step, batch in enumerate(mixture.batches(rows, lengths, BATCH, self.rng), 1):
            chosen = [coded[index] for index in batch]
            inputs = [part.to(self.device) for part in collate(chosen)]
            with half_precision(self.device):
                logits = self.network(*inputs)
            allowed = torch.tensor([row.mask for row in chosen], device=self.device)
            loss = loss_of(logits.float(), allowed, torch.tensor([row.weight for row in chosen], device=self.device))
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            self._follow()
            seen, total = seen + len(batch), total + float(loss.detach()) * len(batch)
            if step % 100 == 0:
                speed = seen / (time.monotonic() - start)
                print(f"{name}: {seen}/{len(rows)} loss {total / seen:.3f} {speed:.0f} pairs/s", flush=True)

    @torch.no_grad()
    def _follow(self) -> None:
        for name, value in self.network.state_dict().items():
            kept = self.average[name]
            if kept.dtype.is_floating_point:
                kept.lerp_(value, 1 - AVERAGE)

    def report(self, name: str, watch: list[Pair]) -> None:
        """Print the figures of the averaged weights on pairs, the plain and the hard ones apart."""
        live = {key: value.clone() for key, value in self.network.state_dict().items()}
        self.network.load_state_dict(self.average)
        for kind, rows in (("hard", [r for r in watch if not r.plain]), ("plain", [r for r in watch if r.plain])):
            if rows:
                found = softmax(predict(self.network, rows))
                print(f"{name} {kind:5s} {score.score(found, [r.label for r in rows]).line()}", flush=True)
        self.network.load_state_dict(live)


def rate(step: int, steps: int) -> float:
    """The share of the peak learning rate: up in a line, then down in a line to a twentieth."""
    warm = max(1, round(steps * WARM_UP))
    if step < warm:
        return (step + 1) / warm
    return max(0.05, (steps - step) / max(1, steps - warm))


def train(folder: Path, public: Path, families: Path | None, *, seed: int, threads: int, tiny: bool, share: float) -> None:
    """Both stages, from the base weights or from the last checkpoint of the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    trainer = Trainer(folder, seed, threads)
    watch = pairs.pairs_of(pairs.of_part("dev"))
    for stage in (mixture.TINY,) if tiny else (mixture.BROAD, mixture.SHARP):
        done = folder / f"{stage.name}-{stage.passes}.pt"
        if done.exists():
            trainer.load(done)
            continue
        trainer.run(stage, list(mixture.epochs(stage, public, families, seed, share)), watch)
        trainer.load(done)
