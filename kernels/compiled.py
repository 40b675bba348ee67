"""numba functions that are built of functions in other files, and kept on disk between processes.

numba keeps machine code beside the source and throws it away when that one file changes. A loop that calls
functions of another file would go on running their old code after they changed. `compiled` makes what the loop
calls part of the key.
"""

import hashlib
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

import numpy as np
from numba import njit, typeof, types
from numba.core.caching import FunctionCache

_OURS = "kernels."

VECTOR = types.Array(types.float64, 1, "C", readonly=True)
"""numba's type of a float64 array (n,) that is only read; arrays that may be written to are taken too."""
TABLE = types.Array(types.float64, 2, "C", readonly=True)
"""The same, (n, m)."""
ROW = types.Array(types.float64, 1, "C")
"""Of a float64 array (n,) that is filled."""
ROWS = types.Array(types.float64, 2, "C")
"""The same, (n, m)."""
WHOLE = types.Array(types.int64, 1, "C", readonly=True)
"""Of an int64 array (n,) that is only read."""
BYTES = typeof(b"")
"""Of bytes, which a loop reads by `np.frombuffer`: that takes half of what it takes outside."""


class _Cache(FunctionCache):  # type: ignore[misc]
    def _index_key(self, sig, codegen):  # type: ignore[no-untyped-def]
        return super()._index_key(sig, codegen), fingerprint(self._py_func)


def compiled(*signature: Any, fused: bool = False) -> Callable[[Callable[..., None]], Any]:
    """Compile a loop without the GIL and keep its machine code on disk, also when it calls other files.

    Parameters
    ----------
    *signature : numba types of the arguments
        With them the loop is compiled, or read from disk, at once, and takes nothing else: no argument can set off a
        compilation later. Without, numba compiles for whatever types come first.
    fused : bool
        Whether a product and the sum it goes into may be one operation, rounded once: a fifth faster where there is
        nothing else, and another last digit than numpy's. NaN is what it was.
    """

    def decorate(function: Callable[..., None]) -> Any:
        dispatcher = njit(nogil=True, error_model="numpy", fastmath={"contract"} if fused else False)(function)
        dispatcher._cache = _Cache(function)
        if signature:
            dispatcher.compile(signature)
            dispatcher.disable_compile()
        return dispatcher

    return decorate


def fingerprint(function: FunctionType) -> str:
    """Digest a function's code and, through all functions of ours that it calls, theirs with their constants."""
    digest = hashlib.sha256()
    _feed(digest, function, set())
    return digest.hexdigest()


def _feed(digest: Any, function: FunctionType, seen: set[str]) -> None:
    seen.add(f"{function.__module__}.{function.__qualname__}")
    _feed_code(digest, function.__code__)
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        value = getattr(value, "py_func", value)
        if isinstance(value, FunctionType):
            # Only what numba would compile with it: our own. Its own and numpy's are in numba's key, as versions.
            if value.__module__.startswith(_OURS) and f"{value.__module__}.{value.__qualname__}" not in seen:
                _feed(digest, value, seen)
        elif isinstance(value, np.ndarray):
            digest.update(f"{name}={value.tolist()}".encode())
        elif isinstance(value, int | float | tuple | str | np.number):
            digest.update(f"{name}={value!r}".encode())


def _feed_code(digest: Any, code: CodeType) -> None:
    digest.update(code.co_code)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _feed_code(digest, constant)
        else:
            digest.update(repr(constant).encode())
    digest.update(repr(code.co_names).encode())
