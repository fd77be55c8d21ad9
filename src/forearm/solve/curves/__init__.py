"""Answers chosen along self-motion curves, and the curves themselves."""
