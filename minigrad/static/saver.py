"""Saver: the values of variables in files, in NumPy's npz format, which cannot run code when it is loaded."""

import json
import os
import zipfile

import numpy as np

from minigrad.errors import GraphError
from minigrad.graph import default_graph

SUFFIX = ".npz"


class Saver:
    """Saves variables and restores them. TensorFlow: tf.train.Saver.

    Args:
        var_list: a list of variables, or {name in the file: variable}; by default all of the default graph.
        max_to_keep: so many of the latest files are kept; None or 0 keeps all.
    """

    def __init__(self, var_list=None, max_to_keep=5, name=None):
        if var_list is None:
            var_list = default_graph().get_collection("variables")
        if not isinstance(var_list, dict):
            var_list = {variable.operation.name: variable for variable in var_list}
        if not var_list:
            raise GraphError("there are no variables to save; make the Saver after the variables")
        self.variables = dict(var_list)
        self.max_to_keep = max_to_keep
        self.last_checkpoints = []

    def save(self, sess, save_path, global_step=None, latest_filename="checkpoint", write_meta_graph=False):
        """Write the values that the variables have in `sess`; returns the path to give to `restore`.

        The file appears whole or not at all.
        """
        path = save_path if global_step is None else f"{save_path}-{step_number(sess, global_step)}"
        values = {name: sess.value_of(variable) for name, variable in self.variables.items()}
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        temporary = f"{path}{SUFFIX}.tmp"
        with open(temporary, "wb") as file:
            np.savez(file, **{quoted(name): value for name, value in values.items()})
        os.replace(temporary, path + SUFFIX)
        self.remember(path, latest_filename)
        return path

    def remember(self, path, latest_filename):
        """Keep the list of the latest files, in memory and beside them, and delete what is too old."""
        if path in self.last_checkpoints:
            self.last_checkpoints.remove(path)
        self.last_checkpoints.append(path)
        while self.max_to_keep and len(self.last_checkpoints) > self.max_to_keep:
            old = self.last_checkpoints.pop(0)
            if os.path.exists(old + SUFFIX):
                os.remove(old + SUFFIX)
        names = [os.path.basename(p) for p in self.last_checkpoints]
        listing = os.path.join(os.path.dirname(os.path.abspath(path)), latest_filename)
        with open(listing, "w", encoding="utf-8") as file:
            json.dump({"latest": names[-1], "all": names}, file)

    def restore(self, sess, save_path):
        """Give the variables the values in the file; nothing changes when one is missing or does not fit.

        Raises:
            GraphError: there is no such file, or it lacks a variable, or holds one of another shape.
        """
        path = save_path + SUFFIX
        if not os.path.exists(path):
            raise GraphError(f"there is no checkpoint {path}")
        try:
            with np.load(path, allow_pickle=False) as file:
                saved = {unquoted(name): file[name] for name in file.files}
        except (zipfile.BadZipFile, ValueError, OSError) as error:
            raise GraphError(f"{path} is not a checkpoint: {error}") from error
        missing = [name for name in self.variables if name not in saved]
        if missing:
            raise GraphError(f"{path} has no value for {', '.join(missing)}; it holds {', '.join(sorted(saved))}")
        for name, variable in self.variables.items():
            if saved[name].shape != variable.shape:
                raise GraphError(f"{path}: '{name}' has shape {saved[name].shape}, the variable {variable.shape}")
        for name, variable in self.variables.items():
            sess.load(variable, saved[name])


def latest_checkpoint(checkpoint_dir, latest_filename="checkpoint"):
    """The path of the newest checkpoint in a directory, or None. TensorFlow: tf.train.latest_checkpoint."""
    listing = os.path.join(checkpoint_dir, latest_filename)
    if not os.path.exists(listing):
        return None
    with open(listing, encoding="utf-8") as file:
        return os.path.join(checkpoint_dir, json.load(file)["latest"])


def step_number(sess, global_step):
    return int(global_step) if isinstance(global_step, int) else int(sess.value_of(global_step))


def quoted(name):
    """A variable's name as a file name inside of the archive."""
    return name.replace("%", "%25").replace("/", "%2F")


def unquoted(name):
    return name.replace("%2F", "/").replace("%25", "%")
