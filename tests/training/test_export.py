"""Is the exported graph the trained network, whatever a pair is batched with? (``make tiny``)"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs onnx and torch: make tiny")
torch = pytest.importorskip("torch", reason="needs torch: make tiny")

from training import export, network, ship  # noqa: E402 - only where there are torch and onnx
from training.build_embedder import session  # noqa: E402

pytestmark = pytest.mark.torch

WORDS = 50


@pytest.fixture(scope="module")
def judge():
    """A network of random weights that has opinions."""
    torch.manual_seed(5)
    found = network.PairNetwork(WORDS, dropout=0.0).eval()
    with torch.no_grad():
        found.relations.weight.mul_(5)
    return found


@pytest.fixture(scope="module")
def state(judge):
    return {name: value.numpy() for name, value in judge.state_dict().items()}


@pytest.fixture(scope="module")
def batch():
    """Three pairs of different length, padded."""
    rng = np.random.default_rng(1)
    ids, sides, mask = (np.zeros((3, 12), dtype=np.int64) for _ in range(3))
    for row, (length, first) in enumerate(((12, 5), (7, 3), (9, 6))):
        ids[row, :length] = rng.integers(1, WORDS, length)
        sides[row, first:length] = 1
        mask[row, :length] = 1
    return {"input_ids": ids, "token_type_ids": sides, "attention_mask": mask}


def answers(state, batch, *, exact):
    model = export.build_graph(state, exact=exact).SerializeToString()
    return session(model).run(["logits"], batch)[0]


def test_the_exact_graph_is_the_network(judge, state, batch):
    with torch.no_grad():
        wanted = judge(*(torch.from_numpy(batch[name]) for name in batch)).numpy()
    assert np.ptp(wanted) > 0.5
    np.testing.assert_allclose(answers(state, batch, exact=True), wanted, atol=1e-4)


def test_int8_is_near(state, batch):
    np.testing.assert_allclose(answers(state, batch, exact=False), answers(state, batch, exact=True), atol=0.15)


def test_int8_does_not_depend_on_company(state, batch):
    together = answers(state, batch, exact=False)
    for row in range(3):
        length = int(batch["attention_mask"][row].sum())
        alone = {name: value[row : row + 1, :length] for name, value in batch.items()}
        np.testing.assert_allclose(answers(state, alone, exact=False)[0], together[row], atol=1e-4)


class TestCard:
    FILES = {"pair_model.onnx": b"model", "vocab.txt": b"words"}  # noqa: RUF012 - never changed
    WEIGHED = {"scale": 1.0}  # noqa: RUF012 - never changed

    def version(self, files=FILES, weighed=WEIGHED):
        return ship.card(files, weighed, {"measured": 1})["model_version"]

    def test_the_version_changes_with_model_vocabulary_and_combination(self):
        others = [
            self.version(self.FILES | {"pair_model.onnx": b"other"}),
            self.version(self.FILES | {"vocab.txt": b"other"}),
            self.version(weighed={"scale": 1.5}),
        ]
        assert len({self.version(), *others}) == 4
        assert self.version() == self.version()
        name, _, digits = self.version().rpartition("-")
        assert name == "minilm-pairs-int8"
        assert len(digits) == 8


def test_a_model_too_far_from_fp32_is_not_written(tmp_path, monkeypatch):
    for name in ("state_of", "scores", "folded"):
        monkeypatch.setattr(ship, name, lambda *given: {})
    monkeypatch.setattr(ship, "refit_head", lambda *given: ())
    monkeypatch.setattr(ship, "build_graph", lambda state, *, exact=False: Built())
    monkeypatch.setattr(ship, "fidelity", lambda *given: {"conflict_difference_mean": 0.031})
    with pytest.raises(ship.DriftError, match=r"0\.031"):
        ship.export(tmp_path / "final.pt", tmp_path / "out")
    assert not (tmp_path / "out").exists()


class Built:
    """Stands for a graph."""

    def SerializeToString(self, *, deterministic=False):
        return b""
