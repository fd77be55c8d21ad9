"""Rigid transforms, sines, limits and small linear systems."""
