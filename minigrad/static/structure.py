"""Nested fetches: lists, tuples, named tuples and dicts, taken apart and put together again."""

from minigrad.graph import Node, Operation


def flatten(fetches):
    """(leaves, structure) of nested fetches; `rebuild` puts values in place of the leaves."""
    leaves = []
    return leaves, take_apart(fetches, leaves)


def take_apart(fetches, leaves):
    if isinstance(fetches, Node | Operation | str):
        leaves.append(fetches)
        return len(leaves) - 1
    if isinstance(fetches, dict):
        return dict, {key: take_apart(value, leaves) for key, value in fetches.items()}
    if isinstance(fetches, tuple) and hasattr(fetches, "_fields"):
        return type(fetches), [take_apart(value, leaves) for value in fetches]
    if isinstance(fetches, list | tuple):
        return type(fetches), [take_apart(value, leaves) for value in fetches]
    leaves.append(fetches)
    return len(leaves) - 1


def rebuild(structure, values):
    """The structure with `values` in place of the leaves."""
    if isinstance(structure, int):
        return values[structure]
    kind, parts = structure
    if kind is dict:
        return {key: rebuild(part, values) for key, part in parts.items()}
    inner = [rebuild(part, values) for part in parts]
    return kind(*inner) if hasattr(kind, "_fields") else kind(inner)
