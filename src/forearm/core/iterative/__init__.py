"""Textbook methods, and FABRIK-R."""
