"""Compiled kernels: arrays in, arrays and a status code out. Imports numpy, math and numba only."""
