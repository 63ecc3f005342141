"""Recurrent layers: RNN, LSTM, GRU and their cells.

All steps of a layer see the input through one product, which is computed for all of them at once; what depends on the
step before is the product with the state and the gates.
"""

import math
import warnings
from typing import Any

from minigrad.core.dims import Dim, shape_text
from minigrad.dynamic.creation import empty
from minigrad.dynamic.parameter import Parameter
from minigrad.errors import InvalidArgumentError, ShapeError
from minigrad.nn.linear import uniform_within
from minigrad.nn.module import Module
from minigrad.nn.utils.rnn import PackedSequence, as_lengths
from minigrad.nn.zeros import zeros_beside
from minigrad.ops.activations import relu
from minigrad.ops.draws import dropout
from minigrad.ops.exponential import sigmoid
from minigrad.ops.indexing import index_select
from minigrad.ops.joining import cat, chunk, stack, unbind
from minigrad.ops.matmul import linear
from minigrad.ops.shaping import transpose, unsqueeze
from minigrad.ops.trigonometry import tanh

State = tuple[Any, ...]  # (h,), for an LSTM (h, c): each (batch, hidden)


# ----- one step: from the input's share z, the state, and (weight_hh, bias_hh, weight_hr or None)
def tanh_step(z: Any, state: State, w: State) -> State:
    """h = tanh(z + W h + b)."""
    return (tanh(z + linear(state[0], w[0], w[1])),)


def relu_step(z: Any, state: State, w: State) -> State:
    """h = relu(z + W h + b)."""
    return (relu(z + linear(state[0], w[0], w[1])),)


def lstm_step(z: Any, state: State, w: State) -> State:
    """One step of an LSTM (Hochreiter and Schmidhuber 1997)."""
    h, c = state
    i, f, g, o = chunk(z + linear(h, w[0], w[1]), 4, -1)
    c = sigmoid(f) * c + sigmoid(i) * tanh(g)
    h = sigmoid(o) * tanh(c)
    return h if w[2] is None else linear(h, w[2]), c


def gru_step(z: Any, state: State, w: State) -> State:
    """One step of a GRU (Cho 2014)."""
    h = state[0]
    xr, xz, xn = chunk(z, 3, -1)
    hr, hz, hn = chunk(linear(h, w[0], w[1]), 3, -1)
    n = tanh(xn + sigmoid(xr + hr) * hn)
    return (n + sigmoid(xz + hz) * (h - n),)


STEPS = {"RNN_TANH": tanh_step, "RNN_RELU": relu_step, "LSTM": lstm_step, "GRU": gru_step}
GATES = {"RNN_TANH": 1, "RNN_RELU": 1, "LSTM": 4, "GRU": 3}


def rnn_mode(nonlinearity: str) -> str:
    """The mode of a plain RNN."""
    if nonlinearity not in ("tanh", "relu"):
        raise InvalidArgumentError(f'nonlinearity must be "tanh" or "relu", not {nonlinearity!r}')
    return f"RNN_{nonlinearity.upper()}"


class RNNBase(Module):
    """What the layers share: weights for each layer and direction, the walk over time and layers.

    Args:
        mode: "RNN_TANH", "RNN_RELU", "LSTM" or "GRU".
        input_size, hidden_size: numbers of features of the input and of the state.
        num_layers: so many layers, each working on the outputs of the one before.
        bias: whether to add biases.
        batch_first: the input is (batch, time, features), not (time, batch, features); states are not affected.
        dropout: the probability with which outputs of all layers but the last are dropped.
        bidirectional: a second set of weights works from the end to the beginning; the outputs are joined.
        proj_size: the LSTM's output and h are projected to this size (Sak 2014).

    Attributes:
        weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, ...: for layer 0; "_reverse" follows for the second
            direction. Those of the gates stand one below the other: input, forget, cell, output for an LSTM; reset,
            update, new for a GRU. They start uniform within 1 / sqrt(hidden_size) of 0.
    """

    def __init__(self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
                 batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0,
                 device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        check_sizes(self, mode, hidden_size, num_layers, dropout, proj_size)
        self.mode = mode
        self.input_size, self.hidden_size, self.num_layers, self.proj_size = (input_size, hidden_size, num_layers,
                                                                              proj_size)
        self.bias, self.batch_first, self.dropout, self.bidirectional = bias, batch_first, dropout, bidirectional
        rows = GATES[mode] * hidden_size
        size_of_h = proj_size or hidden_size
        for layer in range(num_layers):
            features = input_size if layer == 0 else size_of_h * len(self.suffixes())
            for suffix in self.suffixes():
                shapes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, features), "weight_hh": (rows, size_of_h)}
                if bias:
                    shapes["bias_ih"] = shapes["bias_hh"] = (rows,)
                if proj_size:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                for name, shape in shapes.items():
                    parameter = Parameter(empty(shape, dtype=dtype, device=device))
                    self.register_parameter(f"{name}_l{layer}{suffix}", parameter)
        self.reset_parameters()

    def suffixes(self) -> tuple[str, ...]:
        """What follows the names of the weights of each direction."""
        return ("", "_reverse") if self.bidirectional else ("",)

    def reset_parameters(self) -> None:
        """Draw the initial values anew."""
        uniform_within(1 / math.sqrt(self.hidden_size), *self.parameters())

    def weights(self, layer: int, suffix: str) -> State:
        """(weight_ih, weight_hh, bias_ih, bias_hh, weight_hr) of a layer and direction."""
        d = self._parameters
        return tuple([d.get(f"{name}_l{layer}{suffix}") for name in
                      ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")])

    def flatten_parameters(self) -> None:
        """PyTorch's preparation for cuDNN; there is nothing to do."""

    def forward(self, input: Any, hx: Any = None) -> Any:
        if isinstance(input, PackedSequence):
            return self.packed(input, hx)
        self.check_input(input)
        batched = input.ndim == 3
        x = input if batched else unsqueeze(input, 1)
        if batched and self.batch_first:
            x = transpose(x, 0, 1)
        starts = self.starts(x[0], hx, batched)
        x, finals = self.all_layers(x, starts, Steps)
        if not batched:
            x, finals = x[:, 0], tuple([state[:, 0] for state in finals])
        elif self.batch_first:
            x = transpose(x, 0, 1)
        return x, finals if self.mode == "LSTM" else finals[0]

    def packed(self, input: PackedSequence, hx: Any) -> Any:
        """`forward` for packed sequences, which gives packed outputs."""
        sizes = as_lengths(input.batch_sizes)
        starts = self.starts(input.data[:sizes[0]], hx, True)
        if input.sorted_indices is not None and hx is not None:
            starts = tuple([index_select(start, 1, input.sorted_indices) for start in starts])
        data, finals = self.all_layers(input.data, starts, PackedSteps, sizes)
        if input.unsorted_indices is not None:
            finals = tuple([index_select(final, 1, input.unsorted_indices) for final in finals])
        output = PackedSequence(data, input.batch_sizes, input.sorted_indices, input.unsorted_indices)
        return output, finals if self.mode == "LSTM" else finals[0]

    def all_layers(self, x: Any, starts: State, walk: Any, *sizes: Any) -> tuple[Any, State]:
        """(outputs of the last layer, last states of all of them), by a walk over time."""
        step = STEPS[self.mode]
        finals = []
        for layer in range(self.num_layers):
            if layer and self.dropout:
                x = dropout(x, self.dropout, self.training)
            outputs = []
            for direction, suffix in enumerate(self.suffixes()):
                w_ih, w_hh, b_ih, b_hh, w_hr = self.weights(layer, suffix)
                state = tuple([start[layer * len(self.suffixes()) + direction] for start in starts])
                z = linear(x, w_ih, b_ih)
                y, state = walk(step, (w_hh, b_hh, w_hr), suffix != "", *sizes).outputs(z, state)
                outputs.append(y)
                finals.append(state)
            x = outputs[0] if len(outputs) == 1 else cat(outputs, -1)
        return x, tuple([stack(list(parts), 0) for parts in zip(*finals, strict=True)])

    def starts(self, first: Any, hx: Any, batched: bool) -> State:
        """The states to start from, each (layers and directions, batch, size); zeros beside `first` by default."""
        count = self.num_layers * len(self.suffixes())
        widths = (self.proj_size or self.hidden_size, self.hidden_size)[:2 if self.mode == "LSTM" else 1]
        if hx is None:
            return tuple([[zeros_beside(first, width)] * count for width in widths])
        parts = hx if self.mode == "LSTM" else (hx,)
        if not isinstance(parts, tuple | list) or len(parts) != len(widths):
            raise ShapeError(f"{type(self).__name__}: the initial state must be a pair (h_0, c_0)")
        parts = [part if batched else unsqueeze(part, 1) for part in parts]
        for name, part, width in zip(("h_0", "c_0"), parts, widths, strict=False):
            expected = (count, first.shape[0], width)
            if part.ndim != 3 or not all([a == b or isinstance(a, Dim) or isinstance(b, Dim) for a, b in
                                          zip(part.shape, expected, strict=True)]):
                raise ShapeError(f"{type(self).__name__}: {name} must have shape {shape_text(expected)} (layers and"
                                 f" directions, batch, features), got {shape_text(part.shape)}")
        return tuple(parts)

    def check_input(self, input: Any) -> None:
        """Raise unless the input fits."""
        if input.ndim not in (2, 3):
            raise ShapeError(f"{type(self).__name__}: expected an input of 3 dimensions, or of 2 without a batch, got"
                             f" shape {shape_text(input.shape)}")
        if isinstance(input.shape[-1], int) and input.shape[-1] != self.input_size:
            raise ShapeError(f"{type(self).__name__}: expected {self.input_size} features in the last dimension of the"
                             f" input, got shape {shape_text(input.shape)}")

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        for name, value, usual in (("proj_size", self.proj_size, 0), ("num_layers", self.num_layers, 1),
                                   ("bias", self.bias, True), ("batch_first", self.batch_first, False),
                                   ("dropout", self.dropout, 0), ("bidirectional", self.bidirectional, False)):
            if value != usual:
                text += f", {name}={value}"
        return text


def check_sizes(layer: Any, mode: str, hidden_size: int, num_layers: int, dropout: float, proj_size: int) -> None:
    """Raise unless a recurrent layer can have these options."""
    name = type(layer).__name__
    if hidden_size <= 0 or num_layers <= 0:
        raise InvalidArgumentError(f"{name}: hidden_size and num_layers must be positive, got {hidden_size} and"
                                   f" {num_layers}")
    if not 0 <= dropout <= 1:
        raise InvalidArgumentError(f"{name}: dropout must be a probability, got {dropout}")
    if dropout and num_layers == 1:
        warnings.warn(f"{name}: dropout={dropout} works between layers, and there is only one", UserWarning,
                      stacklevel=4)
    if proj_size and (mode != "LSTM" or not 0 < proj_size < hidden_size):
        raise InvalidArgumentError(f"{name}: proj_size is for an LSTM and must be below hidden_size {hidden_size}, got"
                                   f" {proj_size}")


# ----- walks over time
class Steps:
    """The walk over the steps of a tensor (time, batch, gates)."""

    def __init__(self, step: Any, weights: State, is_backward: bool) -> None:
        self.step, self.weights, self.is_backward = step, weights, is_backward

    def outputs(self, z: Any, state: State) -> tuple[Any, State]:
        """(outputs of all steps, last state)."""
        step, weights = self.step, self.weights
        parts = unbind(z, 0)
        outputs = []
        for part in reversed(parts) if self.is_backward else parts:
            state = step(part, state, weights)
            outputs.append(state[0])
        if self.is_backward:
            outputs.reverse()
        return stack(outputs, 0), state


class PackedSteps(Steps):
    """The walk over the steps of packed sequences, of which fewer and fewer are left (or, backwards, more and more)."""

    def __init__(self, step: Any, weights: State, is_backward: bool, sizes: list[int]) -> None:
        super().__init__(step, weights, is_backward)
        self.sizes = sizes

    def outputs(self, z: Any, state: State) -> tuple[Any, State]:
        parts = []
        start = 0
        for size in self.sizes:
            parts.append(z[start:start + size])
            start += size
        return self.to_begin(parts, state) if self.is_backward else self.to_end(parts, state)

    def to_end(self, parts: list[Any], state: State) -> tuple[Any, State]:
        """Forwards: sequences end, and their states are set aside."""
        outputs, ended = [], []
        size = self.sizes[0]
        for part, left in zip(parts, self.sizes, strict=True):
            if left < size:
                ended.append(tuple([s[left:] for s in state]))
                state = tuple([s[:left] for s in state])
                size = left
            state = self.step(part, state, self.weights)
            outputs.append(state[0])
        ended.append(state)
        finals = [cat(list(rows), 0) for rows in zip(*ended[::-1], strict=True)]
        return cat(outputs, 0), tuple(finals)

    def to_begin(self, parts: list[Any], start: State) -> tuple[Any, State]:
        """Backwards: sequences join in with their initial states."""
        outputs = []
        size = self.sizes[-1]
        state = tuple([s[:size] for s in start])
        for part, there in zip(parts[::-1], self.sizes[::-1], strict=True):
            if there > size:
                state = tuple([cat([s, fresh[size:there]], 0) for s, fresh in zip(state, start, strict=True)])
                size = there
            state = self.step(part, state, self.weights)
            outputs.append(state[0])
        return cat(outputs[::-1], 0), state


class RNN(RNNBase):
    """h = tanh(W x + b + U h + c) over time (Elman 1990). PyTorch: torch.nn.RNN; see RNNBase.

    Args:
        nonlinearity: "tanh" or "relu".
    """

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh",
                 bias: bool = True, batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
                 device: Any = None, dtype: Any = None) -> None:
        self.nonlinearity = nonlinearity
        super().__init__(rnn_mode(nonlinearity), input_size, hidden_size, num_layers, bias, batch_first, dropout,
                         bidirectional, 0, device, dtype)


class LSTM(RNNBase):
    """Long short-term memory over time (Hochreiter and Schmidhuber 1997). PyTorch: torch.nn.LSTM; see RNNBase.

    It returns (output, (h_n, c_n)) and takes an initial state (h_0, c_0).
    """

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
                 batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0,
                 device: Any = None, dtype: Any = None) -> None:
        super().__init__("LSTM", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional,
                         proj_size, device, dtype)


class GRU(RNNBase):
    """Gated recurrent unit over time (Cho 2014). PyTorch: torch.nn.GRU; see RNNBase."""

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
                 batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__("GRU", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0,
                         device, dtype)


# ----- one step at a time
class RNNCellBase(Module):
    """What the cells share: weights, and one step for an input (batch, input_size) or (input_size,)."""

    bias_ih: Parameter | None
    bias_hh: Parameter | None

    def __init__(self, mode: str, input_size: int, hidden_size: int, bias: bool, device: Any, dtype: Any) -> None:
        super().__init__()
        self.mode = mode
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = GATES[mode] * hidden_size
        self.weight_ih = Parameter(empty((rows, input_size), dtype=dtype, device=device))
        self.weight_hh = Parameter(empty((rows, hidden_size), dtype=dtype, device=device))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(empty((rows,), dtype=dtype, device=device)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the initial values anew."""
        uniform_within(1 / math.sqrt(self.hidden_size) if self.hidden_size else 0.0, *self.parameters())

    def forward(self, input: Any, hx: Any = None) -> Any:
        if input.ndim not in (1, 2):
            raise ShapeError(f"{type(self).__name__}: expected an input of 2 dimensions, or of 1 without a batch, got"
                             f" shape {shape_text(input.shape)}")
        state: State
        if hx is None:
            state = (zeros_beside(input, self.hidden_size),) * (2 if self.mode == "LSTM" else 1)
        else:
            state = hx if self.mode == "LSTM" else (hx,)
        z = linear(input, self.weight_ih, self.bias_ih)
        state = STEPS[self.mode](z, state, (self.weight_hh, self.bias_hh, None))
        return state if self.mode == "LSTM" else state[0]

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")


class RNNCell(RNNCellBase):
    """One step of an RNN. PyTorch: torch.nn.RNNCell."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh",
                 device: Any = None, dtype: Any = None) -> None:
        self.nonlinearity = nonlinearity
        super().__init__(rnn_mode(nonlinearity), input_size, hidden_size, bias, device, dtype)

    def extra_repr(self) -> str:
        return super().extra_repr() + ("" if self.nonlinearity == "tanh" else f", nonlinearity={self.nonlinearity}")


class LSTMCell(RNNCellBase):
    """One step of an LSTM: from input and (h, c) to the new (h, c). PyTorch: torch.nn.LSTMCell."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__("LSTM", input_size, hidden_size, bias, device, dtype)


class GRUCell(RNNCellBase):
    """One step of a GRU. PyTorch: torch.nn.GRUCell."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__("GRU", input_size, hidden_size, bias, device, dtype)
