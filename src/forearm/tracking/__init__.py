"""Paths: joint values from way-point to way-point, or why they end."""
