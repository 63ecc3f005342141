"""Sums of products in Einstein's notation.

Operands are combined two by two, each time by one (batched) matrix product where something is summed over, else by an
elementwise one. Everything is made of other operations, so gradients and graphs with unknown sizes come by themselves.
"""

from itertools import combinations

from minigrad.core.dims import Dim, may_equal, shape_text
from minigrad.errors import DtypeError, ShapeError
from minigrad.ops.arithmetic import mul
from minigrad.ops.broadcasting import size_of
from minigrad.ops.diagonals import diagonal
from minigrad.ops.matmul import product, size_product
from minigrad.ops.reduction import sum as total
from minigrad.ops.shaping import permute, reshape, squeeze, unsqueeze

__all__ = ["einsum"]

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def einsum(equation, *operands):
    """The sum of products that `equation` describes: ``einsum("bij,bjk->bik", x, y)``. PyTorch: torch.einsum.

    Each operand has a term of letters, one a dimension; letters that the output lacks are summed over, repeated ones
    in a term take the diagonal. Without "->" the output has the letters that occur once, in alphabetical order.
    An ellipsis stands for any further dimensions, which broadcast. Operands may also come with lists of numbers
    instead of letters: ``einsum(x, [0, 1], y, [1, 2], [0, 2])``.

    Raises:
        ShapeError: the equation is malformed, or terms and operands do not fit.
        DtypeError: the operands have different dtypes.
    """
    if not isinstance(equation, str):
        equation, operands = from_lists(equation, *operands)
    elif len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = tuple(operands[0])
    terms, output = parsed(equation, operands)
    check_operands(equation, terms, operands)
    pending = [without_repeats(x, term) for x, term in zip(operands, terms, strict=True)]
    while len(pending) > 1:
        i, j = best_pair(pending, output)
        (a, term_a), (b, term_b) = pending[i], pending[j]
        del pending[j], pending[i]
        later = set(output).union(*[term for _, term in pending])
        pending.append(contracted(a, term_a, b, term_b, later))
    x, term = pending[0]
    x, term = summed(x, term, set(output))
    return permute(x, [term.index(letter) for letter in output]) if term != output else x


# ----- from text to lists of letters
def from_lists(*arguments):
    """(equation, operands) of ``einsum(x, [0, 1], y, [1, 2], [0, 2])``, where the last list is the output."""
    output = None
    if len(arguments) % 2:
        *arguments, output = arguments
    operands, parts = arguments[::2], [letters_for(numbers) for numbers in arguments[1::2]]
    return ",".join(parts) + ("" if output is None else f"->{letters_for(output)}"), operands


def letters_for(numbers):
    """A list of numbers (and Ellipsis) as a term of letters."""
    if not isinstance(numbers, list | tuple):
        raise ShapeError(f"einsum: expected a list of numbers after each operand, got {type(numbers).__name__}")
    letters = []
    for number in numbers:
        if number is not Ellipsis and not 0 <= number < len(LETTERS):
            raise ShapeError(f"einsum: {number} is no label; use numbers from 0 to {len(LETTERS) - 1}")
        letters.append("..." if number is Ellipsis else LETTERS[number])
    return "".join(letters)


def parsed(equation, operands):
    """(terms, output) as lists of letters; a number stands for a dimension of the ellipsis, counted from its end."""
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    parts = left.split(",")
    if len(parts) != len(operands):
        raise ShapeError(f"einsum: {equation!r} has {len(parts)} terms for {len(operands)} operands")
    terms = [letters_of(equation, part, x) for part, x in zip(parts, operands, strict=True)]
    dots = sorted({letter for term in terms for letter in term if isinstance(letter, int)}, reverse=True)
    letters = [letter for term in terms for letter in term if isinstance(letter, str)]
    if not arrow:
        return terms, [*dots, *sorted([letter for letter in set(letters) if letters.count(letter) == 1])]
    before, ellipsis, after = split_term(equation, right)
    output = [*before, *(dots if ellipsis else []), *after]
    for letter in before + after:
        if letter not in letters:
            raise ShapeError(f"einsum: the output of {equation!r} has {letter!r}, which no term has")
    if len(set(output)) != len(output):
        raise ShapeError(f"einsum: the output of {equation!r} has a letter twice")
    return terms, output


def letters_of(equation, part, x):
    """The term of operand `x` as a list of letters, with numbers for the dimensions of its ellipsis."""
    if not hasattr(x, "ndim"):
        raise DtypeError(f"einsum: expected arrays or tensors, got a {type(x).__name__}")
    before, ellipsis, after = split_term(equation, part)
    if x.ndim is None:
        if ellipsis:
            raise ShapeError(f"einsum: the ellipsis in {part!r} stands for an unknown number of dimensions; give the"
                             " operand a shape first (set_shape, reshape)")
        return [*before, *after]
    count = x.ndim - len(before) - len(after)
    if count < 0 or (count and not ellipsis):
        raise ShapeError(f"einsum: the term {part!r} of {equation!r} does not fit an operand of shape"
                         f" {shape_text(x.shape)}")
    return [*before, *range(count, 0, -1), *after]


def split_term(equation, part):
    """(letters before the ellipsis, the ellipsis or "", letters after it)."""
    before, ellipsis, after = part.partition("...")
    for letter in before + after:
        if letter not in LETTERS:
            raise ShapeError(f"einsum: {letter!r} in {equation!r} is not a letter")
    return before, ellipsis, after


def check_operands(equation, terms, operands):
    """Refuse sizes and dtypes that do not fit."""
    dtypes = sorted({str(x.dtype) for x in operands})
    if len(dtypes) > 1:
        raise DtypeError(f"einsum expects operands of one dtype but got {' and '.join(dtypes)}; cast one of them")
    sizes = {}
    for term, x in zip(terms, operands, strict=True):
        if x.shape is None:
            continue
        within = {}
        for letter, size in zip(term, x.shape, strict=True):
            if not may_equal(within.setdefault(letter, size), size):
                raise ShapeError(f"einsum: {letter!r} stands for sizes {within[letter]} and {size} of one operand, of"
                                 f" shape {shape_text(x.shape)}, in {equation!r}")
            known = sizes.get(letter, 1)
            if known == 1 or known.__class__ is Dim:
                sizes[letter] = size
            elif size != 1 and not may_equal(known, size):
                raise ShapeError(f"einsum: {letter!r} in {equation!r} stands for sizes {known} and {size} (operands of"
                                 f" shapes {', '.join([shape_text(x.shape) for x in operands])})")


# ----- one operand
def without_repeats(x, term):
    """The operand with repeated letters replaced by their diagonal."""
    for letter in list(dict.fromkeys(term)):
        while term.count(letter) > 1:
            first = term.index(letter)
            second = term.index(letter, first + 1)
            x = diagonal(x, 0, first, second)
            term = [c for i, c in enumerate(term) if i not in (first, second)] + [letter]
    return x, term


def summed(x, term, kept):
    """The operand summed over the letters that are not in `kept`."""
    axes = tuple([i for i, letter in enumerate(term) if letter not in kept])
    if not axes:
        return x, term
    return total(x, axes), [letter for letter in term if letter in kept]


# ----- two operands
def best_pair(pending, output):
    """Positions of the two operands whose product has the fewest dimensions; the first of equal ones.

    Sizes do not count: a graph that does not know them has to take the same order, for the same roundings.
    """
    best, chosen = None, None
    for i, j in combinations(range(len(pending)), 2):
        union = set(pending[i][1]).union(pending[j][1])
        later = set(output).union(*[term for k, (_, term) in enumerate(pending) if k not in (i, j)])
        cost = len(union & later), len(union)
        if best is None or cost < best:
            best, chosen = cost, (i, j)
    return chosen


def contracted(a, term_a, b, term_b, later):
    """(product, term) of two operands, summed over what is needed neither in the output nor by later operands."""
    a, term_a, b, term_b = without_ones(a, term_a, b, term_b, later)
    a, term_a = summed(a, term_a, later | set(term_b))
    b, term_b = summed(b, term_b, later | set(term_a))
    common = [letter for letter in term_a if letter in term_b]
    inner = [letter for letter in common if letter not in later]
    if not inner:
        return multiplied(a, term_a, b, term_b)
    batch = [letter for letter in common if letter in later]
    rows = [letter for letter in term_a if letter not in common]
    columns = [letter for letter in term_b if letter not in common]
    y = product(grouped(a, term_a, batch, rows, inner), grouped(b, term_b, batch, inner, columns))
    if len(rows) != 1 or len(columns) != 1:
        sizes = [size_of(y, axis) for axis in range(len(batch))]
        sizes += [size_of(a, term_a.index(letter)) for letter in rows]
        y = reshape(y, (*sizes, *[size_of(b, term_b.index(letter)) for letter in columns]))
    return y, [*batch, *rows, *columns]


def without_ones(a, term_a, b, term_b, later):
    """The operands without dimensions of size 1 that would broadcast against the other's and are summed over."""
    for letter in term_a[:]:
        if letter in term_b and letter not in later and a.shape is not None and b.shape is not None:
            i, j = term_a.index(letter), term_b.index(letter)
            if a.shape[i] == 1 and b.shape[j] != 1:
                a, term_a = squeeze(a, i), term_a[:i] + term_a[i + 1:]
            elif b.shape[j] == 1 and a.shape[i] != 1:
                b, term_b = squeeze(b, j), term_b[:j] + term_b[j + 1:]
    return a, term_a, b, term_b


def grouped(x, term, batch, first, second):
    """The operand as (*batch, first, second), where all letters of a group become one dimension."""
    order = [term.index(letter) for letter in batch + first + second]
    if order != list(range(len(order))):
        x = permute(x, order)
    if len(first) == 1 and len(second) == 1:
        return x
    sizes = [size_of(x, axis) for axis in range(len(order))]
    start, middle = len(batch), len(batch) + len(first)
    return reshape(x, (*sizes[:start], size_product(sizes[start:middle]), size_product(sizes[middle:])))


def multiplied(a, term_a, b, term_b):
    """(elementwise product, term) of two operands, which broadcast."""
    union = term_a + [letter for letter in term_b if letter not in term_a]
    return mul(aligned(a, term_a, union), aligned(b, term_b, union)), union


def aligned(x, term, union):
    """The operand with a dimension of size 1 for each letter of `union` that it lacks, in the order of `union`."""
    order = [term.index(letter) for letter in union if letter in term]
    if order != list(range(len(order))):
        x = permute(x, order)
    for i, letter in enumerate(union):
        if letter not in term:
            x = unsqueeze(x, i)
    return x
