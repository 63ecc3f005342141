"""What the special functions share."""


def horner(x, coefficients):
    """The polynomial with these coefficients (two or more), the constant first, on a vector."""
    result = x * coefficients[-1]
    for c in coefficients[-2:0:-1]:
        result += c
        result *= x
    result += coefficients[0]
    return result
