"""Saving and loading: what comes back, on which device, and what a file may refer to."""

import io
from collections import OrderedDict

import numpy as np
import pytest

import minigrad as mg
from minigrad.errors import UntrustedFileError


def test_tensors_and_containers_come_back(tmp_path):
    saved = OrderedDict(w=mg.Parameter([1.0, 2.0]), n=mg.tensor([[1, 2]]), step=3, lr=(0.1, None), names={"a", "b"},
                        array=np.arange(3.0), flag=mg.tensor(True), empty=mg.zeros(0, 3, dtype=mg.float64))
    mg.save(saved, tmp_path / "file.pt")
    loaded = mg.load(tmp_path / "file.pt")
    assert type(loaded) is OrderedDict
    assert list(loaded) == list(saved)
    assert type(loaded["w"]) is mg.Parameter
    assert loaded["w"].requires_grad
    assert loaded["w"].tolist() == [1, 2]
    assert loaded["n"].dtype == mg.int64
    assert loaded["lr"] == (0.1, None)
    assert loaded["names"] == {"a", "b"}
    assert loaded["flag"].item() is True
    assert loaded["empty"].shape == (0, 3)
    np.testing.assert_array_equal(loaded["array"], [0, 1, 2])


def test_a_tensor_that_is_shared_stays_shared():
    w = mg.Parameter([1.0])
    file = io.BytesIO()
    mg.save({"a": w, "b": [w]}, file)
    file.seek(0)
    loaded = mg.load(file)
    assert loaded["a"] is loaded["b"][0]


def test_what_could_run_code_is_refused():
    file = io.BytesIO()
    mg.save({"w": mg.ones(2), "f": print}, file)
    file.seek(0)
    with pytest.raises(UntrustedFileError, match=r"builtins\.print"):
        mg.load(file)
    file.seek(0)
    assert mg.load(file, weights_only=False)["f"] is print


def test_the_device_can_be_chosen(monkeypatch):
    monkeypatch.setenv("MINIGRAD_DEVICE", "double")
    file = io.BytesIO()
    mg.save([mg.ones(2, device="cuda", requires_grad=True)], file)
    file.seek(0)
    assert mg.load(file)[0].is_cuda
    file.seek(0)
    (x,) = mg.load(file, map_location="cpu")
    assert x.is_cpu
    assert x.requires_grad
