"""Threads over a range of work: who takes how much of it, and how all of them end.

Each worker takes the next piece, sized by how long its last one took, so that none holds the
processor much longer than the others and an interrupt is heard soon. Which worker takes what
changes from run to run; what is made of a piece must not depend on it.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from forearm.common.bars import drawing
from forearm.common.checks import as_count, brief
from forearm.common.later import Later
from forearm.errors import OptionError

if TYPE_CHECKING:
    from concurrent import futures
else:  # slow, and one target needs none
    futures = Later("concurrent.futures")

Work = Callable[[int, int], None]
Tell = Callable[[int, int], None]

PIECE_TIME = 0.02  # seconds a piece should take: an interrupt waits for one piece of each worker
FIRST_PIECE, LARGEST_PIECE = 64, 16_384  # targets; the largest holds a worker's copies to some MB
WORTH_A_THREAD = 16  # targets below which another thread costs more than it takes off the others
SMALLEST = 16  # the last pieces shrink to this part of a full one; less would cost more than it evens out
GROWTH = 8  # a piece is at most this many times the last one
LOOK = 0.1  # seconds between two looks at progress
UNHEARD = 0.3  # seconds that a call may leave an interrupt unheard
MOST_THREADS = 256


class Pieces:
    """Hands out the range [0, total) piece by piece, to any number of threads."""

    def __init__(self, total: int, workers: int, fixed: int | None, begin: int) -> None:
        self.total, self.workers, self.fixed, self.begin = total, workers, fixed, begin
        self.taken = self.done = 0
        self.stopped = False
        self._lock = threading.Lock()

    def take(self, wanted: int) -> tuple[int, int]:
        """The next piece; an empty one at the end, or once stopped."""
        with self._lock:
            left = 0 if self.stopped else self.total - self.taken
            # small at the end, so that all end together; one alone need not
            share = left if self.workers == 1 else max(-(-left // (2 * self.workers)), wanted // SMALLEST)
            size = min(left, self.fixed or max(1, min(wanted, share)))
            first, self.taken = self.taken, self.taken + size
            return first, first + size

    def finish(self, size: int) -> None:
        """Counts a piece as done."""
        with self._lock:
            self.done += size


class Stopped(BaseException):
    """Raised in a thread whose work was given up; whoever gave it up knows why, so no caller sees it."""


_mine = threading.local()  # `.asked`: whom this thread works for, each a function that says whether it was given up


@contextmanager
def working_for(*given_up: Callable[[], bool]) -> Iterator[None]:
    """Lets `heed` in this thread end what is done inside once one of these says so."""
    before = asked()
    _mine.asked = (*before, *given_up)
    try:
        yield
    finally:
        _mine.asked = before


def asked() -> tuple[Callable[[], bool], ...]:
    """Whom this thread works for."""
    whom: tuple[Callable[[], bool], ...] = getattr(_mine, "asked", ())
    return whom


def heed() -> None:
    """Ends the work of this thread if it was given up: called wherever compiled code may have taken a while.

    An interrupt is heard by the main thread alone, which then gives up what the others do.
    """
    if any(is_given_up() for is_given_up in asked()):
        raise Stopped


def attend(call: Callable[[], Any], give_up: Callable[[], None]) -> Any:
    """What a long call gives, made in a thread of its own: this one hears an interrupt, and `give_up` ends the call."""
    with futures.ThreadPoolExecutor(1) as pool:
        future = pool.submit(call)
        try:
            while not future.done():
                futures.wait([future], LOOK)
                heed()
        except BaseException:
            give_up()
            raise
    return future.result()


def share_out(
    work: Work,
    total: int,
    threads: int | None,
    tell: Tell | None,
    fixed: int | None = None,
    begin: int = FIRST_PIECE,
) -> None:
    """Does `work(first, last)` for pieces that cover [0, total), on several threads.

    Returns when all is done. An exception in a worker, or an interrupt, stops the others at their next `heed` and is
    then raised; no thread is left behind. What `work` does must not depend on how the range is cut: by time, or into
    pieces of a fixed size for tests. `tell` is called from the calling thread now and then. A worker begins with a
    piece of so many targets, as it does not know yet how long they take: with more where `work` itself heeds.
    """
    workers = min(count_threads(threads), max(1, total // (fixed or WORTH_A_THREAD)))
    pieces = Pieces(total, workers, fixed, begin)
    if workers == 1 and 0 < total <= begin and fixed is None:
        work(0, total)  # one piece, and nobody to share it with
        pieces.finish(total)
    elif workers == 1:
        run(work, pieces, tell, ())
    else:
        # the calling thread works too: one less to start and to wake
        with futures.ThreadPoolExecutor(workers - 1) as pool:
            try:
                runs = [pool.submit(run, work, pieces, None, asked()) for _ in range(workers - 1)]
                run(work, pieces, tell, ())
                futures.wait(runs)
            finally:
                pieces.stopped = True
        for future in runs:
            future.result()
    heed()
    if tell is not None:
        tell(pieces.done, total)


def run(work: Work, pieces: Pieces, tell: Tell | None, whom: tuple[Callable[[], bool], ...]) -> None:
    """Takes pieces until none is left; whatever ends it early, an interrupt too, stops the others.

    It works for `whom`, and for those who asked this thread.
    """
    size, told = pieces.begin, time.perf_counter()
    try:
        with working_for(*whom, lambda: pieces.stopped):
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
                heed()
    except Stopped:
        pieces.stopped = True
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
