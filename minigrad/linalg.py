"""Linear algebra under PyTorch's names. PyTorch: torch.linalg."""

from minigrad.errors import LinAlgError as LinAlgError
from minigrad.ops.linalg import (
    any_norm as norm,  # noqa: F401
    cholesky as cholesky,
    cond as cond,
    cross_along as cross,  # noqa: F401
    det as det,
    eigh as eigh,
    eigvalsh as eigvalsh,
    inv as inv,
    lstsq as lstsq,
    matrix_diagonal as diagonal,  # noqa: F401
    matrix_norm as matrix_norm,
    matrix_power as matrix_power,
    matrix_rank as matrix_rank,
    multi_dot as multi_dot,
    pinv as pinv,
    qr as qr,
    slogdet as slogdet,
    solve as solve,
    solve_triangular as solve_triangular,
    svd as svd,
    svdvals as svdvals,
    tensorinv as tensorinv,
    tensorsolve as tensorsolve,
    vander as vander,
    vecdot as vecdot,
)
from minigrad.ops.matmul import matmul as matmul
from minigrad.ops.reduction import vector_norm as vector_norm
