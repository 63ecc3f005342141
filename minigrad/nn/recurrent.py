"""Recurrent layers: RNN, LSTM, GRU and their cells."""

import math
from collections.abc import Callable

from minigrad.dynamic.creation import empty
from minigrad.dynamic.parameter import Parameter
from minigrad.nn import init
from minigrad.nn.module import Module
from minigrad.ops.activations import relu
from minigrad.ops.draws import dropout
from minigrad.ops.exponential import sigmoid
from minigrad.ops.joining import cat, chunk, stack, unbind
from minigrad.ops.matmul import linear
from minigrad.ops.padding import flip
from minigrad.ops.reduction import sum as total
from minigrad.ops.shaping import transpose, unsqueeze
from minigrad.ops.trigonometry import tanh


def rnn_step(x, state, w, nonlinearity):
    """One step of a plain RNN: (new state,)."""
    z = linear(x, w[0], w[2]) + linear(state[0], w[1], w[3])
    return (tanh(z) if nonlinearity == "tanh" else relu(z),)


def lstm_step(x, state, w, nonlinearity=None):
    """One step of an LSTM (Hochreiter and Schmidhuber 1997): (new output, new cell)."""
    h, c = state
    i, f, g, o = chunk(linear(x, w[0], w[2]) + linear(h, w[1], w[3]), 4, -1)
    c = sigmoid(f) * c + sigmoid(i) * tanh(g)
    return sigmoid(o) * tanh(c), c


def gru_step(x, state, w, nonlinearity=None):
    """One step of a GRU (Cho 2014): (new state,)."""
    h = state[0]
    xr, xz, xn = chunk(linear(x, w[0], w[2]), 3, -1)
    hr, hz, hn = chunk(linear(h, w[1], w[3]), 3, -1)
    z = sigmoid(xz + hz)
    n = tanh(xn + sigmoid(xr + hr) * hn)
    return ((1 - z) * n + z * h,)


def zero_state(x, size):
    """Zeros (..., size) beside x (..., features), of its dtype and on its device, in its engine."""
    column = unsqueeze(total(x * 0, -1), -1)
    return column.expand((*x.shape[:-1], size))


class RecurrentBase(Module):
    """What the layers share: weights for each layer and direction, the walk over time and layers."""

    gates = 1
    states = 1
    step: Callable = staticmethod(rnn_step)

    def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, nonlinearity="tanh"):
        super().__init__()
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.has_bias, self.batch_first, self.dropout = bias, batch_first, dropout
        self.bidirectional, self.nonlinearity = bidirectional, nonlinearity
        bound = 1 / math.sqrt(hidden_size) if hidden_size else 0
        for layer in range(num_layers):
            size = input_size if layer == 0 else hidden_size * (2 if bidirectional else 1)
            for suffix in ("", "_reverse") if bidirectional else ("",):
                shapes = {"weight_ih": (self.gates * hidden_size, size),
                          "weight_hh": (self.gates * hidden_size, hidden_size)}
                if bias:
                    shapes["bias_ih"] = shapes["bias_hh"] = (self.gates * hidden_size,)
                for name, shape in shapes.items():
                    parameter = Parameter(empty(shape))
                    init.uniform_(parameter, -bound, bound)
                    self.register_parameter(f"{name}_l{layer}{suffix}", parameter)

    def weights(self, layer, suffix):
        """(weight_ih, weight_hh, bias_ih, bias_hh) of a layer and direction."""
        names = ["weight_ih", "weight_hh", "bias_ih", "bias_hh"]
        return [getattr(self, f"{name}_l{layer}{suffix}", None) for name in names]

    def forward(self, input, hx=None):
        batched = input.ndim == 3
        x = input if batched else unsqueeze(input, 1)
        if batched and self.batch_first:
            x = transpose(x, 0, 1)
        starts = None
        if hx is not None:
            parts = hx if self.states > 1 else (hx,)
            starts = [part if batched else unsqueeze(part, 1) for part in parts]
        finals = []
        directions = ("", "_reverse") if self.bidirectional else ("",)
        for layer in range(self.num_layers):
            if layer and self.dropout:
                x = dropout(x, self.dropout, self.training)
            outputs = []
            for direction, suffix in enumerate(directions):
                number = layer * len(directions) + direction
                state = [zero_state(x[0], self.hidden_size)] * self.states if starts is None else [
                    part[number] for part in starts]
                y, state = self.run(flip(x, (0,)) if suffix else x, state, self.weights(layer, suffix))
                outputs.append(flip(y, (0,)) if suffix else y)
                finals.append(state)
            x = outputs[0] if len(outputs) == 1 else cat(outputs, -1)
        states = [stack([state[i] for state in finals], 0) for i in range(self.states)]
        if not batched:
            x, states = x[:, 0], [state[:, 0] for state in states]
        elif self.batch_first:
            x = transpose(x, 0, 1)
        return x, states[0] if self.states == 1 else tuple(states)

    def run(self, x, state, weights):
        """(outputs of all steps, last state) of one layer in one direction."""
        step = type(self).step
        outputs = []
        for x_t in unbind(x, 0):
            state = step(x_t, state, weights, self.nonlinearity)
            outputs.append(state[0])
        return stack(outputs, 0), state

    def extra_repr(self):
        return f"{self.input_size}, {self.hidden_size}, num_layers={self.num_layers}"


class RNN(RecurrentBase):
    """h = tanh(W x + b + U h + c) over time. PyTorch: torch.nn.RNN; input (time, batch, features)."""

    def __init__(self, input_size, hidden_size, num_layers=1, nonlinearity="tanh", bias=True, batch_first=False,
                 dropout=0.0, bidirectional=False):
        super().__init__(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, nonlinearity)


class LSTM(RecurrentBase):
    """Long short-term memory over time. PyTorch: torch.nn.LSTM."""

    gates, states = 4, 2
    step = staticmethod(lstm_step)


class GRU(RecurrentBase):
    """Gated recurrent unit over time. PyTorch: torch.nn.GRU."""

    gates = 3
    step = staticmethod(gru_step)


class RecurrentCell(Module):
    """What the cells share: one step, with weights of its own."""

    gates = 1
    states = 1
    step: Callable = staticmethod(rnn_step)

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh"):
        super().__init__()
        self.input_size, self.hidden_size, self.nonlinearity = input_size, hidden_size, nonlinearity
        self.weight_ih = Parameter(empty((self.gates * hidden_size, input_size)))
        self.weight_hh = Parameter(empty((self.gates * hidden_size, hidden_size)))
        self.bias_ih = Parameter(empty((self.gates * hidden_size,))) if bias else None
        self.bias_hh = Parameter(empty((self.gates * hidden_size,))) if bias else None
        bound = 1 / math.sqrt(hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def forward(self, input, hx=None):
        if hx is None:
            state = [zero_state(input, self.hidden_size)] * self.states
        else:
            state = hx if self.states > 1 else (hx,)
        weights = (self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        state = type(self).step(input, state, weights, self.nonlinearity)
        return state[0] if self.states == 1 else state


class RNNCell(RecurrentCell):
    """One step of an RNN. PyTorch: torch.nn.RNNCell."""


class LSTMCell(RecurrentCell):
    """One step of an LSTM. PyTorch: torch.nn.LSTMCell."""

    gates, states = 4, 2
    step = staticmethod(lstm_step)


class GRUCell(RecurrentCell):
    """One step of a GRU. PyTorch: torch.nn.GRUCell."""

    gates = 3
    step = staticmethod(gru_step)
