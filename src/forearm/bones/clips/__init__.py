"""Motions of skeletons: read from BVH and glTF, changed by targets, written back."""
