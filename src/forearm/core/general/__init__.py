"""The general solver: Levenberg-Marquardt from a table of seeds."""
