"""Optimisers. PyTorch: torch.optim."""

from minigrad.optim import lr_scheduler as lr_scheduler
from minigrad.optim.adam import Adam as Adam, Adamax as Adamax, AdamW as AdamW, NAdam as NAdam, RAdam as RAdam
from minigrad.optim.adaptive import Adadelta as Adadelta, Adagrad as Adagrad, RMSprop as RMSprop, Rprop as Rprop
from minigrad.optim.optimizer import Optimizer as Optimizer
from minigrad.optim.sgd import ASGD as ASGD, SGD as SGD

__all__ = ["ASGD", "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "NAdam", "Optimizer", "RAdam", "RMSprop",
           "Rprop", "lr_scheduler"]
