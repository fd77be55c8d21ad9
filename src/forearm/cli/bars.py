"""A bar for work that takes minutes to days: how much is done, at which rate, how long it still takes."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich import progress

from forearm.cli import show
from forearm.common.threads import Tell


@contextmanager
def counting(what: str, unit: str) -> Iterator[Tell]:
    """A function of (done, total) that moves a bar on a terminal's standard error.

    Args:
        what: What is being done.
        unit: What is counted, as in "poses".
    """
    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.TaskProgressColumn(),
        progress.TextColumn(f"{{task.fields[rate]}} {unit}/s"),
        progress.TimeRemainingColumn(),
    )
    begin = time.monotonic()
    with progress.Progress(*columns, console=show.err, transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(what, total=None, rate="-")

        def tell(done: int, total: int) -> None:
            rate = done / max(time.monotonic() - begin, 1e-9)  # 1e-9: a clock may stand still
            bar.update(task, completed=done, total=total, rate=f"{rate:,.0f}")

        yield tell
