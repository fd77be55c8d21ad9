"""`python -m forearm`: the command line."""

from forearm.cli import main

main()
