"""The walk along a path."""
