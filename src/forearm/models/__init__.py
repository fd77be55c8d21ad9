"""Loaders: each reads one kind of file into a Mechanism, from which a chain's Model is cut."""
