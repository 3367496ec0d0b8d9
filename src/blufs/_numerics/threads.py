"""Threads of BLAS: one where matrices are small, as many as there are where they are large."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from threadpoolctl import threadpool_limits

#: Multiplications in a product of X' and X up to which a second thread saves nothing: on a busy
#: machine threads wait for each other much longer than such a product takes.
_SMALL = 10**9

_lock = Lock()
_limits: list = []
_inside = 0


@contextmanager
def threads_for(X) -> Iterator[None]:
    """Hold BLAS to one thread while a fit works on a small X (n x d).

    Fits that run at once, in threads of one process, share the limit; the last one to end lifts it.
    """
    global _inside
    n, d = X.shape
    if n * d * min(n, d) > _SMALL:
        yield
        return
    with _lock:
        if _inside == 0:
            _limits.append(threadpool_limits(1, user_api="blas"))
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limits.pop().restore_original_limits()
