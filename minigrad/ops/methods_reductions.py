"""Methods of Tensors and graph Nodes that reduce, scan, normalise or sort: one explicit line each."""

from minigrad.ops import reduction, scans, sorting, statistics
from minigrad.ops.methods_numbers import NumberMethods
from minigrad.ops.softmax import log_softmax, logsumexp, softmax


class ReductionMethods(NumberMethods):
    """Reductions and their relatives as methods; each is described at the function of the same name."""

    __slots__ = ()

    # ----- reduction
    def all(self, dim=None, keepdim=False):
        return reduction.all(self, dim, keepdim)

    def amax(self, dim=(), keepdim=False):
        return reduction.amax(self, dim, keepdim)

    def amin(self, dim=(), keepdim=False):
        return reduction.amin(self, dim, keepdim)

    def any(self, dim=None, keepdim=False):
        return reduction.any(self, dim, keepdim)

    def argmax(self, dim=None, keepdim=False):
        return reduction.argmax(self, dim, keepdim)

    def argmin(self, dim=None, keepdim=False):
        return reduction.argmin(self, dim, keepdim)

    def count_nonzero(self, dim=None):
        return reduction.count_nonzero(self, dim)

    def dist(self, other, p=2):
        return reduction.dist(self, other, p)

    def max(self, dim=None, keepdim=False, *, other=None):
        return reduction.max(self, dim, keepdim, other=other)

    def mean(self, dim=None, keepdim=False, *, dtype=None):
        return reduction.mean(self, dim, keepdim, dtype=dtype)

    def min(self, dim=None, keepdim=False, *, other=None):
        return reduction.min(self, dim, keepdim, other=other)

    def nanmean(self, dim=None, keepdim=False, *, dtype=None):
        return reduction.nanmean(self, dim, keepdim, dtype=dtype)

    def nansum(self, dim=None, keepdim=False, *, dtype=None):
        return reduction.nansum(self, dim, keepdim, dtype=dtype)

    def norm(self, p="fro", dim=None, keepdim=False, *, dtype=None):
        return reduction.norm(self, p, dim, keepdim, dtype=dtype)

    def prod(self, dim=None, keepdim=False, *, dtype=None):
        return reduction.prod(self, dim, keepdim, dtype=dtype)

    def sum(self, dim=None, keepdim=False, *, dtype=None):
        return reduction.sum(self, dim, keepdim, dtype=dtype)

    # ----- scans
    def cummax(self, dim):
        return scans.cummax(self, dim)

    def cummin(self, dim):
        return scans.cummin(self, dim)

    def cumprod(self, dim, *, dtype=None):
        return scans.cumprod(self, dim, dtype=dtype)

    def cumsum(self, dim, *, dtype=None):
        return scans.cumsum(self, dim, dtype=dtype)

    def diff(self, n=1, dim=-1, prepend=None, append=None):
        return scans.diff(self, n, dim, prepend, append)

    def logcumsumexp(self, dim):
        return scans.logcumsumexp(self, dim)

    # ----- statistics
    def bincount(self, weights=None, minlength=0):
        return statistics.bincount(self, weights, minlength)

    def corrcoef(self):
        return statistics.corrcoef(self)

    def cov(self, *, correction=1, fweights=None, aweights=None):
        return statistics.cov(self, correction=correction, fweights=fweights, aweights=aweights)

    def histc(self, bins=100, min=0, max=0):
        return statistics.histc(self, bins, min, max)

    def kthvalue(self, k, dim=-1, keepdim=False):
        return statistics.kthvalue(self, k, dim, keepdim)

    def median(self, dim=None, keepdim=False):
        return statistics.median(self, dim, keepdim)

    def mode(self, dim=-1, keepdim=False):
        return statistics.mode(self, dim, keepdim)

    def nanmedian(self, dim=None, keepdim=False):
        return statistics.nanmedian(self, dim, keepdim)

    def nanquantile(self, q, dim=None, keepdim=False, *, interpolation="linear"):
        return statistics.nanquantile(self, q, dim, keepdim, interpolation=interpolation)

    def quantile(self, q, dim=None, keepdim=False, *, interpolation="linear"):
        return statistics.quantile(self, q, dim, keepdim, interpolation=interpolation)

    def std(self, dim=None, unbiased=None, keepdim=False, *, correction=None):
        return statistics.std(self, dim, unbiased, keepdim, correction=correction)

    def var(self, dim=None, unbiased=None, keepdim=False, *, correction=None):
        return statistics.var(self, dim, unbiased, keepdim, correction=correction)

    # ----- softmax
    def log_softmax(self, dim=None, dtype=None):
        return log_softmax(self, dim, dtype)

    def logsumexp(self, dim, keepdim=False):
        return logsumexp(self, dim, keepdim)

    def softmax(self, dim=None, dtype=None):
        return softmax(self, dim, dtype)

    # ----- sorting
    def argsort(self, dim=-1, descending=False, stable=False):
        return sorting.argsort(self, dim, descending, stable)

    def argwhere(self):
        return sorting.argwhere(self)

    def msort(self):
        return sorting.msort(self)

    def nonzero(self, *, as_tuple=False):
        return sorting.nonzero(self, as_tuple=as_tuple)

    def sort(self, dim=-1, descending=False, stable=False):
        return sorting.sort(self, dim, descending, stable)

    def topk(self, k, dim=-1, largest=True, sorted=True):
        return sorting.topk(self, k, dim, largest, sorted)

    def unique(self, sorted=True, return_inverse=False, return_counts=False, dim=None):
        return sorting.unique(self, sorted, return_inverse, return_counts, dim)

    def unique_consecutive(self, return_inverse=False, return_counts=False, dim=None):
        return sorting.unique_consecutive(self, return_inverse, return_counts, dim)
