"""No garbage is collected while a server shares its process with who reads HDF5 from it.

h5py holds its one lock while it reads through our byte ranges, and takes it to free what it made. Were its garbage
collected in a thread of the server, that thread would wait for the reader, and the reader for the answer.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def left_lying() -> Iterator[None]:
    """Collect none in here; may be nested."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
