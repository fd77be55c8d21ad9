"""Chains on Bezier curves."""
