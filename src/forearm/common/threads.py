"""Threads over a range of work: who takes how much of it, and how all of them end.

Each worker takes the next piece, sized by how long its last one took, so that none holds the
processor much longer than the others and an interrupt is heard soon. Which worker takes what
changes from run to run; what is made of a piece must not depend on it.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from forearm.common.bars import drawing
from forearm.common.checks import as_count, brief
from forearm.errors import OptionError

Work = Callable[[int, int], None]
Tell = Callable[[int, int], None]

PIECE_TIME = 0.02  # seconds a piece shall take: an interrupt waits for one piece of each worker
FIRST_PIECE, LARGEST_PIECE = 16, 16_384  # targets; the largest holds a worker's copies to some MB
SMALLEST = 16  # the last pieces shrink to this part of a full one; less would cost more than it evens out
GROWTH = 8  # a piece is at most this many times the last one
LOOK = 0.1  # seconds between two looks at progress
MOST_THREADS = 256


class Pieces:
    """Hands out the range [0, total) piece by piece, to any number of threads."""

    def __init__(self, total: int, workers: int, fixed: int | None) -> None:
        self.total, self.workers, self.fixed = total, workers, fixed
        self.taken = self.done = 0
        self.stopped = False
        self._lock = threading.Lock()

    def take(self, wanted: int) -> tuple[int, int]:
        """The next piece; an empty one at the end, or once stopped."""
        with self._lock:
            left = 0 if self.stopped else self.total - self.taken
            share = max(-(-left // (2 * self.workers)), wanted // SMALLEST)  # small at the end: all end together
            size = min(left, self.fixed or max(1, min(wanted, share)))
            first, self.taken = self.taken, self.taken + size
            return first, first + size

    def finish(self, size: int) -> None:
        """Counts a piece as done."""
        with self._lock:
            self.done += size


def share_out(work: Work, total: int, threads: int | None, tell: Tell | None, fixed: int | None = None) -> None:
    """Does `work(first, last)` for pieces that cover [0, total), on several threads.

    Returns when all is done. An exception in a worker, or an interrupt, stops the others after
    the piece they are at and is then raised; no thread is left behind. What `work` does must not depend
    on how the range is cut: by time, or into pieces of a fixed size for tests. `tell` is called from the
    calling thread now and then.
    """
    workers = min(count_threads(threads), max(1, total // (fixed or FIRST_PIECE)))
    pieces = Pieces(total, workers, fixed)
    if workers == 1:
        run(work, pieces, tell)
    else:
        with ThreadPoolExecutor(workers - 1) as pool:  # the calling thread works too: one less to start and to wake
            try:
                futures = [pool.submit(run, work, pieces, None) for _ in range(workers - 1)]
                run(work, pieces, tell)
            finally:
                pieces.stopped = True
        for future in futures:
            future.result()
    if tell is not None:
        tell(pieces.done, total)


def run(work: Work, pieces: Pieces, tell: Tell | None) -> None:
    """Takes pieces until none is left; whatever ends it early, an interrupt too, stops the others."""
    size, told = FIRST_PIECE, time.perf_counter()
    try:
        while True:
            first, last = pieces.take(size)
            if first == last:
                return
            begin = time.perf_counter()
            work(first, last)
            now = time.perf_counter()
            pieces.finish(last - first)
            rate = (last - first) / max(now - begin, 1e-9)  # 1e-9: a clock may stand still
            size = int(min(max(1.0, rate * PIECE_TIME), GROWTH * size, LARGEST_PIECE))
            if tell is not None and now - told > LOOK:
                told = now
                tell(pieces.done, pieces.total)
    except BaseException:
        pieces.stopped = True
        raise


def count_threads(threads: int | None) -> int:
    """How many threads to use; one per processor this process may use, if not said."""
    if threads is None:
        try:
            return len(os.sched_getaffinity(0))
        except AttributeError:  # not on every system
            return os.cpu_count() or 1
    return as_count(threads, "threads", MOST_THREADS, ", or None")


@contextmanager
def telling(progress: bool | Tell) -> Iterator[Tell | None]:
    """What to call with the progress: the caller's own function, a bar on standard error, or None."""
    if not isinstance(progress, bool):
        if not callable(progress):
            raise OptionError(f"progress is {brief(progress)}; it takes True, False or a function of (done, total)")
        yield progress
    elif not progress:
        yield None
    else:
        with drawing("solving", always=True, between=False) as draw:
            yield draw
