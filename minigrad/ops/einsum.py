"""Sums of products in Einstein's notation."""

import math

from minigrad.core.dims import shape_text
from minigrad.errors import ShapeError
from minigrad.ops.arithmetic import mul
from minigrad.ops.diagonals import diagonal
from minigrad.ops.matmul import product
from minigrad.ops.reduction import sum as total
from minigrad.ops.shaping import permute, reshape, unsqueeze

__all__ = ["einsum"]


def einsum(equation, *operands):
    """The sum of products that `equation` describes: ``"bij,bjk->bik"``.

    Each operand has a term of letters, one a dimension; letters that the output lacks are summed over, repeated ones
    in a term take the diagonal. Without "->" the output has the letters that occur once, in alphabetical order.
    An ellipsis stands for any further dimensions, which broadcast.

    Raises:
        ShapeError: terms and operands do not fit.
    """
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = tuple(operands[0])
    terms, output = parsed(equation, operands)
    sizes = sizes_of(equation, terms, operands)
    operand, term = without_repeats(operands[0], terms[0])
    for i in range(1, len(operands)):
        later = set(output).union(*terms[i + 1:])
        other, other_term = without_repeats(operands[i], terms[i])
        operand, term = contracted(operand, term, other, other_term, later, sizes)
    operand, term = summed(operand, term, set(output))
    return permute(operand, [term.index(letter) for letter in output]) if term != output else operand


def parsed(equation, operands):
    """(terms, output) as lists of letters; a number stands for a dimension of the ellipsis, counted from its end."""
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    parts = left.split(",")
    if len(parts) != len(operands):
        raise ShapeError(f"einsum: {equation!r} has {len(parts)} terms for {len(operands)} operands")
    terms = [letters_of(equation, part, x.ndim) for part, x in zip(parts, operands, strict=True)]
    dots = sorted({letter for term in terms for letter in term if isinstance(letter, int)}, reverse=True)
    if arrow:
        output = letters_of(equation, right, None, dots)
        for letter in output:
            if not any([letter in term for term in terms]):
                raise ShapeError(f"einsum: the output of {equation!r} has {letter!r}, which no term has")
        if len(set(output)) != len(output):
            raise ShapeError(f"einsum: the output of {equation!r} has a letter twice")
    else:
        letters = [letter for term in terms for letter in term if isinstance(letter, str)]
        output = [*dots, *sorted([letter for letter in set(letters) if letters.count(letter) == 1])]
    return terms, output


def letters_of(equation, part, ndim, dots=None):
    """A term as a list of letters and of numbers for the ellipsis."""
    before, ellipsis, after = part.partition("...")
    if not (before + after).isalpha() and before + after:
        raise ShapeError(f"einsum: {part!r} in {equation!r} is not a term of letters")
    if dots is None:
        count = ndim - len(before) - len(after)
        if count < 0 or (count and not ellipsis):
            raise ShapeError(f"einsum: the term {part!r} of {equation!r} does not fit an operand of rank {ndim}")
        dots = list(range(count, 0, -1))
    return [*before, *(dots if ellipsis else []), *after]


def sizes_of(equation, terms, operands):
    """{letter: size}; sizes of 1 broadcast."""
    sizes = {}
    for term, x in zip(terms, operands, strict=True):
        for letter, size in zip(term, x.shape, strict=True):
            known = sizes.get(letter, 1)
            if size == 1 or size == known:
                sizes.setdefault(letter, size)
            elif known == 1 or not isinstance(known, int):
                sizes[letter] = size
            elif isinstance(size, int):
                raise ShapeError(f"einsum: {letter!r} in {equation!r} stands for sizes {known} and {size} (operands of"
                                 f" shapes {', '.join([shape_text(x.shape) for x in operands])})")
    return sizes


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


def contracted(a, term_a, b, term_b, later, sizes):
    """The product of two operands, summed over what is needed neither in the output nor by later terms."""
    a, term_a = summed(a, term_a, later | set(term_b))
    b, term_b = summed(b, term_b, later | set(term_a))
    common = [letter for letter in term_a if letter in term_b]
    inner = [letter for letter in common if letter not in later]
    batch = [letter for letter in common if letter in later]
    broadcasts = any([a.shape[term_a.index(c)] != b.shape[term_b.index(c)] for c in common])
    known = all([isinstance(size, int) for size in (*a.shape, *b.shape)])
    if not inner or broadcasts or not known or a.dtype != b.dtype:
        return multiplied(a, term_a, b, term_b, later)
    free_a = [letter for letter in term_a if letter not in common]
    free_b = [letter for letter in term_b if letter not in common]
    left = grouped(a, term_a, (batch, free_a, inner), sizes)
    right = grouped(b, term_b, (batch, inner, free_b), sizes)
    y = product(left, right)
    term = [*batch, *free_a, *free_b]
    return reshape(y, [sizes[letter] for letter in term]), term


def grouped(x, term, groups, sizes):
    """The operand as (batch, rows, columns): each group of letters made one dimension."""
    order = [term.index(letter) for group in groups for letter in group]
    shape = [math.prod([sizes[letter] for letter in group]) for group in groups]
    x = permute(x, order) if order != list(range(len(order))) else x
    return reshape(x, shape)


def multiplied(a, term_a, b, term_b, later):
    """The broadcast product of two operands, summed over what nobody needs."""
    union = term_a + [letter for letter in term_b if letter not in term_a]
    y = mul(aligned(a, term_a, union), aligned(b, term_b, union))
    return summed(y, union, later)


def aligned(x, term, union):
    """The operand with a dimension of size 1 for each letter of `union` that it lacks, in the order of `union`."""
    x = permute(x, [term.index(letter) for letter in union if letter in term])
    for i, letter in enumerate(union):
        if letter not in term:
            x = unsqueeze(x, i)
    return x
