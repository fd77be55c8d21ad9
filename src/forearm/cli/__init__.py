"""The command line: `forearm robots | info | fk | solve | demo`."""

import sys

from forearm.cli.app import app
from forearm.cli.show import complain
from forearm.errors import ForearmError

BAD_INPUT = 2


def main() -> None:
    """Runs the command; bad input ends with one line and exit code 2."""
    try:
        app()
    except ForearmError as problem:
        complain(str(problem))
        sys.exit(BAD_INPUT)
