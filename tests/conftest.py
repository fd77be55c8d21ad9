"""Settings for all tests: repeatable Hypothesis runs, no deadline (the first call compiles)."""

from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=200)
settings.load_profile("repeatable")
