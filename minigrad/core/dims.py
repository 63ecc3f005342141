"""Unknown dimensions: the sizes that a graph learns only when it is fed.

Each unknown size is a symbol of its own, so two `None`s are equal only if they are known to be the same size. A
shape is a tuple of ints and `Dim`s, or None when not even the rank is known.
"""


class Dim:
    """One unknown size. Equal to itself only; printed as None, as TensorFlow 1.x shows it."""

    __slots__ = ()

    def __repr__(self):
        return "None"

    def __index__(self):
        raise TypeError("this size is unknown until the graph is fed; use size_of(x, axis), which is an int when the"
                        " size is known and a graph node when it is not")


def is_known(shape):
    """True when every size of `shape` is a number."""
    if shape is None:
        return False
    for size in shape:
        if size.__class__ is Dim:
            return False
    return True


def shape_text(shape):
    """A shape as it stands in messages: ``(None, 3)``, or ``<unknown rank>``."""
    if shape is None:
        return "<unknown rank>"
    if len(shape) == 1:
        return f"({shape[0]},)"
    return "(" + ", ".join(str(size) for size in shape) + ")"


def may_equal(a, b):
    """Could sizes `a` and `b` be the same number?"""
    return a == b or a.__class__ is Dim or b.__class__ is Dim


def known_product(shape):
    """(product of the known sizes, list of the unknown ones)."""
    product, unknown = 1, []
    for size in shape:
        if size.__class__ is Dim:
            unknown.append(size)
        else:
            product *= size
    return product, unknown


def broadcast_sizes(a, b):
    """The size that sizes `a` and `b` broadcast to, or None when they cannot.

    An unknown size against 1 stays itself; against another number it can only be that number (or 1); two different
    unknown sizes give a new unknown one.
    """
    if a == b:
        return a
    if a == 1:
        return b
    if b == 1:
        return a
    a_unknown, b_unknown = a.__class__ is Dim, b.__class__ is Dim
    if a_unknown and b_unknown:
        return Dim()
    if a_unknown:
        return b
    if b_unknown:
        return a
    return None


def broadcast_shapes(*shapes):
    """The common shape of `shapes` under NumPy's broadcasting rules, or raises ValueError.

    Any unknown rank makes the result's rank unknown.
    """
    rank = 0
    for shape in shapes:
        if shape is None:
            return None
        rank = max(rank, len(shape))
    result = [1] * rank
    for shape in shapes:
        offset = rank - len(shape)
        for i, size in enumerate(shape):
            common = broadcast_sizes(result[offset + i], size)
            if common is None:
                raise ValueError(f"sizes {result[offset + i]} and {size} of axis {offset + i - rank} differ")
            result[offset + i] = common
    return tuple(result)
