"""How does the pair judge learn from pairs?

Answer: ``Trainer`` fine-tunes the base encoder through one stage of ``training.mixture``, keeps a running average of
the weights, and writes a checkpoint after every pass, which is all that the next one needs. The loss is the
negative log of the probability given to the allowed relations, plus half of the same for conflict-or-not, which is the
question that decides whether something true gets hidden.

On a CPU with bfloat16 units the products run in that type; without, in float32. Seeds fix data, order, dropout and
head; sums over two threads may differ in the last bits, which is the noise the card states.
Left to others: which stages in which order (``training.recipe``), export (``training.ship``), the figures that count
(``training.evaluate``).
"""

from __future__ import annotations

import json
import random
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from stilltrue.inference import wordpiece
from training import mixture, score
from training.mixture import Stage
from training.network import MAX_TOKENS, PairNetwork, from_base
from training.pairs import RELATIONS, Pair

WEIGHT_DECAY: Final = 0.01
WARM_UP: Final = 0.06
CONFLICT_WEIGHT: Final = 0.5
LENGTH_STEP: Final = 8
"""Batches are padded to a multiple of this: each new length is another kernel to be compiled."""
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


class Trainer:
    """The network, its running average and the optimiser, over one stage; every pass ends in a checkpoint."""

    def __init__(self, folder: Path, seed: int, threads: int) -> None:
        torch.manual_seed(seed)
        torch.set_num_threads(threads)
        self.folder, self.seed = folder, seed
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.network = from_base().to(self.device)
        self.average = self._copy()
        self.rng = random.Random(seed)

    def load(self, checkpoint: Path) -> None:
        """Start from the averaged weights of a checkpoint."""
        self.network.load_state_dict(torch.load(checkpoint, map_location=self.device, weights_only=True))
        self.average = self._copy()

    def _copy(self) -> dict[str, Tensor]:
        return {name: value.detach().clone() for name, value in self.network.state_dict().items()}

    def run(self, stage: Stage, passes: list[list[Pair]], watch: list[Pair], name: str = "") -> None:
        """Go through the passes of one stage and report on ``watch`` after each; checkpoints are NAME-1.pt and on.

        Every pass starts from the averaged weights of the one before, with a fresh optimiser at the place in the
        schedule that it has reached: so a pass needs nothing but that checkpoint, and one that is there is not run.
        """
        name = name or stage.name
        sizes = [-(-len(rows) // stage.batch) for rows in passes]
        steps = round(sum(sizes) * (stage.schedule or stage.passes) / stage.passes)
        for number, rows in enumerate(passes, 1):
            done = self.folder / f"{name}-{number}.pt"
            if done.exists():
                print(f"{done.stem}: done", flush=True)
                self.load(done)
                continue
            if number > 1:
                self._reseed(number)
            optimiser, schedule = self._optimiser(stage, sum(sizes[: number - 1]), steps)
            coded = [encode(row, wordpiece.bundled()) for row in rows]
            start = time.monotonic()
            loss = self._pass(f"{name} {number}/{len(passes)}", coded, stage, optimiser, schedule)
            seconds = time.monotonic() - start
            keep(self.average, done)
            self.load(done)
            self._note(done.stem, len(rows), loss, seconds, self.report(f"{name} {number}", watch))

    def _reseed(self, number: int) -> None:
        torch.manual_seed(self.seed + 100 * (number - 1))
        self.rng = random.Random(self.seed + 100 * (number - 1))

    def _optimiser(self, stage: Stage, before: int, steps: int) -> tuple[Any, Any]:
        trained = [p for p in self.network.parameters() if p.requires_grad]
        optimiser = torch.optim.AdamW(trained, lr=stage.peak_rate, weight_decay=WEIGHT_DECAY, fused=True)
        return optimiser, torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: rate(before + step, steps))

    def _note(self, name: str, rows: int, loss: float, seconds: float, figures: dict[str, score.Score]) -> None:
        """Add a line on the pass to ``passes.jsonl``."""
        facts = {"pass": name, "pairs": rows, "loss": round(loss, 4), "seconds": round(seconds, 1)}
        facts |= {"device": self.device.type, "threads": torch.get_num_threads()}
        dev = {kind: {key: round(value, 4) for key, value in asdict(found).items()} for kind, found in figures.items()}
        with (self.folder / "passes.jsonl").open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(facts | {"dev": dev}) + "\n")

    def _pass(self, name: str, coded: list[Encoded], stage: Stage, optimiser: Any, schedule: Any) -> float:  # noqa: ANN401 - as above
        self.network.train()
        start, seen, total = time.monotonic(), 0, 0.0
        lengths = [len(row.ids) for row in coded]
        for step, batch in enumerate(mixture.batches(lengths, stage.batch, self.rng), 1):
            loss = self._loss([coded[index] for index in batch])
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            self._follow(stage.average)
            seen, total = seen + len(batch), total + float(loss.detach()) * len(batch)
            if step % 50 == 0:
                speed = seen / (time.monotonic() - start)
                print(f"{name}: {seen}/{len(coded)} loss {total / seen:.3f} {speed:.0f} pairs/s", flush=True)
        return total / max(1, seen)

    def _loss(self, chosen: list[Encoded]) -> Tensor:
        inputs = [part.to(self.device) for part in collate(chosen)]
        with half_precision(self.device):
            logits = self.network(*inputs)
        allowed = torch.tensor([row.mask for row in chosen], device=self.device)
        weight = torch.tensor([row.weight for row in chosen], device=self.device)
        return loss_of(logits.float(), allowed, weight)

    @torch.no_grad()
    def _follow(self, average: float) -> None:
        for name, value in self.network.named_parameters():
            self.average[name].lerp_(value, 1 - average)

    def report(self, name: str, watch: list[Pair]) -> dict[str, score.Score]:
        """Print the figures of the weights on pairs, the plain and the hard ones apart, and return them."""
        figures = {}
        for kind, rows in (("hard", [r for r in watch if not r.plain]), ("plain", [r for r in watch if r.plain])):
            if rows:
                found = score.softmax(predict(self.network, rows))
                figures[kind] = score.score(found, [r.label for r in rows])
                print(f"{name} {kind:5s} {figures[kind].line()}", flush=True)
        return figures


def keep(state: dict[str, Any], file: Path) -> None:
    """Write a file that is either whole or not there."""
    part = file.with_suffix(".part")
    torch.save(state, part)
    part.replace(file)


def blend(one: Path, other: Path, share: float, out: Path) -> None:
    """Write the weights between two checkpoints: ``share`` of the way (0 to 1) from the one to the other."""
    start, end = (torch.load(file, map_location="cpu", weights_only=True) for file in (one, other))
    between = {
        name: torch.lerp(value.float(), end[name].float(), share).to(value.dtype)
        if value.is_floating_point()
        else value
        for name, value in start.items()
    }
    keep(start | between, out)


def rate(step: int, steps: int) -> float:
    """The share of the peak learning rate: up in a line, then down in a line to a twentieth."""
    warm = max(1, round(steps * WARM_UP))
    if step < warm:
        return (step + 1) / warm
    return max(0.05, (steps - step) / max(1, steps - warm))
