"""Kernels of motions: skeletons with poles, looks and obstacles; links of robots that come near each other."""
