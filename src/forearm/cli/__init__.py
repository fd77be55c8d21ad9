"""The command line: `forearm robots | info | fk | solve | solve-file | track | map | view | bench | ...`."""

import sys

from forearm.cli.app import app
from forearm.cli.output import drop_output, ending_with_reader, flush_output
from forearm.cli.shell_words import for_shell
from forearm.cli.show import complain
from forearm.errors import ForearmError

BAD_INPUT = 2


def main() -> None:
    """Runs the command; bad input ends with one line and exit code 2."""
    try:
        with ending_with_reader():
            _run_to_the_last_byte()
    except ForearmError as problem:
        complain(for_shell(problem.message))
        sys.exit(BAD_INPUT)
    except OSError as problem:  # loaders have words for their own
        drop_output()
        complain(f"cannot write the output: {problem.strerror or problem}; write it somewhere else")
        sys.exit(BAD_INPUT)


def _run_to_the_last_byte() -> None:
    try:
        app()
    finally:
        flush_output()
