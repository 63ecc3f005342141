"""Optimisers. PyTorch: torch.optim."""

from minigrad.optim import lr_scheduler as lr_scheduler
from minigrad.optim.adam import Adam as Adam, Adamax as Adamax, AdamW as AdamW
from minigrad.optim.optimizer import Optimizer as Optimizer
from minigrad.optim.others import Adadelta as Adadelta, Adagrad as Adagrad, RMSprop as RMSprop
from minigrad.optim.sgd import SGD as SGD

__all__ = ["SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "Optimizer", "RMSprop", "lr_scheduler"]
