"""Kernels of skeletons with poles, looks and obstacles."""
