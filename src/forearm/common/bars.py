"""The one progress bar: how much is done, at which rate, how long it still takes."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Draw = Callable[..., None]

LINE_EVERY = 15.0  # seconds between two lines where no one watches a bar: a log of an hour has 240 of them


@contextmanager
def drawing(what: str, unit: str = "", *, always: bool = False, between: bool = True) -> Iterator[Draw]:
    """A function of (done, total), and of what is being done if that changes, that moves a bar on standard error.

    A `unit`, as in "poses", shows a rate. Where standard error is no terminal it gets a line now and then instead,
    none for what is done soon; `always` draws the bar there too, and leaves it. `between` draws also between calls:
    measurements are not to be disturbed.
    """
    from rich import progress  # noqa: PLC0415 (only where a bar is drawn)
    from rich.console import Console  # noqa: PLC0415

    console, begin = Console(stderr=True), time.monotonic()
    if not (always or console.is_terminal):
        yield lines(what, begin)
        return
    columns = [progress.TextColumn("{task.description}"), progress.BarColumn(), progress.TaskProgressColumn()]
    columns += [progress.TextColumn(f"{{task.fields[rate]}} {unit}/s")] if unit else []
    with progress.Progress(
        *columns,
        progress.TimeRemainingColumn(),
        console=console,
        transient=not always,
        auto_refresh=between,
    ) as bar:
        task = bar.add_task(what, total=None, rate="-")

        def draw(done: int, total: int, what: str = what) -> None:
            rate = done / max(time.monotonic() - begin, 1e-9)  # 1e-9: a clock may stand still
            bar.update(task, description=what, completed=done, total=total, rate=f"{rate:,.0f}", refresh=not between)

        yield draw


def lines(what: str, begin: float) -> Draw:
    """A function of (done, total), and of what is being done, that says so in a line on standard error now and then."""
    last = begin

    def tell(done: int, total: int, what: str = what) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < LINE_EVERY or done >= total:
            return
        last = now
        left = f", about {(now - begin) * (total - done) / done:.0f} s left" if done else ""
        print(f"{what}: {done:,} of {total:,} ({done / total:.0%}){left}", file=sys.stderr, flush=True)

    return tell
