"""Loaders: each reads one kind of description and makes a `Model`, once."""
