"""How many threads does a local model run on? As many as its setting says."""

from __future__ import annotations

import pytest

from stilltrue.inference import onnx_files
from stilltrue.memory import Memory
from stilltrue.settings import Settings
from tests.inference.tiny_models import pairs, trained


@pytest.fixture
def threads(monkeypatch):
    """The number of threads of each session that is opened from now on, as the runtime has it."""
    opened, real = [], onnx_files.open_session

    def open_session(*given):
        session = real(*given)
        opened.append(session.get_session_options().intra_op_num_threads)
        return session

    monkeypatch.setattr(onnx_files, "open_session", open_session)
    return opened


@pytest.mark.parametrize("number", [1, 3])
def test_the_embedder_has_as_many_threads_as_the_setting_says(threads, number):
    with Memory.open(":memory:", settings=Settings(embedder_threads=number, pair_model="off")) as memory:
        memory.remember("User lives in Oslo.")
        assert memory.check_invariants() == []
    assert threads == [number]


@pytest.mark.parametrize("number", [1, 3])
def test_the_pair_model_has_as_many_threads_as_the_setting_says(tmp_path, threads, number):
    chosen = Settings(pair_model=str(trained(tmp_path / "model")), pair_model_threads=number)
    with Memory.open(":memory:", settings=chosen) as memory:
        memory.engine.pair_model.relations(pairs(("red", "blue")))
    assert threads == [number]
