"""Closed forms: all joint values of a pose by formulas, for arms whose axes allow it."""
