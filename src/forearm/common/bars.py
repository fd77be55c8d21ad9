"""The one progress bar: how much is done, at which rate, how long it still takes."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Draw = Callable[..., None]


@contextmanager
def drawing(what: str, unit: str = "", *, always: bool = False, between: bool = True) -> Iterator[Draw]:
    """A function of (done, total), and of what is being done if that changes, that moves a bar on standard error.

    A `unit`, as in "poses", shows a rate. `always` draws it also where standard error is no terminal, and leaves it
    there; `between` also between calls: measurements are not to be disturbed.
    """
    from rich import progress  # noqa: PLC0415 (only where a bar is drawn)
    from rich.console import Console  # noqa: PLC0415

    columns = [progress.TextColumn("{task.description}"), progress.BarColumn(), progress.TaskProgressColumn()]
    columns += [progress.TextColumn(f"{{task.fields[rate]}} {unit}/s")] if unit else []
    console, begin = Console(stderr=True), time.monotonic()
    with progress.Progress(
        *columns,
        progress.TimeRemainingColumn(),
        console=console,
        transient=not always,
        auto_refresh=between,
        disable=not (always or console.is_terminal),
    ) as bar:
        task = bar.add_task(what, total=None, rate="-")

        def draw(done: int, total: int, what: str = what) -> None:
            rate = done / max(time.monotonic() - begin, 1e-9)  # 1e-9: a clock may stand still
            bar.update(task, description=what, completed=done, total=total, rate=f"{rate:,.0f}", refresh=not between)

        yield draw
