"""A primitive: one declaration that both engines, the compiler and the tests read.

What a declaration holds, and how it is called:

- ``kernel(xp, *arrays, **params)``: the only numeric code; `xp` is NumPy, CuPy or a stand-in with CuPy's surface.
- ``infer(*avals, **params)``: the result's Aval (a tuple of them for several outputs), without computing.
- ``vjps``: one gradient rule for each input, ``(g, y, *xs, **params) -> gradient of that input``, or None where
  there is no gradient; ``reads`` says which values each rule looks at: "y" (the output) and positions of inputs.
- or ``joint``: one rule ``(g, y, *xs, needed, **params) -> tuple of gradients`` where the rules share work or the
  number of inputs varies; its ``reads`` is one set, in which "xs" stands for all inputs.
- ``promote(prim, args) -> args``: how operands of unequal dtype are brought together (see ops/promotion.py).
- ``views``: the kernel may return a view of its first input.

Array values are positional, everything else is a keyword: that is what makes dispatch uniform and parameters
hashable. Rules use plain arithmetic and other primitives, so the same rule computes on arrays, records on Tensors
(second derivatives) and builds on graph Nodes.
"""

REGISTRY: dict[str, "Primitive"] = {}


class Primitive:
    """The record of one primitive. Made by `declare`, which checks and registers it."""

    __slots__ = ("differentiable", "effects", "infer", "joint", "kernel", "multiple", "name", "promote", "random",
                 "reads", "saves", "shapes", "views", "vjps")

    def __init__(self, name, kernel, infer, vjps, reads, joint, promote, multiple, shapes, views, random, effects):
        self.name = name
        self.kernel = kernel
        self.infer = infer
        self.vjps = vjps
        self.reads = reads
        self.joint = joint
        self.promote = promote
        self.multiple = multiple
        self.shapes = shapes
        self.views = views
        self.random = random
        self.effects = effects
        self.saves = {}
        self.differentiable = joint is not None or any(rule is not None for rule in vjps)

    def has_rule(self, position):
        """True when input `position` has a gradient rule."""
        if self.joint is not None:
            return True
        return position < len(self.vjps) and self.vjps[position] is not None

    def reads_of(self, position):
        """What the rule of input `position` reads: a set of "y" and input positions."""
        return self.reads if self.joint is not None else self.reads[position]

    def find_saves(self, tracked):
        """Positions in (y, x0, x1, ...) that the rules of the tracked inputs read.

        `tracked` is a bit mask over the inputs under a leading 1 that tells how many there are. The answer is
        remembered in `saves`, where the tape looks first.
        """
        count = tracked.bit_length() - 1
        read = set()
        for position in range(count):
            if tracked >> position & 1 and self.has_rule(position):
                read |= self.reads_of(position)
        if "xs" in read:
            read = (read - {"xs"}) | set(range(count))
        # a primitive with any number of inputs may name more positions than this application has
        positions = tuple(sorted(0 if item == "y" else item + 1 for item in read if item == "y" or item < count))
        self.saves[tracked] = positions
        return positions

    def __repr__(self):
        return f"<primitive {self.name}>"


def declare(name, kernel, infer, *, vjps=(), reads=(), joint=None, promote=None, multiple=False, shapes=True,
            views=False, random=False, effects=False):
    """Declare and register a primitive; malformed declarations are refused here, not at the first use.

    Args:
        name: the primitive's name, unique; also the stem of its kernel (``exp_kernel``) and rules (``exp_vjp``).
        kernel, infer, vjps, reads, joint, promote, views: see the module docstring.
        multiple: the kernel returns a tuple; rules then get `g` and `y` as tuples, `g` with None for unused outputs.
        shapes: False promises that no rule looks at the shape or dtype of a value that it does not read.
        random: draws numbers; never folded, merged or duplicated by the compiler.
        effects: does something besides computing its result; never removed, folded, merged or duplicated.

    Raises:
        ValueError: the name is taken, or rules and reads do not match.
    """
    if name in REGISTRY:
        raise ValueError(f"primitive {name!r} is already declared")
    if joint is None:
        vjps, reads = tuple(vjps), tuple(frozenset(r) for r in reads)
        if len(vjps) != len(reads):
            raise ValueError(f"primitive {name!r} declares {len(vjps)} gradient rules but {len(reads)} read sets")
    elif vjps:
        raise ValueError(f"primitive {name!r} declares both separate gradient rules and a joint one")
    else:
        reads = frozenset(reads)
    for function in (kernel, infer, joint, *vjps):
        if function is not None and function.__name__ == "<lambda>":
            raise ValueError(f"primitive {name!r}: kernels and rules are named functions, so that pdb can show them")
    primitive = Primitive(name, kernel, infer, vjps, reads, joint, promote, multiple, shapes, views, random, effects)
    REGISTRY[name] = primitive
    return primitive
