"""Loops around kernels, compiled where Numba is installed; elsewhere they run as Python, for tests, not for times."""

try:
    from numba import njit
except ImportError:

    def njit(function=None, **options):
        """The function as it is."""
        return (lambda given: given) if function is None else function


__all__ = ["njit"]
