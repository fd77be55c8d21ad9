"""Distances, and the search for poses that keep them."""
