"""Runs chunks on threads here, or on a Dask cluster: the same work, the results taken one by one.

Only the process that was started takes results and writes them. A worker that dies loses nothing: what
it held goes to another. What is given up is given up as a whole, with what was written so far in place.
"""

import asyncio
import contextlib
import functools
import logging
import pickle
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from forearm.common.threads import Tell, count_threads, working_for
from forearm.errors import ForearmError, MissingExtraError, OptionError

LOOK = 0.05  # seconds between two looks at what has finished
DEPTH = 2  # jobs in flight for each processor: one at work, one waiting
RETRIES = 3  # of a job whose worker failed
CONNECT = 10.0  # seconds for a scheduler to answer
FIRST_WORKER = 60.0  # seconds for a first worker to come
PATIENCE = 600.0  # seconds without any worker before the run is given up: batch systems replace them
COUNT_WORKERS = 2.0  # seconds between two counts of the workers
CLOSE = 0.2  # seconds for a client to say goodbye

Work = Callable[..., Any]


class Pool:
    """Threads of this process; kernels let each other run."""

    def __init__(self, client: Any, size: int) -> None:
        self.client, self.size = client, size
        self.given_up = threading.Event()  # set once nobody waits for what is being done

    def submit(self, work: Work, *args: Any) -> Any:
        """Starts a job; a future of it."""
        return self.client.submit(self._attend, work, *args)

    def _attend(self, work: Work, *args: Any) -> Any:
        with working_for(self.given_up.is_set):
            return work(*args)

    def ended(self, future: Any) -> bool:
        """Whether a job has ended; raises if it never will."""
        return bool(future.done())

    def result(self, future: Any) -> Any:
        """What a job gave, or its exception."""
        return future.result()


def run_all(
    pool: Pool,
    work: Work,
    jobs: Iterable[tuple[Any, ...]],
    take: Callable[..., Any],
    tell: Tell | None = None,
    total: int = 0,
) -> None:
    """Does `take(result, *job)` for the result of `work(*job)` of every job, in the order they end.

    `work` is a function of a module, so that it can be sent; jobs are read as they are needed; `take` is called from
    this thread and gives back how much that was of the total, of which `tell` is told.
    """
    waiting: dict[Any, tuple[Any, ...]] = {}
    more, done = iter(jobs), 0
    while True:
        while len(waiting) < DEPTH * pool.size:
            job = next(more, None)
            if job is None:
                break
            waiting[pool.submit(work, *job)] = job
        if not waiting:
            return
        ended = [future for future in waiting if pool.ended(future)]
        for future in ended:
            size = take(pool.result(future), *waiting.pop(future))
            if tell is not None:
                done += size
                tell(done, total)
        if not ended:
            time.sleep(LOOK)


@functools.lru_cache(maxsize=4)
def unpack(packed: bytes) -> Any:
    """A plan that came as bytes, kept: making an arm's tables takes as long as thousands of targets."""
    return pickle.loads(packed)


def attend_there(work: Work, *args: Any) -> Any:
    """Does a job on a worker of a cluster, as long as somebody waits for it."""
    from distributed import get_worker  # noqa: PLC0415 (slow, optional)

    worker = get_worker()
    key = worker.get_current_task()

    def given_up() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    with working_for(given_up):
        return work(*args)


class ClusterPool(Pool):
    """The workers of a Dask cluster."""

    def __init__(self, client: Any, address: str) -> None:
        super().__init__(client, size=1)
        self.address = address
        self.asked = self.seen = -PATIENCE
        self.count_workers()

    def submit(self, work: Work, *args: Any) -> Any:
        """Starts a job."""
        return self.client.submit(attend_there, work, *args, pure=False, retries=RETRIES)

    def ended(self, future: Any) -> bool:
        """Whether a job has ended; raises if the scheduler is gone or no worker came back."""
        if future.status in ("finished", "error"):
            return True
        if future.status not in ("pending", "lost") or self.client.status != "running":  # lost: is being done again
            raise ForearmError(f"the scheduler at {self.address} is gone")
        self.count_workers()
        if time.monotonic() - self.seen > PATIENCE:
            raise ForearmError(f"the scheduler at {self.address} has no worker left")
        return False

    def count_workers(self) -> None:
        """Looks now and then how many threads the workers have."""
        now = time.monotonic()
        if now - self.asked < COUNT_WORKERS:
            return
        self.asked = now
        try:
            threads = sum(self.client.nthreads().values())
        except (OSError, TimeoutError):
            return  # a scheduler that is gone is told by the futures
        self.size = max(1, threads)
        self.seen = now if threads else self.seen

    def result(self, future: Any) -> Any:
        """What a job gave, or its exception."""
        try:
            return future.result(timeout=PATIENCE)
        except (OSError, TimeoutError, asyncio.CancelledError):
            raise ForearmError(f"the scheduler at {self.address} is gone") from None
        except Exception as problem:
            if type(problem).__module__.startswith("distributed"):
                raise ForearmError(f"a job failed at {self.address} and in {RETRIES} retries: {problem}") from None
            raise


@contextlib.contextmanager
def open_pool(workers: int | None, scheduler: str | None) -> Iterator[Pool]:
    """Threads here, or a cluster's workers where an address is given; nothing is left behind."""
    if scheduler is None:
        size = count_threads(workers)
        with ThreadPoolExecutor(size) as threads:
            pool = Pool(threads, size)
            try:
                yield pool
            finally:
                pool.given_up.set()
                threads.shutdown(cancel_futures=True)
        return
    if workers is not None:
        text = "{argument} is for threads here; a cluster has the workers that were started for it"
        raise OptionError(text, argument="workers")
    with connected(scheduler) as client:
        yield ClusterPool(client, scheduler)


@contextlib.contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of a Dask scheduler that has at least one worker."""
    try:
        from distributed import Client  # noqa: PLC0415 (slow, optional)
        from distributed.comm.addressing import get_address_host  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("a Dask cluster", "scale", ("dask", "distributed")) from None
    try:
        get_address_host(address)  # a client that is given what is no address says so once more at its end
        client = Client(address, timeout=CONNECT, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as problem:
        raise OptionError(f"no Dask scheduler answers at {address} ({problem}); start one: dask scheduler") from None
    try:
        client.wait_for_workers(1, timeout=FIRST_WORKER)
        check_workers(client)
        yield client
    except TimeoutError:
        raise OptionError(f"the scheduler at {address} has no worker; start some: dask worker {address}") from None
    finally:
        before = logging.root.manager.disable
        logging.disable(logging.CRITICAL)  # a goodbye that nobody hears is told with tracebacks
        client.close(timeout=CLOSE)
        logging.disable(before)


def check_workers(client: Any) -> None:
    """Refuses workers with another forearm: their bits may differ."""
    here = version_there()
    for worker, version in client.run(version_there, on_error="return").items():
        if version != here:
            said = version if isinstance(version, str) else f"none that can be imported ({version})"
            raise OptionError(f"worker {worker} has forearm {said} and this process {here}; install the same")


def version_there() -> str:
    """The version of forearm where this runs."""
    from forearm import __version__  # noqa: PLC0415 (this package is part of it)

    return __version__
