"""The command line: `forearm robots | info | fk | solve | solve-file | track | map | view | bench | ...`."""

import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

BAD_INPUT = 2
INTERRUPTED = 130  # the exit code of a command that Ctrl-C ended, as shells have it


def main() -> None:
    """Runs the command; Ctrl-C ends it without a word, also while it is still being imported."""
    try:
        run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def run() -> None:
    """Runs the command; bad input ends with one line and exit code 2."""
    from forearm.cli.app import Usage, app  # noqa: PLC0415 (slow: Ctrl-C is to be heard meanwhile)
    from forearm.errors import ForearmError  # noqa: PLC0415

    if not {"--help", "-h"}.isdisjoint(sys.argv) or len(sys.argv) == 1:
        import_help()
    try:
        with ending_with_reader(), hearing_notes():
            try:
                code = app(standalone_mode=False)
            finally:  # a failure to write is to be seen before the process ends
                if sys.stdout is not None:  # None if the shell closed it
                    sys.stdout.flush()
        sys.exit(code)
    except (Usage, ForearmError, OSError) as problem:
        refuse(problem)
    except ImportError:
        why = why_no_kernels()
        if not why:
            raise
        print(f"error: {why}", file=sys.stderr)
        sys.exit(BAD_INPUT)


def why_no_kernels() -> str:
    """Why no kernel runs here, and what helps; empty where they do."""
    try:
        import forearm.core.jit  # noqa: PLC0415, F401 (slow)
    except ImportError as problem:
        if problem.name == "numba":
            return "FOREARM_KERNELS is 'jit', which takes Numba; pip install 'forearm[jit]', or leave it unset"
        if problem.name is None:  # in the kernels' own words
            return str(problem)
        raise
    return ""


class Notes(logging.Handler):
    """Says what the library remarks in the words of the shell."""

    def emit(self, record: logging.LogRecord) -> None:
        """One line on standard error."""
        from forearm.cli.show import note  # noqa: PLC0415 (slow, and seldom needed)

        alone = record.msg == "%s" and isinstance(record.args, tuple) and isinstance(record.args[0], str)
        note(record.args[0] if alone else record.getMessage())  # type: ignore[index, arg-type]


@contextmanager
def hearing_notes() -> Iterator[None]:
    """Listens to the library while a command runs."""
    notes, logger = Notes(logging.WARNING), logging.getLogger("forearm")
    logger.addHandler(notes)
    try:
        yield
    finally:
        logger.removeHandler(notes)


def import_help() -> None:
    """Imports what writes help without the reader of Markdown, which that imports and which ours, not in it, needs not.

    It is a third of the time until help is there.
    """
    unread = ModuleType("rich.markdown")
    unread.Markdown = None  # type: ignore[attr-defined]
    known = sys.modules.setdefault("rich.markdown", unread)
    try:
        import typer.rich_utils  # noqa: PLC0415, F401 (slow)
    finally:
        if known is unread:
            del sys.modules["rich.markdown"]


def refuse(problem: Any) -> None:
    """Says in one line what was wrong, and ends the process."""
    from forearm.cli.shell_words import for_shell, usage_words  # noqa: PLC0415 (slow, and seldom needed)
    from forearm.cli.show import complain  # noqa: PLC0415
    from forearm.errors import ForearmError  # noqa: PLC0415

    if isinstance(problem, OSError):  # loaders have words for their own
        # What is still buffered goes nowhere, or Python would try to write it once more at its end.
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        words = f"cannot write the output: {problem.strerror or problem}; write it somewhere else"
    else:
        words = for_shell(problem.message) if isinstance(problem, ForearmError) else usage_words(problem)
    if words:  # else it was no mistake, and help has been printed
        complain(words)
    sys.exit(BAD_INPUT)


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
