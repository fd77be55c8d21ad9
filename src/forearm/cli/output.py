"""What can go wrong with standard output: a reader that left, a disk that is full."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def ending_with_reader() -> Iterator[None]:
    """Lets the process end as other commands do when what reads its output, such as `head`, has left."""
    if not hasattr(signal, "SIGPIPE"):  # Windows has none
        yield
        return
    before = signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGPIPE, before)


def flush_output() -> None:
    """Writes out what is still buffered, so that a failure is seen before the process ends."""
    if sys.stdout is not None:  # None if the shell closed it
        sys.stdout.flush()


def drop_output() -> None:
    """Sends what is still buffered nowhere, or Python would try to write it once more at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
