"""Whether a saved state fits a module, and what to say when it does not."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from minigrad.core.dims import shape_text
from minigrad.dynamic.creation import as_tensor
from minigrad.dynamic.tensor import Tensor


class LoadResult(NamedTuple):
    """(missing_keys, unexpected_keys), as load_state_dict returns them."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"LoadResult(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


def complaints(own: Mapping[str, Tensor], state: Any, strict: bool) -> tuple[list[str], list[str], list[str]]:
    """(names that `state` lacks, names that `own` lacks, lines that say why it cannot be loaded)."""
    if not isinstance(state, Mapping):
        return [], [], [f"expected a dict of names and tensors, got a {type(state).__name__}"
                        + ("; pass its state_dict()" if hasattr(state, "state_dict") else "")]
    missing = [name for name in own if name not in state]
    unexpected = [name for name in state if name not in own]
    wrong = []
    if strict and missing:
        wrong.append(f"missing: {', '.join(missing)}")
    if strict and unexpected:
        wrong.append(f"unexpected: {', '.join(map(str, unexpected))}")
    for name, tensor in own.items():
        if name not in state:
            continue
        value = state[name]
        if not isinstance(value, Tensor | np.ndarray | np.generic):
            wrong.append(f"{name} is a {type(value).__name__} in the state; expected a tensor")
        elif tuple(value.shape) != tensor.shape:
            wrong.append(f"size mismatch for {name}: {shape_text(tuple(value.shape))} in the state,"
                         f" {shape_text(tensor.shape)} in the module")
    hint = prefix_hint(missing, unexpected) if strict else None
    if hint is not None:
        wrong.append(hint)
    return missing, unexpected, wrong


def prefix_hint(missing: list[str], unexpected: list[str]) -> str | None:
    """What to do when the names differ only by something in front of all of them."""
    pairs = ((missing, unexpected, "every name in the state begins with '{0}', as when it was saved from a module"
              " around this one: load {{name.removeprefix('{0}'): t for name, t in state.items()}}"),
             (unexpected, missing, "every name in the module begins with '{0}', as when the state was saved from the"
              " module inside of it: load it into that one, or {{'{0}' + name: t for name, t in state.items()}}"))
    for short, long, text in pairs:
        if short and len(short) == len(long):
            prefix = str(long[0]).removesuffix(str(short[0]))
            if prefix.endswith(".") and {prefix + str(name) for name in short} == set(long):
                return text.format(prefix)
    return None


def loadable(value: Any, tensor: Tensor) -> Tensor:
    """What the state holds for `tensor`, as a Tensor."""
    return value if isinstance(value, Tensor) else as_tensor(np.asarray(value))
